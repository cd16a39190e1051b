// Package atif writes trajectories and episodes as documents of the Agent Trajectory Interchange
// Format, which viewers, stores and tracers of agents read, and reads documents of other programs
// as trajectories.
//
// # Words
//
// A [Document] is one trajectory in the format, version ATIF-v1.8. A [Step] is a text of the system
// or of a user, or one move of an agent: its reasoning, a call, and what it observed. What the
// format has no place for is in the objects "extra" under "toolevo": [Lineage] in the document,
// [Move] in an agent's steps.
//
// # Writing
//
// The system text and the tools are those of the prompt version, without demonstrations. Name and
// arguments of a call are as the agent wrote them, so a step that met a deprecation calls the
// deprecated API. A Thought is the step's reasoning. A text in which no call can be read is the
// step's message, and its result has no source_call_id. The step that ended the task also has the
// answer as its message.
//
// # Reading
//
// A document of this program comes back as the row it was, without the gold answer, which no
// document holds. A document of others is read as function calls. Each call of a step becomes a
// turn; the step's reasoning and message are the thought of the first. It has no verdict, and the
// tools that it defines are listed after its system text, as a sample has no other place for them.
// All that ask the same are of one question, whose ID is a hash of its text.
// How it was made (times, costs, tokens, token IDs) is not part of a trajectory, and is not read.
//
// # Guarantees
//
//   - The same rows give the same bytes. Documents name no machine. The time of every step is that
//     at which the run began: no row says when a step was taken, and the steps keep their order.
//   - What a row cannot express is refused, by document and step ([Refusal]): media, a user who
//     speaks again, subagents, copied context, steps that no model wrote, several calls whose
//     results do not name them.
//
// # Caveats
//
// session_id is that of the document, not of the run, which is in "extra": readers take it for one
// agent's run, and Harbor's converter to OpenTelemetry puts all documents of one session_id into
// one trace. That converter (0.1.1) shows the results of calls only, so the result of an action
// that is not a call is in the document but in no span; and it warns about this version, as it only
// knows the earlier ones, which lack audio.
package atif
