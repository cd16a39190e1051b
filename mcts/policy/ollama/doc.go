// Package ollama is the backend for Ollama servers, through their own /api/generate.
//
// # Words
//
// The window is num_ctx: how many tokens of prompt and completion the server keeps. A transcript is
// a reply with what the server reports beyond a [server.Reply]: the tokens, and how long the model
// took to load.
//
// # Guarantees
//
//   - Prompts are sent raw: the server applies no template, and splits no thoughts off.
//   - Every option of sampling is sent in every request, and the same window with all of them: a
//     change would reload the model.
//   - A reply counts only when it says that the sample ended, and when it can be what a model
//     wrote: text where tokens are counted, log-probabilities at most 0 and of all tokens but those
//     of the stop text, whole characters, and no more tokens than the prompt has bytes or than were
//     allowed. Any other is a transient fault.
//   - A prompt that does not fit is a fault of kind [server.TooLong]. Current servers refuse it if
//     asked to; older ones, which cut it or slide the window in silence, are detected by their
//     token counts.
//   - Samples differ by their seeds, one request each, all at the same time. At temperature 0 all
//     samples are one text: one is drawn, and repeated.
//   - Nothing is pulled, created or unloaded.
//   - Every error of a request is a [server.Fault] or the context's own error, and contains no key.
//
// # Caveats
//
// Servers give log-probabilities from version 0.12.11 on; they leave out the tokens of the stop
// text, so there can be fewer than [server.Choice.Tokens], and a prior from them is not comparable
// with one from vLLM. Servers refuse to cut a prompt from 0.12.6 on. Before 0.30, Ollama's own
// engine ignores the penalties. OLLAMA_NUM_PARALLEL is 1 by default: more requests than that wait
// in the server, and the time they wait counts against [Options.Timeout]. The server also keeps
// that number of prompts, one in each slot, and does not say how many. A request goes to the free
// slot that knows most of its prompt. A window above the one the model was trained with is lowered
// to that in silence: compare [Backend.Describe].
//
// The types of the requests are those of Ollama's own client. The requests are not sent with it: it
// allocates 8 MB for each, mistakes a reply that breaks off for a complete one and an error without
// a body for success, and drops the headers.
package ollama
