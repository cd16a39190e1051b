package stategen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"toolevo/envs/console"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/instruct"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// How models negotiate instructions: freely, so that a rejected draft is followed by another one.
const (
	instructTemperature = 1
	instructTokens      = 2048
)

// instructing says what is to be instructed.
type instructing struct {
	taskSplit
	out       string
	seed      uint64
	workers   int
	published bool
}

// InstructedTasks is what `tasks instruct` prints.
type InstructedTasks struct {
	Path   string `json:"path"`   // the file of the tasks whose instructions were accepted
	Policy string `json:"policy"` // the model that wrote and reviewed
	*instruct.Report
}

func instructCommand() suite.Command {
	o := instructing{taskSplit: taskSplit{split: "train"}, seed: 1, workers: 16}
	return suite.Command{
		Use: "tasks instruct", Help: helpTexts, Progress: true, Document: InstructedTasks{},
		Configured: &suite.Configured{Models: true, Flags: []string{"policy", "prompts"}},
		Options: append(o.options(), suite.SeedOption(&o.seed), suite.WorkersOption(&o.workers),
			suite.Option{Name: "out", Value: &o.out, Required: true,
				Usage: "make the data folder `DIR` of the tasks (required); run the same command " +
					"again to resume"},
			suite.Option{Name: "published-rounds", Value: &o.published,
				Usage: "stop after two reviews, as the published code does"}),
		Run: func(ctx context.Context, c *suite.Call) error {
			made, err := o.instruct(ctx, c)
			return c.Result(made, func(w io.Writer) {
				fmt.Fprintf(w, "%d instructions accepted, %d rejected, after %d drafts\nin %s\n",
					made.Accepted,
					len(made.Rejected), made.Drafts, made.Path)
			}, err)
		},
	}
}

// instruct has the instructions of a split negotiated.
func (o *instructing) instruct(ctx context.Context, c *suite.Call) (made *InstructedTasks,
	err error) {
	same, err := sameFolder(o.data, o.out)
	if err != nil {
		return nil, err
	}

	// That folder has the same programs already, so nothing would be added to it.
	if same {
		return nil, console.Option("out", "%s has the tasks already: name another folder", o.out)
	}

	tasks, err := o.open(nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tasks.Close()) }()

	models, err := c.Models(o.out)
	if err != nil {
		return nil, err
	}

	policy := models.Policies()[0]
	c.Say("tasks instruct: policy %s, split %s, data %s", policy, o.split, o.data)

	model, err := models.Writer(policy, suite.WriterOptions{Temperature: instructTemperature,
		MaxTokens: instructTokens})
	if err != nil {
		return nil, console.Option("policy", "%w", err)
	}

	n := &instruct.Negotiator{
		Writer: model, Reviewer: model, Policy: policy, Prompts: models.Prompts(),
		Domain: domains.Of, Program: shown, Seed: o.seed, Published: o.published,
	}

	report, err := o.negotiate(ctx, c, n, tasks)
	return &InstructedTasks{taskfile.Path(o.out, o.split), policy, &report}, err
}

// shown writes a program for models, with the tools of its set of APIs.
func shown(d stategen.Domain, p *stategen.Program) (string, error) {
	surface, err := surfaces(p.APIs)
	if err != nil {
		return "", err
	}
	return surface(d).Render(p)
}

// sameFolder reports whether two names are of one folder.
func sameFolder(a, b string) (bool, error) {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return a == b, errors.Join(errA, errB)
}

// negotiate adds the tasks whose instructions are accepted to the folder, unless an earlier call
// did. It is an error if that gave a task another instruction.
func (o *instructing) negotiate(ctx context.Context, c *suite.Call, n *instruct.Negotiator,
	tasks *taskfile.File) (r instruct.Report, err error) {
	folder, err := taskfile.Edit(o.out, suite.Splits())
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()

	var other error

	r, err = n.All(ctx, tasks, o.workers, c.Progress.Step("instructions"),
		func(t *stategen.Task) error {
			_, err := folder.Add(o.split, t)
			if err == nil && !folder.Has(t) {
				other = console.Option("out", "%s has another instruction for %s, e.g. by another "+
					"model or prompt: name another folder", o.out, t.ID)
			}
			return errors.Join(err, other)
		})

	// Nothing is added to a folder of another model's tasks.
	if other != nil {
		return r, other
	}
	return r, errors.Join(err, folder.Commit())
}
