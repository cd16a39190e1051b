package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
)

// Kind is the protocol that a server is spoken to in.
type Kind string

// The kinds.
const (
	OpenAI Kind = "openai"
	Ollama Kind = "ollama"
)

// Prompt is what a server is asked to go on with: a text, or the messages of a chat.
type Prompt struct {
	Text     string
	Messages []chat.Message
}

// Options say which server, and what a run would ask of it. All but APIKey, Window (of OpenAI), Timeout, Quick,
// Found and Transport are needed.
type Options struct {
	Kind   Kind
	URL    string // as the backend of the kind takes it
	APIKey string
	Model  string

	Chat             bool     // the server applies the chat template (OpenAI)
	Extensions       bool     // vLLM's own fields are sent (OpenAI)
	LogProbs         bool     // the run counts on log-probabilities
	AddSpecialTokens *bool    // as in the backend's options (OpenAI)
	Ends             []string // as in the backend's options
	// tokens that Ollama is told to load the model with; what is assumed of a server that states none
	Window int

	Sampling server.Sampling // the run's

	Short    Prompt                   // a question and nothing else
	First    Prompt                   // the run's first prompt of a question
	Observed func(text string) Prompt // a question, an action, and an observation of that text

	Parallel int           // requests at the same time, to see whether they run side by side; 0 is 8
	Timeout  time.Duration // of one probe; 0 is 30 s, or 5 minutes in quick mode
	Quick    bool          // quick mode, for slow servers; see the package's comment
	Found    func(Check)   // told of every check when it is made; nil is nobody

	Transport http.RoundTripper // what carries the probes; nil is the network
}

// The defaults.
const (
	DefaultParallel = 8
	DefaultTimeout  = 30 * time.Second
	QuickTimeout    = 5 * time.Minute
)

// reachTime bounds the wait for a server's first answer, whatever the timeout of a probe.
const reachTime = 4 * time.Second

// errStop ends an examination that an answer has made pointless; the check that says why is made already.
var errStop = errors.New("nothing else can be looked at")

// examination holds a server and what the checks have found out about it so far.
type examination struct {
	o      Options
	b      backend
	c      client
	effort effort

	mu      sync.Mutex // of what concurrent probes write: report.Probes, reloads and strange
	report  Report
	strange error // of the last reply from another model; nil when there was none
	reloads int   // replies after the first that had to wait for the model to load (Ollama)

	version string
	stated  int // tokens of the window as the server states it, 0 when it does not
	real    int // tokens of the window as it was found, 0 when it was not
	scale   scale
	prompt  int      // tokens of the run's first prompt, 0 when unknown
	greedy  []string // texts drawn at temperature 0
	sampled []string // texts drawn with known seeds
	seeded  bool     // and drawn again alike
	scored  []server.Choice
	stopped string  // what is known of the log-probabilities of a stop text's tokens
	cached  bool    // the prefix cache is at work
	read    int     // tokens counted of the prompt that was to be known, and
	unread  error   // why there are none
	inSpeed float64 // tokens read in a second, 0 when unknown
	weights weights
	alone   pace // of what quick mode drew
}

// Examine looks at one server. The error is the context's, or says what is wrong with the options; whatever is wrong
// with the server stands in the report, which holds what was found so far in any case.
func Examine(ctx context.Context, o Options) (*Report, error) {
	o.Parallel = cmp.Or(o.Parallel, DefaultParallel)

	work := full
	if o.Quick {
		work = quick
	}

	o.Timeout = cmp.Or(o.Timeout, work.timeout)
	if o.Found == nil {
		o.Found = func(Check) {}
	}

	b, c, err := newClient(o)
	if err != nil {
		return nil, err
	}
	defer b.Close()

	started := time.Now()
	p := &examination{
		o: o, b: b, c: c, effort: work,
		report: Report{Server: b.Address(), Kind: o.Kind, Model: o.Model, Verdict: OK},
	}
	err = p.examine(ctx)
	p.report.Took = time.Since(started)

	if errors.Is(err, errStop) {
		err = nil
	}

	return &p.report, err
}

// examine makes the checks one after the other. A check returns an error only when there is no sense in going on.
func (p *examination) examine(ctx context.Context) error {
	for _, check := range p.effort.checks(p) {
		if err := check(ctx); err != nil {
			return err
		}

		if err := ctx.Err(); err != nil {
			return err
		}
	}

	return nil
}

// effort is how thoroughly a server is examined.
type effort struct {
	tokens  int // of the first completion, at most
	filler  int // sentences of the longer filler by which a sentence is measured
	known   int // tokens of the prompt that the prefix cache is to know; less in a small window
	rounds  int // of what the clock must tell, at most
	timeout time.Duration
	checks  func(p *examination) []func(context.Context) error
}

var full = effort{
	probeTokens, longFiller, cachePrompt, mostRounds, DefaultTimeout,
	func(p *examination) []func(context.Context) error {
		return []func(context.Context) error{
			p.reach, p.askVersion, p.askModel, p.complete, p.measure, p.template, p.prefixCache, p.window, p.room,
			p.samples, p.seeds, p.stable, p.defaults, p.stop, p.logProbs, p.slots, p.loaded, p.otherModels,
		}
	},
}

// found notes a check.
func (p *examination) found(c Check) {
	p.report.Checks = append(p.report.Checks, c)
	p.report.Verdict = p.report.Verdict.Worse(c.Verdict)
	p.o.Found(c)
}

func (p *examination) ok(name Name, format string, args ...any) {
	p.found(Check{Name: name, Verdict: OK, Seen: fmt.Sprintf(format, args...)})
}

// inconclusive records that the probes of a check failed or proved nothing. It returns an error if the server is gone.
func (p *examination) inconclusive(ctx context.Context, name Name, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}

	finding := "inconclusive"

	var fault *server.Fault
	switch {
	case errors.As(err, &fault):
		finding = "probe-failed"
	case errors.Is(err, errSlow):
		finding = "slow"
	}

	c := p.finding(finding, errorText(err))
	c.Name = name
	p.found(c)

	if fault == nil || fault.Status != 0 {
		return nil
	}

	limited, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()

	if _, err := p.c.list(limited); err != nil && ctx.Err() == nil {
		p.note("gone")
		return errStop
	}

	return ctx.Err()
}

// errorText is an error's text; of a fault, without the server's address.
func errorText(err error) string {
	var f *server.Fault
	if !errors.As(err, &f) {
		return err.Error()
	}

	var parts []string
	if f.Status != 0 {
		parts = append(parts, fmt.Sprintf("HTTP %d", f.Status))
	}

	if f.Message != "" {
		parts = append(parts, f.Message)
	}

	if f.Err != nil {
		parts = append(parts, f.Err.Error())
	}

	return strings.Join(parts, ": ")
}
