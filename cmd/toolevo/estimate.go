package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/suite"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect"
	"toolevo/mcts/estimate"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// standIn is the policy that grows trees for an estimate in place of a model on a server.
const standIn = serving.Scripted + ":noisy"

// probed is how many questions an estimate takes when nobody says.
const probed = 24

// estimateFlags say what --dry-run of collect is to know for its estimate.
type estimateFlags struct {
	probe  int
	rate   float64
	prices []float64
}

func addEstimateFlags(cmd *cobra.Command) *estimateFlags {
	e := &estimateFlags{}
	flags := cmd.Flags()
	flags.IntVar(&e.probe, "probe", 0, "with --dry-run: estimate from the trees of `N` questions, grown by --policy "+
		fmt.Sprintf("itself (0: %d questions, and %s in place of a model on a server)", probed, standIn))
	flags.Float64Var(&e.rate, "tokens-per-second", 0, "with --dry-run: estimate the time at `N` completion tokens "+
		"per second, of all servers together (default: as measured by --probe)")
	flags.Float64SliceVar(&e.prices, "prices", nil, "with --dry-run: estimate the cost at `PROMPT,COMPLETION` per "+
		"million tokens, in any currency")

	return e
}

// check refuses flags that make no sense.
func (e *estimateFlags) check(cmd *cobra.Command, dryRun bool) error {
	for _, name := range []string{"probe", "tokens-per-second", "prices"} {
		if !dryRun && cmd.Flags().Changed(name) {
			return console.Usage("--%s needs --dry-run: only that estimates", name)
		}
	}

	if e.probe < 0 {
		return console.Usage("--probe %d: want how many questions, or 0 for a scripted sample", e.probe)
	}

	if !(e.rate >= 0) || math.IsInf(e.rate, 0) {
		return console.Usage("--tokens-per-second %v: want a number above 0", e.rate)
	}

	if e.prices == nil {
		return nil
	}

	for _, p := range e.prices {
		if len(e.prices) != 2 || !(p >= 0) || math.IsInf(p, 0) {
			return console.Usage("--prices %v: want two numbers, of a million prompt tokens and of a million "+
				"completion tokens, e.g. 0.5,1.5", strings.Trim(fmt.Sprint(e.prices), "[]"))
		}
	}

	return nil
}

// ownPolicy reports whether the run's own policy grows the sample.
func (e *estimateFlags) ownPolicy(b *bench) bool { return e.probe > 0 || !b.OnServers() }

// projection is what a run of collect would take.
type projection struct {
	*estimate.Estimate
	By      string `json:"by"`      // the policy that grew the sample
	Counted string `json:"counted"` // how prompt tokens were counted, in words
}

