package tensor

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// smallStart is a start like that of Init, with tensors of few elements.
func smallStart(rng *rand.Rand) *schema {
	s := &schema{Growing: stategen.NewGrowing("tensor", nil)}

	for range 1 + rng.IntN(2) {
		side := 2 * (1 + rng.IntN(4))
		s.load([]int{1 + rng.IntN(4), 1 + rng.IntN(4), side, side}, rng.Uint32())
	}
	return s
}

// generated returns the first tasks of a seed.
func generated(t testing.TB, seed uint64, n int) (tasks []stategen.Task) {
	t.Helper()

	o := stategen.Options{Calls: stategen.DefaultCalls, Selector: stategen.Argmax, Seed: seed, Workers: 2}

	_, err := stategen.Generate(t.Context(), Domain{}, o, &stategen.Book{}, n, func(task stategen.Task) error {
		tasks = append(tasks, task)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return tasks
}

// Every call that a schema proposes runs, and what it makes has the shapes that the schema knows.
func TestEveryCandidateRuns(t *testing.T) {
	const walks, calls = 400, 5

	rng := rand.New(rand.NewPCG(1, 2))
	ran := map[string]int{}

	for range walks {
		s := smallStart(rng)

		for range calls {
			all := s.Candidates(rng, stategen.Want{})
			if len(all) == 0 {
				t.Fatal("a dead end")
			}

			for _, c := range all {
				next := s.Clone().(*schema)
				next.Apply(c)
				checkShapes(t, next)
				ran[c.Transition]++
			}

			s.Apply(all[rng.IntN(len(all))])
		}
	}

	t.Log("calls by tool:", ran)
}

// checkShapes runs the program of a schema and compares the shapes.
func checkShapes(t *testing.T, s *schema) {
	t.Helper()

	p := s.Program()
	for i := range s.vars {
		p.Result = &stategen.Expr{List: append(resultList(p.Result), s.vars[i].expr(shapeMember))}
	}

	o, err := stategen.Replay(Domain{}, &p, stategen.Case{}, nil)
	if err != nil {
		t.Fatalf("%v in %s", err, text(t, p))
	}

	for i, v := range s.vars {
		if got, want := o.Result.([]any)[i], numbers(v.shape); !stategen.Equal(got, want) {
			t.Fatalf("%s %v has shape %v, the schema has %v, in %s", v.name, v.part, got, want, text(t, p))
		}
	}
}

func resultList(e *stategen.Expr) []stategen.Expr {
	if e == nil {
		return nil
	}
	return e.List
}

func text(t testing.TB, v any) string {
	t.Helper()

	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A program of usual size stays below the bounds that programs have, and so do its calls.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))

	var elements, tensors int

	for range 300 {
		s := Domain{}.Init(rng).(*schema)

		for range 6 {
			all := s.Candidates(rng, stategen.Want{})
			s.Apply(all[rng.IntN(len(all))])
		}

		for _, v := range s.vars {
			n := size(v.shape...)
			elements, tensors = elements+n, tensors+1

			if n < 1 || n > programElements {
				t.Errorf("%s has shape %v", v.name, v.shape)
			}
		}
	}

	t.Logf("%d tensors of %d elements on average", tensors, elements/tensors)
}

// While some tensor has not been taken by a call, every candidate takes such a one.
func TestCandidatesUseWhatIsOpen(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))

	for range 300 {
		s := smallStart(rng)

		for range 6 {
			all := s.Candidates(rng, stategen.Want{})

			for _, c := range all {
				p := c.Params.(plan)
				if !slices.ContainsFunc(p.inputs, func(i int) bool { return !s.vars[i].consumed }) {
					t.Fatalf("%s %s takes nothing new", c.Transition, c.Key)
				}
			}

			s.Apply(all[rng.IntN(len(all))])
		}
	}
}

