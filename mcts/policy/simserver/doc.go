// Package simserver is an inference server without a model: it speaks the protocols of vLLM and of Ollama over real
// HTTP, and the scripted policy writes its answers. Tests and load measurements use it in place of a GPU machine.
//
// # Words
//
// A server has slots: each decodes one sequence. A request for n samples is n sequences; what finds no slot waits in a
// queue, first in, first out. The [Latency] model says how long a sequence takes, and Options.Speed how many times
// faster than that the clock runs. A [Fault] is something that goes wrong with one request, or with the server for a
// while. A [Misconfiguration] is something that is wrong with the server all the time, silently.
//
// # From text to text
//
// A server sees a prompt, the scripted policy a history. So the prompt is read back by its markers: few-shot prompts in
// both layouts, the chat templates of Llama 3 and of Qwen (ChatML), and chat messages. What kind of observation each
// turn ended with is told from the published wording of the observation. A prompt without a question in it is a
// question that nobody knows, which the policy gives up on. Sample i is the policy's sample of seed+i; temperature 0 is
// its greedy one. The log-probabilities of the text's tokens have the mean that the policy states, and so have those of
// all tokens returned.
//
// # Guarantees
//
//   - Equal requests with a seed, or with temperature 0, get equal texts, whatever else is going on, as long as no
//     fault or misconfiguration says otherwise.
//   - Whether a request meets a fault drawn by rate depends on Faults.Seed, the bytes of the request, and how often
//     they were sent before; not on when they arrive.
//   - Errors, field names and metric names are those of vLLM 0.32 and of current Ollama, as far as they are modelled.
//   - A request whose client is gone leaves its slots and the queue. Close waits for every handler and goroutine.
//
// # Caveats
//
// Tokens are pieces of words and their IDs are hashes. Of the sampling parameters only the seed, the limits, the stop
// texts and temperature 0 change what is written. Streams hold a single piece; those of the OpenAI protocol, prompts of
// token IDs, echo and prompt log-probabilities are refused. A sequence reserves its memory before it starts, so nothing
// is ever preempted. An observation that holds a line "Question:", or one that begins as an action does ("Thought:"),
// after a blank line is misread.
package simserver
