package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/walls"
	"toolevo/finetune"
)

// comparedEvaluations is what `eval compare` prints.
type comparedEvaluations struct {
	Runs []comparedEvaluation `json:"runs"` // in the order given
	*finetune.Report
}

// comparedEvaluation is one of the evaluations that are compared.
type comparedEvaluation struct {
	Dir     string `json:"dir"`      // its run directory
	RunID   string `json:"run_id"`   // as run.json has it
	TaskSet string `json:"task_set"` // SHA-256 of its questions and their right answers
	// what a call was told that the deployed version does not take: deprecation, invocation, generic or none
	Feedback string `json:"feedback"`
}

// compareOptions are the flags of `eval compare`.
type compareOptions struct {
	format string
	blocks []string
	flips  int
	asJSON *bool
}

func (a *app) evalCompareCommand() *cobra.Command {
	var o compareOptions

	cmd := console.Documented(&cobra.Command{
		Use:               "compare RUN...",
		Args:              console.Positional(1, -1),
		ValidArgsFunction: runs(-1),
	}, helpTexts)
	cmd.Flags().StringVar(&o.format, "format", "table", "`NAME`: table, markdown, csv or latex")
	cmd.Flags().StringArrayVar(&o.blocks, "block", nil,
		"with --format latex: `NAME=POLICY,...` that were made from one base model; may be repeated")
	cmd.Flags().IntVar(&o.flips, "flips", 5, "at most `N` questions that flipped are shown for each pair")
	o.asJSON = console.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.evalCompare(cmd.Context(), args, o)
	}

	return cmd
}

func (a *app) evalCompare(ctx context.Context, dirs []string, o compareOptions) error {
	write, err := o.writer()
	if err != nil {
		return err
	}

	result, err := a.compareEvaluations(ctx, dirs)
	if err != nil {
		return err
	}

	if *o.asJSON {
		return a.PrintJSON(result)
	}

	return write(a.Out, result.Report)
}

// compareEvaluations puts evaluations into one report.
func (a *app) compareEvaluations(ctx context.Context, dirs []string) (result comparedEvaluations, err error) {
	var (
		all    []finetune.Evaluation
		stamps []sandbox.Stamp
	)

	for _, dir := range dirs {
		e, openErr := a.openEvaluation(ctx, dir)
		if openErr != nil {
			return result, openErr
		}
		defer func() { err = errors.Join(err, e.Close()) }()

		stamps = append(stamps, e.Engines...)
		all = append(all, finetune.Evaluation{
			Name: filepath.Base(dir), Jobs: e.Jobs, Questions: e.Questions, Episodes: e.Episodes(ctx, e.missing),
		})
		result.Runs = append(result.Runs, comparedEvaluation{
			dir, e.Manifest.ID, e.TaskSet, string(e.Config.Feedback()),
		})
	}

	if result.Report, err = finetune.Compare(all); errors.Is(err, finetune.ErrUnlike) {
		return result, console.Usage("%w", err)
	} else if err != nil {
		return result, err
	}

	result.Engines, result.Warnings = walls.InWords(stamps), walls.Warnings(stamps)

	var feedbacks []string
	for _, run := range result.Runs {
		feedbacks = append(feedbacks, run.Feedback)
	}

	slices.Sort(feedbacks)
	result.Feedback = strings.Join(slices.Compact(feedbacks), ", ")

	if result.TaskSet == "" {
		a.Say("The evaluations are not of the same questions: pairs are compared on those that both sides measured.")
	}

	return result, nil
}

// writer returns what writes the report in the format that was asked for.
func (o *compareOptions) writer() (func(io.Writer, *finetune.Report) error, error) {
	writers := map[string]func(io.Writer, *finetune.Report) error{
		"table":    func(w io.Writer, r *finetune.Report) error { return printCompared(w, r, o.flips) },
		"markdown": func(w io.Writer, r *finetune.Report) error { return r.WriteMarkdown(w) },
		"csv":      func(w io.Writer, r *finetune.Report) error { return r.WriteCSV(w) },
		"latex":    o.writeLaTeX,
	}

	switch write, ok := writers[o.format]; {
	case !ok:
		return nil, console.Usage("--format: %w", names.Unknown("format", o.format,
			[]string{"table", "markdown", "csv", "latex"}))
	case o.flips < 0:
		return nil, console.Usage("--flips %d: want 0 questions or more", o.flips)
	case len(o.blocks) > 0 && o.format != "latex":
		return nil, console.Usage("--block is for --format latex: add it, or leave out --block")
	default:
		return write, nil
	}
}

// writeLaTeX writes LaTeX tables in the blocks that were asked for.
func (o *compareOptions) writeLaTeX(w io.Writer, r *finetune.Report) error {
	var (
		blocks   []finetune.Block
		policies []string
	)

	for _, row := range r.Rows {
		policies = append(policies, row.Policy)
	}

	slices.Sort(policies)
	policies = slices.Compact(policies)

	for _, text := range o.blocks {
		name, of, ok := strings.Cut(text, "=")
		if !ok || name == "" || of == "" {
			return console.Usage("--block %s: want NAME=POLICY,...", text)
		}

		block := finetune.Block{Name: name, Policies: strings.Split(of, ",")}
		for _, policy := range block.Policies {
			if !slices.Contains(policies, policy) {
				return console.Usage("--block %s: %w", name, names.Unknown("policy", policy, policies))
			}
		}

		blocks = append(blocks, block)
	}

	return r.WriteLaTeX(w, blocks)
}

// printCompared prints the report, and at most so many questions that flipped for each comparison.
func printCompared(w io.Writer, r *finetune.Report, most int) error {
	if err := r.WriteTable(w); err != nil || most == 0 {
		return err
	}

	for _, c := range r.Comparisons {
		if len(c.Flipped) == 0 {
			continue
		}

		fmt.Fprintf(w, "\n%d answered correctly by one side:\n  < %s\n  > %s\n", len(c.Flipped), c.First, c.Second)

		for _, f := range c.Flipped[:min(most, len(c.Flipped))] {
			side := map[string]string{"first": "<", "second": ">"}[f.Correct]
			fmt.Fprintf(w, "    %s\n", display.Line(side+" "+f.QuestionID+": "+f.Question, 76))
		}

		if rest := len(c.Flipped) - most; rest > 0 {
			fmt.Fprintf(w, "    and %d more: --flips shows them\n", rest)
		}
	}

	return nil
}
