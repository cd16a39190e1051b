// Package bench is the user's own tools as a suite: the tools of an MCP server or of an OpenAPI
// document, and tasks whose answers, or what they leave behind, can be checked.
//
// # The data folder
//
// It has a folder of its own in a data folder:
//
//	remote/tools.yaml         where the tools are, and how a search may use them ([Toolset])
//	remote/p_c.yaml           the tools as they are now: the version that prompts show
//	remote/versions/*.yaml    other versions, such as that of a release to come
//	remote/tasks/SPLIT.jsonl  a task a line ([Task])
//
// Tasks may come from recorded runs ([Recorded]), which other packages read: the question, the
// calls and the answer.
//
// All are meant to be read and changed by people. p_s_in and p_s_ood are made from p_c by the
// operators of package drift, as for any suite.
//
// # State
//
// A search goes back and forth, so package remote brings an instance of the tools to each of its
// states. A toolset that starts instances may do so with any tool. If it only reaches a server, it
// may use tools that read, and others that the user allows by name: what those leave behind, other
// branches find. A language model may stand in for the tools: it sees their documents, example
// answers and the calls on the way to a state, and makes up the answer of a call, once for each
// state and call of a run. The rows name the model as the maker of these answers.
//
// # Reward
//
// An answer is right when everything that its task says holds: the answer agrees with the gold
// answer by the task's matcher, what the tools answer afterwards has the members that it should,
// the task's own command exits with 0, and a language model finds that the episode is as the task's
// rubric asks ([Judge]). Where the matcher is ToolQA's, the strict one decides on what is trained,
// as everywhere; others give both verdicts.
//
// A task with a rubric has the label [envs.LabelJudge], which rows, reports and exports count. The
// judge is shown the rubric and the episode as one line of JSON, so that no text of an episode can
// pass for the rubric or end its own quotation. It is asked once for an episode: with a memory, a
// run that is resumed or checked has the verdict. A judge that cannot be reached, or writes no
// verdict, is a failure.
//
// # Guarantees
//
//   - What a check calls changes no state that an agent is in.
//   - A failed service or command is an error, and never a reward.
//   - Gold answers, checks, rubrics and solutions are shown to no policy but the scripted ones,
//     which follow the solution.
//
// # Caveats
//
// An episode may still talk a judge round: leave to it nothing that after or command can check.
//
// A command is run as the user who runs toolevo, for as long as a call may take, and again when a
// run is checked. An import takes the server at its word about its tools: `tools check` finds some
// of what is wrong.
package bench
