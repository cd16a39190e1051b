package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/cmd/internal/outfiles"
	"toolevo/envs/console"
	"toolevo/finetune"
)

// ablations is the name of the report of an ablation study, in each of its formats.
const ablations = "ablations"

// variant is the method with something taken away: a row of the paper's Table 5.
type variant struct {
	name  string   // of its folder, and in reports
	flags []string // of eval, beside those of all variants
}

// variants are the rows of Table 5, and the static environment, in which the API version of the prompt is deployed.
func variants(api, prompt string) []variant {
	return []variant{
		{"full", []string{"--api", api}},
		{"no-update-tool", []string{"--api", api, "--no-update-tool"}},
		{"no-reflection", []string{"--api", api, "--no-reflection"}},
		{"static", []string{"--api", prompt}},
	}
}

// ablateDefaults are what ablate sets before anybody else does.
func ablateDefaults() map[string]string {
	return map[string]string{"split": "test", "api": "p_s_ood", "policy": "scripted:noisy"}
}

func (a *app) ablateCommand() *cobra.Command {
	cmd := newCommand("ablate")
	settings := a.addSettings(cmd, ablateDefaults(), "dataset", "difficulty", "template", "split", "limit", "perturb",
		"api", "policy", "seed", "compat", "feedback", "engine", "python")
	out := cmd.Flags().String("out", "", "make the evaluations in the folder `DIR` (required)")
	asJSON := a.evaluationsFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *out == "" {
			return console.Usage("ablate needs --out DIR, the folder of its evaluations")
		}

		c, err := settings.resolve(cmd.Flags(), nil)
		if err != nil {
			return err
		}

		// Variants are compared pair by pair, so that nothing else may differ between them.
		if len(c.Policy) != 1 || len(c.API) != 1 {
			return console.Usage("ablate takes one --policy and one --api, not %s and %s", strings.Join(c.Policy, ","),
				strings.Join(c.API, ","))
		}

		a.Announce("ablate", choiceOf(c, dataFlagOf(cmd))...)

		flags := append(passedOn(cmd.Flags(), "api", "policy", "split", "out", "json"), "--policy", c.Policy[0],
			"--split", c.Split)

		compared, err := a.ablate(cmd.Context(), *out, variants(c.API[0], c.Prompt), flags)
		if err != nil {
			return err
		}

		return a.printAblations(*asJSON, *out, compared)
	}

	return cmd
}

// ablate evaluates the variants, or goes on with them, and compares them.
func (a *app) ablate(ctx context.Context, out string, all []variant, flags []string) (compared comparedEvaluations,
	err error) {
	var dirs []string

	for _, v := range all {
		dir := filepath.Join(out, v.name)
		dirs = append(dirs, dir)

		if err := a.evaluateIn(ctx, dir, slices.Concat(flags, v.flags)); err != nil {
			return compared, err
		}
	}

	err = a.inner(ctx, a.Err, &compared, append([]string{"eval", "compare"}, dirs...)...)

	return compared, err
}

// printAblations writes the reports of a study, and prints what it comes to.
func (a *app) printAblations(asJSON bool, out string, compared comparedEvaluations) error {
	r := compared.Report
	if _, err := outfiles.Write(out, []outfiles.File{
		{Name: ablations + ".csv", Write: r.WriteCSV},
		{Name: ablations + ".md", Write: r.WriteMarkdown},
		{Name: ablations + ".tex", Write: r.WriteLaTeX},
	}); err != nil {
		return err
	}

	var tableErr error

	err := a.Show(asJSON, compared, func() { tableErr = means(compared.Report).WriteTable(a.Out) })
	a.Say("By dataset: %s, .md, .tex; the questions that flipped: toolevo %s",
		filepath.Join(out, ablations+".csv"), console.Shell(compareCommand(compared)...))

	return errors.Join(err, tableErr)
}

// compareCommand is the command that compares the variants.
func compareCommand(compared comparedEvaluations) []string {
	args := []string{"eval", "compare"}
	for _, run := range compared.Runs {
		args = append(args, run.Dir)
	}

	return args
}

// means is a report without the rows of single datasets, where there are several.
func means(r *finetune.Report) *finetune.Report {
	short := *r
	if slices.ContainsFunc(r.Summaries, func(s finetune.Summary) bool { return s.Cells > 1 }) {
		short.Rows = nil
	}

	return &short
}

// passedOn are the flags that were given, but for some, as arguments of another command.
func passedOn(flags *pflag.FlagSet, but ...string) []string {
	var args []string

	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(but, f.Name) {
			return
		}

		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}

		for _, value := range values {
			args = append(args, "--"+f.Name+"="+value)
		}
	})

	return args
}
