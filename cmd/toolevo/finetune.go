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

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/finetune/checkpoint"
	"toolevo/finetune/host"
	"toolevo/finetune/training"
	"toolevo/mcts/store"
	"toolevo/trajectories/export"
)

func (a *app) finetuneCommand() *cobra.Command {
	cmd := a.command("finetune EXPORT… [-- EVAL-FLAGS]")
	cmd.ValidArgsFunction = cmdline.Folders
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		exports, _ := atDash(cmd, args)
		return cmdline.Positional(1, -1)(cmd, exports)
	}

	t := &tuner{app: a}
	t.addFlags(cmd)
	onlyPrint := cmd.Flags().Bool("print", false, "print the trainer's configuration, and stop")
	progress := cmdline.ProgressFlag(cmd)

	known, _ := disk.Named(configs.Recipes())
	cmdline.Complete(cmd, "recipe", cmdline.Offered(known))

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t.options.Exports, t.eval = atDash(cmd, args)
		t.progress = *progress

		p, err := t.plan(cmd.Context())
		if err != nil {
			return err
		}

		if *onlyPrint {
			return t.show(p)
		}

		done, err := t.run(cmd.Context(), p)
		if err != nil {
			return err
		}

		return t.print(done)
	}

	return cmd
}

// atDash parts arguments where the user wrote --.
func atDash(cmd *cobra.Command, args []string) (before, after []string) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		return args[:dash], args[dash:]
	}

	return args, nil
}

// tuner is the finetune command's flags.
type tuner struct {
	app                  *app
	recipe, out, factory string
	server, name         string
	pick                 bool
	eval                 []string // flags of eval
	progress             string
	options              training.Options
}

// addFlags defines the flags of what to train, and where to serve it.
func (t *tuner) addFlags(cmd *cobra.Command) {
	t.options.GPUs = -1
	addFlags(cmd, "finetune", into{
		"recipe":         &t.recipe,
		"out":            &t.out,
		"with":           repeated(&t.options.With),
		"weights":        &t.options.Weights,
		"allow-scripted": &t.options.AllowScripted,
		"model":          &t.options.Model,
		"gpus":           &t.options.GPUs,
		"set":            repeated(&t.options.Set),
		"llamafactory":   &t.factory,
		"serve":          &t.server,
		"name":           &t.name,
		"pick":           &t.pick,
	})
}

// tuned is what finetune prints as JSON.
type tuned struct {
	Out         string   `json:"out"`               // the training's folder
	Model       string   `json:"model"`             // the weights that are to be served
	Base        string   `json:"base"`              // what training began with
	Recipe      string   `json:"recipe"`            // its name
	Rows        int      `json:"rows"`              // samples of an epoch
	Scripted    int      `json:"scripted"`          // samples of the exports that scripts wrote, and no language model
	Checkpoints []picked `json:"checkpoints"`       // saved on the way, the earliest first
	Step        int64    `json:"step,omitempty"`    // of the checkpoint that was picked
	Policy      string   `json:"policy,omitempty"`  // that asks the model, where it is registered
	Command     []string `json:"command,omitempty"` // serves the model
	Template    string   `json:"template"`          // the chat template that was trained

	Sources []checkpoint.Source `json:"sources"` // what was trained
}

// visibleGPUs is the variable by which CUDA is told which GPUs to use.
const visibleGPUs = "CUDA_VISIBLE_DEVICES"

// plan is what LLaMA-Factory is told.
func (t *tuner) plan(ctx context.Context) (*training.Plan, error) {
	switch {
	case t.recipe == "":
		return nil, console.Usage("finetune needs --recipe NAME: configs/finetune has those that are shipped")
	case t.out == "":
		return nil, console.Usage("finetune needs --out DIR, the folder to train in")
	case t.options.GPUs < -1:
		return nil, console.Usage("--gpus %d: want a number of GPUs, 0 for none, -1 for those of this machine",
			t.options.GPUs)
	case t.pick && t.server == "":
		return nil, console.Usage("--pick needs --serve NAME: checkpoints are served to be evaluated")
	case len(t.eval) > 0 && !t.pick:
		return nil, console.Usage("%q: flags of eval need --pick, by which checkpoints are evaluated", t.eval[0])
	}

	recipe, err := training.LoadRecipe(configs.Recipes(), t.recipe)
	if err != nil {
		return nil, err
	}

	if t.options.GPUs < 0 {
		names := func(variable string) bool { return strings.HasPrefix(variable, visibleGPUs+"=") }
		isSet := slices.ContainsFunc(t.app.Environ, names)
		t.options.GPUs = training.CountGPUs(ctx, t.app.Lookup(visibleGPUs), isSet)
	}

	t.options.Files = configs.Recipes()

	p, err := recipe.Plan(t.options)
	if err != nil {
		return nil, err
	}

	t.app.Say("%s: %s", recipe.Name, recipe.About)

	if len(p.Sources) > 1 {
		for _, s := range p.Sources {
			t.app.Say("%s", s)
		}
	}

	for _, w := range p.Warnings {
		t.app.Say("%s", w)
	}

	return p, nil
}

