// Package server is the policy of a model on inference servers: it renders a history as a prompt,
// asks a server for n samples, and turns what comes back into proposals with priors. It knows no
// protocol: a [Backend] speaks one (see the packages openai and ollama beside this one).
//
// # Words
//
// A backend is one server under one address. A completion is one request: a prompt, n samples, one
// seed. A fault is a failure of a server or of the way to it, of a [FaultKind]. A known request is
// one that the server answered before. Sequences in flight are requests times their n: what a
// server batches, and what a limiter counts. A slot is a place of a server in which one sequence is
// worked on and whose prompt is kept until the next; a server without slots keeps prompts in one
// cache for all. A conversation is a sequence of requests whose prompts begin alike: an episode, or
// the trees of a question ([mcts.Converser]). A seat is a slot that a conversation has for itself.
// A server is down when it does not answer; a probe is the one request that finds out whether it is
// back.
//
// # Guarantees
//
//   - No fault is ever a proposal, and so never a reward. The samples of a request are those of its
//     seeds, whatever faults there were on the way. Only a completion that stays empty counts as
//     the model's own in the end, or at once if reasoning that the server keeps to itself used up
//     its tokens.
//   - Every sampling parameter is sent explicitly: no server's default is in force. Left out is
//     only what [Options].LeaveOut names, and what a server refuses: see Dialects.
//   - A question's trees stay with one backend while it lives, because its prefix cache holds their
//     prompts; while it is down, another takes over, the same one for all of that question. Only a
//     backend that joins ([Policy.Join]) takes questions from others, and only the questions of one
//     that leaves ([Policy.Leave]) go elsewhere. What is in flight there is waited for.
//   - No more conversations ask a server than it has slots, each in its own; those that wait for a
//     seat get one in the order in which they began. Seats change no sample. A server without
//     slots, or that does not say, gets what it would get without conversations.
//   - A request ends when its context does. Besides the callers' goroutines there is one for each
//     backend that is an [Observer], until it leaves, or Close.
//   - No key, and no header, occurs in an error or a log line.
//
// # Faults
//
// A fault is that of the server or that of the request, and its status does not say which: servers
// answer 500, 403, 404 or nothing at all to single prompts, each time, and they answer 404 and 401
// to all for the seconds in which they are started anew. So a server that fails is asked something
// that it answered before, its known request: the beginning of the first text that it gave, or,
// when it gave none yet, the simplest request there is. ask.go does so for all requests,
// completions as well as embeddings:
//
//   - A fault is tried again after a growing, jittered wait, or the one the server asked for; soon
//     where the server answers others meanwhile.
//   - After five faults in a row, of any requests, after the first refusal of a server that took
//     requests before, and before a request is given up, the server is asked its known request. If
//     it fails at that, too, it is down: requests wait for it, all of them, as long as
//     [Retry].Patience, while one known request at a time probes it; the log says so once. After
//     the patience they fail with a [*GoneError], and so do new ones, but for a probe now and then.
//   - If the server answers its known request, the other one is at fault. It is tried
//     [Retry].Attempts times, or as long as the patience, a bad request once, and then given up
//     with a [*RequestError]: what depends on it is unresolved, and the run continues. The same
//     request is not tried as often again.
//   - When that happens to 20 different requests of a server in a row, it is the server after all:
//     it is down, and the next request finds out whether it is back. What the last server that is
//     up does not take at all (bad requests, refusals) is a refusal then, and so is the first
//     request that is refused, or not taken, by a server that never took any.
//   - An account that may not ask any more (credits, a quota that no wait brings back) ends the run
//     at once, unless another server may be asked.
//
// A server that gives no text where it once gave one is set aside at once, as if it were down. A
// [*GoneError] and a [*Fault] of the kinds [Refused] and [OutOfQuota] concern every request:
// envs.IsFinal holds for them, and a caller that gets one stops instead of continuing with the next
// tree. A prompt that does not fit the context window is not an error: see [Policy.Propose].
//
// # Dialects
//
// Some servers take less than others: one sample a request, max_completion_tokens in place of
// max_tokens, logprobs of 1 in place of 0, no seed, no parameter that they do not know. When one
// refuses a request, the request is tried with less, first without what the refusal names, and
// then, if it names nothing, without all that the server has not taken before, and for one sample.
// What is needed for an answer is the server's [Dialect] from then on, usually found by the
// greeting. dialect.go has the table. Samples stay what they are, except those of a server that
// takes no seed: the log warns. A run asks servers that refuse log-probabilities for none, if it
// can do without ([Options].Unneeded); any other run ends.
//
// A server that took as much of other requests may be a gateway to several that differ. Then what
// changes samples, or what some servers refuse, is changed only in the request that was refused,
// until that has happened eight times in a row.
//
// # Seats
//
// A server that keeps one prompt a slot reads prompts again and again once more conversations are
// alive than it has slots: whichever takes a slot pushes the prompt of another out. So a
// conversation takes a seat with its first request, at the server that answers for its question,
// and keeps it to its end, or until that server is down; then it takes one where its question is
// answered. Requests that belong to no conversation need none. The server ([Slotted]; llama.cpp
// does) or [Options].Slots says how many seats there are; that is then the limit on sequences in
// flight, untuned.
//
// No slot is named to a server. llama.cpp takes id_slot, and mixes prompts up where two clients
// name one slot: it answered one conversation with the words of another (xllamacpp 2026.10). Left
// alone it takes the free slot whose prompt is most like the new one, which is the conversation's
// own.
//
// The samples of a conversation's request are drawn one by one in its seat, and at the same time in
// those that no conversation wants. llama.cpp could draw n samples at once, in n slots: in any that
// are idle at the moment, so that a conversation loses its prompt while its tool is at work, and it
// forgets what all but one of them hold. Seats would have to be slots / n of the largest n, half of
// which stay empty when a request is for fewer samples, or for one that ends early; n beyond the
// slots is refused, and of n samples the reply counts the tokens of one. Measured with a model of
// 0.5 billion parameters in four slots (six trees, two samples a request), all ways took the same
// processor time for what was written, within 6 %.
//
// The beginning that all prompts share is read once in each slot: nothing that llama.cpp offers
// copies it from one slot to another for good. Where reading is slow and few episodes are played,
// one slot alone may be the quickest. So the slots are taken one after the other, the next when
// reading their first prompts has cost, as the server reports, an eighth of the time that has
// passed: within seconds on a GPU, after minutes on a slow processor.
//
// # Caveats
//
// Policies that ask the same server know nothing of each other's seats.
//
// Whether equal seeds give equal samples depends on the server: batching often changes the last
// digits, and another server may run other kernels. What was logged is replayed, not requested
// again.
//
// A server that hangs, and neither answers nor refuses, is noticed when [Options].Timeout has
// passed.
//
// auto.go describes how the limit on sequences in flight is tuned. The limit bounds the requests at
// a server, not the trees in progress: [Policy.Room] says how many more to start. A seat, too, is
// taken with the first request, so that trees that are replayed from a log take none.
package server
