package app

import (
	"cmp"
	"context"
	"fmt"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/drift"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/finetune"
)

// trialOfEach is how many questions of each dataset and difficulty a version is tried with, unless
// the configuration has a limit.
const trialOfEach = 5

// mostReason is how many columns of an observation a model is shown.
const mostReason = 200

// trial tries versions with questions that are solved under the version that they are made from, by
// a policy that knows what is deployed.
type trial struct {
	job     *MutateVersionsJob
	config  *configs.Resolved
	shipped *toolapi.Catalog
	tasks   map[string]bool // that are solved, by name
}

// choose chooses the questions.
func (t *trial) choose(ctx context.Context) error {
	defer t.job.Step("Solving questions under " + t.job.From)()

	t.tasks = map[string]bool{}
	return t.play(ctx, t.job.From, nil, func(task envs.Task, unsolved string) {
		t.tasks[task.ID] = unsolved == ""
	})
}

// problem returns what is wrong with a version.
func (t *trial) problem(ctx context.Context, made *toolapi.Spec) (wrong, err error) {
	text, err := made.Encode()
	if err != nil {
		return nil, err
	}

	file := toolapi.File{Path: made.Version, Text: string(text)}
	if _, wrong := t.shipped.WithFiles(file); wrong != nil {
		return wrong, nil
	}

	err = t.play(ctx, made.Version, []toolapi.File{file}, func(task envs.Task, unsolved string) {
		if t.tasks[task.ID] && unsolved != "" && wrong == nil {
			wrong = fmt.Errorf("a question cannot be solved any more: %s", unsolved)
		}
	})

	return wrong, err
}

// play plays the questions under a version. done gets each, in order, and why it is not solved.
func (t *trial) play(ctx context.Context, version string, files []toolapi.File,
	done func(task envs.Task, unsolved string)) error {
	c := *t.config
	c.Policy, c.Limit = []string{"scripted:oracle"}, cmp.Or(c.Limit, trialOfEach)

	// A policy that knows what is deployed fails only where the version says something else.
	deployed := drift.Family{Name: version, Versions: []string{version}}

	// The version is in no data folder yet: it is deployed as one that a run has noted.
	b, err := OpenBench(ctx, t.job.data(), &c,
		&drift.Deployed{API: []string{version}, Families: []drift.Family{deployed}, Files: files},
		t.job.OpenEngine)
	if err != nil {
		return err
	}
	defer b.Close()

	play, err := b.player(c.Policy[0], deployed)
	if err != nil {
		return err
	}

	for _, task := range b.Tasks {
		played, err := play(ctx, task)
		if err != nil {
			return err
		}

		done(task, unsolved(played))
	}
	return nil
}

// unsolved says why an episode did not solve its task, "" where it did.
func unsolved(e finetune.Episode) string {
	if e.Grade.Official {
		return ""
	}

	for _, turn := range e.History.Turns() {
		if turn.Outcome != envs.OK {
			return display.Line(fmt.Sprintf("%s %s is answered: %s", turn.Call.Name, pytext.JSON(turn.Call.Args),
				turn.Observation), mostReason)
		}
	}

	return "its answer is another one"
}
