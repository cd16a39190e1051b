package server_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"toolevo/mcts/policy/server"
)

// engine is a server that batches, in virtual time: in each step every running sequence gets one
// token, and the step takes longer the more of them there are. Sequences beyond its slots wait in
// its queue.
type engine struct {
	model

	mu          sync.Mutex
	queue       []*job
	running     []*job
	wake        chan struct{}
	tokens      int // of completions that were finished
	preemptions int64
	ended       bool // it takes nothing any more
	settles     bool // a step begins with all that comes at its moment
}

// model is what an engine can do.
type model struct {
	slots int
	step  time.Duration // with an empty batch
	each  time.Duration // more per running sequence
	mean  int           // tokens of a completion; its lengths are uniform between half and one and a half of it
	// sequences that fit its cache; with more of them it mostly computes again what it threw out; 0
	// is any number
	cache  int
	room   int  // running and waiting, beyond which it turns requests away; 0 is any number
	silent bool // it does not tell how many tokens there were
}

// duration is how long a step takes with a number of running sequences.
func (m model) duration(running int) time.Duration {
	d := m.step + m.each*time.Duration(running)
	if m.cache > 0 && running > m.cache {
		d = d * time.Duration(running*running) / time.Duration(m.cache*m.cache)
	}
	return d
}

// best is the most tokens per second that an engine can deliver to so many sequences at a time, and
// with how many of them running: each running one gets a token in a step.
func (m model) best(sequences int) (rate float64, at int) {
	for running := 1; running <= min(m.slots, sequences); running++ {
		if r := float64(running) / m.duration(running).Seconds(); r > rate {
			rate, at = r, running
		}
	}

	return rate, at
}

// job is one sequence.
type job struct {
	length, left int
	group        *sync.WaitGroup
}

// start runs the engine until ctx ends. The function returned waits for that.
func (e *engine) start(ctx context.Context) (wait func()) {
	e.wake = make(chan struct{}, 1)
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			if e.settles {
				synctest.Wait()
			}

			pause, busy := e.batch()
			if !busy {
				select {
				case <-e.wake:
				case <-ctx.Done():
				}

				continue
			}

			<-time.After(pause)
			e.advance()
		}

		e.mu.Lock()
		defer e.mu.Unlock()

		e.ended = true
		for _, j := range append(e.queue, e.running...) {
			j.group.Done()
		}
	})

	return group.Wait
}

func (e *engine) batch() (step time.Duration, busy bool) {
	e.mu.Lock()
	defer e.mu.Unlock()

	for len(e.queue) > 0 && len(e.running) < e.slots {
		e.running = append(e.running, e.queue[0])
		e.queue = e.queue[1:]
	}

	if e.cache > 0 && len(e.running) > e.cache {
		e.preemptions++
	}
	return e.duration(len(e.running)), len(e.running) > 0
}

func (e *engine) advance() {
	e.mu.Lock()
	defer e.mu.Unlock()

	kept := e.running[:0]
	for _, j := range e.running {
		if j.left--; j.left > 0 {
			kept = append(kept, j)
			continue
		}

		e.tokens += j.length
		j.group.Done()
	}

	e.running = kept
}

func (e *engine) Address() string { return "engine" }

func (e *engine) Complete(_ context.Context, c server.Completion) (server.Reply, error) {
	var group sync.WaitGroup
	group.Add(c.N)
	reply := server.Reply{Choices: make([]server.Choice, c.N)}

	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return server.Reply{}, &server.Fault{Kind: server.Transient, Address: e.Address()}
	}

	if e.room > 0 && len(e.running)+len(e.queue)+c.N > e.room {
		e.mu.Unlock()
		return server.Reply{}, &server.Fault{Kind: server.Transient, Address: e.Address(), Status: 503}
	}

	for i := range c.N {
		length := e.mean
		if e.mean > 1 {
			length = e.mean/2 + rand.New(rand.NewPCG(c.Seed+uint64(i), 3)).IntN(e.mean+1)
		}

		e.queue = append(e.queue, &job{length: length, left: length, group: &group})

		reply.Choices[i] = server.Choice{Text: strings.Repeat("word ", length)}
		if !e.silent {
			reply.CompletionTokens += length
		}
	}
	e.mu.Unlock()

	select {
	case e.wake <- struct{}{}:
	default:
	}

	group.Wait()
	return reply, nil
}

// done is how many tokens the engine has delivered.
func (e *engine) done() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tokens
}

// open is an engine that shows its gauges.
type open struct{ *engine }

func (e open) Gauges(context.Context) (server.Gauges, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()

	g := server.Gauges{Running: len(e.running), Waiting: len(e.queue), Preemptions: e.preemptions}
	if e.cache > 0 {
		g.KVUsage = min(1, float64(len(e.running))/float64(e.cache))
	}
	return g, true
}
