// Package suite is what a benchmark offers to the rest of the program, and the register of those that there are. A new
// benchmark is a package that implements [Benchmark] and [Suite] and registers itself, and one import in the command.
//
// # Words
//
// A [Benchmark] is what can be said before any data is read: its name, its API versions, and the tools that a prompt
// shows of each. Open turns it and a [Choice] into a [Suite]: tasks, environments for each version, and the lineage of
// what they were made from. What only some benchmarks have is a small interface of its own, found by assertion as
// io.ReaderFrom is: [Planner], [Demonstrator], [Configurable], [Commander], [Lister] of a benchmark, [Answerer],
// [Sandboxed] and [Preparer] of a suite.
//
// # Guarantees
//
// What a suite promises beyond the types, and what the conformance suite in envs/envtest holds every one to:
//
//   - The same choice of the same data gives the same tasks in the same order and the same lineage.
//   - IDs of tasks are distinct, and every task can be reset in the environment of every version.
//   - No task says its answer: what an agent may see holds none.
//
// # Caveats
//
// The register is filled while the program starts and not guarded; Register is for init functions.
package suite
