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

// opened is the benchmark over a split of a data folder. It implements [suite.Suite] and
// [suite.Planner].
type opened struct {
	choice     suite.Choice
	collection *toolbench.Collection
	functions  map[toolbench.Key]string // names in the base version, which the tools have, too
	groups     []string
	tasks      []envs.Task
	queries    map[string]*toolbench.Query // by task
	plans      map[string][]envs.Call      // by question
	lineage    map[string]string

	apis    *virtual.APIs     // what stands in for the APIs
	writer  *suite.LazyWriter // the model that does
	toClose []func() error
}

// Plan implements [suite.Planner].
func (o *opened) Plan(question string) (envs.Plan, bool) {
	calls, ok := o.plans[question]
	return planOf(calls), ok
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
