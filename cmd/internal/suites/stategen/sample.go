package stategen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// SampledTasks is what `tasks sample` prints.
type SampledTasks struct {
	Path    string             `json:"path"`    // the file that the sample is in
	Domains []taskfile.Sampled `json:"domains"` // in the order of the file
}

func sampleCommand() suite.Command {
	from, sampling := taskSplit{split: "test"}, taskfile.Sampling{Each: 40, Seed: 1}

	var reject, out string
	return suite.Command{
		Use: "tasks sample", Help: helpTexts, Document: SampledTasks{},
		Options: append(from.options(), suite.SeedOption(&sampling.Seed),
			suite.Option{Name: "n", Value: &sampling.Each, Usage: "`N` tasks of each domain", Least: 1},
			suite.Option{Name: "reject", Value: &reject,
				Usage: "`FILE` with the IDs of tasks that people rejected, one on each line"},
			suite.Option{Name: "out", Value: &out, Required: true,
				Usage: "make the data folder `DIR` of the sample (required)"}),
		Run: func(ctx context.Context, c *suite.Call) (err error) {
			if sampling.Rejected, err = readRejected(reject); err != nil {
				return err
			}

			// Shown beside an error, too: what was drawn before it.
			sampled, err := from.sample(ctx, sampling, out)
			return c.Result(sampled, func(w io.Writer) {
				for _, d := range sampled.Domains {
					fmt.Fprintf(w, "%-8s %d of %d tasks, %d were rejected\n", d.Domain, d.Chosen,
						d.Tasks, d.Rejected)
				}

				fmt.Fprintf(w, "in %s\n", sampled.Path)
			}, err)
		},
	}
}

// readRejected reads a list of IDs; without a file it is empty. What follows # on a line is for
// people.
func readRejected(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}

	text, err := disk.ReadText(path)
	if err != nil {
		return nil, console.Option("reject", "%w", err)
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
func (s *taskSplit) sample(ctx context.Context, sampling taskfile.Sampling, out string) (
	made SampledTasks, err error) {
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

	made.Domains, err = file.Sample(sampling, func(t *stategen.Task) error {
		// A folder that holds another sample would mix the two.
		added, err := to.Add(s.split, t)
		if err == nil && !added {
			err = console.Usage("%s has the task %s already: make the sample in another folder",
				out, t.ID)
		}

		return errors.Join(ctx.Err(), err)
	})
	if err != nil {
		return made, err
	}

	// Nothing counts until it is committed: the rest goes when the folder is next edited.
	return made, to.Commit()
}
