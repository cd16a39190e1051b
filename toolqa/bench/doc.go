// Package bench is ToolQA-D as a suite: its corpora, questions and tools behind the API versions that ship with the
// program. Importing it registers it.
//
// # Words
//
// [ToolQA] is the benchmark. Opening it gives the corpora of the datasets chosen, and no others: what else the data
// folder holds is no part of a run, and must not change what its tools answer.
//
// # Guarantees
//
//   - Tasks come by dataset, in alphabetical order, then easy before hard, then as their file has them.
//   - The lineage has the hash of each corpus. That of the questions is the caller's, who may take some of them.
//
// # Caveats
//
// The embedding model of the section retrieval is opened when a query needs it: what a run remembers needs neither
// vectors nor a server.
package bench
