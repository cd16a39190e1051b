package toolbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/kept"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench/virtual"
	"toolevo/finetune/facts"
	"toolevo/finetune/judge"
	"toolevo/finetune/stored"
	"toolevo/finetune/tabulate"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// JudgedAnswers is what `eval judge` prints.
type JudgedAnswers struct {
	*judge.Report
	Files []string `json:"files,omitempty"` // that --out got, in the form of StableToolBench's results
}

// byRule is the judge that asks nobody.
const byRule = "rule"

// judging says how answers are judged.
type judging struct {
	by, reference, ids, out, format string
	facPrompt                       string
	scores                          []string
	passes, workers                 int
}

func judgeCommand() suite.Command {
	o := judging{
		by: byRule, scores: []string{string(judge.SoPR)}, passes: judge.Passes, workers: mostJudgements,
		format: stored.TableFormats()[0], facPrompt: facPrompts[0],
	}

	// Which options go together depends on who judges, so that is checked when it runs.
	return suite.Command{
		Use: "eval judge RUN|FILE...", Help: helpTexts, Progress: true, Document: JudgedAnswers{},
		Configured: &suite.Configured{Models: true, Flags: []string{"prompts"}},
		Options: []suite.Option{
			suite.WorkersOption(&o.workers), formatOption(&o.format),
			{Name: "by", Value: &o.by, Usage: "`JUDGE`: rule, or a model, " + serving.Offers()},
			{Name: "score", Value: &o.scores, Usage: "`NAMES`: sopr, fac, sowr",
				Names: names.Texts(judge.Scores)},
			{Name: "passes", Value: &o.passes, Usage: "`N` passes of sopr, and rounds of sowr",
				Least: 1},
			{Name: "reference", Value: &o.reference,
				Usage: "with sowr: the `POLICY` that others are compared with (default: the " +
					"first)"},
			{Name: "ids", Value: &o.ids, Usage: "folder `DIR` of ID files, GROUP.json: what " +
				"FILE... had to answer"},
			{Name: "fac-prompt", Value: &o.facPrompt, Names: func() []string { return facPrompts },
				Usage: "`NAME` of how fac is asked for: own, or published, for " +
					"MirrorAPI's own judge"},
			suite.OutOption(&o.out, "keep judgements and results in the folder `DIR` (required "+
				"by models)"),
		},
		Run: o.run,
	}
}

// facPrompts name the prompts of final answer completeness: ours, and that of MirrorAPI's judge.
var facPrompts = []string{"own", "published"}

// formatOption returns the option of the format of tables.
func formatOption(format *string) suite.Option {
	return suite.Option{
		Name: "format", Value: format, Names: stored.TableFormats,
		Usage: "write the format `NAME`: table, markdown, csv or latex",
	}
}

// mostJudgements is how many judgements are asked for at the same time.
const mostJudgements = 512

// Judge implements [suite.Judger]: it asks for the SoPR.
func (Suite) Judge(ctx context.Context, dir, by string, p kept.Prompts, open suite.OpenWriter) (
	name string, err error,
) {
	answers, err := playedAnswers(ctx, dir)
	if err != nil {
		return "", err
	}

	model := &judge.Model{Name: by, Prompts: p}
	if model.Writer, err = open(suite.WriterOptions{
		Temperature: judge.Temperature, MaxTokens: judge.MaxTokens,
	}); err != nil {
		return "", err
	}

	judged, err := judge.Run(ctx, model, answers, judge.Options{
		Scores: []judge.Score{judge.SoPR}, Passes: judge.Passes, Workers: mostJudgements,
	})
	if err != nil {
		return "", err
	}

	verdicts := judged.Verdicts(model.Maker())[dir]
	for _, v := range verdicts {
		name = v.Judge
	}
	return name, facts.AddVerdicts(dir, verdicts)
}

// tables returns what prints a report in a format.
func tables(r stored.Printed, format string) func(io.Writer) {
	return func(w io.Writer) { _ = stored.WriteAs(w, r, format) }
}

// run judges the answers, and shows what came out.
func (o *judging) run(ctx context.Context, c *suite.Call) (err error) {
	switch {
	case o.by != byRule && o.out == "":
		return console.Option("out", "it is missing: what a model writes is kept there, so that "+
			"nothing is asked twice")
	case o.reference != "" && !slices.Contains(o.scores, string(judge.SoWR)):
		return console.Option("reference", "it is for the score sowr: add that, or leave it out")
	}

	answers, err := o.readAnswers(ctx, c)
	if err != nil {
		return err
	}

	// A judgement that leaves no files is shown at once, and needs no announcement.
	if o.out != "" {
		c.Announce("eval judge", "judge "+o.by, "scores "+strings.Join(o.scores, ", "),
			fmt.Sprintf("%d answers of %s", len(answers), strings.Join(c.Args, ", ")))
	}

	// Answers that cannot be read are found before a model is opened.
	j, err := o.open(c)
	if err != nil {
		return err
	}

	judged, err := o.judge(ctx, j, answers, c.Progress.Step("judgements"))
	if err != nil {
		return err
	}

	// Verdicts are noted with the evaluations, too; one that cannot be written can still be judged.
	for dir, verdicts := range judged.Verdicts(j.Maker()) {
		_ = facts.AddVerdicts(dir, verdicts)
	}

	result := JudgedAnswers{Report: judged.Report(j.Maker(), o.passes)}
	if o.out != "" {
		err = o.write(judged, &result)
	}
	return c.Result(result, tables(result.Report, o.format), err)
}

