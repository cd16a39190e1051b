// Package scripted is the built-in policy, which needs no server.
//
// # Words
//
// A [Profile] says how the [Policy] behaves: whether it reads deprecation notices and how often it makes which mistake,
// a slip. A usage is what it infers from a deprecation notice: how to say a call of the prompt version to the tool that
// took its place.
//
// # Guarantees
//
// A policy reads only History, N, Seed and Greedy of a request, and of the history only what a model would be shown and
// the outcome of each turn. Equal requests get equal answers.
//
// # Caveats
//
// The policy simulates a language model for demonstrations, tests and load figures. Its log-probabilities are made up
// to be plausible, and its solutions come from plans written for the questions; a figure measured with it says
// something about the environment and the search, and nothing about models.
package scripted
