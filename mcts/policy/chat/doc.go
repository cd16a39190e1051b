// Package chat turns a history into what a chat model is sent: one text with the model's own
// control tokens, for servers that complete raw text, or messages, for servers that apply the
// model's template themselves. It also holds the texts of a conversation, which training samples
// are made of too, so that a checkpoint is asked in the bytes it was trained on.
//
// # Words
//
// A conversation is the system text, the question, then the model's replies and the observations in
// turn. A reply is an action as the model wrote it; the question and the observations are read. A
// [Template] is how LLaMA-Factory renders a conversation for a model family. A control token is
// text that a tokenizer reads as one of its special tokens; a slot is text that LLaMA-Factory's
// formatters would fill in. A [Sanitizer] breaks both.
//
// # Guarantees
//
//   - [Template.Render] gives the bytes that LLaMA-Factory 0.9.5 trains on for the exported sample
//     of the same history, up to where the model's next reply begins. Tokenised as one text they
//     are the same tokens, too, because texts begin and end without white space.
//   - Rendering is append-only: the rendering of a history, with the next reply after it, is a
//     prefix of the rendering of every history that continues it. A server's prefix cache serves a
//     whole tree.
//   - No text that the model reads becomes a control token, and no observation is lost, in either
//     form.
//   - Everything is a pure function of its arguments and safe for concurrent use.
//
// # Learned tools
//
// A tool description that the agent learned (envs.History.Learned) is not rendered separately: the
// UpdateTool call that taught it is already one of the replies, word for word. Training samples do
// the same.
//
// # Caveats
//
// A reply is rendered as the model wrote it. Text in it that looks like a control token is not
// broken, because no sample that holds one is ever trained on. The system text is rendered
// unchanged: its author is responsible for it. The numbers of a function call stay as written;
// LLaMA-Factory writes 1.5 for 1.50.
package chat
