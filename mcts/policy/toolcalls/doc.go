// Package toolcalls reads the tool calls in what a model wrote as text, for servers that give text
// back: raw completions, llama.cpp with a model whose calls it does not know, Ollama's raw prompts.
//
// # Words
//
// A [Parser] is the way in which a family of models writes calls, under the name of vLLM's parser
// for it, if there is one. Markup is what surrounds a call and is not part of it: tags, code
// fences, brackets of a list. The content of a text is what precedes its first call. An object is
// cut if the text ends before it does, and broken if it is not JSON.
//
// # Guarantees
//
//   - The arguments of a call are the bytes that the model wrote: 2.50 stays 2.50, and keys keep
//     their order. For [Qwen3Coder], which has no JSON, this is true of each value except Python's
//     True and False.
//   - Nothing but markup is lost up to the end of the first call: [Reading.End] says where that is,
//     and the text behind it does not change what is read up to it, unless it ends reasoning. Any
//     text without a call is content, cut and broken calls included.
//   - No call is read in a string, in another JSON value, in a parameter, or in reasoning.
//   - Reading takes any text, and time linear in its length. An object that nests deeper than
//     [pytext.MaxDepth] is broken. It is a pure function of its arguments and safe for concurrent
//     use.
//
// # Caveats
//
//   - A broken object without tags ends the reading: where the next call begins would be a guess,
//     and what a model calls after a failed call is not what it would call first.
//   - A call needs a name and arguments, an object as a rule: arguments that are a string are kept
//     as they are written, in quotes, and codecs refuse them.
//   - Objects without tags count wherever they occur, so an example in prose or in a program is a
//     call.
//   - Reasoning is what [action.Part] finds, and what precedes an end tag without a beginning, even
//     one in an argument. A text with tags of reasoning in its content, before its first call, has
//     no calls.
//   - A parameter of [Qwen3Coder] cannot hold the tags of parameters, nor the end tag of functions:
//     they end it.
//   - testdata/corpus.yaml says where vLLM reads a text in another way, and why.
package toolcalls
