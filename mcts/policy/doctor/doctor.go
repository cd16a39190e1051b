package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
)

// Prompt is what a server is asked to continue: a text, or the messages of a chat.
type Prompt struct {
	Text     string
	Messages []chat.Message
	Tools    string // see [server.Completion]
}

// Options say which server, and what a run would ask of it. All but Slots, Quick and Found are
// needed; a Manner's window is also what is assumed of a server that states none.
type Options struct {
	Kind *server.Kind
	// Endpoint's Timeout is of one probe; 0 is [DefaultTimeout], or [QuickTimeout] in quick mode.
	// DialTimeout is not used.
	server.Endpoint

	server.Manner
	Slots int // the setting: prompts that the server keeps, as far as the user knows; 0 is unset

	Sampling server.Sampling // the run's
	Dialect  server.Dialect  // in which a run asks the server

	Short    Prompt                   // a question and nothing else
	First    Prompt                   // the run's first prompt of a question
	Observed func(text string) Prompt // a question, an action, and an observation of that text

	Actor     Actor  // has the model act; nil if there are no tasks
	Reasoning string // what becomes of reasoning, in the word of the setting

	Parallel int         // requests at the same time, to see whether they run side by side; 0 is 8
	Quick    bool        // quick mode, for slow servers; see the package's comment. Very slow ones get it unasked
	Found    func(Check) // called with every check when it is made; may be nil
}

// The defaults.
const (
	DefaultParallel = 8
	DefaultTimeout  = 30 * time.Second
	QuickTimeout    = 5 * time.Minute
)

// reachTime bounds the wait for a server's first answer, whatever the timeout of a probe.
const reachTime = 4 * time.Second

// errStop ends an examination: what its check found makes the rest pointless.
var errStop = errors.New("nothing else can be looked at")

// examination holds a server and what the checks have found out about it so far.
type examination struct {
	o     Options
	b     server.Client
	asker *server.Asker

	findings map[string]Check
	effort   effort

	mu      sync.Mutex // of what concurrent probes write: report.Probes, reloads, strange, faults and failed
	report  Report
	strange error // of the last reply from another model; nil when there was none
	single  bool  // a request for several samples is refused
	failed  []ask // probes of the check at hand that the server fails at, though it answers others
	crowded bool  // one of them was answered when it was made alone
	faults  int   // requests that failed, and
	fault   error // how the last of them did
	reloads int   // replies after the first that had to wait for the model to load

	version string
	stated  int    // tokens of the window as the server states it, 0 when it does not
	turns   []Turn // the first turns of tasks
	real    int    // tokens of the window as it was found, 0 when it was not
	scale   scale
	prompt  int      // tokens of the run's first prompt, 0 when unknown
	greedy  []string // texts drawn at temperature 0
	sampled []string // texts drawn with known seeds
	seeded  bool     // and drawn again alike
	scored  []server.Choice
	stopped string // what is known of the log-probabilities of a stop text's tokens
	cached  bool   // the prefix cache is at work
	read    int    // tokens counted of the prompt for the prefix cache, and
	unread  error  // why there are none
	// how long that prompt took when it was new, as the server says if it is timed
	readTook time.Duration
	timed    bool
	inSpeed  float64 // tokens read in a second, 0 when unknown
	weights  weights
	undrawn  error // why quick mode has no samples

	alone, atOnce pace // how fast completions were written; without tokens if none were timed
	inFlight      int  // at once
}

// Examine examines one server. The error is the context's, or says what is wrong with the options;
// whatever is wrong with the server is in the report, which in any case holds what was found so
// far.
func Examine(ctx context.Context, o Options) (*Report, error) {
	o.Parallel = cmp.Or(o.Parallel, DefaultParallel)

	if o.Found == nil {
		o.Found = func(Check) {}
	}

	p := &examination{
		o: o, findings: findingsAbout(o.Kind), report: Report{Kind: o.Kind.Name, Model: o.Model, Verdict: OK},
	}

	if err := p.open(); err != nil {
		return nil, err
	}
	defer func() { p.b.Close() }()

	started := time.Now()
	err := p.examine(ctx)
	p.report.Took = time.Since(started)
	return &p.report, err
}

// open opens the client of the server, with the effort that the options want.
func (p *examination) open() error {
	p.effort = fullEffort
	if p.o.Quick {
		p.effort = quickEffort
	}

	to := p.o.Endpoint
	to.Timeout, to.DialTimeout = cmp.Or(to.Timeout, p.effort.timeout), reachTime
	p.effort.timeout = to.Timeout

	b, err := p.o.Kind.Open(to, p.o.Manner)
	if err != nil {
		return err
	}

	p.b, p.asker, p.report.Server = b, server.NewAsker(b.Address(), retry, nil), b.Address()
	return nil
}

// slowProbe is what the first completion takes at least at a server that quick mode is for: a whole
// examination of it would take more than a quarter of an hour.
const slowProbe = 5 * time.Second

// switchToQuick continues an examination in quick mode.
func (p *examination) switchToQuick() error {
	p.b.Close()
	p.o.Quick = true
	return p.open()
}

