package stategen_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// odd is the domain of boxes in which something goes another way.
type odd struct {
	toy
	call    func(s stategen.State, tool string, args envs.Args) (stategen.State, any, error)
	content func(s stategen.State, v any) any
	same    func(got, want any) bool
	schema  func(s *shelf) stategen.Schema
	splits  []int
}

func (o odd) Splits(n int) []int {
	if o.splits != nil {
		return o.splits
	}
	return o.toy.Splits(n)
}

func (o odd) Call(s stategen.State, tool string, args envs.Args) (stategen.State, any, error) {
	if o.call != nil {
		return o.call(s, tool, args)
	}
	return o.toy.Call(s, tool, args)
}

func (o odd) Content(s stategen.State, v any) any {
	if o.content != nil {
		return o.content(s, v)
	}
	return o.toy.Content(s, v)
}

func (o odd) Same(got, want any) bool {
	if o.same != nil {
		return o.same(got, want)
	}
	return o.toy.Same(got, want)
}

func (o odd) Init(rng *rand.Rand) stategen.Schema {
	s := o.toy.Init(rng).(*shelf)
	if o.schema != nil {
		return o.schema(s)
	}
	return s
}

// barren is a schema that lacks something.
type barren struct {
	*shelf
	calls       int // after which there are no candidates; -1 is never
	noResult    bool
	noCondition bool
	edits       bool // every candidate but the last is an edit
	given       bool // the result comes from no call
	unused      bool // there is a variable that nothing uses
	wants       *[]stategen.Want
}

func (b *barren) Candidates(rng *rand.Rand, want stategen.Want) []stategen.Candidate {
	all := b.shelf.Candidates(rng, want)
	if b.wants != nil {
		*b.wants = append(*b.wants, want)
	}

	switch {
	case len(b.program.Main) == b.calls:
		return nil
	case b.edits:
		edit := stategen.Candidate{Transition: "edit", Key: fmt.Sprint(rng.Uint64()),
			Pairs: []stategen.Pair{{
				Producer: stategen.None, Consumer: fmt.Sprint(rng.Uint64()), // new each time, so that Argmax takes it
			}, {
				Producer: stategen.None, Consumer: fmt.Sprint(rng.Uint64()),
			}}}

		return append([]stategen.Candidate{edit}, all...)
	}
	return all
}

func (b *barren) Apply(c stategen.Candidate) {
	if c.Transition == "edit" {
		b.program.Main = append(b.program.Main, stategen.Stmt{Edit: &stategen.Edit{
			Var: "user_variable_0", To: stategen.Var("user_variable_0"),
		}})
		return
	}

	b.shelf.Apply(c)
}

func (b *barren) Condition(rng *rand.Rand) (stategen.Test, stategen.Variable, bool) {
	test, constant, ok := b.shelf.Condition(rng)
	return test, constant, ok && !b.noCondition
}

func (b *barren) Result() (stategen.Expr, bool) {
	e, ok := b.shelf.Result()
	if b.given {
		e = stategen.Var("user_variable_0")
	}
	return e, ok && !b.noResult
}

func (b *barren) Program() stategen.Program {
	p := b.shelf.Program()
	if b.unused {
		p.Init = append([]stategen.Variable{{Name: "unused"}}, p.Init...)
	}
	return p
}

func (b *barren) Clone() stategen.Schema {
	next := *b
	next.shelf = b.shelf.Clone().(*shelf)
	return &next
}

var errDisk = errors.New("the disk is full")

