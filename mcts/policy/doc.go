// Package policy holds what proposes actions to the search: the prompt that every language model is shown, and the
// built-in scripted policy, which needs no server.
//
// # Words
//
// A [Prompt] renders a history as the text a model continues. A [Demonstration] is a solved task shown in it. A
// [Profile] says how the [Scripted] policy behaves: whether it reads deprecation notices and how often it makes which
// mistake. A usage is what the scripted policy infers from a deprecation notice: how to say a call of the prompt
// version to the tool that took its place.
//
// # Guarantees
//
//   - Rendering is a pure function of the prompt and the history. In the stable layout the rendering of a history is
//     a prefix of the rendering of every longer one, so a server's prefix cache serves a whole tree.
//   - No task is demonstrated to itself.
//   - A scripted policy reads nothing of a request but its History, N, Seed and Greedy, and of the history
//     nothing that a model would not be shown, save which kind of observation each turn ended with. Equal
//     requests get equal answers.
//
// # Caveats
//
// The scripted policy simulates a language model for demonstrations, tests and load figures. Its log-probabilities are
// made up to be plausible, and its solutions come from plans written for the questions; a figure measured with it says
// something about the environment and the search, and nothing about models.
package policy