// checker makes a check. The zero Check says nothing; an error says why the probes were
// inconclusive, or is errStop.
type checker func(ctx context.Context) (Check, error)

// step is a check as a whole examination makes it, and as quick mode does.
type step struct {
	name        Name
	full, quick checker
}

// steps are the checks in the order in which they are made.
func (p *examination) steps() []step {
	return []step{
		{Reachable, p.reach, p.reach},
		{Version, p.askVersion, p.askVersion},
		{Model, p.askModel, p.askModel},
		{Completion, p.complete, p.complete},
		{"", p.measure, p.measure},
		{Template, p.template, p.template},
		{PrefixCache, p.prefixCache, p.prefixCache},
		{Window, p.window, p.quickWindow},
		{Room, p.room, p.room},
		{Tools, p.tools, p.tools},
		{Actions, p.actions, p.actions},
		{Reasoning, p.reasoning, p.reasoning},
		{Parameters, p.parameters, p.parameters},
		{Samples, p.samples, p.quickSamples},
		{Seeds, p.seeds, p.quickSeeds},
		{Greedy, p.stable, skip},
		{Defaults, p.defaults, skip},
		{Stop, p.stop, p.quickStop},
		{LogProbs, p.logProbs, p.logProbs},
		{Slots, p.slots, skip},
		{Crosstalk, p.crosstalk, skip},
		{Kept, p.kept, p.kept},
		{Clock, p.clock, p.clock},
		{Loaded, p.loaded, p.loaded},
		{Model, p.otherModels, p.otherModels},
	}
}

// examine makes the checks one after the other. The error is the context's.
func (p *examination) examine(ctx context.Context) error {
	for _, s := range p.steps() {
		check := s.full
		if p.o.Quick {
			check = s.quick
		}

		c, err := check(ctx)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}

		conclusive := err == nil || errors.Is(err, errStop)
		if !conclusive {
			c = p.failure(ctx, s.name, err)
		}

		// The probe that failed is answered alone. That may have been chance, so the whole check is
		// made once more.
		if p.crowded {
			p.failed, p.crowded = nil, false
			if again, failed := check(ctx); failed == nil {
				c, conclusive = again, true
			}
		}

		p.failed = nil
		p.found(s.name, c)

		// Every later check would only say the same.
		if !conclusive && p.gone(ctx, err) {
			p.found(Reachable, p.finding("gone"))
			return nil
		}

		if errors.Is(err, errStop) || ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// effort is how thoroughly a server is examined.
type effort struct {
	tokens  int           // of the first completion, at most
	filler  int           // sentences of the longer filler by which a sentence is measured
	known   int           // tokens of the prompt for the prefix cache; less in a small window
	rounds  int           // of what must be timed, at most
	timeout time.Duration // of one probe, if the options say none
}

var fullEffort = effort{probeTokens, longFiller, cachePrompt, mostRounds, DefaultTimeout}

// found notes a check, if it says anything.
func (p *examination) found(name Name, c Check) {
	if c.Verdict == "" {
		return
	}

	c.Name = name
	p.report.Checks = append(p.report.Checks, c)
	p.report.Verdict = p.report.Verdict.Worse(c.Verdict)
	p.o.Found(c)
}

// passed is a check that found nothing wrong.
func passed(format string, args ...any) Check {
	return Check{Verdict: OK, Seen: fmt.Sprintf(format, args...)}
}

// failure is the check whose probes failed or proved nothing. A probe that failed though the server
// answers others is made once more: alone, and for a single sample.
func (p *examination) failure(ctx context.Context, name Name, err error) Check {
	var alone *server.RequestError
	if !errors.As(err, &alone) || len(p.failed) == 0 {
		return p.inconclusive(err)
	}

	again := p.failed[0]
	several := again.n > 1
	again.n = 1
	_, failed := p.drawOnce(ctx, again)
	seen := errorText(err)

	switch {
	case failed == nil && several:
		return p.finding("samples-refused", seen)
	case failed == nil:
		p.crowded = true
		return p.finding("request-crowded", seen)
	}

	c := p.finding("request-fails", seen)
	if name == Room { // every tree begins with such a request
		c.Verdict = Problem
	}
	return c
}

// inconclusive is the check whose probes failed as all others do, or proved nothing.
func (p *examination) inconclusive(err error) Check {
	finding := "inconclusive"

	switch {
	case server.FaultOf(err) != nil:
		finding = "probe-failed"
	case errors.Is(err, errSlow):
		finding = "slow"
	}

	return p.finding(finding, errorText(err))
}

// gone reports whether the server has gone away, after an error of a probe.
func (p *examination) gone(ctx context.Context, err error) bool {
	if !server.Answered(err, 0) {
		return false
	}

	limited, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()

	_, err = p.b.List(limited)
	return err != nil && ctx.Err() == nil
}

// errorText is the text of an error; that of a fault is without the server's address.
func errorText(err error) string {
	f := server.FaultOf(err)
	if f == nil {
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