// What comes of programs that are no task, or of which none can grow: an end with the reason, and a
// book without them.
func TestHopelessDomains(t *testing.T) {
	t.Parallel()

	answered := func(v any) func(stategen.State, any) any { return func(stategen.State, any) any { return v } }
	grown := func(b barren) func(s *shelf) stategen.Schema {
		return func(s *shelf) stategen.Schema {
			b.shelf = s
			return &b
		}
	}
	refuse := func(err error) odd {
		return odd{call: func(stategen.State, string, envs.Args) (stategen.State, any, error) { return nil, nil, err }}
	}

	for _, tt := range []struct {
		name   string
		domain odd
		want   string
	}{
		{"refusals", refuse(stategen.Refuse("no %s", "box")),
			"200 programs of toy in a row are no task: the service refuses"},
		{"faults", odd{call: func(s stategen.State, _ string, _ envs.Args) (stategen.State, any, error) {
			return s, envs.Args{}, nil
		}}, "200 programs of toy in a row are no task: the program fails"},
		{"no result", odd{content: answered(nil)}, "no task: the result is empty"},
		{"an empty list", odd{content: answered([]any{})}, "no task: the result is empty"},
		{"an empty object", odd{content: answered(envs.Args{})}, "no task: the result is empty"},
		{"unsteady", odd{same: func(any, any) bool { return false }},
			"no task: the reference does not pass its own case"},
		{"dead ends", odd{schema: grown(barren{calls: 1})},
			"program 0 of toy failed 20 times in a row"},
		{"nothing to answer", odd{schema: grown(barren{calls: -1, noResult: true})},
			"nothing to compare or to answer:20"},
		{"nothing to call for", odd{schema: grown(barren{calls: -1, given: true})},
			"the result comes from no call:20"},
		{"our failure", refuse(errDisk), "the disk is full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var book stategen.Book

			report, err := stategen.Generate(t.Context(), tt.domain, paper, &book, 3,
				func(stategen.Task) error {
					t.Error("a task")
					return nil
				})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want %s", err, tt.want)
			}

			if tt.name == "our failure" && !errors.Is(err, errDisk) {
				t.Errorf("%v does not wrap its cause", err)
			}

			rejected, failed := 0, 0
			for _, n := range report.Rejected {
				rejected += n
			}

			for _, n := range report.Failed {
				failed += n
			}

			if inVain := strings.Contains(tt.want, "no task"); report.Kept != 0 ||
				inVain != (rejected == 200) ||
				strings.Contains(tt.name, "dead") && failed != 20 {
				t.Errorf("the report is %+v", report)
			}

			// What was rejected is in the book: going on does not grow it again. The last is not.
			if want := max(0, rejected-1); book.Programs() != want || want == 0 &&
				len(book.Pairs()) != 0 {
				t.Errorf("the book has %d programs and the pairs %v, want %d programs",
					book.Programs(), book.Pairs(), want)
			}
		})
	}

	if _, err := stategen.Generate(t.Context(), toy{}, stategen.Options{Calls: 1}, &stategen.Book{},
		1, nil); err == nil {
		t.Error("programs of one call")
	}
}

// Branches without a condition are no programs, and the others are.
func TestNothingToCompare(t *testing.T) {
	t.Parallel()

	var book stategen.Book

	d := odd{schema: func(s *shelf) stategen.Schema { return &barren{shelf: s, calls: -1, noCondition: true} }}
	options := paper
	options.Workers = 0 // is one

	report, err := stategen.Generate(t.Context(), d, options, &book, 30,
		func(task stategen.Task) error {
			if task.Program.Branch != nil || len(task.Cases) != 1 || task.Cases[0].Path != "main" {
				t.Errorf("%s has a branch", task.ID)
			}
			return nil
		})
	if err != nil || report.Kept != 30 ||
		report.Failed["there is nothing to compare or to answer"] == 0 {
		t.Errorf("%+v (%v)", report, err)
	}

	options.Calls = 2
	if _, tasks := generated(t, options, &book, 5); len(tasks) != 5 {
		t.Errorf("%d tasks of two calls", len(tasks))
	}
}

