package estimate

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/google/go-cmp/cmp/cmpopts"
	"toolevo/mcts/account"

	"toolevo/envs"
	"toolevo/mcts"
)

var nearly = cmpopts.EquateApprox(0, 0.01)

// Worked by hand. Three of 12 questions took 10, 20 and 30 calls: mean 20, total 240, deviation 10,
// and t(0.975, 2) is 4.3027; half the interval is 4.3027 * 10/sqrt(3) * sqrt(1 - 3/12) * 12 =
// 258.16, so its lower end is the 60 seen.
func TestOf(t *testing.T) {
	t.Parallel()
	sample := []Usage{{10, 1000, 100}, {20, 2000, 200}, {30, 3000, 300}}

	got, err := Of(sample, Options{
		Questions: 12, Bytes: 900, Rate: 50, Prices: &account.Prices{Prompt: 2, Completion: 10},
	})
	if err != nil {
		t.Fatal(err)
	}

	want := &Estimate{
		Sample:           3,
		Calls:            Total{240, 60, 498.16},
		PromptTokens:     Total{24000, 6000, 49815.92},
		CompletionTokens: Total{2400, 600, 4981.59},
		Bytes:            3600,
		Seconds:          &Total{48, 12, 99.63},
		Rate:             50,
		Cost:             &Total{0.072, 0.018, 0.14945}, // 24000 * 2/1e6 + 2400 * 10/1e6
		Prices:           &account.Prices{Prompt: 2, Completion: 10},
	}
	if diff := cmp.Diff(want, got, nearly); diff != "" {
		t.Error(diff)
	}
}

// What is not known is not estimated: no time without a rate, no cost without prices, no interval
// from one question, and none where all questions were measured.
func TestUnknown(t *testing.T) {
	t.Parallel()

	one, err := Of([]Usage{{7, 70, 0}}, Options{Questions: 3})
	if err != nil {
		t.Fatal(err)
	}

	want := &Estimate{Sample: 1, Calls: Total{21, 21, 21}, PromptTokens: Total{210, 210, 210}}
	if diff := cmp.Diff(want, one); diff != "" {
		t.Error(diff)
	}

	all, err := Of([]Usage{{1, 0, 0}, {5, 0, 0}}, Options{Questions: 2})
	if err != nil || all.Calls != (Total{6, 6, 6}) {
		t.Errorf("%+v, %v", all, err)
	}

	for _, n := range []int{0, 1} {
		if _, err := Of(make([]Usage, 2*n), Options{Questions: n}); err == nil {
			t.Errorf("%d questions of %d: no error", 2*n, n)
		}
	}
}

// echo answers with two samples, or not at all.
type echo struct{ err error }

func (e echo) Propose(context.Context, mcts.Request) ([]mcts.Proposal, error) {
	return []mcts.Proposal{{Text: "four"}, {Text: "ignored", Tokens: 9}}, e.err
}

func TestMeter(t *testing.T) {
	t.Parallel()
	m := &Meter{
		Next:   echo{},
		Prompt: func(envs.History) string { return "a prompt" },
		Tokens: func(text string) float64 { return float64(len(text)) },
	}

	for range 3 {
		if _, err := m.Propose(t.Context(), mcts.Request{Node: mcts.NodeID{Question: "q"}, N: 2}); err != nil {
			t.Fatal(err)
		}
	}

	talk, end := m.Converse() // whose requests count with the others
	defer end()

	if _, err := talk.Propose(t.Context(), mcts.Request{Node: mcts.NodeID{Question: "talk"}}); err != nil {
		t.Fatal(err)
	}

	want := []Usage{{}, {3, 24, 39}, {1, 8, 13}}
	if diff := cmp.Diff(want, m.Used([]string{"none", "q", "talk"})); diff != "" {
		t.Error(diff)
	}

	// A model of one sample a request reads the prompt for each of the two.
	m.Single = true
	one := mcts.Request{Node: mcts.NodeID{Question: "one"}}
	if _, err := m.Propose(t.Context(), one); err != nil {
		t.Fatal(err)
	}

	if got := m.Used([]string{"one"})[0]; got != (Usage{1, 16, 13}) {
		t.Errorf("with a request for each sample: %+v", got)
	}

	failing := &Meter{Next: echo{err: errors.New("down")}}
	if _, err := failing.Propose(t.Context(), mcts.Request{}); err == nil || failing.Used([]string{""})[0].Calls != 0 {
		t.Error("a call that failed counts")
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}

	for n, want := range map[int][]int{1: {5}, 2: {2, 7}, 3: {1, 5, 8}, 10: all, math.MaxInt32: all} {
		if diff := cmp.Diff(want, Spread(all, n)); diff != "" {
			t.Errorf("%d: %s", n, diff)
		}
	}
}

func TestCalibrate(t *testing.T) {
	t.Parallel()
	sample := []Usage{{PromptTokens: 100}, {PromptTokens: 300}}
	Calibrate(sample, 0)

	if sample[1].PromptTokens != 300 {
		t.Error("no count is taken for one of none")
	}

	Calibrate(sample, 200)

	if sample[0].PromptTokens != 50 || sample[1].PromptTokens != 150 {
		t.Errorf("%v, want 50 and 150", sample)
	}
}
