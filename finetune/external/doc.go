// Package external records agents that play elsewhere, against a server of environments, as
// episodes of an evaluation, so that everything that reads an evaluation reads them.
//
// # Guarantees
//
//   - An episode is in the run, whole, when Record returns: its tree, and its actions as calls to
//     the model, from which it can be played again.
//   - Episodes of one task under one version are repeats 0, 1, … in the order in which they ended;
//     what a run has already stays.
package external
