// Package suite defines what a benchmark provides to the rest of the program, and registers the
// benchmarks. To add one, write a package that implements [Benchmark] and [Suite] and registers
// itself, and import it in the command.
//
// # Words
//
// A [Benchmark] is what is known before anything is chosen: its name, the API versions of a data
// folder, and the tools that a prompt shows for each. Open turns it and a [Choice] into a [Suite]:
// tasks, environments for each version, and the lineage of its data. What only some provide is a
// small optional interface, found by type assertion like io.ReaderFrom: [Demonstrator], [Narrower],
// [Configurable], [Commander], [Lister], [Sourced], [Asker], [Matcher] and [WordPlanner] for a
// benchmark, [Planner], [Answerer], [Sandboxed], [Live] and [Preparer] for a suite.
//
// # Guarantees
//
// What a suite promises beyond the types, and the conformance suite in envs/envtest tests:
//
//   - The same choice of the same data gives the same tasks in the same order and the same lineage.
//   - IDs of tasks are distinct, and every task can be reset in the environment of every version.
//   - No task reveals its answer: nothing that an agent may see contains it.
//
// # Caveats
//
// The registry is not safe for concurrent use: call Register from init functions only.
package suite
