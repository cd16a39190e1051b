package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/suite"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/account"
	"toolevo/mcts/collect"
	"toolevo/mcts/estimate"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// StandIn is the policy that grows trees for an estimate in place of a model on a server.
const StandIn = serving.Scripted + ":noisy"

// Probed is how many questions an estimate takes by default.
const Probed = 24

// EstimateOptions say what an estimate of a collection is made from.
type EstimateOptions struct {
	Probe int     // questions whose trees the policy itself grows; 0: some, and a script in place of a model
	Rate  float64 // completion tokens a second, of all servers together; 0 is as measured by Probe
}

// check rejects options that make no sense.
func (e *EstimateOptions) check() error {
	if e.Probe < 0 {
		return console.Usage("‹probe› %d: want how many questions, or 0 for a scripted sample",
			e.Probe)
	}

	if !(e.Rate >= 0) || math.IsInf(e.Rate, 0) {
		return console.Usage("‹tokens-per-second› %v: want a number above 0", e.Rate)
	}
	return nil
}

// ownPolicy reports whether the run's own policy grows the sample.
func (e *EstimateOptions) ownPolicy(b *Bench) bool { return e.Probe > 0 || !b.OnServers() }

// Projection is what a run of collect would take.
type Projection struct {
	*estimate.Estimate
	By      string `json:"by"`      // the policy that grew the sample
	Counted string `json:"counted"` // how prompt tokens were counted, in words
}

// String returns a line for people, like that of an account.
func (p *Projection) String() string {
	between := func(t estimate.Total, text func(float64) string) string {
		return fmt.Sprintf("%s (%s to %s)", text(t.Value), text(t.Low), text(t.High))
	}

	line := fmt.Sprintf("%s calls, %s prompt tokens, %s completion tokens",
		between(p.Calls, display.Count),
		between(p.PromptTokens, display.Count), between(p.CompletionTokens, display.Count))
	if p.Cost != nil {
		line += ", cost " + between(*p.Cost, account.Money)
		if p.Prices.Cached < p.Prices.Prompt {
			line += " if no prompt is cached"
		}
	}

	return line
}

// estimate projects what a run would take from some of its questions. It is nil if no policy can
// grow them.
func (e *EstimateOptions) estimate(ctx context.Context, b *Bench) (p *Projection, err error) {
	if len(b.Questions) == 0 {
		return nil, nil
	}

	// A script stands in for a model that the user does not want to pay for an estimate; it needs
	// the suite's solutions.
	grower := *b
	if !e.ownPolicy(b) {
		if _, ok := b.Suite.(suite.Planner); !ok {
			return nil, nil
		}

		c := *b.Config
		c.Policy = []string{StandIn}
		grower.Models = b.Under(&c)
	}

	dir, err := os.MkdirTemp("", "toolevo-estimate-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	sample, err := e.sample(ctx, &grower, b, filepath.Join(dir, "run"))
	if err != nil {
		return nil, err
	}

	o := estimate.Options{Questions: len(b.Questions), Bytes: sample.bytes, Rate: e.Rate}

	// A script's speed says nothing about a model's.
	if e.Rate == 0 && e.ownPolicy(b) {
		o.Rate = sample.rate()
	}

	prices, err := account.ParsePrices(b.Config.Server.Prices)
	if err != nil {
		return nil, err
	}

	o.Prices = prices.Of(b.Config.Policy[0])

	estimated, err := estimate.Of(sample.used, o)
	return &Projection{estimated, grower.Config.Policy[0], sample.counted}, err
}

// projected returns what a run was expected to take before it began, which its folder keeps: with a
// script in place of its model that is known in seconds. It is nil if few questions are asked, no
// script can answer them, no server is asked, or tools are live. A resumed run has the estimate it
// began with.
func (j *CollectJob) projected(ctx context.Context, b *Bench, dir string) *Projection {
	path := filepath.Join(dir, rundir.EstimateFile)

	var p *Projection
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &p) == nil && p != nil {
		return p
	}

	live, ok := b.Suite.(suite.Live)
	if j.Resume || !b.OnServers() || len(b.Questions) <= Probed || ok && live.Live() {
		return nil
	}

	defer j.Step("Growing trees of some questions, for an estimate")()

	p, err := (&EstimateOptions{}).estimate(ctx, b)
	if err != nil || p == nil {
		return nil // an estimate must not stop a run
	}

	if text, err := console.EncodeJSON(p); err == nil {
		_ = os.WriteFile(path, text, 0o644)
	}

	j.Say("Estimate for the whole run: %s", p)
	return p
}

