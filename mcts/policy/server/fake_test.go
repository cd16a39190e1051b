package server_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// echo is a backend whose samples are functions of the prompt and their seeds.
type echo struct {
	address string
	before  func(context.Context, server.Completion) error // called before each answer, if set; its error is the answer
	asked   atomic.Int64
}

func (e *echo) Address() string { return e.address }

func (e *echo) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	e.asked.Add(1)

	if e.before != nil {
		if err := e.before(ctx, c); err != nil {
			return server.Reply{}, err
		}
	}

	return answer(c), nil
}

func answer(c server.Completion) server.Reply {
	r := server.Reply{PromptTokens: len(c.Prompt), Choices: make([]server.Choice, c.N)}
	for i := range r.Choices {
		seed := c.Seed + uint64(i)
		tokens := 1 + int(seed%7)

		finish := server.FinishStop
		if seed%5 == 0 {
			finish = server.FinishLength
		}

		logProbs := make([]float64, tokens)
		for t := range logProbs {
			logProbs[t] = -float64(t+1) / float64(1+seed%3)
		}

		r.Choices[i] = server.Choice{
			Text:     fmt.Sprint(c.Prompt, " ", seed),
			LogProbs: logProbs,
			Finish:   finish,
			Tokens:   tokens,
		}
		r.CompletionTokens += tokens
	}

	return r
}

// faulty injects faults of all kinds that a server, or the way to it, may have.
type faulty struct {
	next  *echo
	share float64 // of the requests

	mu  sync.Mutex
	rng *rand.Rand
}

func newFaulty(address string, share float64) *faulty {
	return &faulty{next: &echo{address: address}, share: share, rng: rand.New(rand.NewPCG(1, uint64(len(address))))}
}

func (f *faulty) Address() string { return f.next.Address() }

func (f *faulty) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	f.mu.Lock()

	kind := -1
	if f.rng.Float64() < f.share {
		kind = f.rng.IntN(11)
	}
	f.mu.Unlock()

	reply, err := f.next.Complete(ctx, c)
	if err != nil {
		return reply, err
	}

	transient := &server.Fault{Kind: server.Transient, Address: f.Address()}

	switch kind {
	case 0:
		transient.Status = 500
	case 1:
		transient.Status, transient.RetryAfter = 503, 2*time.Second
	case 2:
		transient.Status = 429
	case 3:
		transient.Status, transient.Message = 200, "garbled"
	case 4:
		transient.Err = errors.New("connection reset")
	case 5: // hangs
		<-ctx.Done()
		return server.Reply{}, ctx.Err()
	case 6:
		return server.Reply{}, nil
	case 7:
		reply.Choices = reply.Choices[:(len(reply.Choices)+1)/2]
		return reply, nil
	case 8:
		reply.Choices = append(reply.Choices, server.Choice{Text: "one too many", LogProbs: []float64{-1}})
		return reply, nil
	case 9:
		reply.Choices[0].LogProbs = nil
		return reply, nil
	case 10:
		return server.Reply{}, errors.New("no fault at all")
	default:
		return reply, nil
	}

	return server.Reply{}, transient
}

func sampling() server.Sampling {
	return server.Sampling{
		Temperature:       0.5,
		TopP:              0.9,
		TopK:              40,
		MinP:              0.1,
		FrequencyPenalty:  1.2,
		PresencePenalty:   0.1,
		RepetitionPenalty: 1.1,
		MaxTokens:         64,
		Stop:              []string{"\nObservation"},
	}
}

func options(backends ...server.Backend) server.Options {
	return server.Options{
		Backends: backends, Sampling: sampling(), LogProbs: true,
		Render: func(h envs.History) string { return h.Task().Question },
		Limit:  server.Limit{Sequences: 16},
	}
}

func newPolicy(t testing.TB, o server.Options) *server.Policy {
	t.Helper()

	p, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { p.Close() })
	return p
}

// request is the first request of a question; its seed is the question's number.
func request(question, n int) mcts.Request {
	id := fmt.Sprint("q", question)
	return mcts.Request{
		Node:    mcts.NodeID{Question: id, Path: "0"},
		History: envs.NewHistory(envs.Task{ID: id, Question: "What is " + id + "?"}),
		N:       n,
		Seed:    uint64(1000 * question),
	}
}

// all makes a number of requests, some at a time, and returns the proposals in the order of the
// questions.
func all(t testing.TB, p *server.Policy, requests, workers, n int) [][]mcts.Proposal {
	t.Helper()

	results := make([][]mcts.Proposal, requests)
	var next atomic.Int64

	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < requests; i = int(next.Add(1)) - 1 {
				proposals, err := p.Propose(t.Context(), request(i, n))
				if err != nil {
					t.Errorf("request %d: %v", i, err)
				}

				results[i] = proposals
			}
		})
	}

	group.Wait()
	return results
}
