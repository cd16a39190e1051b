// Package bench is ToolQA-D as a suite: its corpora, questions and tools behind the API versions
// that ship with the program. Importing it registers it.
//
// # Words
//
// [ToolQA] is the benchmark. Opening it opens only the corpora of the chosen datasets: nothing else
// in the data folder is part of a run or may change what its tools answer.
//
// # Guarantees
//
//   - Tasks come by dataset, in alphabetical order, then easy before hard, then as their file has
//     them.
//   - The lineage has the hash of each corpus and the version of the strict matcher. The caller
//     adds that of the questions, since it may use only some.
//
// # Caveats
//
// The embedding model of the section retrieval is opened when a query needs it: what a run
// remembers needs neither vectors nor a server.
package bench
