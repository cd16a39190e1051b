package server

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"toolevo/mcts"
)

// manyFailures is how many different requests in a row have to fail, though the server answers a
// simpler one, for the fault to be the server's.
const manyFailures = 20

// failedRequests are the requests that were given up because a server fails at them alone.
type failedRequests struct {
	mu   sync.Mutex
	rows map[*server]*failedRow // by the server that failed, nil for all of them together
	open []*time.Time           // when those that are not over were begun, the oldest first
	all  map[uint64]struct{}    // hashes of those since the beginning, except those answered later
	seed maphash.Seed
}

// failedRow are the requests in a row that a server failed at.
type failedRow struct {
	answered time.Time           // when the last other request was
	hashes   map[uint64]struct{} // of those since
}

// row returns that of a server. The caller holds mu.
func (r *failedRequests) row(s *server) *failedRow {
	if r.rows == nil {
		r.rows = map[*server]*failedRow{}
	}

	if r.rows[s] == nil {
		r.rows[s] = &failedRow{hashes: map[uint64]struct{}{}}
	}
	return r.rows[s]
}

// begin notes that a request is begun now. Call end when it is over.
func (r *failedRequests) begin() (begun *time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()

	begun = new(time.Now())
	r.open = append(r.open, begun)
	return begun
}

func (r *failedRequests) end(begun *time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()

	i := slices.Index(r.open, begun)
	r.open = slices.Delete(r.open, i, i+1)
}

// isOldest reports whether all requests that were begun before one are over.
func (r *failedRequests) isOldest(begun *time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open[0] == begun
}

// accept notes that a server answered a request.
func (r *failedRequests) accept(s *server, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()

	for _, s := range []*server{s, nil} {
		row := r.row(s)
		row.answered = time.Now()
		clear(row.hashes)
	}

	if len(r.all) > 0 {
		delete(r.all, maphash.String(r.seed, key))
	}
}

// add notes a request that failed alone since a moment at a server, nil if it would at any, and
// returns how many different ones in a row that makes there. It is 0, and the request does not
// count, if others were answered since: those that fail take longest, and would be in a row at the
// end of every run.
func (r *failedRequests) add(s *server, key string, counts bool, since time.Time) (different int) {
	r.mu.Lock()
	defer r.mu.Unlock()

	if r.all == nil {
		r.all, r.seed = map[uint64]struct{}{}, maphash.MakeSeed()
	}

	hash := maphash.String(r.seed, key)

	r.all[hash] = struct{}{}
	if row := r.row(s); counts && row.answered.Before(since) {
		row.hashes[hash] = struct{}{}
		different = len(row.hashes)
	}
	return different
}

// gaveUp reports whether a request like this one failed alone before.
func (r *failedRequests) gaveUp(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()

	if len(r.all) == 0 {
		return false
	}

	_, failed := r.all[maphash.String(r.seed, key)]
	return failed
}

// RequestError means that a server fails at one request, though it answers others: what depends on
// that request is given up, and all else continues.
type RequestError struct {
	Tries int
	*Fault
}

// Error says how often it was tried, and how it failed the last time.
func (e *RequestError) Error() string {
	times := "once"
	if e.Tries > 1 {
		times = fmt.Sprintf("%d times", e.Tries)
	}
	return fmt.Sprintf("the server fails at this request alone (tried %s): %v", times, e.Fault)
}

// Unwrap returns the last fault.
func (e *RequestError) Unwrap() error { return e.Fault }

// Final is false: other requests are answered.
func (e *RequestError) Final() bool { return false }

// GivenUp is the reason in a few words; see envs.GivenUp.
func (e *RequestError) GivenUp() string {
	reason := e.cause()
	if e.Proxy != "" {
		reason += " through the proxy " + e.Proxy + " (see NO_PROXY)"
	}

	if e.Message != "" {
		reason += ": " + e.Message
	}
	return reason
}

// refuseFirst returns the error of a question or text whose first prompt, named by prompt, does not
// fit the context window: what the model would have done with it is not known. After many in a row
// it ends the run, unless a request that was begun before may be answered yet: refusals come sooner
// than answers.
func (p *Policy) refuseFirst(
	ctx context.Context, prompt, key string, begun *time.Time, err error,
) error {
	f := FaultOf(err)
	first := *f
	first.Kind = BadRequest

	first.Message = prompt + " does not fit the context window: " + f.Message

	different := p.failed.add(nil, key, !mcts.IsAgain(ctx), *begun)
	if different >= manyFailures && p.failed.isOldest(begun) {
		return first.asRefusal(fmt.Sprintf("%d in a row were not asked, the last", different))
	}
	return &RequestError{Tries: 1, Fault: &first}
}

// asNothingTaken turns a bad request that is no worse than any other into a refusal of all.
func (f *Fault) asNothingTaken() *Fault {
	why := "no request was ever taken"
	for _, name := range Parameters() {
		if f.names(name) {
			why += fmt.Sprintf(" (server.leave_out: [%s] does without that parameter)", name)
			break
		}
	}

	return f.asRefusal(why)
}

// spoiledAlike is why a server is refused whose replies are all spoiled.
const spoiledAlike = "no reply can be used, and all are spoiled alike"

// asRefusal turns a fault into a refusal of all requests, for the given reason.
func (f *Fault) asRefusal(why string) *Fault {
	all := *f
	if all.Kind, all.Message = Refused, why; f.Message != "" {
		all.Message += ": " + f.Message
	}
	return &all
}