// A path has three edits for each of its calls where they are what is wanted most, and no more;
// they are no calls.
func TestEdits(t *testing.T) {
	t.Parallel()

	var book stategen.Book

	d := odd{schema: func(s *shelf) stategen.Schema { return &barren{shelf: s, calls: -1, edits: true} }}
	_, err := stategen.Generate(t.Context(), d, paper, &book, 40, func(task stategen.Task) error {
		count := func(all []stategen.Stmt) (calls, edits int) {
			for _, s := range all {
				if s.Call != nil {
					calls++
				} else {
					edits++
				}
			}

			return calls, edits
		}

		parts := [][]stategen.Stmt{task.Program.Main}
		before, _ := count(task.Program.Main)
		total := before

		if b := task.Program.Branch; b != nil {
			parts = append(parts, b.If.Stmts, b.Else.Stmts)
			after, _ := count(b.If.Stmts)
			total += after
		}

		if total != paper.Calls {
			t.Errorf("%s has %d calls", task.ID, total)
		}

		for _, part := range parts {
			calls, edits := count(part)
			if edits != 3*calls {
				t.Errorf("%s has %d edits and %d calls", task.ID, edits, calls)
			}
		}

		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Programs that are no task are left out, and change nothing of the others: wherever generating
// ends, going on gives the same tasks.
func TestGoingOn(t *testing.T) {
	t.Parallel()

	// About half of the programs are refused, never 200 in a row.
	d := odd{call: func(s stategen.State, tool string, args envs.Args) (stategen.State, any, error) {
		if text, _ := args.Text("number"); text != "" && text < "4" {
			return nil, nil, stategen.Refuse("no %s", text)
		}
		return toy{}.Call(s, tool, args)
	}}

	const n = 300

	run := func(ctx context.Context, book *stategen.Book, n int, yield func(stategen.Task) error) (
		report stategen.Report, texts []string, err error) {
		report, err = stategen.Generate(ctx, d, paper, book, n, func(task stategen.Task) error {
			text, err := json.Marshal(task)
			if err == nil {
				err = yield(task)
			}

			if err == nil {
				texts = append(texts, string(text))
			}
			return err
		})
		return report, texts, err
	}

	var whole stategen.Book

	report, want, err := run(t.Context(), &whole, n, func(stategen.Task) error { return nil })
	if err != nil || report.Kept != n || report.Rejected["the service refuses a call"] < 200 {
		t.Fatalf("%+v (%v)", report, err)
	}

	var kept stategen.Book
	var got []string

	for stop := 1; len(got) < n; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		left := stop

		_, texts, err := run(ctx, &kept, n-len(got), func(stategen.Task) error {
			if left--; left == 0 && stop%2 == 0 {
				cancel() // this one is yielded yet
			} else if left < 0 {
				return errDisk
			}

			return nil
		})

		cancel()

		if err != nil && !errors.Is(err, errDisk) && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}

		got = append(got, texts...)

		// The book goes on from a file.
		text, err := json.Marshal(&kept)
		if err != nil {
			t.Fatal(err)
		}

		kept = stategen.Book{}
		if err := json.Unmarshal(text, &kept); err != nil {
			t.Fatal(err)
		}
	}

	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("task %d is\n%s\nwant\n%s", i, got[i], want[i])
		}
	}

	x, _ := json.Marshal(&whole)
	y, _ := json.Marshal(&kept)

	if string(x) != string(y) ||
		whole.Programs() != n+report.Rejected["the service refuses a call"] {
		t.Errorf("the books are\n%s\n%s", x, y)
	}

	if err := json.Unmarshal([]byte(`{"programs": "many"}`), &kept); err == nil {
		t.Error("a book of text is read")
	}
}

