package domains_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
)

// generate returns tasks of a domain.
func generate(t *testing.T, d stategen.Domain, s stategen.Selector, seed uint64, n int) ([]stategen.Task,
	*stategen.Book) {
	t.Helper()

	var tasks []stategen.Task
	var book stategen.Book

	o := stategen.Options{Calls: stategen.DefaultCalls, Selector: s, Seed: seed, Workers: 2}

	report, err := stategen.Generate(t.Context(), d, o, &book, n, func(task stategen.Task) error {
		tasks = append(tasks, task)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Logf("%s: failed %v, rejected %v", d.Name(), report.Failed, report.Rejected)
	return tasks, &book
}

// TestGeneratedPrograms replays tasks of each domain as they are read from a file: every path has
// five calls, none twice, and leads where the file says; the second case takes the other branch;
// and mistakes are caught.
func TestGeneratedPrograms(t *testing.T) {
	for _, d := range domains.All() {
		t.Run(d.Name(), func(t *testing.T) {
			t.Parallel()

			alive := map[string]int{}
			tasks, _ := generate(t, d, stategen.K2, 1, programs())

			for _, task := range tasks {
				task := reread(t, task)
				for _, c := range task.Cases {
					want := replayed(t, d, &task, c)
					for _, m := range stategen.Mutants(task) {
						if m.Case.Path == c.Path && !caught(t, d, m, want) {
							alive[m.Kind]++
						}
					}
				}
			}

			for kind, n := range alive { // a change that changes nothing is none
				if share := float64(n) / float64(len(tasks)); kind != stategen.Dropped && kind != stategen.WrongText &&
					kind != stategen.Swapped || share > 0.02 {
					t.Errorf("%d of %d mutants %s pass", n, len(tasks), kind)
				}
			}
		})
	}
}

// programs is how many each domain is tested on: a part of those that `make hostile` takes.
func programs() int {
	if os.Getenv("TOOLEVO_HOSTILE") != "" {
		return 1000
	}
	return 100
}

// reread returns a task as a file has it.
func reread(t *testing.T, task stategen.Task) stategen.Task {
	t.Helper()

	text, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}

	var again stategen.Task
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatalf("%s: %v\n%s", task.ID, err, text)
	}
	return again
}

// replayed returns the oracle of a case, which has to be what the task says.
func replayed(t *testing.T, d stategen.Domain, task *stategen.Task, c stategen.Case) stategen.Oracle {
	t.Helper()

	statements := 0
	calls := map[string]bool{}

	got, err := stategen.Replay(d, &task.Program, c, func(tool string, args envs.Args) {
		call := tool + string(pytext.AppendJSON(nil, args))
		if calls[call] {
			t.Errorf("%s/%s: %s is called twice", task.ID, c.Path, call)
		}

		calls[call] = true
	})
	if err != nil {
		t.Fatalf("%s/%s: %v", task.ID, c.Path, err)
	}

	paths := [][]stategen.Stmt{task.Program.Main}
	if b := task.Program.Branch; b != nil && c.Path == "if" {
		paths = append(paths, b.If.Stmts)
	} else if b != nil {
		paths = append(paths, b.Else.Stmts)
	}

	for _, path := range paths {
		for _, s := range path {
			if s.Edit == nil {
				statements++
			}
		}
	}

	if statements != stategen.DefaultCalls || got.Path != c.Path {
		t.Errorf("%s/%s: %d calls on the path %s", task.ID, c.Path, statements, got.Path)
	}

	for what, pair := range map[string][2]any{
		"result": {d.Record(got.Result), c.Result.Any}, "effects": {d.Record(got.Effects), c.Effects.Any},
	} {
		if !stategen.Equal(pair[0], pair[1]) {
			t.Errorf("%s/%s: the %s is %v, recorded is %v", task.ID, c.Path, what, pair[0], pair[1])
		}
	}

	return got
}

// caught reports whether a mutant fails, or leads to something else.
func caught(t *testing.T, d stategen.Domain, m stategen.Mutant, want stategen.Oracle) bool {
	t.Helper()

	got, err := stategen.Replay(d, &m.Program, m.Case, nil)

	var fault *stategen.Fault
	var refusal *stategen.Refusal

	if err != nil && !errors.As(err, &fault) && !errors.As(err, &refusal) {
		t.Fatal(m.Kind, err)
	}
	return err != nil || !stategen.Passes(d, got, want)
}

// TestGuidanceCoversMore compares what data-bound pairs five programs cover, over ten seeds.
func TestGuidanceCoversMore(t *testing.T) {
	for _, d := range domains.All() {
		covered := map[stategen.Selector]int{}

		for _, s := range stategen.Selectors() {
			for seed := range uint64(10) {
				_, book := generate(t, d, s, seed, 5)
				covered[s] += len(book.Pairs())
			}
		}

		t.Logf("%s: pairs after 5 programs, 10 seeds: %v", d.Name(), covered)

		if covered[stategen.Argmax] <= covered[stategen.Uniform] || covered[stategen.K2] <= covered[stategen.Uniform] {
			t.Errorf("%s: guidance does not cover more pairs: %v", d.Name(), covered)
		}
	}
}

// TestServicesTakeAnything calls every tool with any arguments: an error is the caller's, and
// nothing panics.
func TestServicesTakeAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	strange := []any{nil, true, "", "x", envs.Number("NaN"), envs.Number("-1"), envs.Number("1e300"), []any{},
		[]any{[]any{nil}}, envs.Args{}, envs.Args{{Name: "tensor", Value: "tensor_1"}}}

	for _, d := range domains.All() {
		tasks, _ := generate(t, d, stategen.Uniform, 3, 3)

		for _, task := range tasks {
			state, err := d.Begin(&task.Program, task.Program.Values(task.Cases[0]))
			if err != nil {
				t.Fatal(err)
			}

			for range 2000 {
				api := d.APIs()[rng.IntN(len(d.APIs()))]

				args := envs.Args{}
				for _, p := range api.Parameters.All {
					args = append(args, envs.Arg{Name: p.Name, Value: strange[rng.IntN(len(strange))]})
				}

				next, v, err := d.Call(state, api.Name, args)

				var refusal *stategen.Refusal
				if err != nil && !errors.As(err, &refusal) {
					t.Fatalf("%s%v: %v", api.Name, args, err)
				}

				if err == nil {
					state = next
					d.Same(d.Content(state, v), d.Content(state, strange[rng.IntN(len(strange))]))
				}
			}
		}
	}
}
