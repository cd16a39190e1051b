// Package envs defines the vocabulary of toolevo: what an agent is asked, what it does, what it
// sees, and what an environment guarantees to a search. It imports no other package of toolevo, and
// every other package imports it.
//
// # Words
//
// A [Task] is a question without its gold answer: the answer stays inside the environment, so
// nothing that sees a [History] can leak it. An [Action] is one completion of the model: a Thought,
// an Action and an Action Input. An environment answers it with an observation; both together are a
// [Turn]. The turns so far, the task and the tool descriptions the agent has learned are a
// [History]. An [Outcome] says what kind of observation it was. A [State] is a point of the
// environment, a [Transition] what one action leads to. A [Memory] keeps the results of tools whose
// answers can differ from call to call.
//
// # Guarantees
//
//   - States and histories are immutable values. Stepping from a state leaves it as it was, so a
//     tree branches by keeping a pointer.
//   - Step is a function: the same state and the same action give the same transition.
//   - The agent's mistakes are observations; the program's failures are errors. An error of an
//     [Environment] is a [StageError]: it says which stage failed, and it never becomes a reward.
//
// The conformance suite in envs/envtest holds every environment to these.
package envs