// measurement is what the sample of an estimate took.
type measurement struct {
	used    []estimate.Usage
	counted string // how prompt tokens were, in words
	bytes   int64
	took    time.Duration
}

// rate returns how many completion tokens the sample took per second.
func (m *measurement) rate() float64 {
	tokens := 0.0
	for _, u := range m.used {
		tokens += u.CompletionTokens
	}
	return tokens / max(m.took.Seconds(), 1e-3)
}

// sample grows the trees of some questions in a run directory of their own. Prompts are those that
// a model of b would be sent.
func (e *EstimateOptions) sample(ctx context.Context, grower, b *Bench, dir string) (
	*measurement, error) {
	run, err := store.StartRun(ctx, dir, store.Manifest{ID: "estimate", Kind: stored.Collection, Software: Software()},
		grower.Config.String())
	if err != nil {
		return nil, err
	}

	// An empty run takes space, too, and that does not grow with the questions.
	before, err := rundir.Read(ctx, dir)
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}

	m, err := e.growSample(ctx, grower, b, run)
	if err = errors.Join(err, run.Close()); err != nil {
		return nil, err
	}

	after, err := rundir.Read(ctx, dir)
	if err != nil {
		return nil, err
	}

	m.bytes = max(after.Bytes-before.Bytes, 0)
	m.counted = fmt.Sprintf("%d characters as a token", charactersOfAToken)
	if b.tokenizer != nil {
		m.counted = "by the tokenizer"
	}

	// A model that was asked has exact counts, to which those of the meter are scaled.
	if p := grower.Snapshots()[grower.Config.Policy[0]]; p.PromptTokens > 0 {
		estimate.Calibrate(m.used, p.PromptTokens)
		m.counted = "by the server"
	}
	return m, nil
}

// growSample grows the trees of some questions in a run, and meters what that takes.
func (e *EstimateOptions) growSample(ctx context.Context, grower, b *Bench, run *store.Run) (
	*measurement, error) {
	o, err := CollectOptions(grower, run)
	if err != nil {
		return nil, err
	}

	// Whoever grows the trees, the meter counts what the model of b would be sent.
	meter, err := b.meter()
	if err != nil {
		return nil, err
	}

	n := e.Probe
	if n == 0 {
		n = Probed
	}

	// The questions are spread over the list and searched all at once: the sample takes as long as
	// its longest question.
	meter.Next, o.Policy = o.Policy, meter
	o.Questions, o.Workers = estimate.Spread(o.Questions, n), n
	start := time.Now()

	if _, err := collect.Run(ctx, o); err != nil {
		return nil, console.GaveUp(fmt.Errorf("estimate from %d questions: %w", len(o.Questions), err))
	}

	took := time.Since(start)

	ids := make([]string, len(o.Questions))
	for i, q := range o.Questions {
		ids[i] = q.Task.ID
	}
	return &measurement{used: meter.Used(ids), took: took}, nil
}

// meter returns a meter of what the model of the configuration would be sent.
func (b *Bench) meter() (*estimate.Meter, error) {
	m := &estimate.Meter{Tokens: func(text string) float64 { return float64(len(text)) / charactersOfAToken }}
	if b.tokenizer != nil {
		m.Tokens = func(text string) float64 { return float64(b.tokenizer.Count(text)) }
	}

	kind, model, _ := strings.Cut(b.Config.Policy[0], ":")

	// A script reads no prompt: what a model would read is counted.
	if kind == serving.Scripted {
		shown, err := b.Prompt()
		m.Prompt = shown.Render
		return m, err
	}

	o, err := b.Options(kind, model)
	m.Single = o.Single || slices.Contains(o.LeaveOut, "n")

	// Where the server itself renders messages, their parts are all that can be counted here.
	if m.Prompt = o.Render; m.Prompt == nil {
		m.Prompt = func(h envs.History) string {
			var text strings.Builder
			if o.Tools != nil {
				text.WriteString(o.Tools(h))
			}

			for _, message := range o.Messages(h) {
				text.WriteString(message.Content)

				for _, c := range message.Calls {
					text.WriteString(c.Name + c.Arguments)
				}
			}
			return text.String()
		}
	}
	return m, err
}
