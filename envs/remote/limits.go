package remote

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/time/rate"
)

// limits are what each host is spared, whoever asks it.
type limits struct {
	rate       float64
	concurrent int

	mu    sync.Mutex
	hosts map[string]*limit
}

type limit struct {
	rate   *rate.Limiter
	inside chan struct{} // nil where any number may be
}

// enter waits until a host may be asked. leave is called when it has answered.
func (l *limits) enter(ctx context.Context, host string) (leave func(), err error) {
	of := l.of(host)

	leave = func() {}
	if of.inside != nil {
		select {
		case of.inside <- struct{}{}:
			leave = func() { <-of.inside }
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}

	if err := of.rate.Wait(ctx); err != nil {
		leave()
		return nil, fmt.Errorf("wait for one of %g requests a second: %w", l.rate, err)
	}
	return leave, nil
}

func (l *limits) of(host string) *limit {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.hosts[host] == nil {
		of := &limit{rate: rate.NewLimiter(rate.Inf, 1)}
		if l.rate > 0 {
			of.rate.SetLimit(rate.Limit(l.rate))
		}

		if l.concurrent > 0 {
			of.inside = make(chan struct{}, l.concurrent)
		}

		l.hosts[host] = of
	}
	return l.hosts[host]
}
