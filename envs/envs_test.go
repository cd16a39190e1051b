package envs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistoryBranches(t *testing.T) {
	task := Task{ID: "q", Question: "?"}
	root := NewHistory(task)
	a := root.Append(Turn{Action: "a"})
	b, c := a.Append(Turn{Action: "b"}).Learn("first"), a.Append(Turn{Action: "c"})

	d := b.Append(Turn{Action: "d"}).Learn("second")
	for _, test := range []struct {
		name    string
		h       History
		actions []Action
		learned []string
	}{
		{"root", root, []Action{}, nil}, {"a", a, []Action{"a"}, nil}, {"b", b, []Action{"a", "b"}, []string{"first"}},
		{"c", c, []Action{"a", "c"}, nil}, {"d", d, []Action{"a", "b", "d"}, []string{"first", "second"}},
	} {
		actions := []Action{}
		for _, turn := range test.h.Turns() {
			actions = append(actions, turn.Action)
		}

		if diff := cmp.Diff(test.actions, actions); diff != "" {
			t.Errorf("%s: turns (-want +got):\n%s", test.name, diff)
		}

		if diff := cmp.Diff(test.learned, test.h.Learned()); diff != "" {
			t.Errorf("%s: learned (-want +got):\n%s", test.name, diff)
		}

		if test.h.Len() != len(test.actions) || !cmp.Equal(test.h.Task(), task) {
			t.Errorf("%s: length %d, task %v", test.name, test.h.Len(), test.h.Task())
		}

		if last, ok := test.h.Last(); ok != (len(actions) > 0) || ok && last.Action != actions[len(actions)-1] {
			t.Errorf("%s: last turn %v, %v", test.name, last, ok)
		}
	}
}

func TestSlicesOfAHistoryAreTheCallers(t *testing.T) {
	h := NewHistory(Task{}).Append(Turn{Action: "a"}).Learn("x")

	h.Turns()[0].Action, h.Learned()[0] = "changed", "changed"
	if h.Turns()[0].Action != "a" || h.Learned()[0] != "x" {
		t.Error("a history changed through a slice it gave away")
	}
}

func TestZeroHistory(t *testing.T) {
	var h History
	if _, ok := h.Last(); ok || h.Len() != 0 || len(h.Turns()) != 0 || h.Learned() != nil ||
		!cmp.Equal(h.Task(), Task{}) {
		t.Error("the zero history is not empty")
	}
}

// Stored logs name histories by their hashes: the value stands as earlier programs computed it.
func TestHashOfStoredLogs(t *testing.T) {
	task := Task{ID: "q", Question: "How much?", Labels: map[string]string{LabelDataset: "coffee", "other": "x"}}

	h := NewHistory(task).Append(Turn{Action: "look", Observation: "it is dark", Outcome: ToolError}).Learn("a tool")
	if got := h.Hash(); got != 14439658962114559097 {
		t.Errorf("hash %d", got)
	}
}

func TestNamesRoundTrip(t *testing.T) {
	for _, o := range Outcomes() {
		if got, err := ParseOutcome(o.String()); got != o || err != nil {
			t.Errorf("outcome %s is read back as %s, %v", o, got, err)
		}
	}

	for _, s := range []Status{Running, Terminated, Truncated} {
		if got, err := ParseStatus(s.String()); got != s || err != nil {
			t.Errorf("status %s is read back as %s, %v", s, got, err)
		}
	}

	if _, err := ParseOutcome("fine"); err == nil {
		t.Error("an unknown outcome was read")
	}

	if _, err := ParseStatus("fine"); err == nil {
		t.Error("an unknown status was read")
	}
}

func TestKindsOfOutcomes(t *testing.T) {
	for o, want := range map[Outcome][3]bool{ // invocation error, error, ends
		OK:              {},
		Malformed:       {true, true, false},
		InvalidAction:   {true, true, false},
		InvocationError: {true, true, false},
		Deprecated:      {false, true, false},
		ToolError:       {true, true, false},
		Correct:         {false, false, true},
		Incorrect:       {false, false, true},
	} {
		if got := [3]bool{o.IsInvocationError(), o.IsError(), o.Ends()}; got != want {
			t.Errorf("%s: %v, want %v", o, got, want)
		}
	}
}

// refusal is an error that says itself that it is final.
type refusal struct{}

func (refusal) Error() string { return "no" }
func (refusal) Final() bool   { return true }

