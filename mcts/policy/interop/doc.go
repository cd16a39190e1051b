// Package interop holds no code, only tests and the scripts that run them: the backends openai and
// ollama, and the whole command line, against the real vLLM and the real Ollama with a tiny model,
// and the command line with a small language model. See README.md.
//
// The tests skip unless a script has put the address of a server it started into the environment.
package interop
