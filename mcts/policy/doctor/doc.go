// Package doctor examines an inference server before a run does: it finds out what the server will silently do wrong,
// says what a run makes of it, and what to change.
//
// # Words
//
// A check looks at one property of a server, by one or more probes: requests for completions, as a run would
// send them. Its verdict is OK; Warning, when a run copes but is slower or loses something that is named;
// Problem, when a run would be wrong or impossible; or Unknown, when the probes did not tell. A filler is a
// prompt without a meaning whose length in tokens is known before it is sent. A nonce is text that no prompt
// before had, so that no prefix cache holds it.
//
// # How it finds out
//
// Nothing is asked of the model but to write: any model will do, and what it says is only compared with
// itself. The stop text of a probe is a piece of what the model wrote without one. The context window is
// found by fillers, the stated one first; whether a chat template renders observations, by the count of a
// prompt's tokens with a short and with a long one.
//
// Where a server has counters they are believed before the clock: cached tokens, the hits of vLLM's /metrics,
// the durations in Ollama's replies. What must be timed (whether requests run side by side) is compared in
// pairs, each with a probe of the same form that has nothing to do, so that a busy machine slows both. Pairs
// are made until the difference is many times its own error; a difference that stays unsure is Unknown, never
// a finding.
//
// # Guarantees
//
//   - Probes go through the backends of a run, the packages openai and ollama, so they have the fields and
//     the window of a run's requests: Ollama does not load the model again between them, nor for the run after
//     them.
//   - No key occurs in a report.
//   - [Examine] ends when its context does, and leaves no goroutine behind.
//
// # Caveats
//
// A server that is busy with others' requests all the time may look as if it ran one request at a time. A prompt of
// nearly the whole window is sent once; a server that would read it for longer than [Options.Timeout] is not asked to,
// and its window stays Unknown.
package doctor
