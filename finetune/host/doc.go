// Package host puts a checkpoint behind a server that policies can ask: it starts a server, such as
// vLLM, or publishes the checkpoint at one that is running, such as Ollama.
//
// # Words
//
// A [Server] says how; its command may hold {model}, the folder of the weights, {name}, the name of
// the model, and {port}, a free port of this machine. A [Checkpoint] is what is served, and
// [Served] is a checkpoint that can be asked.
//
// # Guarantees
//
//   - A server that was started is gone when Stop returns, when the context ends, and soon after
//     this process dies.
//   - A checkpoint counts as served when the server itself lists it by its name.
package host
