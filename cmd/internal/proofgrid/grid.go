package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/goccy/go-yaml"

	"toolevo/envs/yamltext"
	"toolevo/finetune/host"
)

// grid is the file: what cells have in common, and the cells in the order in which they are run.
type grid struct {
	Models  map[string]model  `yaml:"models"`
	Sets    map[string][]part `yaml:"sets"`    // of training trajectories
	Against string            `yaml:"against"` // the set that tables compare the others with
	APIs    map[string]string `yaml:"apis"`    // names in tables, and what --api takes for them
	Collect []string          `yaml:"collect"`
	Export  []string          `yaml:"export"`
	Train   []string          `yaml:"train"` // words in braces are filled in; {exports} are several
	Eval    []string          `yaml:"eval"`
	Server  host.Server       `yaml:"server"`
	Inputs  []string          `yaml:"inputs"` // files whose hashes say what cells were made of
	Cells   []*cell           `yaml:"cells"`
}

// model is what a training begins with.
type model struct {
	Folder    string   `yaml:"folder"`
	Train     []string `yaml:"train"`     // behind the command
	Divide    int      `yaml:"divide"`    // what the limits of sets are divided by; 0 is 1
	Asked     []string `yaml:"asked"`     // flags of an evaluation of what was trained
	Untrained []string `yaml:"untrained"` // and of the model as it is
}

// part is the trajectories of a set that are collected together.
type part struct {
	API   string   `yaml:"api"`   // as in APIs, or as --api takes it
	Limit int      `yaml:"limit"` // questions of each dataset and difficulty
	Args  []string `yaml:"args"`  // flags of its collection alone
}

// cell is a training and its evaluation.
type cell struct {
	Name      string   `yaml:"name" json:"name"`
	Model     string   `yaml:"model" json:"model"`
	Set       string   `yaml:"set" json:"set,omitempty"` // none for a model as it is
	Seed      int      `yaml:"seed" json:"seed"`
	Weights   string   `yaml:"weights" json:"weights,omitempty"` // the cell whose weights are measured
	APIs      []string `yaml:"apis" json:"apis"`
	Limit     string   `yaml:"limit" json:"limit"` // questions of each dataset and difficulty
	Baselines string   `yaml:"baselines" json:"baselines,omitempty"`
	Secondary bool     `yaml:"secondary" json:"secondary,omitempty"`
}

// isTraining reports whether the cell has weights of its own.
func (c *cell) isTraining() bool { return c.Set != "" && c.Weights == "" }

// readGrid reads a file and rejects what no cell could be run by.
func readGrid(path string) (*grid, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}

	g := new(grid)
	if err := yamltext.Decode(text, g, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	if err := g.Server.Check(); err != nil {
		return nil, fmt.Errorf("%s: server: %w", path, err)
	}

	for i, c := range g.Cells {
		if err := g.check(c, g.Cells[:i]); err != nil {
			return nil, fmt.Errorf("%s: cell %d, %s: %w", path, i+1, c.Name, err)
		}
	}

	return g, nil
}

// check rejects a cell that cannot be run; before has those above it.
func (g *grid) check(c *cell, before []*cell) error {
	named := func(name string) func(*cell) bool {
		return func(c *cell) bool { return c.Name == name }
	}

	// The results of a cell are in a folder of its name.
	if c.Name == "" || slices.ContainsFunc(before, named(c.Name)) {
		return fmt.Errorf("want a name that no other cell has")
	}

	if _, ok := g.Models[c.Model]; !ok {
		return fmt.Errorf("there is no model %q", c.Model)
	}

	if _, ok := g.Sets[c.Set]; !ok && c.Set != "" {
		return fmt.Errorf("there is no set %q", c.Set)
	}

	for _, name := range c.APIs {
		if _, ok := g.APIs[name]; !ok {
			return fmt.Errorf("there is no API version %q", name)
		}
	}

	if c.Weights == "" {
		return nil
	}

	// Its rows count as those of the training, so what they say of it has to be the same.
	i := slices.IndexFunc(before, named(c.Weights))
	if i < 0 || !before[i].isTraining() || before[i].Model != c.Model || before[i].Set != c.Set ||
		before[i].Seed != c.Seed {
		return fmt.Errorf("weights: want a training before it, of the same model, set and seed")
	}

	return nil
}

// cell returns the cell with a name.
func (g *grid) cell(name string) *cell {
	return g.Cells[slices.IndexFunc(g.Cells, func(c *cell) bool { return c.Name == name })]
}