// The pairs of a candidate are the tools that touched its tensors last, and NONE for those that are
// fresh.
func TestPairs(t *testing.T) {
	s := &schema{Growing: stategen.NewGrowing("tensor", nil)}
	s.load([]int{2, 3, 4, 4}, 1)

	take := func(tool string) []stategen.Pair {
		for seed := uint64(0); ; seed++ {
			for _, c := range s.Candidates(rand.New(rand.NewPCG(seed, 0)), stategen.Want{}) {
				if p := c.Params.(plan); p.tool == tool && len(p.inputs) == 1 {
					s.Apply(c)
					return c.Pairs
				}
			}
		}
	}

	for _, want := range [][]stategen.Pair{
		{{Producer: stategen.None, Consumer: "permute"}},
		{{Producer: stategen.None, Consumer: "linear"}, {Producer: "permute", Consumer: "linear"}},
		{{Producer: "linear", Consumer: "transpose"}},
	} {
		if got := take(want[0].Consumer); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	s := smallStart(rng)

	for range 3 {
		all := s.Candidates(rng, stategen.Want{})
		s.Apply(all[0])
	}

	before := text(t, s.Program())
	result, _ := s.Result()
	clone := s.Clone()

	for range 3 {
		all := clone.Candidates(rng, stategen.Want{})
		clone.Apply(all[len(all)-1])
	}

	after, _ := s.Result()
	if text(t, s.Program()) != before || text(t, after) != text(t, result) {
		t.Error("a call in a clone changed the original")
	}
}

func TestSameSeedSameProgram(t *testing.T) {
	grow := func() string {
		rng := rand.New(rand.NewPCG(9, 10))
		s := Domain{}.Init(rng)

		for range 8 {
			all := s.Candidates(rng, stategen.Want{})
			s.Apply(all[rng.IntN(len(all))])
		}

		test, constant, _ := s.Condition(rng)
		return text(t, s.Program()) + text(t, test) + text(t, constant)
	}

	if a, b := grow(), grow(); a != b {
		t.Errorf("\n%s\n%s", a, b)
	}
}

// Calls that move dimensions are never two in a row.
func TestMovesDoNotUndo(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))

	for range 200 {
		s := &schema{Growing: stategen.NewGrowing("tensor", nil)}
		s.load([]int{2, 3, 4, 5}, 1)

		start := s.vars[0].shape

		for range 4 {
			var moves []stategen.Candidate

			for _, c := range s.Candidates(rng, stategen.Want{}) {
				if c.Transition == "permute" || c.Transition == "transpose" {
					moves = append(moves, c)
				}
			}

			if len(moves) == 0 {
				break
			}

			s.Apply(moves[rng.IntN(len(moves))])

			if newest := s.vars[len(s.vars)-1]; slices.Equal(newest.shape, start) || len(s.vars) > 2 {
				t.Fatalf("back where it began, or %d moves: %s", len(s.vars)-1, text(t, s.Program()))
			}
		}
	}
}

// A condition is about the newest tensor, which a call made, and counts elements only where that is
// exact.
func TestCondition(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))

	if _, _, ok := smallStart(rng).Condition(rng); ok {
		t.Error("a condition before any call")
	}

	kinds := map[string]int{}

	for range 500 {
		s := smallStart(rng)

		for range 1 + rng.IntN(4) {
			all := s.Candidates(rng, stategen.Want{})
			s.Apply(all[rng.IntN(len(all))])
		}

		test, constant, ok := s.Condition(rng)
		newest := s.vars[len(s.vars)-1]

		left := test.Left

		if !ok || left.Var != newest.name || !slices.Equal(left.Path[:len(newest.part)], newest.part) ||
			test.Right.Var != constant.Name || constant.Role != stategen.Constant {
			t.Fatalf("condition %s with %s, want one on %s %v", text(t, test), text(t, constant), newest.name,
				newest.part)
		}

		kind := strings.Join(left.Path[len(newest.part):], ".")
		if kinds[kind]++; kind == "above_mean" && !newest.elements.exact() {
			t.Errorf("a count of inexact elements in %s", text(t, s.Program()))
		}
	}

	for _, kind := range []string{"shape", "above_mean", "shape.0", "shape.3"} {
		if kinds[kind] == 0 {
			t.Errorf("no condition on %s: %v", kind, kinds)
		}
	}
}

// A result is a handle where one tensor is left over, and a list where several are.
func TestResult(t *testing.T) {
	s := &schema{Growing: stategen.NewGrowing("tensor", nil)}
	s.load([]int{2, 2, 4, 4}, 1)

	if _, ok := s.Result(); ok {
		t.Error("a result before any call")
	}

	p := plan{tool: "transpose", inputs: []int{0}, shapes: [][]int{{2, 2, 4, 4}}, elements: loadedElements}
	s.Apply(s.candidate(p))

	if got, _ := s.Result(); text(t, got) != text(t, stategen.Var("r_1", "tensor")) {
		t.Errorf("%s of one tensor", text(t, got))
	}

	parts := plan{
		tool: "split", inputs: []int{1}, shapes: [][]int{{1, 2, 4, 4}, {1, 2, 4, 4}}, elements: loadedElements,
	}
	s.Apply(s.candidate(parts))

	want := stategen.Expr{List: []stategen.Expr{stategen.Var("r_2", "0", "tensor"), stategen.Var("r_2", "1", "tensor")}}
	if got, _ := s.Result(); text(t, got) != text(t, want) {
		t.Errorf("%s of two parts, want %s", text(t, got), text(t, want))
	}
}

// Every path of a task has as many calls as wanted, and comes to what was recorded.
func TestTasks(t *testing.T) {
	for _, task := range generated(t, 7, 60) {
		for _, c := range task.Cases {
			calls := 0

			got, err := stategen.Replay(Domain{}, &task.Program, c, func(string, envs.Args) { calls++ })
			if err != nil || got.Path != c.Path || calls != stategen.DefaultCalls {
				t.Fatalf("%s: path %s with %d calls, want %s: %v", task.ID, got.Path, calls, c.Path, err)
			}

			if record := (Domain{}).Record(got.Result); !stategen.Equal(record, c.Result.Any) {
				t.Errorf("%s: %v, recorded %v", task.ID, record, c.Result.Any)
			}
		}
	}
}
