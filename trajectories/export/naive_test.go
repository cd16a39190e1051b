package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// forest is the trajectories of some questions that ended, of several trees of two runs. Calls are
// few and what comes of them is drawn, so that the same state occurs again and again and ends both
// ways. Some turns cannot be read, some were cut, and some hold a control token.
func forest(seed uint64) []trajectories.Row {
	var rows []trajectories.Row

	for q := range 2 {
		for run := range 2 {
			for tree := range 3 {
				rng := rand.New(rand.NewPCG(seed, uint64(q*100+run*10+tree)))
				t := &mcts.TreeRecord{Tree: tree, Nodes: []mcts.Record{{Parent: mcts.NoParent}}}
				plant(t, rng, 0)

				rows = append(rows, trajectories.Ended(trajectories.Meta{
					Run: trajectories.Run{
						ID: fmt.Sprint("run", run), Hash: fmt.Sprint(run), PromptAPI: "p_c", DeployedAPI: "p_s_in",
					},
					Question: trajectories.Question{
						ID: fmt.Sprint("q", q), Split: "train", Index: q, Text: fmt.Sprintf("How much %d?", q),
					},
				}, t)...)
			}
		}
	}

	return slices.Collect(values(synth.Sorted(rows)))
}

// plant grows the children of a node.
func plant(t *mcts.TreeRecord, rng *rand.Rand, parent int) {
	for ordinal := range 1 + rng.IntN(3) {
		call := envs.Call{Name: "Look", Args: envs.Args{{Name: "at", Value: fmt.Sprint(rng.IntN(3))}}}
		n := mcts.Record{
			ID: len(t.Nodes), Parent: parent, Depth: t.Nodes[parent].Depth + 1, Ordinal: ordinal,
			Action: action.ReAct{}.Format(fmt.Sprint("thought ", rng.IntN(2)), call), Tool: "Look", Name: "Look",
			Observation: fmt.Sprint("saw ", rng.IntN(6)/5), Visits: rng.IntN(4),
		}

		switch rng.IntN(12) {
		case 0:
			n.Action, n.Outcome = strings.TrimSuffix(n.Action, "}"), envs.InvocationError
		case 1:
			n.Action, n.Outcome, n.Cut = "Thought: I", envs.Malformed, true
		case 2:
			n.Action = action.ReAct{}.Format("a <|token|>", call)
		case 3, 4:
			n.Outcome, n.Grade = envs.Correct, envs.Grade{Official: true, Strict: true}
		case 5, 6:
			n.Outcome = envs.Incorrect
		case 7:
			n.Limit = mcts.LimitDepth
		case 8:
			n.Limit = mcts.LimitContext
		}

		if _, err := (action.ReAct{}).Parse(n.Action); err != nil {
			n.Tool, n.Name = "", ""
		}

		n.Key = action.Key(action.ReAct{}, n.Action)
		t.Nodes = append(t.Nodes, n)

		if !n.Outcome.Ends() && n.Limit == "" && n.Depth < 4 {
			plant(t, rng, n.ID)
		}
	}
}

// reader reads an export beside the trajectories that it was made of, and knows nothing but what
// the package comment says.
type reader struct {
	*testing.T
	rows []trajectories.Row
}

// ends counts how the trajectories ended that make a call where these calls met these observations.
func (r reader) ends(messages []export.Message) (right, wrong, cut int) {
	question, did := strings.TrimPrefix(messages[0].Value, "Question: "), story(messages[1:])

	for _, row := range r.rows {
		turns, n := turnsOf(&row), len(messages)-1
		if row.Question != question || len(turns) < n || story(turns[:n]) != did {
			continue
		}

		switch {
		case row.IsCorrect():
			right++
		case row.Cuts > 0:
			cut++
		default:
			wrong++
		}
	}

	return right, wrong, cut
}

// turnsOf are the turns of a trajectory as messages, the last but for its observation.
func turnsOf(row *trajectories.Row) (all []export.Message) {
	for _, t := range row.Turns {
		all = append(all, export.Message{From: export.GPT, Value: t.Action},
			export.Message{From: export.Observation, Value: t.Observation})
	}
	return all[:max(len(all)-1, 0)]
}

// story is what was called and observed, whatever was thought.
func story(messages []export.Message) string {
	var all []string

	for _, m := range messages {
		if m.From == export.GPT {
			m.Value = action.Key(action.ReAct{}, m.Value)
		}

		all = append(all, m.Value)
	}
	return strings.Join(all, "\n")
}

// find returns the trajectory to a leaf, of the question that a line of the lineage is about.
func (r reader) find(l *export.Lineage, tree int, path string) *trajectories.Row {
	for i, row := range r.rows {
		if row.QuestionID == l.QuestionID && row.RunID == l.RunID && row.Tree == tree && row.NodePath == path {
			return &r.rows[i]
		}
	}

	r.Fatalf("no trajectory %s of tree %d of %s", path, tree, l.RunID)
	return nil
}

// good checks an action that is to be learnt: one that can be read, and leads to a right answer.
func (r reader) good(state []export.Message, reply export.Message) {
	if right, _, _ := r.ends(append(slices.Clip(state), reply)); right == 0 {
		r.Errorf("no trajectory with the good action %q ends well after %v", reply.Value, state)
	}

	if _, err := (action.ReAct{}).Parse(reply.Value); err != nil {
		r.Errorf("the good action %q cannot be read", reply.Value)
	}
}

