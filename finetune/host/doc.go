// Package host puts a checkpoint behind a server that policies can ask: it starts one for it, such
// as vLLM, or publishes it at one that runs, such as Ollama.
//
// # Words
//
// A [Server] says how; its command may hold {model}, the folder of the weights, {name}, how the
// model is called, and {port}, a free port of this machine. A [Checkpoint] is what is served, and
// [Served] what came of it.
//
// # Guarantees
//
//   - A server that was started is gone when Stop returns, when the context ends, and soon after
//     this process dies.
//   - A checkpoint counts as served when the server itself lists it by its name.
package host
