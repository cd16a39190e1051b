package server

import "context"

// Observer is a backend that can report how its server is doing, as vLLM's /metrics does. A policy
// asks it once a second and steers its limit by the answer.
type Observer interface {
	// Gauges reads the server's own figures. ok is false when it has none, or could not be asked.
	Gauges(ctx context.Context) (g Gauges, ok bool)
}

// Gauges is what a server reports about itself, for all its clients together.
type Gauges struct {
	Running     int     `json:"running"`     // sequences in its batch
	Waiting     int     `json:"waiting"`     // sequences in its queue
	KVUsage     float64 `json:"kv_usage"`    // share of its key-value cache in use, 0..1
	Preemptions int64   `json:"preemptions"` // sequences preempted because the cache was full, since it started

	PrefixCounted bool  `json:"-"`              // whether it counts the following two
	PrefixQueried int64 `json:"prefix_queried"` // prompt tokens looked up in the prefix cache, since it started
	PrefixHit     int64 `json:"prefix_hit"`     // of those, the ones found
}