// What both branches lead to differs, or there is no task; a flipped case that does not run is left
// out.
func TestBothBranches(t *testing.T) {
	t.Parallel()

	var book stategen.Book

	alike := odd{same: func(any, any) bool { return true }}

	report, err := stategen.Generate(t.Context(), alike, paper, &book, 20,
		func(task stategen.Task) error {
			if task.Program.Branch != nil {
				t.Errorf("%s: both branches lead to the same", task.ID)
			}
			return nil
		})
	if err != nil || report.Rejected["both branches answer the same"] == 0 {
		t.Errorf("%+v (%v)", report, err)
	}

	// The second branch never comes to an answer.
	paths := 0
	half := odd{content: func(_ stategen.State, v any) any {
		if paths++; paths%2 == 0 {
			return nil
		}
		return v
	}}
	options := paper
	options.Workers = 1

	for range 5 {
		paths = 0
		_, err = stategen.Generate(t.Context(), half, options, &book, 1,
			func(task stategen.Task) error {
				if len(task.Cases) != 1 {
					t.Errorf("%s has a case without an answer", task.ID)
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Check names the first case that does not lead where it says.
func TestCheck(t *testing.T) {
	t.Parallel()

	var book stategen.Book

	_, tasks := generated(t, paper, &book, 20)
	for _, whole := range tasks {
		if err := whole.Check(toy{}); err != nil {
			t.Error(err)
		}

		for want, change := range map[string]func(c *stategen.Case){
			"takes the path":                        func(c *stategen.Case) { c.Path = "other" },
			"RESULT is not the recorded one":        func(c *stategen.Case) { c.Result.Any = "other" },
			"the effects are not the recorded ones": func(c *stategen.Case) { c.Effects.Any = "other" },
		} {
			task := whole
			task.Cases = append([]stategen.Case(nil), whole.Cases...)
			last := len(task.Cases) - 1
			change(&task.Cases[last])

			if err := task.Check(toy{}); err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), task.ID+"/"+task.Cases[last].Path) {
				t.Errorf("%s: %v, want %s", task.ID, err, want)
			}
		}

		if err := whole.Check(odd{call: func(stategen.State, string, envs.Args) (stategen.State, any, error) {
			return nil, nil, errDisk
		}}); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", whole.ID, err)
		}
	}
}

// A schema is told how many calls are left, this one included, up to the branch or the end, and how
// many come behind the branch.
func TestWants(t *testing.T) {
	t.Parallel()

	for split, want := range map[int][]stategen.Want{
		4: {{Left: 5}, {Left: 4}, {Left: 3}, {Left: 2}, {Left: 1}},
		2: {
			{Left: 2, After: 3}, {Left: 1, After: 3}, {Left: 3}, {Left: 2}, {Left: 1}, {Left: 3},
			{Left: 2}, {Left: 1},
		},
	} {
		var got []stategen.Want
		var book stategen.Book

		d := odd{splits: []int{split}, schema: func(s *shelf) stategen.Schema {
			return &barren{shelf: s, calls: -1, unused: true, wants: &got}
		}}

		report, err := stategen.Generate(t.Context(), d, paper, &book, 1,
			func(task stategen.Task) error {
				for _, v := range task.Program.Init {
					if v.Name == "unused" {
						t.Error("a variable that nothing uses is told")
					}
				}

				return nil
			})
		if err != nil || len(report.Failed)+len(report.Rejected) > 0 || !slices.Equal(got, want) {
			t.Errorf("before a branch after %d calls wanted are %v, want %v (%v)", split, got, want, err)
		}
	}
}

// No call of one branch is made again in the other where there is something else to do, as there
// nearly always is with boxes: a new one, unless its number was drawn before.
func TestBranchesDiffer(t *testing.T) {
	t.Parallel()

	var book stategen.Book

	branches, again := 0, 0

	_, tasks := generated(t, paper, &book, 100)
	for _, task := range tasks {
		if task.Program.Branch == nil {
			continue
		}

		branches++

		made := map[string]bool{}
		for i, path := range []stategen.Path{task.Program.Branch.If, task.Program.Branch.Else} {
			for _, s := range path.Stmts {
				call := s.Call.Tool + " " + s.Call.Args[0].Expr.Var
				if s.Call.Tool == "new" {
					continue // its variables are others
				}

				if i == 1 && made[call] {
					again++
				}

				made[call] = true
			}
		}
	}

	if branches < 50 || again > 2 {
		t.Errorf("in %d branches %d calls are made again", branches, again)
	}
}
