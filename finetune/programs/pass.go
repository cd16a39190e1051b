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
	Lost   int    `json:"lost"`   // tasks with a case lost or not played, in no other figure

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

// runKey identifies a run of a task.
type runKey struct {
	finetune.Contender
	domain, task string
	repeat       int
}

// run is the results of the cases of a task so far.
type run struct {
	lost   bool
	seen   []string           // paths
	failed map[string]verdict // by path
}

// has reports whether an episode of the path was counted. The path "" stands for all cases, so it
// matches every other.
func (r *run) has(path string) bool {
	return slices.Contains(r.seen, path) ||
		len(r.seen) > 0 && (path == "" || slices.Contains(r.seen, ""))
}

// whole reports whether every case was played and none was lost. A limit may have left out one of
// two.
func (r *run) whole() bool {
	return !r.lost && slices.Contains(r.seen, paths[1]) == slices.Contains(r.seen, paths[2])
}

// verdict is why a case failed.
type verdict struct {
	class code.Class
	cause Cause
}

// paths are the endings of IDs of cases, in the order of a task's cases.
var paths = []string{"main", "if", "else"}

// splitCase returns the task of an episode and the path of its case, "" if it has all cases of its
// task.
func splitCase(id string) (task, path string) {
	if i := strings.LastIndexByte(id, '/'); i >= 0 && slices.Contains(paths, id[i+1:]) {
		return id[:i], id[i+1:]
	}
	return id, ""
}

// Add counts an episode. api is what reports call the version that it met. The references are those
// of its task; without them (nil) less is known about wrong answers. A second episode of a case is
// an error.
func (r *Results) Add(api string, e *trajectories.Episode, references *References) error {
	if r.runs == nil {
		r.runs = map[runKey]*run{}
	}

	key := runKey{
		Contender: finetune.Contender{Policy: e.Policy, API: api},
		domain:    e.Labels[envs.LabelDataset], repeat: e.Repeat,
	}

	var path string

	key.task, path = splitCase(e.QuestionID)

	if r.runs[key] == nil {
		r.runs[key] = &run{failed: map[string]verdict{}}
		r.order = append(r.order, key)
	}

	// Counted twice, a case of two evaluations would pass only if both did.
	cases := r.runs[key]
	if cases.has(path) {
		return fmt.Errorf("two evaluations have %s of %s under %s: look at each by itself",
			key.task, e.Policy, api)
	}

	cases.seen = append(cases.seen, path)

	switch {
	// A run counts as a whole or not at all: if one case is lost, so is the run.
	case e.Lost != "":
		cases.lost = true
	case !e.Official:
		class, cause, err := classify(e, references)
		if err != nil {
			return err
		}

		cases.failed[path] = verdict{class, cause}
	}
	return nil
}

// firstFailure returns why the first failed case failed.
func (r *run) firstFailure() verdict {
	path := slices.MinFunc(slices.Collect(maps.Keys(r.failed)), func(a, b string) int {
		return cmp.Compare(slices.Index(paths, a), slices.Index(paths, b))
	})
	return r.failed[path]
}

// outcome is the result of a run of a task. A task weighs 1, however many runs it has.
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

// outcomes returns those of all runs, in the order of the episodes.
func (r *Results) outcomes() []outcome {
	measured := map[runKey]float64{} // runs of a task
	task := func(key runKey) runKey {
		key.repeat = 0
		return key
	}

	// Counted first: the weight of a run depends on how many others of its task were measured.
	for _, key := range r.order {
		if r.runs[key].whole() {
			measured[task(key)]++
		}
	}

	var all []outcome

	for _, key := range r.order {
		cases, runs := r.runs[key], measured[task(key)]
		o := outcome{Contender: key.Contender, Domain: key.domain, Task: key.task, Lost: runs == 0}

		// A lost run weighs 0, so that the others of its task stand for it.
		if cases.whole() {
			o.Weight, o.Failed = 1/runs, len(cases.failed) > 0
		}

		if o.Failed {
			v := cases.firstFailure()
			o.Class, o.Cause = v.class, v.cause
		} else {
			o.Passed = o.Weight
		}

		all = append(all, o)
	}
	return all
}

// Passes returns the results of the episodes so far: for each policy and API a row for each domain,
// and one for all if there are several.
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
