package programs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/stategen/code"
	"toolevo/finetune"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// Pass is how a policy did on the tasks of a domain under an API version.
type Pass struct {
	finetune.Contender
	Domain string `json:"domain"` // "all" is every one
	N      int    `json:"n"`      // tasks measured
	Lost   int    `json:"lost"`   // tasks lost to infrastructure failures, in no other figure

	Pass float64 `json:"pass"` // pass@1, 0..1: of tasks with several runs their mean
	Low  float64 `json:"low"`  // lower end of its 95 % interval
	High float64 `json:"high"` // upper end

	Failed  int                `json:"failed"`  // runs of tasks that did not pass
	Classes map[code.Class]int `json:"classes"` // of them, by their first case that failed
	Causes  map[Cause]int      `json:"causes"`  // likewise
}

// Results adds up episodes. The zero value has none.
type Results struct {
	order []runKey // in which they came first
	runs  map[runKey]*run
}

// runKey tells the runs of tasks apart.
type runKey struct {
	finetune.Contender
	domain, task string
	repeat       int
}

// run is what came of the cases of a task so far.
type run struct {
	lost   bool
	seen   []string           // paths
	failed map[string]verdict // by path
}

// has reports whether an episode of the path was counted. One of all cases, whose path is "", is of
// every path.
func (r *run) has(path string) bool {
	return slices.Contains(r.seen, path) || len(r.seen) > 0 && (path == "" || slices.Contains(r.seen, ""))
}

// verdict is why a case failed.
type verdict struct {
	class code.Class
	cause Cause
}

// paths are the endings of IDs of cases, in the order of a task's cases.
var paths = []string{"main", "if", "else"}

// cut returns the task of an episode and the path of its case, "" of one that has all cases of its
// task.
func cut(id string) (task, path string) {
	if i := strings.LastIndexByte(id, '/'); i >= 0 && slices.Contains(paths, id[i+1:]) {
		return id[:i], id[i+1:]
	}
	return id, ""
}

// Add counts an episode under the API that reports call what it met. The references are those of
// its task; without them, which may be nil, less is known of wrong answers. A second episode of a
// case is an error.
func (r *Results) Add(api string, e *trajectories.Episode, references *References) error {
	if r.runs == nil {
		r.runs = map[runKey]*run{}
	}

	key := runKey{Contender: finetune.Contender{Policy: e.Policy, API: api}, domain: e.Labels[envs.LabelDataset],
		repeat: e.Repeat}

	var path string

	key.task, path = cut(e.QuestionID)

	if r.runs[key] == nil {
		r.runs[key] = &run{failed: map[string]verdict{}}
		r.order = append(r.order, key)
	}

	one := r.runs[key]
	if one.has(path) {
		return fmt.Errorf("two evaluations have %s of %s under %s: look at each by itself", key.task, e.Policy, api)
	}

	one.seen = append(one.seen, path)

	switch {
	// A run counts whole or not at all: with one case lost, so is the run.
	case e.Lost != "":
		one.lost = true
	case !e.Official:
		class, cause, err := classify(e, references)
		if err != nil {
			return err
		}

		one.failed[path] = verdict{class, cause}
	}
	return nil
}

// first returns why the first case failed that did.
func (r *run) first() verdict {
	path := slices.MinFunc(slices.Collect(maps.Keys(r.failed)), func(a, b string) int {
		return cmp.Compare(slices.Index(paths, a), slices.Index(paths, b))
	})
	return r.failed[path]
}

// outcome is what came of a run of a task. A task weighs 1, however many runs it has.
type outcome struct {
	finetune.Contender
	Domain string     `json:"domain"`
	Task   string     `json:"task"`
	Lost   bool       `json:"lost"`   // and so is every run of the task
	Weight float64    `json:"weight"` // 0 where it was lost
	Passed float64    `json:"passed"` // of the weight
	Failed bool       `json:"failed"`
	Class  code.Class `json:"class"` // of a failed one
	Cause  Cause      `json:"cause"` // likewise
}

// outcomes are those of all runs, in the order in which they came.
func (r *Results) outcomes() []outcome {
	measured := map[runKey]float64{} // runs of a task
	task := func(key runKey) runKey {
		key.repeat = 0
		return key
	}

	for _, key := range r.order {
		if !r.runs[key].lost {
			measured[task(key)]++
		}
	}

	var all []outcome

	for _, key := range r.order {
		one, runs := r.runs[key], measured[task(key)]
		o := outcome{Contender: key.Contender, Domain: key.domain, Task: key.task, Lost: runs == 0}

		if !one.lost {
			o.Weight, o.Failed = 1/runs, len(one.failed) > 0
		}

		if o.Failed {
			v := one.first()
			o.Class, o.Cause = v.class, v.cause
		} else {
			o.Passed = o.Weight
		}

		all = append(all, o)
	}
	return all
}

// Passes returns what the episodes so far come to: for each policy and API a row for each domain,
// and one for all where there are several.
func (r *Results) Passes() []Pass {
	source := tabulate.Of(r.outcomes())
	rows, kinds := tables().Tables["passes"].Rows(source), tables().Tables["kinds"].Rows(source)
	passes := tabulate.As[Pass](rows)

	for i, row := range rows {
		p := &passes[i]
		p.Classes, p.Causes = map[code.Class]int{}, map[Cause]int{}

		of := map[string]string{"policy": p.Policy, "api": p.API, "domain": row.Text("domain")}
		for _, kind := range tabulate.Where(kinds, of) {
			n := int(kind.Number("runs"))
			p.Classes[code.Class(kind.Text("class"))] += n
			p.Causes[Cause(kind.Text("cause"))] += n
		}
	}

	return passes
}
