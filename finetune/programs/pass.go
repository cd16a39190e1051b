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
	contenders []finetune.Contender // in the order in which they came first
	domains    []string
	runs       map[runKey]*run
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

// has reports whether an episode of the path was counted. One of all cases, whose path is "", is of every path.
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

// cut returns the task of an episode and the path of its case, "" of one that has all cases of its task.
func cut(id string) (task, path string) {
	if i := strings.LastIndexByte(id, '/'); i >= 0 && slices.Contains(paths, id[i+1:]) {
		return id[:i], id[i+1:]
	}

	return id, ""
}

// Add counts an episode under the API that reports call what it met. The references are those of its task; without
// them, which may be nil, less is known of wrong answers. A second episode of a case is an error.
func (r *Results) Add(api string, e *trajectories.Episode, references *References) error {
	if r.runs == nil {
		r.runs = map[runKey]*run{}
	}

	key := runKey{Contender: finetune.Contender{Policy: e.Policy, API: api}, domain: e.Labels[envs.LabelDataset],
		repeat: e.Repeat}

	var path string

	key.task, path = cut(e.QuestionID)

	if !slices.Contains(r.contenders, key.Contender) {
		r.contenders = append(r.contenders, key.Contender)
	}

	if !slices.Contains(r.domains, key.domain) {
		r.domains = append(r.domains, key.domain)
	}

	if r.runs[key] == nil {
		r.runs[key] = &run{failed: map[string]verdict{}}
	}

	one := r.runs[key]
	if one.has(path) {
		return fmt.Errorf("two evaluations have %s of %s under %s: look at each by itself", key.task, e.Policy, api)
	}

	one.seen = append(one.seen, path)

	switch {
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

// Passes returns what the episodes so far come to: for each policy and API a row for each domain, and one for all
// where there are several.
func (r *Results) Passes() []Pass {
	var rows []Pass

	for _, c := range r.contenders {
		for _, domain := range r.domains {
			rows = append(rows, r.pass(c, domain))
		}

		if len(r.domains) > 1 {
			rows = append(rows, r.pass(c, allDomains))
		}
	}

	return rows
}

func (r *Results) pass(c finetune.Contender, domain string) Pass {
	row := Pass{Contender: c, Domain: domain, Classes: map[code.Class]int{}, Causes: map[Cause]int{}}
	passed, measured, lost := map[string]int{}, map[string]int{}, map[string]bool{}

	for key, one := range r.runs {
		switch {
		case key.Contender != c || domain != allDomains && key.domain != domain:
		case one.lost:
			lost[key.task] = true
		case len(one.failed) == 0:
			measured[key.task]++
			passed[key.task]++
		default:
			measured[key.task]++
			row.Failed++

			v := one.first()
			row.Classes[v.class]++
			row.Causes[v.cause]++
		}
	}

	for task := range lost {
		if measured[task] == 0 {
			row.Lost++
		}
	}

	// In the order of the tasks, for sums of fractions depend on it.
	var tasks []tabulate.Cluster

	for _, task := range slices.Sorted(maps.Keys(measured)) {
		tasks = append(tasks, tabulate.Cluster{
			Successes: float64(passed[task]) / float64(measured[task]), Trials: 1,
		})
	}

	rate := tabulate.RateOf(tasks)
	row.N, row.Pass, row.Low, row.High = len(tasks), rate.Share, rate.Low, rate.High

	return row
}
