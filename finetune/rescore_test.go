package finetune_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune"
	"toolevo/trajectories"
)

// An episode of no job is no part of an evaluation, and one that cannot be read ends it.
func TestEpisodesOfNobody(t *testing.T) {
	cell := finetune.Cell{Policy: "p", API: "p_c", Dataset: "coffee", Difficulty: "easy"}
	jobs, _ := played([]answered{{cell: cell, verdicts: "1"}})
	gone := errors.New("gone")

	for name, test := range map[string]struct {
		policy string
		err    error
	}{"another policy": {"q", nil}, "not read": {"p", gone}} {
		one := func(yield func(trajectories.Episode, error) bool) {
			e := trajectories.Episode{}
			e.Policy, e.DeployedAPI, e.QuestionID = test.policy, cell.API, "0"
			e.Labels = map[string]string{"dataset": cell.Dataset, "difficulty": cell.Difficulty}

			if yield(e, test.err) {
				t.Errorf("%s: it goes on", name)
			}
		}
		match := finetune.Verdict{Match: func(string, string) bool { return true }}

		report, err := finetune.Summarise(jobs, one)
		rescored, errR := finetune.Rescore(jobs, one, match)

		if err == nil || errR == nil || report != nil || rescored != nil ||
			test.err != nil && (!errors.Is(err, gone) || !errors.Is(errR, gone)) {
			t.Errorf("%s: %v, %v", name, err, errR)
		}
	}
}

// The matcher is asked about answers alone: what was lost is not measured, and who gave no answer
// stays wrong.
func TestRescore(t *testing.T) {
	cell := finetune.Cell{Policy: "p", API: "p_c", Dataset: "coffee", Difficulty: "easy"}
	jobs, episodes := played([]answered{{cell: cell, verdicts: "0011-0"}})

	n := 0

	got, err := finetune.Rescore(jobs, func(yield func(trajectories.Episode, error) bool) {
		for e := range episodes {
			e.Question, e.Gold, e.Answer = "Which?", e.QuestionID, e.QuestionID
			if e.QuestionID == "2" {
				e.Answer = "another"
			}

			if e.QuestionID == "5" {
				e.Status = "truncated"
			}

			yield(e, nil)
		}
	}, finetune.Verdict{
		Match: func(gold, answer string) bool { n++; return gold == answer },
		Kept:  func(e *trajectories.Episode) bool { return e.Official },
	})
	if err != nil || n != 4 {
		t.Fatalf("asked %d times, %v", n, err)
	}

	low, high := interval(3, 5)
	change := func(id, answer string, correct bool) finetune.Rescoring {
		return finetune.Rescoring{
			Cell: cell, QuestionID: id, Question: "Which?", Gold: id, Answer: answer, Correct: correct,
		}
	}

	want := &finetune.Rescored{
		Rows: []finetune.RescoredRow{{
			Cell: cell, N: 5, Official: 0.4, Rescored: 0.6, RescoredLow: low, RescoredHigh: high, Gained: 2, Dropped: 1,
		}},
		Changed: []finetune.Rescoring{change("0", "0", true), change("1", "1", true), change("2", "another", false)},
		Revised: 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	// Of one question the accuracy is whole.
	one, played := played([]answered{{cell: cell, verdicts: "1"}})

	single, err := finetune.Rescore(one, played, finetune.Verdict{
		Match: func(string, string) bool { return true },
	})
	if err != nil {
		t.Fatal(err)
	}

	if row := single.Rows[0]; row.Official != 1 || row.Rescored != 1 || single.Revised != 0 {
		t.Errorf("%+v", single)
	}

	// Two episodes of a question are one question.
	repeated, episodesOf := attempted("p", "10")

	single, err = finetune.Rescore(repeated, all(episodesOf), finetune.Verdict{
		Match: func(string, string) bool { return true },
	})
	if err != nil || single.Rows[0].N != 1 || single.Rows[0].Official != 0.5 {
		t.Errorf("%v: %+v", err, single)
	}

	var b strings.Builder

	table := "policy  api  data         n  official       rescored  gained  dropped\n" +
		"p       p_c  coffee-easy  5      40.0  60.0 [15, 95]       2        1\n"
	if err := got.WriteTable(&b); err != nil || !strings.HasSuffix(b.String(), table) {
		t.Errorf("%v:\n%s\nwant\n%s", err, b.String(), table)
	}
}
