// Package mcts grows trees of tool use: Monte Carlo tree search with PUCT selection, k-sample
// expansion and cached rollouts, as in ToolEvo (Algorithm 1). It depends only on an
// [envs.Environment] and a [Policy], not on any benchmark or model server.
//
// # Words
//
// A [Tree] belongs to one task. A [Node] is one action and the state it leads to; the root has no
// action. A simulation is one pass of select, expand, roll out, back up. A node is expanded when
// its children are visible to selection; children made in a rollout are cached: they stay in the
// tree, invisible, until selection reaches their parent and uses them instead of a new model call.
// A prefix is what was done before a tree begins, its first nodes. Prior, Visits, TotalValue and Q
// are P(s,a), N(s,a), W(s,a) and Q(s,a).
//
// ALGORITHM.md beside this file maps every symbol of the paper to the code, and says where the
// three presets (paper, reference, efficient) differ from the paper, from the published code, and
// from each other.
//
// # Guarantees
//
//   - A tree is a function of the task, the tree's index, the run's seed, the configuration, and
//     what the policy and the environment answer. Nothing else is random, and no clock is read.
//   - An error of the policy or the environment ends the tree with that error. It is never a
//     reward, and nothing of the simulation it struck is backed up.
//   - [Tree.Check] holds after every simulation.
//
// # Caveats
//
// One goroutine grows a tree. Trees of one [Search] may grow at the same time.
package mcts
