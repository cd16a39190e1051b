package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

//go:embed tasks
var tasksFiles embed.FS

// tasksHelp has the help of the commands about tasks, which other commands share their names with.
var tasksHelp = func() fs.FS {
	files, err := fs.Sub(tasksFiles, "tasks")
	if err != nil {
		panic(err) // it is in the program
	}

	return files
}()

// addTasksCommands adds the commands about generated tasks that need more than their suite knows.
func (a *app) addTasksCommands(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() == "tasks" {
			c.AddCommand(a.tasksMeasureCommand(), a.tasksSampleCommand(), a.tasksExportCommand(),
				a.tasksImportCommand(), a.tasksInstructCommand())
		}
	}
}

// taskSplit are the flags of a command about the tasks of a split.
type taskSplit struct {
	data  *string
	split string
}

func (a *app) addTaskSplit(cmd *cobra.Command, split, usage string) *taskSplit {
	s := &taskSplit{data: a.DataFlag(cmd)}
	cmd.Flags().StringVar(&s.split, "split", split, usage)
	console.Complete(cmd, "split", console.Offered(suite.Splits()))

	return s
}

// check refuses a split that there cannot be.
func (s *taskSplit) check() error {
	if _, err := names.Parse("split", s.split, suite.Splits()); err != nil {
		return console.Usage("--split: %w", err)
	}

	return nil
}

// open reads the tasks of the split.
func (s *taskSplit) open(visit func(*stategen.Task) error) (*taskfile.File, error) {
	f, err := taskfile.Open(*s.data, s.split, visit)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: `toolevo tasks generate --split %s` makes tasks", err, s.split)
	}

	return f, err
}

// stategenSurface returns how programs reach the tools of a domain as prompts show them.
func stategenSurface(data string) (func(stategen.Domain) *code.Surface, error) {
	b, err := suite.Lookup("stategen")
	if err != nil {
		return nil, err
	}

	catalog, err := b.Versions(data)
	if err != nil {
		return nil, err
	}

	base, err := catalog.Version("p_c")

	return func(d stategen.Domain) *code.Surface {
		return &code.Surface{Domain: d, Base: base, Deployed: base}
	}, err
}
