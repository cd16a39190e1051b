package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/finetune/chart"
	"toolevo/finetune/judge"
	"toolevo/finetune/stored"
	"toolevo/mcts/policy/serving"
	"toolevo/trajectories"
)

// judgedAnswers is what `eval judge` prints.
type judgedAnswers struct {
	*judge.Report
	Files []string `json:"files,omitempty"` // that --out got, in the form of StableToolBench's results
}

// byRule is the judge that asks nobody.
const byRule = "rule"

// judgeOptions are the flags of `eval judge`.
type judgeOptions struct {
	by, reference, ids, out, format string

	scores   []string
	passes   int
	workers  int
	asJSON   *bool
	servers  *serving.Servers
	settings *settings
	watch    func() (*console.Steps, func())
}

func (a *app) evalJudgeCommand() *cobra.Command {
	var o judgeOptions

	cmd := newCommand("judge RUN|FILE...")
	flags := cmd.Flags()
	flags.StringVar(&o.by, "by", byRule, "`JUDGE`: rule, or a model, "+serving.Offers())
	flags.StringSliceVar(&o.scores, "score", []string{string(judge.SoPR)}, "`NAMES`: sopr, fac, sowr")
	flags.IntVar(&o.passes, "passes", judge.Passes, "`N` passes of sopr, and rounds of sowr")
	flags.StringVar(&o.reference, "reference", "", "with sowr: the `POLICY` that others are compared with (default: "+
		"the first)")
	flags.StringVar(&o.ids, "ids", "", "folder `DIR` of ID files, GROUP.json: what FILE... had to answer")
	flags.StringVar(&o.out, "out", "", "keep judgements and results in the folder `DIR` (required by models)")
	formatFlag(cmd, &o.format)
	flags.IntVar(&o.workers, "workers", toolevo.MaxOpenTrees, "`N` judgements at most at the same time")
	console.Complete(cmd, "score", console.Listed(judge.Scores()))
	console.Complete(cmd, "ids", console.Folders)
	console.Complete(cmd, "out", console.Folders)

	o.asJSON, o.watch = console.JSONFlag(cmd), a.Watched(cmd)
	o.settings, o.servers = a.addSettings(cmd, nil), a.servingFlags(cmd)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.evalJudge(cmd, args, &o)
	}

	return cmd
}

func (a *app) evalJudge(cmd *cobra.Command, args []string, o *judgeOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}

	answers, err := a.readAnswers(cmd.Context(), args, o)
	if err != nil {
		return err
	}

	if o.out != "" {
		a.announce("eval judge", "judge "+o.by, "scores "+strings.Join(o.scores, ", "),
			fmt.Sprintf("%d answers of %s", len(answers), strings.Join(args, ", ")))
	}

	w := &writers{app: a, settings: o.settings, servers: o.servers, workers: &o.workers}
	defer func() { err = errors.Join(err, w.shut()) }()

	j, err := openJudge(cmd, w, o)
	if err != nil {
		return err
	}

	judged, err := a.judge(cmd.Context(), j, answers, o)
	if err != nil {
		return err
	}

	result := judgedAnswers{Report: judged.Report(j.Maker(), o.passes)}

	if o.out != "" {
		if result.Files, err = judged.WriteFiles(o.out); err != nil {
			return err
		}

		if err := stored.WriteReport(o.out, result.Report); err != nil {
			return err
		}

		if f, ok := result.Figure(); ok {
			if _, err := toolevo.WriteFiles(o.out, toolevo.FigureFiles([]chart.Figure{f})); err != nil {
				return err
			}
		}
	}

	return a.showTables(*o.asJSON, result, result.Report, o.format)
}

// check refuses flags that make no sense.
func (o *judgeOptions) check() error {
	for _, name := range o.scores {
		if _, err := names.Parse("score", name, judge.Scores()); err != nil {
			return console.Usage("--score: %w", err)
		}
	}

	switch err := checkFormat(o.format); {
	case err != nil:
		return err
	case o.passes < 1:
		return console.Usage("--passes %d: want at least 1", o.passes)
	case o.workers < 1:
		return console.Usage("--workers %d: want at least 1", o.workers)
	case o.by != byRule && o.out == "":
		return console.Usage("--out is missing: what a model writes is kept there, so that nothing is asked twice")
	case o.reference != "" && !slices.Contains(o.scores, string(judge.SoWR)):
		return console.Usage("--reference is for --score sowr: add it, or leave out --reference")
	}

	return nil
}

