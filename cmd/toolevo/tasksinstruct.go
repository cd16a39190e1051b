package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/instruct"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// How models negotiate instructions: freely, so that a draft that goes back is followed by another one.
const (
	instructTemperature = 1
	instructTokens      = 2048
)

// instructOptions are the flags of `tasks instruct`.
type instructOptions struct {
	*writers
	*taskSplit
	cmd       *cobra.Command
	out       *string
	published *bool
}

// instructedTasks is what `tasks instruct` prints.
type instructedTasks struct {
	Path   string `json:"path"`   // the file of the tasks whose instructions were accepted
	Policy string `json:"policy"` // the model that wrote and reviewed
	*instruct.Report
}

func (a *app) tasksInstructCommand() *cobra.Command {
	cmd := console.Command("instruct", tasksHelp)
	flags := cmd.Flags()
	o := &instructOptions{
		cmd: cmd, writers: a.addWriters(cmd, "policy"),
		taskSplit: a.addTaskSplit(cmd, "train", "`NAME` of the split of the tasks: train, dev or test"),
		out: flags.String("out", "", "make the data folder `DIR` of the tasks (required); the same command goes on "+
			"there"),
		published: flags.Bool("published-rounds", false, "nobody reviews a third draft, so that it is not accepted, "+
			"as in the published code"),
	}
	asJSON := console.JSONFlag(cmd)
	console.Complete(cmd, "out", console.Folders)

	cmd.RunE = func(*cobra.Command, []string) error {
		if err := o.check(); err != nil {
			return err
		}

		made, err := o.instruct()
		if err != nil {
			return err
		}

		return a.Show(*asJSON, made, func() {
			fmt.Fprintf(a.Out, "%d instructions accepted, %d rejected, after %d drafts\nin %s\n", made.Accepted,
				len(made.Rejected), made.Drafts, made.Path)
		})
	}

	return cmd
}

// check refuses flags that make no sense.
func (o *instructOptions) check() error {
	if err := o.taskSplit.check(); err != nil {
		return err
	}

	if *o.out == "" {
		return console.Usage("tasks instruct needs --out DIR, a data folder")
	}

	data, err := filepath.Abs(*o.data)
	if err != nil {
		return err
	}

	out, err := filepath.Abs(*o.out)
	if err == nil && data == out {
		err = console.Usage("--out %s has the tasks already: name another folder", *o.out)
	}

	return err
}

// instruct has the instructions of a split negotiated.
func (o *instructOptions) instruct() (made *instructedTasks, err error) {
	surface, err := stategenSurface(*o.data)
	if err != nil {
		return nil, err
	}

	tasks, err := o.taskSplit.open(nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tasks.Close(), o.shut()) }()

	if err := o.writers.open(o.cmd, *o.out); err != nil {
		return nil, err
	}

	policy := o.models.Config.Policy[0]
	o.app.announce("tasks instruct", "policy "+toolevo.PoliciesOf([]string{policy}), "split "+o.split, "data "+*o.data)

	model, err := o.writer(policy, suite.WriterOptions{Temperature: instructTemperature, MaxTokens: instructTokens})
	if err != nil {
		return nil, console.Usage("--policy: %w", err)
	}

	n := &instruct.Negotiator{
		Writer: model, Reviewer: model, Policy: policy, Domain: domains.Lookup, Seed: *o.seed, Published: *o.published,
		Program: func(d stategen.Domain, p *stategen.Program) (string, error) { return surface(d).Render(p) },
	}

	report, err := o.negotiate(n, tasks)

	return &instructedTasks{taskfile.Path(*o.out, o.split), policy, &report}, o.stopped(o.cmd.Context(), err)
}

// negotiate adds the tasks whose instructions are accepted to the folder, unless an earlier call did.
func (o *instructOptions) negotiate(n *instruct.Negotiator, tasks *taskfile.File) (r instruct.Report, err error) {
	folder, err := taskfile.Edit(*o.out, suite.Splits())
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()

	set, stop := o.follow("instructions")
	defer stop()

	r, err = n.All(o.cmd.Context(), tasks, *o.workers, set, func(t *stategen.Task) error {
		_, err := folder.Add(o.split, t)
		return err
	})

	return r, errors.Join(err, folder.Commit())
}
