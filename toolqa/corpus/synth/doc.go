// Package synth invents corpora: the columns, order and value formats of the published files, with values drawn from a
// seed. The same seed and size always give the same content, and the oddities of the published files occur in it as
// often as there.
//
// A generator draws its names and words from a file in the folder words, and its numbers from distributions that were
// fitted to the published files.
package synth