func TestArgs(t *testing.T) {
	args := Args{{"b", "text"}, {"a", Number("1")}, {"n", nil}}
	if s, ok := args.Text("b"); s != "text" || !ok {
		t.Errorf("b is %q, %v", s, ok)
	}

	if _, ok := args.Text("a"); ok {
		t.Error("a number is text")
	}

	if v, ok := args.Get("n"); v != nil || !ok {
		t.Errorf("n is %v, %v", v, ok)
	}

	if _, ok := args.Get("missing"); ok {
		t.Error("found what is not there")
	}

	if diff := cmp.Diff([]string{"b", "a", "n"}, args.Names()); diff != "" {
		t.Error(diff)
	}
}

// The innermost stage is the one that failed; what wraps it later does not rename it.
func TestFailKeepsTheStage(t *testing.T) {
	err := Fail(StagePolicy, "propose", fmt.Errorf("outer: %w", Fail(StageStore, "write", io.ErrShortWrite)))
	if stage, ok := FailedStage(err); stage != StageStore || !ok || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("stage %q of %v", stage, err)
	}

	if !IsFinal(err) || IsFinal(Fail(StageTool, "run", io.EOF)) || IsFinal(nil) ||
		!IsFinal(fmt.Errorf("x: %w", refusal{})) {
		t.Error("IsFinal is wrong about a store, a tool, nothing, or a refusal")
	}

	if Fail(StageTool, "x", nil) != nil {
		t.Error("nothing failed, and yet there is an error")
	}

	if _, ok := FailedStage(io.EOF); ok {
		t.Error("a plain error names a stage")
	}
}

// memory remembers as a run's log does: the first result stays.
type memory struct {
	kept map[string]Result
	fail error
}

func (m *memory) Recall(_ context.Context, key string) (Result, bool, error) {
	r, ok := m.kept[key]
	return r, ok, nil
}

func (m *memory) Remember(_ context.Context, key string, r Result) error {
	if _, ok := m.kept[key]; !ok && m.kept != nil {
		m.kept[key] = r
	}
	return m.fail
}

// lookedAt is a memory that takes no more.
type lookedAt struct{ memory }

func (*lookedAt) ReadOnly() bool { return true }

// What a memory that takes no more lacks is not found, and what it has is recalled.
func TestRememberedReadOnly(t *testing.T) {
	m := &lookedAt{memory{kept: map[string]Result{"k": {Observation: "known"}}}}
	find := func() (Result, error) {
		t.Error("it is found")
		return Result{}, nil
	}

	if r, err := Remembered(t.Context(), m, "k", find); r.Observation != "known" || err != nil {
		t.Errorf("%+v, %v", r, err)
	}

	_, err := Remembered(t.Context(), m, "another", find)
	if stage, _ := FailedStage(err); !errors.Is(err, ErrNotRemembered) || stage != StageTool {
		t.Errorf("%v", err)
	}
}

// Who finds a result that another one has found meanwhile gives that of the other, and what is
// remembered is not found again.
func TestRemembered(t *testing.T) {
	full := errors.New("disk full")

	for _, tt := range []struct {
		name      string
		m         Memory
		meanwhile bool // another one finds "other" before this one
		want      string
		err       error
	}{
		{"no memory", nil, false, "own", nil},
		{"new", &memory{kept: map[string]Result{}}, false, "own", nil},
		{"known", &memory{kept: map[string]Result{"k": {Observation: "known"}}}, false, "known", nil},
		{"two at once", &memory{kept: map[string]Result{}}, true, "other", nil},
		{"a memory that keeps nothing", &memory{}, false, "own", nil},
		{"a full disk", &memory{kept: map[string]Result{}, fail: full}, false, "", full},
	} {
		found := 0
		find := func() (Result, error) {
			found++

			if tt.meanwhile {
				_ = tt.m.Remember(t.Context(), "k", Result{Observation: "other"})
			}
			return Result{Observation: "own"}, nil
		}

		r, err := Remembered(t.Context(), tt.m, "k", find)
		if r.Observation != tt.want || !errors.Is(err, tt.err) || found != 1 && tt.name != "known" {
			t.Errorf("%s: %+v, %v, found %d times", tt.name, r, err, found)
		}
	}

	if _, err := Remembered(t.Context(), &memory{}, "k", func() (Result, error) {
		return Result{}, full
	}); !errors.Is(err, full) {
		t.Errorf("what cannot be found: %v", err)
	}
}
