package finetune_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune"
	"toolevo/finetune/statistics"
)

// The mean of a policy is that of all its questions, where there are easy and hard ones, too.
func TestMean(t *testing.T) {
	cell := func(difficulty string) finetune.Cell {
		return finetune.Cell{Policy: "p", API: "p_c", Dataset: "coffee", Difficulty: difficulty}
	}
	r := reported(t,
		answered{cell: cell("easy"), verdicts: "11"}, answered{cell: cell("hard"), verdicts: "10"})

	s, ok := r.Mean(finetune.Contender{Policy: "p", API: "p_c"})
	if !ok || s.Official != 0.75 || s.N != 4 {
		t.Errorf("%v, %+v", ok, s)
	}

	if s, ok := r.Mean(finetune.Contender{Policy: "p", API: "p_s_in"}); ok {
		t.Errorf("nobody has the mean %+v", s)
	}
}

func TestOverall(t *testing.T) {
	cell := func(api, dataset string) finetune.Cell {
		return finetune.Cell{Policy: "p", API: api, Dataset: dataset, Difficulty: "easy"}
	}
	r := &finetune.Report{
		Engines: []string{"bwrap"},
		Rows: []finetune.Row{
			{
				Cell:     cell("old", "coffee"),
				N:        4,
				Official: 0.75,
				Strict:   0.5,
				Turns:    3,
				Outcomes: map[string]int{"ok": 1, "deprecated": 1},
			},
			{Cell: cell("new", "coffee"), N: 0, Lost: 4, FirstLoss: "gone"},
			{
				Cell:     cell("old", "yelp"),
				N:        16,
				Lost:     1,
				Official: 0.25,
				Strict:   0.25,
				Turns:    8,
				Outcomes: map[string]int{"ok": 1, "tool-error": 2},
				TooLong:  2,

				RepeatedTurns: 1, RepeatedShare: 1.0 / 3,
			},
		},
	}

	got := r.Overall()
	all := func(api string) finetune.Cell { return finetune.Cell{Policy: "p", API: api, Dataset: "all"} }

	want := &finetune.Report{Engines: []string{"bwrap"}, Rows: []finetune.Row{
		{
			Cell: all("old"), N: 20, Lost: 1, TooLong: 2,
			Outcomes: map[string]int{"ok": 2, "deprecated": 1, "tool-error": 2},
			Official: 0.35, // 3 + 4 of 20
			Strict:   0.3,  // 2 + 4 of 20
			Turns:    7,    // (4·3 + 16·8) / 20

			RepeatedTurns: 1, RepeatedShare: 0.2, // of 2 + 3 turns
		},
		{Cell: all("new"), Lost: 4, FirstLoss: "gone", Outcomes: map[string]int{}},
	}}
	for i, k := range []int{7, 0} {
		w := &want.Rows[i]
		w.OfficialLow, w.OfficialHigh = statistics.Wilson(k, w.N)
		w.StrictLow, w.StrictHigh = statistics.Wilson(max(k-1, 0), w.N)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
