package bench

import (
	"errors"
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// opened is the benchmark over a split of a data folder. It implements [suite.Suite].
type opened struct {
	choice     suite.Choice
	prompt     string // the version of the prompt
	collection *toolbench.Collection
	functions  map[toolbench.Key]string // names in the base version, which are those of the tools
	versions   *versions
	groups     []string
	tasks      []envs.Task
	queries    map[string]*toolbench.Query // by task
	lineage    map[string]string

	apis    *virtual.APIs                // what stands in for the APIs
	writer  func() (suite.Writer, error) // opens the model that does, once
	toClose []func() error
}

// Tasks implements [suite.Suite].
func (o *opened) Tasks() []envs.Task { return slices.Clone(o.tasks) }

// Datasets implements [suite.Suite].
func (o *opened) Datasets() []string { return slices.Clone(o.groups) }

// Lineage implements [suite.Suite].
func (o *opened) Lineage() map[string]string { return maps.Clone(o.lineage) }

// Close implements [suite.Suite].
func (o *opened) Close() (err error) {
	for _, c := range o.toClose {
		err = errors.Join(err, c())
	}

	return err
}
