// Package bench is ToolBench as a suite: its queries are tasks, the APIs that a query offers are
// the functions of its task, and a simulator stands in for the APIs.
//
// # Tasks
//
// A task is a query. Its tools are the functions that are offered, as the version of the prompt has
// them: every query has its own, and a prompt lists them before Finish and UpdateTool. Its dataset
// is the group of the query, and the label category names the category of the relevant APIs. Its
// difficulty is exposed if a deployed version refuses a call of a relevant API as the prompt shows
// it, or takes it for another one, and else unexposed: exposed queries show what drift costs. If
// nothing but the prompt's version is deployed, DynamicToolBench's dtb_v2 decides.
//
// # A step
//
// A call is checked against the deployed version of its function first, and reaches the simulator
// only when it fits. The observation is what StableToolBench's server answers, an object of error
// and response, cut at 2,048 characters; an episode of eval has 20 turns (eval.max_turns): the
// limits of MirrorAPI's agents. No other functions than those of the task can be called.
//
// The simulator is a script, which sees the published call, or a language model that the section
// toolbench of the configuration names, which sees the document and the call of the deployed
// version; a cache may keep answers. A model's answers are remembered in the log of a run, and its
// identity is in the lineage. A call that the API answers with an error is a tool error. Without a
// simulator, a call that was not recorded is a failure on this side: the episode is lost.
//
// # Serving
//
// [Deploy] exposes the functions of a version without tasks, for a server: calls are checked and
// answered as in a step, and nothing is cut. Arguments may be named as StableToolBench's client
// does, which an agent's may not.
//
// # Reward
//
// An answer is right when it says something, and every relevant function was called before with
// arguments that fit the deployed version. It is a rule: whether the answer is any good takes a
// judge.
//
// # Versions
//
// p_c is the published documents. dtb_v2, dtb_v3 and dtb_combined are DynamicToolBench's: names of
// APIs stay, and not all queries are touched. p_s_in and p_s_ood are made from all that the data
// folder has by the operators of package drift; their seeds are fixed, and p_s_ood has no
// identifier of p_s_in. They are made on demand. Files of versions and factors are deployed as for
// any suite.
//
// # Guarantees
//
//   - Tasks come by group, in alphabetical order, those exposed to drift first, then as their file
//     has them.
//   - A function changes in the same way for all tasks of a data folder.
//   - Only scripted policies, which follow a plan, know which functions are relevant.
package bench