// write writes results into the folder of the output.
func (o *judging) write(judged *judge.Judged, result *JudgedAnswers) (err error) {
	if result.Files, err = judged.WriteFiles(o.out); err != nil {
		return err
	}

	if err := stored.WriteReport(o.out, result.Report); err != nil {
		return err
	}

	if f, ok := result.Figure(); ok {
		_, err = tabulate.WriteFolder(o.out, tabulate.FigureFiles([]tabulate.Figure{f}))
	}
	return err
}

// readAnswers reads evaluations and converted files.
func (o *judging) readAnswers(ctx context.Context, c *suite.Call) ([]judge.Answer, error) {
	ids, err := o.readIDs()
	if err != nil {
		return nil, err
	}

	var inputs []judge.Input

	for _, arg := range c.Args {
		in := judge.Input{Name: filepath.Base(arg)}

		// An argument with a manifest is an evaluation; anything else is a converted file.
		if _, err := store.ReadManifest(arg); err == nil {
			in.Answers, err = playedAnswers(ctx, arg)
			if err != nil {
				return nil, err
			}
		} else if in.Answers, err = o.readConverted(c, arg, ids); err != nil {
			return nil, err
		}

		inputs = append(inputs, in)
	}

	// Answers that cannot be compared were named together by mistake.
	all, err := judge.Join(inputs)
	if err != nil {
		return nil, console.Usage("%w", err)
	}
	return all, nil
}

// mostUnread is how many of the answers that cannot be read are named.
const mostUnread = 20

// readConverted reads converted files, and says what it leaves out of them.
func (o *judging) readConverted(c *suite.Call, path string, ids judge.IDs) ([]judge.Answer, error) {
	read, err := judge.ReadConverted(path, ids)

	switch {
	case err != nil:
		return nil, err
	case o.by == byRule:
		return nil, console.Usage("%s: the rule knows only what the deployed version took in an "+
			"evaluation: judge by a model", path)
	case read.Others > 0:
		c.Say("%s: %d answers are left out: the ID files do not list their queries", path,
			read.Others)
	}

	for _, unread := range read.Unread[:min(mostUnread, len(read.Unread))] {
		c.Say("left out: %v", unread)
	}

	if more := len(read.Unread) - mostUnread; more > 0 {
		c.Say("%s: left out: %d more that cannot be read", path, more)
	}
	return read.Answers, nil
}

// playedAnswers reads the answers of an evaluation: the first episode of each question.
func playedAnswers(ctx context.Context, dir string) (all []judge.Answer, err error) {
	e, err := stored.OpenEvaluation(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

	lost, err := e.Lost()
	ended := e.Manifest.Finished

	// Of one that is being extended the file has the episodes that it ended with before.
	if errors.Is(err, fs.ErrNotExist) || err == nil && ended != nil && ended.Extended {
		return nil, console.Usage("%s is unfinished: finish it first: toolevo %s", dir,
			stored.Continuation(e.Run.Run))
	} else if err != nil {
		return nil, err
	}

	for p, err := range e.Played(ctx, lost) {
		if err != nil {
			return nil, err
		}

		// The published judge has one answer of each query.
		if p.Repeat > 0 {
			continue
		}

		answer, err := judge.OfEpisode(p.Episode, p.API, p.Version)
		if err != nil {
			return nil, console.Usage("%s: %w", dir, err)
		}

		// The folder says with which evaluation the verdict is noted.
		answer.Folder = dir
		all = append(all, answer)
	}

	if len(all) == 0 {
		return nil, console.Usage("%s has no episode to judge", dir)
	}
	return all, nil
}

// readIDs reads what converted files had to answer; nil accepts whatever they answer.
func (o *judging) readIDs() (ids judge.IDs, err error) {
	if o.ids == "" {
		return nil, nil
	}

	if ids, err = judge.ReadIDs(o.ids); err != nil {
		err = console.Option("ids", "%w", err)
	}
	return ids, err
}

// recordedJudge is a judge that says who it is.
type recordedJudge interface {
	judge.Judge
	Maker() trajectories.Maker
}

// open opens who judges: the rule, which asks nobody, or a model.
func (o *judging) open(c *suite.Call) (recordedJudge, error) {
	if o.by == byRule {
		return judge.Rule{}, nil
	}

	models, err := c.Models(o.out)
	if err != nil {
		return nil, err
	}

	model := &judge.Model{Name: o.by, Prompts: models.Prompts()}

	// The published prompt is not shipped: the user has to have it.
	if o.facPrompt != facPrompts[0] {
		model.CompletePrompt, err = model.Prompts.Need(virtual.CompletePrompt, "{query}",
			"{answer}")
	}

	if err != nil {
		return nil, console.Option("prompts", "%w: --fac-prompt published asks in its words", err)
	}

	if model.Writer, err = models.Writer(o.by, suite.WriterOptions{
		Temperature: judge.Temperature, MaxTokens: judge.MaxTokens,
	}); err != nil {
		return nil, console.Option("by", "%w", err)
	}

	// MirrorAPI asks greedily whether an answer is complete, which takes a writer of its own.
	model.Completing, err = models.Writer(o.by,
		suite.WriterOptions{MaxTokens: judge.CompleteMaxTokens})
	return model, err
}

// judge has answers judged.
func (o *judging) judge(
	ctx context.Context, j judge.Judge, answers []judge.Answer, done func(done, total int),
) (*judge.Judged, error) {
	options := judge.Options{Passes: o.passes, Workers: o.workers, Reference: o.reference,
		Done: done}
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
		err = fmt.Errorf("%w\nWhat was judged is kept in %s: run the same command again", err,
			o.out)
	}

	return nil, console.GaveUp(err)
}
