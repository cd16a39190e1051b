// Package child runs the external programs that fine-tuning needs: trainers and model servers.
// They take hours and gigabytes, so none may be left behind.
//
// # Guarantees
//
//   - A child leads a process group of its own, and a Ctrl-C on the terminal reaches it only
//     through its owner, who knows what must be saved first.
//   - [Child.Stop], and the end of the context, end the whole group: politely (SIGTERM), and after
//     [Command.Grace] for good. Both wait until the child is gone.
//   - On Linux a child and all that it started end when this process dies, however it dies, and
//     [Command.Lock] is locked until they have.
//   - What it prints is in its log file, and the end of that is in the error when it fails.
package child
