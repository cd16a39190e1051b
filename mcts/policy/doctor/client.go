package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"toolevo/mcts/policy/server"
)

// client is a server, in either protocol.
type client interface {
	address() string
	greet(ctx context.Context) error                       // the cheapest request there is that needs the key
	version(ctx context.Context) (string, error)           // "" when the server does not say
	catalogue(ctx context.Context) (catalogue, error)      // what it has
	draw(ctx context.Context, a ask) (reply, error)        // one request; Ollama: one for each sample
	check(ctx context.Context, r reply) error              // that the reply is of the model asked for
	hits(ctx context.Context) (tokens float64, known bool) // tokens found in the prefix cache since the server started
	running(ctx context.Context) (sequences int, known bool)
	close()
}

// catalogue is what a server has.
type catalogue struct {
	names  []string
	has    bool   // the model among them
	window int    // as the server states it for the model, 0 when it does not
	owner  string // who the server says it is
	remote string // Ollama: the machine that the model really runs on

	weights weights
}

// ask is one probe.
type ask struct {
	prompt   Prompt
	n        int
	seed     uint64
	sampling server.Sampling

	leaveOut    []string // parameters that are not sent, under OpenAI's names
	alternative bool     // the likeliest token is reported, too
}

// reply is what came back.
type reply struct {
	server.Reply
	tokens      [][]string // of each choice, as text; nil when there are none
	took        time.Duration
	sent        int     // requests
	cachedKnown bool    // the server tells how much of the prompt was in its prefix cache
	likeliest   float64 // log-probability of the likeliest first token; above 0 when it was not told

	// Ollama's own figures for a single sample, 0 when it does not say.
	prefill, decode, load time.Duration
}

func newClient(o Options) (client, error) {
	switch {
	case o.Kind == OpenAI:
		return newOpenAI(o)
	case o.Kind == Ollama:
		return newOllama(o)
	}

	return nil, fmt.Errorf("doctor: unknown kind of server %q", o.Kind)
}

// transport carries the probes: the network, unless the options have something else.
func (o Options) transport() http.RoundTripper {
	if o.Transport != nil {
		return o.Transport
	}

	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: ReachTime}).DialContext
	t.MaxIdleConnsPerHost = 256

	return t
}

// tries is how often a probe is made that meets a transient fault.
const tries = 3

// firstWait is the wait before the second try; it doubles.
const firstWait = 200 * time.Millisecond

// draw makes one probe, and makes it again when something passing went wrong. It is safe for concurrent use.
func (p *examination) draw(ctx context.Context, a ask) (reply, error) {
	for try := 1; ; try++ {
		began := time.Now()
		r, err := p.c.draw(ctx, a)
		p.mu.Lock()

		p.report.Probes += r.sent
		if r.load >= reloaded {
			p.reloads++
		}
		p.mu.Unlock()
		var fault *server.Fault

		if err == nil {
			err = p.c.check(ctx, r)
		}

		if server.IsOtherModel(err) {
			p.mu.Lock()
			p.strange = err
			p.mu.Unlock()
		}

		if err == nil || !errors.As(err, &fault) || fault.Kind != server.Transient || try == tries ||
			time.Since(began) >= p.o.Timeout {
			return r, err
		}

		timer := time.NewTimer(firstWait << (try - 1))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return r, ctx.Err()
		}
	}
}

// drawAll draws a.n samples with as many requests as the server needs, the way a run does: sample i has seed a.seed+i.
func (p *examination) drawAll(ctx context.Context, a ask) ([]server.Choice, error) {
	var all []server.Choice

	for {
		r, err := p.draw(ctx, a)
		if err != nil {
			return nil, err
		}

		all = append(all, r.Choices...)
		if a.n -= len(r.Choices); a.n <= 0 {
			return all, nil
		}

		a.seed += uint64(len(r.Choices))
	}
}

// neutral are the parameters of a probe: temperature 1, everything else off.
func neutral(maxTokens int) server.Sampling {
	return server.Sampling{Temperature: 1, TopP: 1, RepetitionPenalty: 1, MaxTokens: maxTokens}
}

// greedy are those of one at temperature 0.
func greedy(maxTokens int) server.Sampling { return neutral(maxTokens).Greedy() }

func texts(choices []server.Choice) []string {
	list := make([]string, len(choices))
	for i, c := range choices {
		list[i] = c.Text
	}

	return list
}

// tooLong returns the fault of a prompt that does not fit, nil for other errors.
func tooLong(err error) *server.Fault {
	var fault *server.Fault
	if errors.As(err, &fault) && fault.Kind == server.TooLong {
		return fault
	}

	return nil
}
