package finetune_test

import (
	"testing"

	"toolevo/finetune"
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
