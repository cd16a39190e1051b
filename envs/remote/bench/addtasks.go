package bench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/disk"
	"toolevo/envs/names"
	"toolevo/envs/suite"
)

// AddedTasks is what `tasks add --json` prints.
type AddedTasks struct {
	Path  string `json:"path"`  // the file of the data folder
	Added int    `json:"added"` // tasks that it did not have
	Total int    `json:"total"` // tasks that it has now
}

func addTasksCommand() suite.Command {
	var data string

	split := "test"

	return suite.Command{
		Use: "tasks add FILE", Help: helpTexts, Document: AddedTasks{}, Demonstrates: true,
		Options: []suite.Option{suite.DataOption(&data), suite.SplitOption(&split)},
		Run: func(_ context.Context, c *suite.Call) error {
			added, err := addTasks(data, split, c.Args[0])

			return c.Result(added, func(w io.Writer) {
				fmt.Fprintf(w, "%d tasks added to %s, which has %d\n", added.Added, added.Path, added.Total)
				c.Say("Next: toolevo tasks check --data %s", data)
			}, err)
		},
	}
}

// addTasks adds the tasks of a file to a split: all of them, or none after an error.
func addTasks(data, split, path string) (added AddedTasks, err error) {
	added.Path = tasksPath(data, split)

	spec, err := readBase(data)
	if err != nil {
		return added, fmt.Errorf("the tools of the tasks: %w: `toolevo tools import` puts them there", err)
	}

	read := ReadTasks
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		read = readTable
	}

	more, err := read(path, toolsOf(spec))
	if err != nil {
		return added, err
	}

	return appendTasks(data, split, more)
}

// appendTasks adds tasks to a split: all of them, or none after an error.
func appendTasks(data, split string, more []*Task) (added AddedTasks, err error) {
	added.Path = tasksPath(data, split)

	known, err := beside(data, split, more)
	if err != nil {
		return added, err
	}

	added.Added, added.Total = len(more), len(known)+len(more)

	return added, writeTasks(added.Path, append(known, more...))
}

// beside returns the tasks that a split has already. A task that any split has is refused: who
// learns from it would be measured with it.
func beside(data, split string, more []*Task) (known []*Task, err error) {
	for _, s := range suite.Splits() {
		others, err := readSplit(data, s)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}

		for _, t := range others {
			isSame := func(other *Task) bool { return other.ID == t.ID }
			if slices.ContainsFunc(more, isSame) {
				return nil, fmt.Errorf("the split %s has a task %s: no task is in two places", s, t.ID)
			}
		}

		if s == split {
			known = others
		}
	}

	return known, nil
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

// columns are those of a table of tasks; a question and an answer it must have.
var columns = []string{"id", "question", "answer", "match", "tolerance", "dataset", "difficulty"}

// readTable reads tasks of a CSV file, whose first row names the columns.
func readTable(path string, tools []string) (all []*Task, err error) {
	text, err := disk.ReadText(path)
	if err != nil {
		return nil, err
	}

	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s is no table of tasks: want a row of names (%s) and a row a task",
			path, strings.Join(columns, ", ")))
	}

	for _, name := range rows[0] {
		if _, err := names.Parse("column", name, columns); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}

	for i, row := range rows[1:] {
		t := &Task{ID: fmt.Sprintf("task-%04d", i+1), Dataset: noDataset, Difficulty: noDifficulty}

		for k, cell := range row {
			if err = t.set(rows[0][k], cell); err != nil {
				break
			}
		}

		if err == nil {
			err = t.validate(tools)
		}

		if err != nil {
			return nil, fmt.Errorf("%s, row %d: %w", path, i+2, err)
		}

		all = append(all, t)
	}

	return all, nil
}

// set takes what a table says in a column; an empty cell says nothing.
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
