// Package simserver is an inference server without a model: it speaks the protocols of vLLM and of
// Ollama over real HTTP, and the scripted policy writes its answers. Tests and load measurements
// use it in place of a GPU machine.
//
// # Words
//
// A server has slots: each decodes one sequence. A request for n samples is n sequences; those that
// find no slot wait in a queue, first in, first out. The [Latency] model says how long a sequence
// takes, and Options.Speed how many times faster than that the clock runs. A [Fault] is something
// that goes wrong with one request, or with the server for a while. A [Misconfiguration] is
// something that is wrong with the server all the time, silently.
//
// # From text to text
//
// A server sees a prompt, the scripted policy a history. So the prompt is read back by its markers:
// few-shot prompts in both layouts, the chat templates of Llama 3 and of Qwen (ChatML), and chat
// messages. The kind of each turn's observation is recognised by its published wording. A prompt
// without a question in it is an unknown question, on which the policy gives up. Sample i is the
// policy's sample of seed+i; temperature 0 is its greedy one. The log-probabilities of the text's
// tokens have the mean that the policy states, and so have those of all tokens returned.
//
// With Options.Thoughts the model reasons before each action, in the words of a draft that is not
// the action, and the server sends that as servers of many kinds do. A history that is read back
// has it only in the action's text.
//
// # Native calls
//
// A chat that lists tools is shown to the model as templates of Hermes and Qwen show it: the tools
// at the end of the system message, calls in <tool_call> tags, what answers them in <tool_response>
// tags in a user's message. Arguments in the history that are not an object become {}, as vLLM's
// do. The model writes its thought and a call in tags, whatever the codec of the policy, and what
// is not a call is in the tags as it is. The thought is content, but a model that reasons has it at
// the end of its reasoning. The server takes the calls out as vLLM's parser for Hermes does, if all
// can be read, with random ids; tokens and usage are those of what the model wrote. "required" and
// a named tool allow the model only a call, "none" shows the tools and takes no call out, and
// parallel_tool_calls false leaves the first call. Answers without calls, and calls without
// answers, are refused as OpenAI refuses them. Without tools a server does none of this. A vLLM's
// /tokenize returns the tokens of a chat, which /v1/completions accepts as a prompt: for it, and
// for any raw prompt of a chat with tools, the model writes the same, and nothing is taken out.
//
// # What was read before
//
// All sequences share a prefix cache of blocks, as vLLM's. With Options.PromptPerSlot every slot
// keeps one prompt instead: what the last sequence there read and wrote. A request that names no
// slot is put on the free one that holds the longest beginning of its prompt, else on the one that
// has been free for longest, and reads what that slot does not hold.
//
// Such a server with the OpenAI protocol is llama.cpp's in all that concerns slots (build 11549
// with --cache-ram 0): GET /props, id_slot and cache_prompt in requests, the usage and
// timings of the first choice, the form of errors. A slot is not chosen for a tenth of a prompt or
// less. A request that names a slot waits for it. A request for n samples needs n slots at once:
// one reads, the others copy what it read and hold nothing afterwards. A request that does not find
// its slots is overtaken. Everything else stays vLLM's, log-probabilities too, so that a client
// gets the same samples from either. With Ollama's protocol any beginning counts, and a prompt that
// no slot knows takes the first one that is free.
//
// # Guarantees
//
//   - Equal requests with a seed, or with temperature 0, get equal texts, whatever else is going on
//     and whatever slots hold, as long as no fault or misconfiguration says otherwise.
//   - Whether a request meets a fault drawn by rate depends on Faults.Seed, the bytes of the
//     request, and how often they were sent before; not on when they arrive.
//   - Errors, field names and metric names are those of vLLM 0.32 and of current Ollama, as far as
//     they are modelled.
//   - A request whose client is gone leaves its slots and the queue. Close waits for every handler
//     and goroutine.
//
// # Caveats
//
// Tokens are pieces of words, and their IDs are hashes, or those that /tokenize returned. Of the
// sampling parameters only the seed, the limits, the stop texts and temperature 0 change what is
// written. Streams hold a single piece; those of the OpenAI protocol, lists of prompts, echo and
// prompt log-probabilities are refused. A sequence reserves its memory before it starts, so none is
// ever preempted. An observation that holds a line "Question:", or one that begins as an action
// does ("Thought:"), after a blank line is misread. A prompt that loses its slot is forgotten;
// llama.cpp's server, unless told otherwise (--cache-ram), still has it in main memory if the
// prompt that took the slot shares less than half of it. Schemas of tools constrain nothing, and
// /api/chat of Ollama is not simulated.
package simserver
