// Package atif writes trajectories and episodes as documents of the Agent Trajectory Interchange
// Format, which viewers, stores and tracers of agents read, and reads documents of other programs
// as trajectories.
//
// # Words
//
// A [Document] is one trajectory in the format, version ATIF-v1.8. A [Step] is a text of the system
// or of a user, or what an agent did at once: its reasoning, a call, and what it observed. What the
// format has no place for stands in the objects "extra" under "toolevo": [Lineage] in the document,
// [Move] in an agent's steps.
//
// # Writing
//
// The system text and the tools are those of the prompt version, without demonstrations. Name and
// arguments of a call are as the agent wrote them, so a step that met a deprecation calls the
// deprecated API. A Thought is the step's reasoning. A text in which no call can be read is the
// step's message, and what it met has no source_call_id. The step that ended the task has its
// answer as message, too.
//
// # Reading
//
// A document of ours comes back as the row it was, without the gold answer, which no document
// holds. A document of others is read as function calls: a step's reasoning and its message are the
// thought of its call, the first of several, each of which is a turn. It has no verdict, and the
// tools that it defines are listed behind its system text, for a sample has no other place for
// them. What is about the making (times, costs, tokens, token IDs) is no part of a trajectory, and
// not read.
//
// # Guarantees
//
//   - The same rows give the same bytes. Documents name no machine. The time of every step is that
//     at which the run began: no row says when a step was taken, and the order is that of the
//     steps.
//   - What a row cannot say is refused, by the document and the step ([Refusal]): media, a user who
//     speaks again, subagents, context that was copied, steps that no model wrote, several calls
//     whose results do not name them.
//
// # Caveats
//
// session_id is that of the document, not of the run, which stands in "extra": readers take it for
// one agent's run, and Harbor's converter to OpenTelemetry puts all documents of one session_id
// into one trace. That converter (0.1.1) shows what a call met, so what an action met that is none
// is in the document and in no span; and it warns of this version, for it knows those before, which
// lack audio.
package atif
