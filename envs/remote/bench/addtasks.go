package bench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/envs/suite"
)

// AddedTasks is what `tasks add --json` prints.
type AddedTasks struct {
	Growth

	Left []LeftTask `json:"left,omitempty"` // recordings that are not tasks
}

// Growth says how many tasks the file of a split has got.
type Growth struct {
	Path  string `json:"path"`  // the file of the data folder
	Added int    `json:"added"` // tasks that it did not have
	Total int    `json:"total"` // tasks that it has now
}

func (r Remote) addTasksCommand() suite.Command {
	var data string

	split, match := "test", matchStrict
	return suite.Command{
		Use: "tasks add FILE", Help: helpTexts, Document: AddedTasks{}, Demonstrates: true,
		Options: []suite.Option{
			suite.DataOption(&data), suite.SplitOption(&split),
			{Name: "match", Value: &match, Names: matchers,
				Usage: "`NAME` of how answers are compared " +
					"with those of recorded runs: " + strings.Join(matchers(), ", ")},
		},
		Run: func(_ context.Context, c *suite.Call) error {
			c.NoExamples = split != suite.Examples

			added, err := r.addTasks(data, split, match, c.Args[0])
			if err == nil {
				c.Say("Next: toolevo tasks check --data %s", data)
			}
			return c.Result(added, added.print, err)
		},
	}
}

func (a *AddedTasks) print(w io.Writer) {
	for _, left := range a.Left {
		fmt.Fprintf(w, "left out %s: %s\n", display.Line(left.From, 0), display.Line(left.Why, 0))
	}

	fmt.Fprintf(w, "%d tasks added to %s, which has %d\n", a.Added, a.Path, a.Total)
}

// addTasks adds the tasks of a file to a split: all of them, or none after an error. Recordings
// that are not tasks are left out.
func (r Remote) addTasks(data, split, match, path string) (*AddedTasks, error) {
	added := &AddedTasks{Growth: Growth{Path: tasksPath(data, split)}}

	spec, err := readBase(data)
	if err != nil {
		return added, fmt.Errorf("the tools of the tasks: %w: `toolevo tools import` puts them "+
			"there", err)
	}

	all, err := allTasks(data)
	if err != nil {
		return added, err
	}

	added.Total = len(all[split])

	// A recorded run is recognised by its contents. Any other file is a table or JSON lines, told
	// apart by its name.
	var more []*Task

	if recordings, err := r.recordings(path); err != nil {
		return added, err
	} else if recordings != nil {
		toolset, err := readToolset(data)
		if err != nil {
			return added, err
		}

		// A run whose task is known is left out with the reason, and does not stop the others.
		known := slices.Concat(slices.Collect(maps.Values(all))...)
		more = recordings.tasks(match, toolset, toolsOf(spec), known)
		added.Left = recordings.Left
	} else if match != matchStrict {
		return added, console.Option("match",
			"it is for recorded runs: %s says itself how answers are "+
				"compared", path)
	} else if more, err = readTasks(data, path); err != nil {
		return added, err
	}

	// A file that adds nothing would otherwise pass for a success.
	if len(more) == 0 && len(added.Left) > 0 {
		return added, console.Bad("%s has no recording that is a task", path)
	}
	return added, added.write(split, all, more)
}

// write writes the tasks of a split and more, or nothing after an error.
func (g *Growth) write(split string, all map[string][]*Task, more []*Task) error {
	if err := refuseKnown(all, more); err != nil {
		return err
	}

	g.Added, g.Total = len(more), len(all[split])+len(more)
	return writeTasks(g.Path, append(all[split], more...))
}

// recordings reads recorded runs, and returns nil for a file without any.
func (r Remote) recordings(path string) (*Recordings, error) {
	if r.Recordings == nil {
		return nil, nil
	}
	return r.Recordings(path)
}

// allTasks returns the tasks of a data folder, by split.
func allTasks(data string) (map[string][]*Task, error) {
	all := map[string][]*Task{}

	for _, split := range suite.Splits() {
		tasks, err := readSplit(data, split)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}

		all[split] = tasks
	}
	return all, nil
}

// refuseKnown refuses tasks that a split has already: a model would be tested on what it was
// trained on.
func refuseKnown(all map[string][]*Task, more []*Task) error {
	for split, tasks := range all {
		for _, t := range tasks {
			isSame := func(other *Task) bool { return other.ID == t.ID }
			if slices.ContainsFunc(more, isSame) {
				return fmt.Errorf("the split %s already has a task %s: give the new one another id",
					split, t.ID)
			}
		}
	}

	return nil
}

func writeTasks(path string, all []*Task) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return disk.WriteFile(path, func(w io.Writer) error {
		enc := disk.NewLineEncoder(w)
		for _, t := range all {
			if err := enc.Encode(t); err != nil {
				return err
			}
		}

		return nil
	})
}

// columns are the columns that a table of tasks may have; question and answer are required.
var columns = []string{"id", "question", "answer", "match", "tolerance", "dataset", "difficulty"}

// readTable reads tasks of a CSV file, whose first row names the columns.
func readTable(path string, tools []string) (all []*Task, err error) {
	text, err := disk.ReadText(path)
	if err != nil {
		return nil, err
	}

	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, errors.Join(err,
			fmt.Errorf("%s is not a table of tasks: want a row of names (%s) and one row per task",
				path, strings.Join(columns, ", ")))
	}

	// A misspelled column would lose its cells without a word, and set knows no other names.
	for _, name := range rows[0] {
		if _, err := names.Parse("column", name, columns); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}

	// Spreadsheets rarely have IDs, so a task is named by its row unless the row has one.
	for i, row := range rows[1:] {
		t := &Task{ID: fmt.Sprintf("task-%04d", i+1)}

		for k, cell := range row {
			if err = t.set(rows[0][k], cell); err != nil {
				break
			}
		}

		if err == nil {
			all, err = t.join(all, tools)
		}

		if err != nil {
			// A spreadsheet counts from 1, and the row of names is its first.
			return nil, fmt.Errorf("%s, row %d: %w", path, i+2, err)
		}
	}
	return all, nil
}

// set fills in the field of a column. An empty cell leaves the field unset.
func (t *Task) set(column, cell string) (err error) {
	if cell == "" {
		return nil
	}

	if column == "tolerance" {
		t.Tolerance, err = strconv.ParseFloat(cell, 64)
		return err
	}

	*map[string]*string{
		"id": &t.ID, "question": &t.Question, "answer": &t.Answer, "match": &t.Match,
		"dataset": &t.Dataset, "difficulty": &t.Difficulty,
	}[column] = cell
	return nil
}
