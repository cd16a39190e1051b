// Package prompt renders what every language model is shown: guidelines, the tools of the prompt
// version, demonstrations, and the history so far.
//
// # Words
//
// A [Prompt] renders a history as the text a model continues. A [Demonstration] is a solved task
// shown in it. A [Layout] says where learned tools are listed.
//
// # Guarantees
//
//   - Rendering is a pure function of the prompt and the history. In the stable layout the
//     rendering of a history is a prefix of the rendering of every longer one, so a server's prefix
//     cache serves a whole tree.
//   - A task is never its own demonstration.
package prompt
