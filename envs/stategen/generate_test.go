package stategen_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// generated returns the tasks of the toy domain as JSON, and the book behind them.
func generated(t *testing.T, o stategen.Options, book *stategen.Book, n int) (texts [][]byte, tasks []stategen.Task) {
	t.Helper()

	_, err := stategen.Generate(t.Context(), toy{}, o, book, n, func(task stategen.Task) error {
		text, err := json.Marshal(task)
		texts, tasks = append(texts, text), append(tasks, task)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return texts, tasks
}

var paper = stategen.Options{Calls: 5, Selector: stategen.Argmax, Seed: 7, Workers: 2}

func TestSameSeedSameTasks(t *testing.T) {
	for _, s := range stategen.Selectors() {
		one, many := paper, paper
		one.Selector, many.Selector = s, s
		one.Workers, many.Workers = 1, 8

		var first, second stategen.Book

		a, _ := generated(t, one, &first, 50)
		b, _ := generated(t, many, &second, 20)
		text, err := json.Marshal(&second)
		if err != nil {
			t.Fatal(err)
		}

		var kept stategen.Book // a book that was kept goes on
		if err := json.Unmarshal(text, &kept); err != nil {
			t.Fatal(err)
		}

		c, _ := generated(t, many, &kept, 30)
		if !slices.EqualFunc(a, append(b, c...), bytes.Equal) {
			t.Errorf("%s: 50 tasks at once are not 20 and 30", s)
		}

		x, _ := json.Marshal(&first)
		y, _ := json.Marshal(&kept)
		if !bytes.Equal(x, y) {
			t.Errorf("%s: the books are\n%s\n%s", s, x, y)
		}
	}
}

func TestPathsHaveTheirCalls(t *testing.T) {
	var book stategen.Book

	branches := 0

	_, tasks := generated(t, paper, &book, 300)
	for _, task := range tasks {
		for _, c := range task.Cases {
			calls := map[string]int{}

			o, err := stategen.Replay(toy{}, &task.Program, c, func(tool string, args envs.Args) {
				text, _ := json.Marshal(stategen.Value{Any: args})
				calls[tool+string(text)]++
			})
			if err != nil {
				t.Fatal(task.ID, err)
			}

			n := 0
			for call, times := range calls {
				if n += times; times > 1 {
					t.Errorf("%s: %s is called %d times", task.ID, call, times)
				}
			}

			if n != paper.Calls || o.Path != c.Path {
				t.Errorf("%s/%s: %d calls on the path %s", task.ID, c.Path, n, o.Path)
			}

			want := stategen.Oracle{Result: c.Result.Any, Effects: c.Effects.Any}
			if !stategen.Passes(toy{}, o, want) {
				t.Errorf("%s/%s: does not pass its own case", task.ID, c.Path)
			}
		}

		if task.Program.Branch != nil {
			branches++
			if len(task.Cases) != 2 || task.Cases[1].Path != "else" {
				t.Errorf("%s: its cases are %v", task.ID, task.Cases)
			}

			// The condition compares with what is there, and in the second case with the next
			// number.
			last := task.Program.Init[slices.IndexFunc(task.Program.Init,
				func(v stategen.Variable) bool {
					return v.Role == stategen.Constant
				})]
			found, _ := last.Value.Any.(envs.Number)
			flipped, _ := task.Cases[1].Set[last.Name].Any.(envs.Number)
			x, err1 := strconv.Atoi(string(found))
			y, err2 := strconv.Atoi(string(flipped))

			if err := errors.Join(err1, err2); err != nil || y != x+1 {
				t.Errorf("%s: %s is %q, and %q in the second case", task.ID, last.Name, found,
					flipped)
			}
		}
	}

	if branches < 150 || branches > 250 { // 2 of 3 splits are branches
		t.Errorf("%d of 300 programs have a branch", branches)
	}
}

func TestBookIsWhatTheProgramsDo(t *testing.T) {
	var book stategen.Book

	_, tasks := generated(t, paper, &book, 40)
	want := map[stategen.Pair]int{}

	for _, task := range tasks {
		by := map[string]string{}
		count := func(all []stategen.Stmt) {
			for _, s := range all {
				producer := stategen.None
				if v := s.Call.Args[0].Expr.Var; by[v] != "" {
					producer = by[v]
				}

				want[stategen.Pair{Producer: producer, Consumer: s.Call.Tool}]++
				by[s.Call.Assign] = s.Call.Tool
			}
		}

		count(task.Program.Main)

		if b := task.Program.Branch; b != nil {
			count(b.If.Stmts)
			count(b.Else.Stmts)
		}
	}

	for _, p := range book.Pairs() {
		if book.Count(p) != want[p] {
			t.Errorf("%v is counted %d times, and occurs %d times", p, book.Count(p), want[p])
		}

		delete(want, p)
	}

	if len(want) > 0 {
		t.Errorf("not in the book: %v", want)
	}
}

func TestMutantsAreCaught(t *testing.T) {
	var book stategen.Book

	seen := map[string]int{}

	_, tasks := generated(t, paper, &book, 100)
	for _, task := range tasks {
		for _, m := range stategen.Mutants(task) {
			seen[m.Kind]++

			want, err := stategen.Replay(toy{}, &task.Program, m.Case, nil)
			if err != nil {
				t.Fatal(err)
			}

			got, err := stategen.Replay(toy{}, &m.Program, m.Case, nil)
			if err == nil && stategen.Passes(toy{}, got, want) {
				t.Errorf("%s: the mutant %s passes", task.ID, m.Kind)
			}

			var f *stategen.Fault
			if m.Kind == stategen.UnknownTool && !errors.As(err, &f) {
				t.Errorf("%s: the mutant %s ends with %v", task.ID, m.Kind, err)
			}
		}
	}

	for _, kind := range []string{
		stategen.NoResult, stategen.EmptyResult, stategen.Dropped, stategen.Swapped, stategen.UnknownTool,
	} {
		if seen[kind] == 0 {
			t.Errorf("no mutant %s", kind)
		}
	}
}

func TestNamesOfBothBranchesDiffer(t *testing.T) {
	var book stategen.Book

	_, tasks := generated(t, paper, &book, 200)
	for _, task := range tasks {
		seen := map[string]bool{}
		for _, v := range task.Program.Init {
			if seen[v.Name] {
				t.Errorf("%s declares %s twice", task.ID, v.Name)
			}

			seen[v.Name] = true
		}
	}
}

func TestInterruptedGenerationGoesOn(t *testing.T) {
	var whole, book stategen.Book

	want, _ := generated(t, paper, &whole, 40)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	var got [][]byte

	_, err := stategen.Generate(ctx, toy{}, paper, &book, 40, func(task stategen.Task) error {
		if text, _ := json.Marshal(task); len(got) < 11 {
			got = append(got, text)
		}

		if len(got) == 11 {
			stop()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}

	rest, _ := generated(t, paper, &book, 29)
	if !slices.EqualFunc(append(got, rest...), want, bytes.Equal) {
		t.Error("what was interrupted after 11 tasks does not go on as if it had not been")
	}
}
