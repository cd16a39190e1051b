// Package improve repeats what makes a model better: collect trajectories, export them, train on
// them, and evaluate the checkpoint, which collects in the next round (the paper's
// self-improvement, 3.4).
//
// # Words
//
// A [Config] is the one file that describes all of it. A round has stages, in this order: collect,
// export, train, and an evaluation on each server. A stage is named by its round and what it does,
// such as 2/train, and works in a folder of its round. Round 0, if asked for, is the evaluation of
// the model that training begins with.
//
// # Guarantees
//
//   - A stage that is finished is noted before the next one begins, and is never repeated. One that
//     was cut short resumes where it can: a collection and an evaluation from their logs, a
//     training as its own command does.
//   - The settings of a finished stage are in the notes. A file that now has others for it is
//     rejected, unless the stage and all that depend on it are to be done again.
//   - Trainers and servers are commands of the file, and are gone when this process is.
//
// # Caveats
//
// An export takes the runs of all rounds so far. Every round trains the first model anew, unless
// the file says that it continues from the round before.
package improve
