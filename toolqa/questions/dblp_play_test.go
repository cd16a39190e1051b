package questions

import (
	"testing"

	"toolevo/toolqa/corpus/synth"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

func dblpOptions(n int) synth.Options { return synth.Options{Seed: 1, Rows: n} }

// syntheticDBLP builds a corpus of n papers.
func syntheticDBLP(t testing.TB, n int) *corpus.Corpus {
	t.Helper()
	return synthetic(t, toolqa.DBLP, dblpOptions(n))
}

// The reader finds the answers, and none of its calls fails for another reason than that the tool
// has another name.
func TestReaderSolvesDBLP(t *testing.T) {
	c := syntheticDBLP(t, 3_000)
	qs := drawEach(t, mustLoad(t, c), 6)

	w := newWorld(t, c)
	for _, api := range apiVersions {
		for _, e := range w.play(api, qs) {
			if !e.right() {
				e.report(t.Errorf, api)
			}

			for _, turn := range e.history.Turns() {
				if turn.Outcome != envs.OK && turn.Outcome != envs.Deprecated && turn.Outcome != envs.Correct {
					t.Errorf("%s: %q: %s: %s", api, e.Text, turn.Outcome, turn.Action)
				}
			}
		}
	}
}

// The plans go on from nothing that the tools do not print.
func TestDBLPPlans(t *testing.T) {
	c := syntheticDBLP(t, 1_000)
	for _, q := range newWorld(t, c).play("p_c", drawEach(t, mustLoad(t, c), 2)) {
		if !q.right() {
			q.report(t.Errorf, "p_c")
			continue
		}

		plan, _ := Plan(q.Text)

		var results []string
		for _, turn := range q.history.Turns() {
			_, call, err := plan(results)
			if err != nil {
				t.Fatal(err)
			}

			for _, wrong := range []string{"", "There is something wrong.", turn.Observation + " ...", "{}",
				"Degree: one; 1 neighbors: [('A', 'weight: x')]; Total 1 papers; Paper list: B"} {
				if call.Tool == "PythonInterpreter" || call.Tool == "Finish" {
					break
				}

				if call.Tool == "NeighbourCheck" && wrong == turn.Observation+" ..." {
					continue // of a list that is cut the head is enough for some questions
				}

				if call.Tool == "NodeCheck" && wrong == turn.Observation+" ..." || call.Tool == "LoadGraph" &&
					wrong == turn.Observation+" ..." {
					continue
				}

				if _, next, err := plan(append(results, wrong)); err == nil {
					t.Errorf("%q: the plan takes %q for the result of %s and calls %v", q.Text, wrong, call.Tool, next)
				}
			}

			results = append(results, turn.Observation)
		}
	}
}
