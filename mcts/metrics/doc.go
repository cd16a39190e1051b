// Package metrics serves what a run counts to Prometheus, and whether its work goes on.
//
// # Words
//
// /metrics has the figures in Prometheus' format. Their names begin with toolevo_: those of a
// collection with toolevo_collect_, of an evaluation with toolevo_eval_, of the model's servers
// with toolevo_server_, each server by the labels policy and server. Counters (..._total) count
// what this process did; gauges show the state of the run, with what earlier processes did to it.
// Times are seconds.
//
// /healthz answers 200 while work goes on, and 503 with the reason when it does not: every server
// is away, or nothing was done for longer than one request to a server may take. It is a state, not
// an end: the run waits, and when work resumes it is 200 again. Before the work begins it is 200.
//
// # Guarantees
//
//   - Nothing is counted here: the figures are those of the progress line, read when Prometheus
//     asks.
//   - Nothing is served but these two pages, and nothing to anybody who does not ask. An address
//     without a host is this machine's alone (127.0.0.1). /metrics asks for the key, /healthz does
//     not; without a key only this machine is served. The figures name servers by their
//     addresses, without credentials.
//   - Close returns when nothing is being served any more.
package metrics
