// Package account says what calls to models took, and ends the work that makes them when it has
// taken enough.
//
// # Words
//
// An [Account] belongs to a command, or to one run that the command makes: what is noted in the
// latter is noted in the former, too. Everything that asks a model on a server has one: policies,
// judges, simulators, writers of texts, embeddings. A pass is the work of one process on a run,
// from its start to its end or to an interruption; a run that is continued has one more. A limit is
// where work stops ([Stops]).
//
// # Guarantees
//
//   - Every reply of a server is noted before whoever asked gets it. A limit that it reaches ends
//     the context of the work ([Account.Begin]) before that, as an interruption
//     ([mcts.Interruptible]) does: no call is begun from then on, and those in flight end with an
//     answer. What is spent is above the limit by less than one call for each slot of the servers.
//     Workers on other machines tell what they spend a little later: up to 7 calls, or two seconds
//     of them, come on top for each question that they work on.
//   - Limits count all passes of a run together, except those of time.
//   - No limit is kept by guessing: where a server reports no tokens, or prices are missing, a
//     limit of tokens or of cost stops the work and says why.
//
// # Caveats
//
// Tokens are those that servers report. Those of requests that timed out, or whose reply was
// spoiled, are not reported at all.
package account