// estimate projects what a run would take from some of its questions. It is nil where there is no policy to grow them.
func (e *estimateFlags) estimate(ctx context.Context, b *bench) (p *projection, err error) {
	if len(b.questions) == 0 {
		return nil, nil
	}

	// A script stands in for a model that the user does not want to pay for an estimate; it needs
	// the suite's solutions.
	grower := *b
	if !e.ownPolicy(b) {
		if _, ok := b.suite.(suite.Planner); !ok {
			return nil, nil
		}

		c := *b.Config
		c.Policy = []string{standIn}
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

	o := estimate.Options{Questions: len(b.questions), Bytes: sample.bytes, Rate: e.rate}
	if e.rate == 0 && e.ownPolicy(b) {
		o.Rate = sample.rate()
	}

	if e.prices != nil {
		o.Prices = &estimate.Prices{Prompt: e.prices[0], Completion: e.prices[1]}
	}

	estimated, err := estimate.Of(sample.used, o)

	return &projection{estimated, grower.Config.Policy[0], sample.counted}, err
}

// measurement is what the sample of an estimate took.
type measurement struct {
	used    []estimate.Usage
	counted string // how prompt tokens were, in words
	bytes   int64
	took    time.Duration
}

// rate is how many completion tokens the sample took per second.
func (m *measurement) rate() float64 {
	tokens := 0.0
	for _, u := range m.used {
		tokens += u.CompletionTokens
	}

	return tokens / max(m.took.Seconds(), 1e-3)
}

// sample grows the trees of some questions in a run directory of their own. Prompts are those of a model as b has it.
func (e *estimateFlags) sample(ctx context.Context, grower, b *bench, dir string) (*measurement, error) {
	run, err := store.StartRun(ctx, dir, store.Manifest{ID: "estimate", Kind: stored.Collection, Software: software()},
		grower.Config.String())
	if err != nil {
		return nil, err
	}

	// An empty run takes space, too, which does not grow with the questions.
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

	if p := grower.Snapshots()[grower.Config.Policy[0]]; p.PromptTokens > 0 {
		estimate.Calibrate(m.used, p.PromptTokens)
		m.counted = "by the server"
	}

	return m, nil
}

// growSample grows the trees of some questions in a run, and meters what that takes.
func (e *estimateFlags) growSample(ctx context.Context, grower, b *bench, run *store.Run) (*measurement, error) {
	o, err := collectOptions(grower, run)
	if err != nil {
		return nil, err
	}

	meter, err := b.meter()
	if err != nil {
		return nil, err
	}

	n := e.probe
	if n == 0 {
		n = probed
	}

	// Questions far apart in the list, all at once: the sample takes as long as its longest question.
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

// meter returns a meter of what the model of the configuration would be shown.
func (b *bench) meter() (*estimate.Meter, error) {
	m := &estimate.Meter{Tokens: func(text string) float64 { return float64(len(text)) / charactersOfAToken }}
	if b.tokenizer != nil {
		m.Tokens = func(text string) float64 { return float64(b.tokenizer.Count(text)) }
	}

	kind, model, _ := strings.Cut(b.Config.Policy[0], ":")
	if kind == serving.Scripted {
		shown, err := b.Prompt()
		m.Prompt = shown.Render

		return m, err
	}

	o, err := b.Options(kind, model)
	if m.Prompt = o.Render; m.Prompt == nil {
		m.Prompt = func(h envs.History) string {
			var text strings.Builder
			for _, message := range o.Messages(h) {
				text.WriteString(message.Content)
			}

			return text.String()
		}
	}

	return m, err
}

// lines are the estimate for people.
func (p *projection) lines(questions int) []string {
	if p == nil {
		return []string{"no estimate: the suite has no scripted policy; --probe N asks the model itself"}
	}

	lines := []string{
		fmt.Sprintf("estimate, from %d of %d questions, grown by %s (95 %% intervals):", p.Sample, questions, p.By),
		fmt.Sprintf("  %s model calls", between(p.Calls, display.Count)),
		fmt.Sprintf("  %s prompt tokens, counted %s", between(p.PromptTokens, display.Count), p.Counted),
		fmt.Sprintf("  %s completion tokens", between(p.CompletionTokens, display.Count)),
		fmt.Sprintf("  %s on disk, for the log and the trees", display.Bytes(p.Bytes)),
	}

	// Time and cost are known only from a server, or from what the user says of one.
	if p.Seconds == nil {
		lines = append(lines, "  time: unknown; --tokens-per-second N, or --probe N to measure it")
	} else {
		seconds := func(s float64) string {
			return display.Duration(time.Duration(s * float64(time.Second)))
		}
		lines = append(lines, fmt.Sprintf("  %s, at %s", between(*p.Seconds, seconds),
			display.Rate(p.Rate, "completion tokens")))
	}

	if p.Cost != nil {
		lines = append(lines, fmt.Sprintf("  cost %s, at %v and %v per million prompt and completion tokens",
			between(*p.Cost, func(x float64) string { return fmt.Sprintf("%.2f", x) }), p.Prices.Prompt,
			p.Prices.Completion))
	}

	return lines
}

// between is a total with its interval, where it has one.
func between(t estimate.Total, text func(float64) string) string {
	if t.Low == t.High {
		return text(t.Value)
	}

	return fmt.Sprintf("%s (%s to %s)", text(t.Value), text(t.Low), text(t.High))
}
