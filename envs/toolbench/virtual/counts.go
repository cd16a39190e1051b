package virtual

import "sync"

// Tally is what happened to calls that reached the APIs.
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

// counts is a Tally in the making. It is safe for concurrent use.
type counts struct {
	mu sync.Mutex
	Tally
}

// add counts one more of a field.
func (c *counts) add(field *int64) {
	c.mu.Lock()
	defer c.mu.Unlock()

	*field++
}

// soFar returns what was counted.
func (c *counts) soFar() Tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Tally
}
