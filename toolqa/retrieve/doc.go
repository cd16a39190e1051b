// Package retrieve holds the two tools that look for passages: RetrieveAgenda over the descriptions of the
// agenda corpus, and RetrieveScirex over the sections of the scirex corpus. Both are a [Tool], which prints
// the three passages that fit the argument keyword best, a line each.
//
// # Words
//
// A passage is a document of the corpus. A [Searcher] ranks passages: [Index] by the words they share with
// the query (BM25), [Dense] by the meaning of both, as an embedding model sees it. The published tools are of
// the second kind, with a model of their own; Index needs no model and is the default.
//
// # BM25
//
// The index is one of package bleve with its scoring model set to BM25, whose formula there takes the square
// root of a word's frequency, the square of its inverse document frequency, and, as a factor, the share of
// the query's words that a passage has. Words are those of the Unicode standard, in lower case, without
// English stop words, and reduced to their stems; underscores, dots and apostrophes separate words: the name
// SQuAD1_1 of the scirex corpus is SQuAD1.1 in its texts. The average length of a passage is counted when the
// index is made, since bleve alone would take the number of distinct words instead.
//
// # Files
//
// What is derived from a corpus is kept beside it, in a folder for each dataset: DIR/corpus/DATASET.bleve/KEY
// is an index, and DIR/corpus/DATASET.vectors/KEY.f32 the vectors of one model. The key is a hash of the
// corpus's content, of the format, and of the model, so that nothing is ever read that belongs to another
// corpus. Both are made at first use, or before by [Prepare], under a temporary name, synced, and then
// renamed: a failure, or two programs at once, leave a whole one or none. They can be removed at any time.
// Either is compared with hashes when it is opened.
//
// # Guarantees
//
//   - The same corpus and query give the same passages in the same order; of equal ones the lowest ID is
//     first. For Dense this is as true as it is for the model: [Tool.WithMemory] has a run see one answer to
//     a query.
//   - Tools and searchers are safe for concurrent use until Close.
//   - A query that cannot be answered is an observation, the published one. An error is ours: a file that
//     cannot be read, or a model's server that does not answer.
//
// # Caveats
//
// A query longer than 2,048 bytes is cut there, as embedding models cut theirs. BM25 finds nothing for a
// query that shares no word with any passage, where a model always finds something.
package retrieve
