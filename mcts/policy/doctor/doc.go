// Package doctor examines an inference server before a run: it finds out what the server will
// silently do wrong, how a run would cope with it, and what to change.
//
// # Words
//
// A check tests one property of a server by one or more probes: requests for completions, as a run
// would send them. Its verdict is OK; Warning, if a run copes but is slower or loses something that
// is named; Problem, if a run would be wrong or impossible; Unknown, if the probes were
// inconclusive; or Skipped, if quick mode leaves it out. A filler is a meaningless prompt of known
// length in tokens. A nonce is text that no earlier prompt had, so that no prefix cache holds it.
//
// # How it finds out
//
// The model only has to write something: any model will do, and its output is only compared with
// its own. The stop text of a probe is a piece of what the model wrote without one. Fillers find
// the context window, trying the stated size first. The token counts of a prompt with a short and
// with a long observation show whether a chat template renders observations.
//
// Counters of the server are preferred to the clock: cached tokens, the hits of vLLM's /metrics,
// the durations in Ollama's replies. What must be timed (whether requests run side by side) is
// compared in pairs, each with a probe of the same form that does no work, so that a busy machine
// slows both. Pairs are measured until the difference is many times its standard error; one that
// stays uncertain is Unknown, never a finding.
//
// # Quick mode
//
// A server that writes a few tokens a second takes an hour for the about 200 probes of a whole
// examination. Quick mode, to which an examination switches by itself if a short completion takes
// longer than five seconds, twice, makes ten, or twelve if the server applies the chat template, of
// at most 16 tokens each, and at most ten more with an Ollama server, to count the prompts that it
// keeps; the longest prompt is the run's own first one. What they cannot show is Skipped, and the
// report says so: how much fits the window and what becomes of more, temperature 0, the server's
// defaults, the distribution of log-probabilities, requests side by side.
//
// # Kept prompts
//
// A server with slots keeps one prompt in each; see the package server. llama.cpp reports how many
// it has. Ollama does not: nine prompts that begin alike are sent to it at the same time, and then
// each again, by itself, the last answered first. Those that the slots still hold are read at once,
// by Ollama's own timings, and they are the last answered: a slot gets no other prompt once none is
// waiting.
//
// # Weights
//
// To write one token a server reads all weights of a dense model once, so tokens a second times the
// bytes of the weights is a memory bandwidth. CPUs have 10 to 50 GB/s and more, GPUs hundreds. A
// server with less than 2 GB/s is reported, unless it writes 20 tokens a second or more: then what
// a token costs beside its weights may decide. A mixture of experts reads only some of its weights,
// so too few servers are reported, never too many.
//
// # Guarantees
//
//   - Probes go through the backends of a run, the packages openai and ollama, so they have the
//     fields and the window of a run's requests: Ollama does not load the model again between them,
//     nor for the run after them.
//   - No key occurs in a report.
//   - [Examine] ends when its context does, and leaves no goroutine behind.
//
// # Caveats
//
// A server that is busy with others' requests all the time may look as if it ran one request at a
// time. A prompt of nearly the whole window is sent once; a server that would read it for longer
// than [Options.Timeout] is not asked to, and its window stays Unknown.
package doctor