// show prints a plan.
func (t *tuner) show(p *training.Plan) error {
	text, err := p.YAML()
	if err == nil {
		_, err = t.app.Out.Write(text)
	}

	return err
}

// run trains, chooses, and registers.
func (t *tuner) run(ctx context.Context, p *training.Plan) (_ *tuned, err error) {
	if p.Recipe.Trainer != export.LlamaFactory {
		return nil, console.Usage("recipe %s is for %s, which finetune does not run: add --print, and "+
			"give what it prints to %s --config FILE", p.Recipe.Name, p.Recipe.Trainer, p.Command())
	}

	server, err := t.host(p)
	if err != nil {
		return nil, err
	}

	factory, err := training.Find(t.factory)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	tr, err := training.Open(t.out, p)
	if err != nil {
		return nil, err
	}

	release, err := store.Lock(filepath.Join(t.out, ".lock"))
	if err != nil {
		return nil, err
	}

	defer func() { err = errors.Join(err, release()) }()

	if err := t.train(ctx, tr, factory); err != nil {
		return nil, err
	}

	s := &selector{t, tr, factory, server, p.Template()}

	done, err := s.choose(ctx)
	if err != nil {
		return nil, err
	}

	done.Base, done.Recipe, done.Rows, done.Template = p.Model, p.Recipe.Name, p.Rows(), p.Template()
	done.Scripted, done.Sources = p.Scripted(), p.Origins()

	return done, s.register(ctx, done)
}

// printSources names the parts of a mixture.
func printSources(w io.Writer, all []checkpoint.Source) {
	if len(all) == 1 {
		return
	}

	for _, s := range all {
		fmt.Fprintf(w, "  %d of them from the %d of %s in %s\n", s.Trained, s.Rows, s.Name, s.Folder)
	}
}

// host is the server of --serve, once it is clear that the plan suits it and this machine.
func (t *tuner) host(p *training.Plan) (server host.Server, err error) {
	if t.server != "" {
		if server, err = host.Load(configs.Servers(), t.server); err != nil {
			return server, err
		}
	}

	if server.Adapters && !p.Adapts() {
		return server, console.Usage("--serve %s is for adapters, and recipe %s trains all weights", t.server, t.recipe)
	}

	if p.NeedsGPU() && t.options.GPUs == 0 {
		return server, console.Usage("recipe %s is for GPUs, and this machine shows none. On a processor a small "+
			"model trains with --set use_cpu=true --set bf16= --set deepspeed= --set flash_attn=", t.recipe)
	}

	return server, nil
}

// train trains unless that is over.
func (t *tuner) train(ctx context.Context, tr *training.Training, f *training.Factory) error {
	if finished, err := tr.Finished(); err != nil || finished {
		if finished {
			t.app.Say("%s is trained already.", t.out)
		}

		return err
	}

	before, err := tr.Resumes()
	if err != nil {
		return err
	}

	if before > 0 {
		t.app.Say("Going on from step %d.", before)
	}

	finished := t.app.Report(t.progress, func() console.Status {
		p := tr.Progress()

		return console.Status{
			Done:  p.Step,
			Total: p.Steps,
			Work:  console.Work{Done: p.Step - before, Left: p.Steps - p.Step},
			Text:  p.String(),
		}
	})
	err = tr.Train(ctx, f, t.options.GPUs, toolevo.Software())

	finished()

	if ctx.Err() != nil {
		return err
	}

	return console.GaveUp(err)
}

func (t *tuner) print(done *tuned) error {
	err := t.app.Show(done, func() {
		fmt.Fprintf(t.app.Out, "%s on %d samples by the recipe %s: %s\n", done.Base, done.Rows, done.Recipe, done.Model)
		printScripted(t.app.Out, done.Scripted)
		printSources(t.app.Out, done.Sources)
		printPicked(t.app.Out, done)
	})
	if err != nil {
		return err
	}

	if done.Command != nil {
		t.app.Say("Serve it:  %s", console.Shell(done.Command...))
	}

	if done.Policy != "" {
		t.app.Say("Ask it:    toolevo eval --policy %s, with the form of the chat template %s", done.Policy,
			done.Template)
	}

	return nil
}
