package remote

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/time/rate"
)

// limits bound the requests to each host, of all instances together.
type limits struct {
	rate       float64
	concurrent int

	mu    sync.Mutex
	hosts map[string]*limit
}

type limit struct {
	rate   *rate.Limiter
	inside chan struct{} // nil without a limit
}

// enter waits until a host may be asked. The caller calls leave when the host has answered.
func (l *limits) enter(ctx context.Context, host string) (leave func(), err error) {
	h := l.forHost(host)

	leave = func() {}
	if h.inside != nil {
		select {
		case h.inside <- struct{}{}:
			leave = func() { <-h.inside }
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}

	if err := h.rate.Wait(ctx); err != nil {
		leave()
		return nil, fmt.Errorf("wait for one of %g requests a second: %w", l.rate, err)
	}
	return leave, nil
}

func (l *limits) forHost(host string) *limit {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.hosts[host] == nil {
		h := &limit{rate: rate.NewLimiter(rate.Inf, 1)}
		if l.rate > 0 {
			h.rate.SetLimit(rate.Limit(l.rate))
		}

		if l.concurrent > 0 {
			h.inside = make(chan struct{}, l.concurrent)
		}

		l.hosts[host] = h
	}
	return l.hosts[host]
}
