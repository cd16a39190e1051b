// Package datacmd implements the commands that fill and check the data folder of ToolQA-D: `data
// build`, `import`, `questions`, `verify`, `gold` and `template check`. They choose what to do
// and report the result; the packages beside this one do the work.
package datacmd

import (
	"embed"
	"slices"

	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/toolqa"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// Commands returns the commands.
func Commands() []suite.Command {
	return []suite.Command{
		{Use: "data", Help: helpTexts}, buildCommand(), importCommand(), questionsCommand(), verifyCommand(),
		goldCommand(), {Use: "data template", Help: helpTexts}, templateCheckCommand(),
	}
}

// all is the word for all datasets, and for all difficulties.
const all = "all"

// chosen is the part of a data folder that a command is about.
type chosen struct {
	data       string
	datasets   []string
	difficulty string
}

// options returns the options for the data folder and the datasets.
func (c *chosen) options() []suite.Option {
	c.datasets = []string{all}
	return []suite.Option{
		suite.DataOption(&c.data),
		{
			Name: "dataset", Value: &c.datasets, Usage: "`NAMES` of datasets, separated by commas, or all",
			Names: func() []string { return append(names.Texts(toolqa.Datasets)(), all) },
		},
	}
}

// difficultyOption returns the option for the difficulty.
func (c *chosen) difficultyOption() suite.Option {
	c.difficulty = all
	return suite.Option{
		Name: "difficulty", Value: &c.difficulty, Usage: "`NAME`: easy, hard or all",
		Names: func() []string { return append(names.Texts(toolqa.Difficulties)(), all) },
	}
}

// named reports whether datasets were named, so that a missing one is an error.
func (c *chosen) named() bool { return !slices.Contains(c.datasets, all) }

func (c *chosen) chosenDatasets() []toolqa.Dataset {
	return slices.DeleteFunc(toolqa.Datasets(), func(ds toolqa.Dataset) bool {
		return c.named() && !slices.Contains(c.datasets, string(ds))
	})
}

func (c *chosen) difficulties() []toolqa.Difficulty {
	return slices.DeleteFunc(toolqa.Difficulties(), func(d toolqa.Difficulty) bool {
		return c.difficulty != all && c.difficulty != string(d)
	})
}
