package virtual

import "sync/atomic"

// event is something that is counted.
type event int

// The events.
const (
	replayed event = iota
	real
	simulated
	scripted
	unkept
	spoiltReply
	realRefused
	failed
	events
)

// counts count what happened to calls that reached the APIs. They are safe for concurrent use; nil counts nothing.
type counts struct{ of [events]atomic.Int64 }

func (c *counts) add(e event) {
	if c != nil {
		c.of[e].Add(1)
	}
}

// Tally is what was counted.
type Tally struct {
	Replayed    int64 `json:"replayed"`     // answered from the cache
	Real        int64 `json:"real"`         // answered by the real backend
	Simulated   int64 `json:"simulated"`    // answered by a model
	Scripted    int64 `json:"scripted"`     // answered by the script
	Unkept      int64 `json:"unkept"`       // answered, and not worth keeping in the cache
	Spoilt      int64 `json:"spoilt"`       // replies of the model that could not be read
	RealRefused int64 `json:"real_refused"` // times that the real backend gave nothing worth keeping
	Failed      int64 `json:"failed"`       // not answered: a failure of a server, or no readable reply
}

// Tally returns what was counted so far.
func (c *counts) Tally() Tally {
	n := func(e event) int64 { return c.of[e].Load() }

	return Tally{
		Replayed: n(replayed), Real: n(real), Simulated: n(simulated), Scripted: n(scripted), Unkept: n(unkept),
		Spoilt: n(spoiltReply), RealRefused: n(realRefused), Failed: n(failed),
	}
}
