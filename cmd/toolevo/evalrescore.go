package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/trajectories"
)

// rescoredEvaluation is what `eval rescore` prints.
type rescoredEvaluation struct {
	RunID   string `json:"run_id"`  // as run.json has it
	Matcher string `json:"matcher"` // "official", "strict" or "exact"
	*finetune.Rescored
}

// exactMatcher takes an answer that is the gold answer, byte for byte.
const exactMatcher = "exact"

func (a *app) evalRescoreCommand() *cobra.Command {
	cmd := a.command("rescore RUN")
	matcher, changed := "strict", 20
	addFlags(cmd, "rescore", into{"matcher": &matcher, "changed": &changed})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if changed < 0 {
			return console.Usage("--changed %d: want 0 answers or more", changed)
		}

		return a.evalRescore(cmd.Context(), args[0], matcher, changed)
	}

	return cmd
}

func (a *app) evalRescore(ctx context.Context, dir, matcher string, most int) (err error) {
	e, err := stored.OpenReading(ctx, a.Say, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

	by, err := verdictOf(e.Config.Suite, matcher)
	if err != nil {
		return err
	}

	rescored, err := finetune.Rescore(e.Jobs, e.Episodes(ctx, e.Missing), by)
	if err != nil {
		return err
	}

	if a.JSON {
		return a.PrintJSON(rescoredEvaluation{e.Manifest.ID, matcher, rescored})
	}

	return printRescored(a.Out, rescored, most)
}

// printRescored prints accuracies by both matchers, and at most so many answers on which they disagree.
func printRescored(w io.Writer, r *finetune.Rescored, most int) error {
	if err := r.WriteTable(w); err != nil {
		return err
	}

	if r.Revised > 0 {
		fmt.Fprintf(w, "\n%d verdicts by this matcher are not those that the evaluation has: its rules were "+
			"others then\n", r.Revised)
	}

	for _, c := range r.Changed[:min(most, len(r.Changed))] {
		fmt.Fprintf(w, "\n%s %s, %s\n  %s\n  answer %s\n  gold   %s\n", tick(c.Correct),
			display.Line(c.Cell.String(), 0), display.Line(c.QuestionID, 0), display.Line(c.Question, 78),
			display.Line(c.Answer, 71), display.Line(c.Gold, 71))
	}

	if rest := len(r.Changed) - most; rest > 0 {
		fmt.Fprintf(w, "\nand %d more: --changed shows them\n", rest)
	}

	return nil
}

// verdictOf returns a matcher of a benchmark, or the one that all have.
func verdictOf(benchmark, name string) (v finetune.Verdict, err error) {
	b, err := suite.Lookup(benchmark)
	if err != nil {
		return v, err
	}

	matchers := map[string]func(gold, answer string) bool{}
	if m, ok := b.(suite.Matcher); ok {
		matchers = m.Matchers()
	}

	matchers[exactMatcher] = func(gold, answer string) bool { return gold == answer }

	match, ok := matchers[name]
	if !ok {
		return v, console.Usage("--matcher: %w", names.Unknown("matcher", name, slices.Sorted(maps.Keys(matchers))))
	}

	v.Match = match

	switch name {
	case "official":
		v.Kept = func(e *trajectories.Episode) bool { return e.Official }
	case "strict":
		v.Kept = func(e *trajectories.Episode) bool { return e.Strict }
	}

	return v, nil
}
