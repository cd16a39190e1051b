package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/finetune"
)

func (a *app) ablateCommand() *cobra.Command {
	cmd := a.command("ablate")
	f := a.addSeveralFlags(cmd, toolevo.AblateDefaults(), "dataset", "difficulty", "template", "split",
		"limit", "perturb", "api", "policy", "seed", "compat", "feedback", "hint", "engine", "python", "prices")
	vary := new(string)
	addFlags(cmd, "ablate", into{
		"out":  &f.Out,
		"vary": vary,
	})

	return does(a, cmd, func(ctx context.Context, _ []string) (c toolevo.Compared, err error) {
		job, err := f.job()
		if err != nil {
			return c, err
		}
		return toolevo.Ablate(ctx, toolevo.AblateJob{RunJob: job, Vary: *vary})
	}, func(c toolevo.Compared) { a.printAblations(f.Out, c) })
}

// addSeveralFlags adds the flags of a command that makes several evaluations in one folder.
func (a *app) addSeveralFlags(cmd *cobra.Command, defaults map[string]string,
	names ...string) *runFlags {
	f := &runFlags{settings: a.addSettings(cmd, defaults, names...), cmd: cmd}
	cmdline.DataFlag(&a.Program, cmd)
	f.Servers, f.limits = a.servingFlags(cmd), a.limitFlags(cmd)
	addFlags(cmd, "ablate", into{
		"mix-engines": &f.MixEngines,
		"workers":     &f.Workers,
	})
	f.progress = cmdline.ProgressFlag(cmd)

	return f
}

// printAblations prints the results of a study.
func (a *app) printAblations(out string, compared toolevo.Compared) {
	means(compared.Report).WriteTable(a.Out)

	args := []string{"eval", "compare"}
	for _, run := range compared.Runs {
		args = append(args, run.Dir)
	}

	a.Say("By dataset: %s, .md, .tex; the questions that flipped: toolevo %s",
		filepath.Join(out, toolevo.Ablations+".csv"), console.Shell(args...))
}

// means returns the report without the rows of single datasets if it averages over several.
func means(r *finetune.Report) *finetune.Report {
	short := *r
	if slices.ContainsFunc(r.Summaries, func(s finetune.Summary) bool { return s.Cells > 1 }) {
		short.Rows = nil
	}
	return &short
}
