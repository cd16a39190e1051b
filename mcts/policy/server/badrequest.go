package server

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
)

// manyBadRequests is how many different prompts in a row a server may not take before the run ends.
const manyBadRequests = 20

// badRequests decides when requests that are not taken mean that none is.
type badRequests struct {
	mu      sync.Mutex
	taken   bool                // some request was
	prompts map[uint64]struct{} // hashes of those that were not since then
	seed    maphash.Seed
}

// accept notes that a request was taken.
func (b *badRequests) accept() {
	b.mu.Lock()
	defer b.mu.Unlock()

	b.taken = true
	clear(b.prompts)
}

// add notes a request that was not taken, and returns how many different prompts in a row that makes,
// and whether any request was taken before.
func (b *badRequests) add(c Completion) (different int, taken bool) {
	b.mu.Lock()
	defer b.mu.Unlock()

	if b.prompts == nil {
		b.prompts, b.seed = map[uint64]struct{}{}, maphash.MakeSeed()
	}

	b.prompts[maphash.String(b.seed, fmt.Sprint(c.Prompt, c.Messages))] = struct{}{}

	return len(b.prompts), b.taken
}

// refuse returns the fault of a request that a server did not take: of that request alone, or of all
// of them, when many prompts in a row were not taken, or nothing ever was.
func (p *Policy) refuse(ctx context.Context, t turn, c Completion, f *Fault) *Fault {
	different, taken := p.bad.add(c)
	if !taken {
		taken = p.takes(ctx, t, c)
	}

	switch {
	case different >= manyBadRequests:
		return f.asRefusal(fmt.Sprintf("%d different prompts in a row were not taken, the last", different))
	case !taken && ctx.Err() == nil:
		return f.asRefusal(nothingTaken)
	}

	return f
}

// refuseFirst returns the error of a question whose first prompt does not fit the context window: what the model would
// have done with it is not known. It ends the run when so it is with many in a row.
func (p *Policy) refuseFirst(c Completion, err error) error {
	var f *Fault
	errors.As(err, &f)
	first := *f
	first.Kind = BadRequest

	first.Message = "the first prompt of the question does not fit the context window: " + f.Message
	if different, _ := p.bad.add(c); different >= manyBadRequests {
		first.Kind = Refused
		first.Message = fmt.Sprintf("%d questions in a row were not asked, the last: %s", different, first.Message)
	}

	return &first
}

// nothingTaken says of a bad request that it is no worse than any other.
const nothingTaken = "no request was ever taken"

// asRefusal turns a bad request into a refusal of all requests, for the given reason.
func (f *Fault) asRefusal(why string) *Fault {
	all := *f
	all.Kind, all.Message = Refused, why+": "+f.Message
	return &all
}

// takes asks a server that has taken no request yet for something as simple as can be, with all the
// parameters of a completion: what is wrong may be this one prompt.
func (p *Policy) takes(ctx context.Context, t turn, c Completion) bool {
	t.server.limiter.force(1)

	_, fault := p.attempt(ctx, t, Greeting(len(c.Messages) > 0, c.Sampling))
	if fault == nil {
		p.bad.accept()
	}

	return fault == nil || fault.Kind != BadRequest && fault.Kind != Refused
}
