package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/regular"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// sampledTasks is what `tasks sample` prints.
type sampledTasks struct {
	Path    string             `json:"path"`    // the file that the sample is in
	Domains []taskfile.Sampled `json:"domains"` // in the order of the file
}

func (a *app) tasksSampleCommand() *cobra.Command {
	cmd := console.Command("sample", tasksHelp)
	from := a.addTaskSplit(cmd, "test", "`NAME` of the split of the tasks: train, dev or test")

	flags := cmd.Flags()
	each := flags.Int("n", 40, "`N` tasks of each domain")
	seed := flags.Uint64("seed", 1, "`N` is the seed of the sample")
	reject := flags.String("reject", "", "`FILE` with the IDs of tasks that people rejected, one on each line")
	out := flags.String("out", "", "make the data folder `DIR` of the sample (required)")
	asJSON := console.JSONFlag(cmd)
	console.Complete(cmd, "out", console.Folders)

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *out == "" || *each < 1 {
			return console.Usage("tasks sample needs --out DIR, a data folder, and at least 1 task of each domain")
		}

		if err := from.check(); err != nil {
			return err
		}

		rejected, err := readRejected(*reject)
		if err != nil {
			return err
		}

		s := taskfile.Sampling{Each: *each, Seed: *seed, Rejected: rejected}

		sampled, err := from.sample(cmd.Context(), s, *out)
		if err != nil {
			return err
		}

		return a.Show(*asJSON, sampled, func() {
			for _, d := range sampled.Domains {
				fmt.Fprintf(a.Out, "%-8s %d of %d tasks, %d were rejected\n", d.Domain, d.Chosen, d.Tasks, d.Rejected)
			}

			fmt.Fprintf(a.Out, "in %s\n", sampled.Path)
		})
	}

	return cmd
}

// readRejected reads a list of IDs, none without a file. What follows # on a line is for people.
func readRejected(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}

	text, err := regular.ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("--reject: %w", err)
	}

	var ids []string

	for line := range strings.Lines(string(text)) {
		id, _, _ := strings.Cut(line, "#")
		if id = strings.TrimSpace(id); id != "" {
			ids = append(ids, id)
		}
	}

	return ids, nil
}

// sample writes a sample of the split into the same split of another data folder.
func (s *taskSplit) sample(ctx context.Context, of taskfile.Sampling, out string) (made sampledTasks, err error) {
	file, err := s.open(nil)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	to, err := taskfile.Edit(out, suite.Splits())
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()

	made.Path = taskfile.Path(out, s.split)

	made.Domains, err = file.Sample(of, func(t *stategen.Task) error {
		added, err := to.Add(s.split, t)
		if err == nil && !added {
			err = console.Usage("%s has the task %s already: make the sample in another folder", out, t.ID)
		}

		return errors.Join(ctx.Err(), err)
	})
	if err != nil {
		return made, err
	}

	return made, to.Commit()
}