// readAnswers reads evaluations and converted files.
func (a *app) readAnswers(ctx context.Context, args []string, o *judgeOptions) ([]judge.Answer, error) {
	var ids judge.IDs

	if o.ids != "" {
		var err error
		if ids, err = judge.ReadIDs(o.ids); err != nil {
			return nil, console.Usage("--ids: %w", err)
		}
	}

	var inputs []judge.Input

	for _, arg := range args {
		in := judge.Input{Name: filepath.Base(arg)}

		var (
			others int
			err    error
		)

		switch {
		case toolevo.IsRun(arg):
			in.Answers, err = playedAnswers(ctx, arg)
		case o.by == byRule:
			if _, others, err = judge.Converted(arg, ids); err == nil {
				err = console.Usage("%s: the rule knows only what the deployed version took in an evaluation: judge "+
					"by a model, e.g. --by openai:MODEL", arg)
			}
		default:
			in.Answers, others, err = judge.Converted(arg, ids)
		}

		if err != nil {
			return nil, err
		}

		if others > 0 {
			a.Say("%s: %d answers are left out: the ID files do not list their queries", arg, others)
		}

		inputs = append(inputs, in)
	}

	all, err := judge.Join(inputs)
	if err != nil {
		return nil, console.Usage("%w", err)
	}

	return all, nil
}

// playedAnswers reads the answers of an evaluation: the first episode of each question.
func playedAnswers(ctx context.Context, dir string) (all []judge.Answer, err error) {
	e, err := stored.OpenEvaluation(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

	lost, err := e.Lost()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, console.Usage("%s is unfinished: go on with it first: toolevo %s", dir,
			stored.Continuation(e.Run.Run))
	} else if err != nil {
		return nil, err
	}

	for p, err := range e.Played(ctx, lost) {
		if err != nil {
			return nil, err
		}

		if p.Repeat > 0 {
			continue
		}

		answer, err := judge.OfEpisode(p.Episode, p.API, p.Version)
		if err != nil {
			return nil, console.Usage("%s: %w", dir, err)
		}

		all = append(all, answer)
	}

	if len(all) == 0 {
		return nil, console.Usage("%s has no episode to judge", dir)
	}

	return all, nil
}

// recordedJudge is a judge that says who it is.
type recordedJudge interface {
	judge.Judge
	Maker() trajectories.Maker
}

// openJudge opens who judges: nobody, or a model of w.
func openJudge(cmd *cobra.Command, w *writers, o *judgeOptions) (recordedJudge, error) {
	if o.by == byRule {
		return judge.Rule{}, nil
	}

	if err := w.open(cmd, o.out); err != nil {
		return nil, err
	}

	model := &judge.Model{Name: o.by}

	var err error
	if model.Writer, err = w.writer(o.by, suite.WriterOptions{
		Temperature: judge.Temperature, MaxTokens: judge.MaxTokens,
	}); err != nil {
		return nil, console.Usage("--by: %w", err)
	}

	model.Completing, err = w.writer(o.by, suite.WriterOptions{MaxTokens: judge.CompleteMaxTokens})

	return model, err
}

// judge has answers judged, and shows how far it is.
func (a *app) judge(ctx context.Context, j judge.Judge, answers []judge.Answer, o *judgeOptions) (*judge.Judged,
	error) {
	steps, stop := o.watch()
	defer stop()

	options := judge.Options{
		Passes: o.passes, Workers: o.workers, Reference: o.reference, Done: steps.Step("judgements"),
	}
	for _, name := range o.scores {
		options.Scores = append(options.Scores, judge.Score(name))
	}

	judged, err := judge.Run(ctx, j, answers, options)

	switch {
	case err == nil || ctx.Err() != nil:
		return judged, err
	case errors.Is(err, judge.ErrNoMatch):
		return nil, console.Usage("%w", err)
	case o.out != "":
		err = fmt.Errorf("%w\nWhat was judged is kept in %s: run the same command again", err, o.out)
	}

	return nil, console.GaveUp(err)
}