// bad checks an action that is not to be learnt: one that fails wherever it is done.
func (r reader) bad(state []export.Message, reply export.Message) {
	if right, wrong, cut := r.ends(append(slices.Clip(state), reply)); right > 0 || cut > 0 || wrong == 0 {
		r.Errorf("the bad action %q ends well %d times, badly %d times, and was cut %d times, after %v", reply.Value,
			right, wrong, cut, state)
	}
}

// pair checks that a rejected action is a sibling of the chosen one, and does something else.
func (r reader) pair(s *export.Sample, l *export.Lineage) {
	chosen, rejected := r.find(l, l.Tree, l.NodePath), r.find(l, *l.RejectedTree, l.RejectedPath)
	at := l.Step - 1

	if chosen.Turns[at].Action != s.Chosen.Value || rejected.Turns[at].Action != s.Rejected.Value ||
		chosen.Turns[at].Key == rejected.Turns[at].Key || l.Tree != *l.RejectedTree ||
		!slices.EqualFunc(chosen.Turns[:at], rejected.Turns[:at], sameTurn) {
		r.Errorf("action %d of %s and of %s are no siblings", l.Step, chosen.Name(), rejected.Name())
	}
}

func sameTurn(a, b trajectories.Turn) bool {
	return a.Action == b.Action && a.Observation == b.Observation
}

// transcripts checks that a rejected transcript is one of the run that failed, and fails
// everywhere.
func (r reader) transcripts(s *export.Sample, l *export.Lineage) {
	rejected := r.find(l, *l.RejectedTree, l.RejectedPath)
	if rejected.IsCorrect() || rejected.Cuts > 0 || !strings.HasSuffix(s.Rejected.Value,
		rejected.Turns[len(rejected.Turns)-1].Action) {
		r.Errorf("%s is no failure, or not what is rejected: %s", rejected.Name(), s.Rejected.Value)
	}

	turns := turnsOf(rejected)
	r.bad(append(slices.Clip(s.Conversations), turns[:len(turns)-1]...), turns[len(turns)-1])
}

// A naive reader finds of every sample that it is what the package promises: nothing rejected
// succeeds in that state in any tree of any run, nothing is there twice, and the lineage names what
// it is of.
func TestNaiveReader(t *testing.T) {
	counts := map[export.Format]int{}

	for seed := range uint64(12) {
		all := forest(seed)

		for _, format := range []export.Format{export.SFTStep, export.KTO, export.DPO, export.Reward} {
			rows := slices.DeleteFunc(slices.Clone(all), func(r trajectories.Row) bool {
				return !format.NeedsFailures() && !r.IsCorrect()
			})
			dir := filepath.Join(t.TempDir(), "export")
			m := wrote(t, dir, rows, export.Options{Format: format})
			counts[format] += m.Rows

			r, seen, sum := reader{t, all}, map[string]bool{}, 0

			for i, s := range synth.Collect(t, export.Read(dir, false)) {
				l := lineage(t, dir)[i]
				sum += l.Count
				r.read(format, &s, &l)

				text := fmt.Sprint(s)
				if seen[text] || strings.Contains(text, "<|") {
					t.Errorf("%s: a sample is there twice, or holds a control token: %s", format, text)
				}

				seen[text] = true
			}

			if format == export.SFTStep && sum+m.Lint.Samples != steps(rows) {
				t.Errorf("seed %d: the counts come to %d, and there are %d steps", seed, sum, steps(rows))
			}
		}
	}

	for format, n := range counts {
		if n < 20 {
			t.Errorf("%d samples of %s in all: the test shows nothing", n, format)
		}
	}
}

// read checks a sample of a format.
func (r reader) read(format export.Format, s *export.Sample, l *export.Lineage) {
	last := len(s.Conversations) - 1

	switch {
	case format == export.Reward:
		r.transcripts(s, l)
	case format == export.DPO:
		r.good(s.Conversations, s.Chosen)
		r.bad(s.Conversations, s.Rejected)
		r.pair(s, l)
	case format == export.KTO && !s.Good:
		r.bad(s.Conversations[:last], s.Conversations[last])
	default:
		r.good(s.Conversations[:last], s.Conversations[last])
	}
}

// steps counts the nodes with a readable action on the trajectories that can be chosen.
func steps(rows []trajectories.Row) int {
	nodes, known := map[string]bool{}, map[string]bool{}

	for _, row := range rows {
		whole := fmt.Sprint(row.Cuts, row.Turns)
		if row.Cuts > 0 || strings.Contains(whole, "<|") || known[row.QuestionID+row.Key] {
			continue
		}

		known[row.QuestionID+row.Key] = true
		ordinals := strings.Split(row.NodePath, ".")

		for i, t := range row.Turns {
			if _, err := (action.ReAct{}).Parse(t.Action); err == nil {
				nodes[fmt.Sprint(row.QuestionID, row.RunID, row.Tree, ordinals[:i+2])] = true
			}
		}
	}

	return len(nodes)
}

// lineage reads the lineage of an export.
func lineage(t *testing.T, dir string) (all []export.Lineage) {
	t.Helper()

	data, err := os.ReadFile(filepath.Join(dir, export.LineageFile))
	if err != nil {
		t.Fatal(err)
	}

	for line := range bytes.Lines(data) {
		var l export.Lineage
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}

		all = append(all, l)
	}
	return all
}
