package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolevo/mcts/policy/server"
)

// ask is one probe.
type ask struct {
	prompt   Prompt
	n        int
	seed     uint64
	sampling server.Sampling

	leaveOut  []string // sampling parameters that are not sent, beside those of the dialect
	likeliest bool     // the likeliest tokens are reported beside the sampled ones
}

// reply is what came back.
type reply struct {
	server.Reply
	first server.Detail // of Details
	took  time.Duration
}

// load is how long the model took to load for the request; 0 when the server does not say.
func (r reply) load() (longest time.Duration) {
	for _, d := range r.Details {
		longest = max(longest, d.Load)
	}
	return longest
}

// retry is what is done about faults. A server that does not answer is given as long as one that
// fails.
var retry = server.Retry{
	Attempts: 3,
	Base:     200 * time.Millisecond,
	Max:      400 * time.Millisecond,
	Patience: 600 * time.Millisecond,
}

// draw makes one probe, and makes it again if something goes wrong, as a run would. The error is
// that of [server.Asker.Ask], so it says whether the server or the probe is at fault. It is safe
// for concurrent use.
func (p *examination) draw(ctx context.Context, a ask) (r reply, err error) {
	err = p.asker.Ask(ctx, server.Query{
		Key: fmt.Sprintf("%+v", a),
		Send: func(ctx context.Context) (err error) {
			r, err = p.drawOnce(ctx, a)
			return err
		},
		Known: func(ctx context.Context) error {
			_, err := p.drawOnce(ctx, singleToken(p.o.Short))
			return err
		},
	})

	var alone *server.RequestError
	if errors.As(err, &alone) {
		p.mu.Lock()
		defer p.mu.Unlock()

		p.failed = append(p.failed, a)
	}
	return r, err
}

// drawOnce makes one probe.
func (p *examination) drawOnce(ctx context.Context, a ask) (r reply, err error) {
	c := server.Completion{
		Prompt: a.prompt.Text, Messages: a.prompt.Messages, Tools: a.prompt.Tools,
		N: a.n, Seed: a.seed, Sampling: a.sampling,
		Dialect: p.o.Dialect, Details: true, Likeliest: a.likeliest,
	}
	c.Dialect.LeaveOut = slices.Concat(c.Dialect.LeaveOut, a.leaveOut)

	began := time.Now()
	r.Reply, err = p.b.Complete(ctx, c)
	r.took = time.Since(began)

	if err == nil {
		r.first, err = r.Details[0], server.CheckModel(ctx, p.b, r.Reply)
	}

	// Noted here, for every try of every probe: later checks report what went wrong now and then
	// although each probe succeeded in the end.
	p.mu.Lock()
	defer p.mu.Unlock()

	p.report.Probes++
	if p.o.Kind.Single && a.sampling.Temperature > 0 {
		p.report.Probes += a.n - 1 // one request for each sample
	}

	if r.load() >= reloaded {
		p.reloads++
	}

	if server.IsOtherModel(err) {
		p.strange = err
	}

	if err != nil {
		p.faults, p.fault = p.faults+1, err
	}
	return r, err
}

// drawAll draws a.n samples with as many requests as the server needs, the way a run does: sample i
// has seed a.seed+i.
func (p *examination) drawAll(ctx context.Context, a ask) ([]server.Choice, error) {
	var all []server.Choice

	for want := a.n; ; {
		a.n = min(askedFor, want-len(all)) // llama.cpp gives no more than it has slots
		if p.single {
			a.n = 1
		}

		r, err := p.draw(ctx, a)
		if err != nil {
			return nil, err
		}

		if all = append(all, r.Choices...); len(all) >= want {
			return all, nil
		}

		a.seed += uint64(len(r.Choices))
	}
}

// neutral returns the parameters of a probe: temperature 1, everything else off.
func neutral(maxTokens int) server.Sampling {
	return server.Sampling{Temperature: 1, TopP: 1, RepetitionPenalty: 1, MaxTokens: maxTokens}
}

// greedy returns those of a probe at temperature 0.
func greedy(maxTokens int) server.Sampling { return neutral(maxTokens).Greedy() }

func texts(choices []server.Choice) []string {
	list := make([]string, len(choices))
	for i, c := range choices {
		list[i] = c.Text
	}
	return list
}

// tooLong returns the fault of a prompt that does not fit, or nil for other errors.
func tooLong(err error) *server.Fault {
	if fault := server.FaultOf(err); fault != nil && fault.Kind == server.TooLong {
		return fault
	}
	return nil
}
