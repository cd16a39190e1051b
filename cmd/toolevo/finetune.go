package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/finetune/checkpoint"
)

func (a *app) finetuneCommand() *cobra.Command {
	cmd := a.command("finetune EXPORT… [-- EVAL-FLAGS]")
	cmd.ValidArgsFunction = cmdline.Folders
	// What follows -- are flags of eval: only the exports count.
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		exports, _ := atDash(cmd, args)
		return cmdline.Positional(1, -1)(cmd, exports)
	}

	var job toolevo.FineTuneJob

	pick := addFineTuneFlags(cmd, &job)
	onlyPrint := cmd.Flags().Bool("print", false, "print the trainer's configuration, and stop")
	progress := cmdline.ProgressFlag(cmd)

	known, _ := disk.Named(configs.Recipes())
	cmdline.Complete(cmd, "recipe", cmdline.Offered(known))
	return does(a, cmd, func(ctx context.Context, args []string) (result any, err error) {
		exports, eval := atDash(cmd, args)
		job.Host, job.Exports = a.host(*progress), exports

		// Defaults come first, so that the user's flags win. Checkpoints are picked on dev, which
		// keeps the test split unseen.
		if *pick {
			defaults := []string{"--split", "dev", "--api", "p_s_in", "--progress", *progress}
			job.Pick, err = a.evaluation(append(defaults, eval...))
		} else if len(eval) > 0 {
			err = console.Usage("%q: flags of eval need --pick, by which checkpoints are evaluated", eval[0])
		}

		switch {
		case err != nil:
			return nil, err
		case *onlyPrint: // nothing is left to print after that
			return nil, a.printTraining(ctx, &job)
		}

		return toolevo.FineTune(ctx, job)
	}, a.printFineTuned)
}

// atDash splits arguments at the --, if there is one.
func atDash(cmd *cobra.Command, args []string) (before, after []string) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		return args[:dash], args[dash:]
	}
	return args, nil
}

// addFineTuneFlags adds the flags that say what to train and where to serve it.
func addFineTuneFlags(cmd *cobra.Command, j *toolevo.FineTuneJob) (pick *bool) {
	pick = new(bool)
	j.GPUs = -1
	addFlags(cmd, "finetune", into{
		"recipe":         &j.Recipe,
		"out":            &j.Out,
		"with":           repeated(&j.With),
		"weights":        &j.Weights,
		"allow-scripted": &j.AllowScripted,
		"model":          &j.Model,
		"gpus":           &j.GPUs,
		"set":            repeated(&j.Set),
		"llamafactory":   &j.Factory,
		"serve":          &j.Server,
		"name":           &j.Name,
		"pick":           pick,
	})

	return pick
}

// printTraining prints the trainer's configuration.
func (a *app) printTraining(ctx context.Context, job *toolevo.FineTuneJob) error {
	p, err := job.PlanTraining(ctx)
	if err != nil {
		return err
	}

	text, err := p.YAML()
	if err == nil {
		_, err = a.Out.Write(text)
	}
	return err
}

// printFineTuned prints the result of a training.
func (a *app) printFineTuned(result any) {
	done := result.(*toolevo.FineTuned)
	fmt.Fprintf(a.Out, "%s on %d samples by the recipe %s: %s\n", done.Base, done.Rows, done.Recipe, done.Model)
	a.printScripted(done.Scripted)
	a.printSources(done.Sources)
	a.printPicked(done)

	if done.Command != nil {
		a.Say("Serve it:  %s", console.Shell(done.Command...))
	}

	if done.Policy != "" {
		a.Say("Ask it:    toolevo eval --policy %s, with the form of the chat template %s", done.Policy,
			done.Template)
	}
}

// printSources names the parts of a mixture.
func (a *app) printSources(all []checkpoint.Source) {
	if len(all) == 1 {
		return
	}

	for _, s := range all {
		fmt.Fprintf(a.Out, "  %d of them from the %d of %s in %s\n", s.Trained, s.Rows, s.Name, s.Folder)
	}
}

// printPicked prints how accurate each checkpoint was.
func (a *app) printPicked(done *toolevo.FineTuned) {
	for _, c := range done.Checkpoints {
		if c.Official == nil {
			continue
		}

		chosen := ""
		if c.Step == done.Step {
			chosen = "  <- picked"
		}

		fmt.Fprintf(a.Out, "  checkpoint %d: %.1f %% of %d dev questions%s\n", c.Step, 100**c.Official, c.N, chosen)
	}
}
