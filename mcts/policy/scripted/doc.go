// Package scripted is the built-in policy, which needs no server.
//
// # Words
//
// A [Profile] says how the [Policy] behaves: whether it reads deprecation notices and how often it
// makes which mistake, a slip. A usage is what it infers from a deprecation notice: how to write a
// call of the prompt version for the tool that replaced it. Arguments that are all there, and all
// texts, go to the places of the example in their order. Others are paired by names, by words that
// these share and by kinds of values, and then by their order. What a call leaves out stays left
// out, unless the example says null, or the call fails: then the example's values fill it.
//
// # The yardstick
//
// The profile oracle is told how its calls are written in the deployed version, as no agent ever
// is: it loses nothing to drift. On a version that drifted it is at least as good as reader, which
// learns from notices, and reader is better than stale, which calls what the prompt lists; without
// notices those two are equal, and without changes all three. About the answer it knows no more
// than they do. Its trajectories are not collected: they would teach calls that no prompt lists.
//
// # Under drift
//
// Greedy mistakes in the task are the same under every API version; those that drift makes possible
// are additional. So no question is answered under drift that is not answered without it. A policy
// that reads notices learns other names and parameters at the price of turns; one that does not
// (stale) answers nothing if they change. Of answers that are JSON objects it reads the message;
// their form makes no difference.
//
// # Guarantees
//
// A policy reads only History, N, Seed and Greedy of a request, and of the history only what a
// model would be shown and the outcome of each turn. Equal requests get equal answers.
//
// # Without parts of the method
//
// The mistakes of a profile are drawn by set rates, so what scripted:noisy loses in an ablation
// study (ToolEvo, section 5.4) is known beforehand:
//
//   - Without self-reflection it answers fewer questions, and none that it does not answer with it.
//     Up to its first invocation error an episode is the same, and there it ends, though most often
//     the policy would have recovered.
//   - Without UpdateTool it takes fewer turns and is about as accurate: it learns from the notices
//     in its history, and nothing new from UpdateTool. A model that loses the thread of a long
//     history needs UpdateTool more, as the paper's do.
//   - Without drift it takes the fewest turns and is about as accurate: it recovers from nearly
//     every deprecation.
//
// About as accurate may mean a few questions more or fewer: which turns go wrong depends on their
// number.
//
// # Caveats
//
// The policy simulates a language model for demonstrations, tests and load figures. Its
// log-probabilities are made up to be plausible, and its solutions come from plans written for the
// questions; a figure measured with it says something about the environment and the search, and
// nothing about models.
package scripted
