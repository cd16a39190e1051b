package viewer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"toolevo/envs"
	"toolevo/finetune/viewer"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// source is a run in memory, to which attempts can be added.
type source struct {
	mu       sync.Mutex
	attempts map[string][]viewer.Attempt
	open     map[string]int
}

func (s *source) Counts(context.Context) (map[string]viewer.Count, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	counts := map[string]viewer.Count{}
	for id, attempts := range s.attempts {
		counts[id] = viewer.Count{Stored: len(attempts)}
	}

	for id, open := range s.open {
		counts[id] = viewer.Count{Stored: counts[id].Stored, Open: open}
	}
	return counts, nil
}

func (s *source) Attempts(_ context.Context, q trajectories.Question) ([]viewer.Attempt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.attempts[q.ID]), nil
}

func (s *source) Prompt(row *trajectories.Row) (string, error) {
	return fmt.Sprintf("the prompt of %s after %d turns", row.QuestionID, len(row.Turns)), nil
}

func (s *source) add(q trajectories.Question, api string, tree *mcts.TreeRecord) {
	s.mu.Lock()
	defer s.mu.Unlock()

	meta := trajectories.Meta{Run: trajectories.Run{Policy: "scripted:noisy", DeployedAPI: api}, Question: q}
	s.attempts[q.ID] = append(s.attempts[q.ID], viewer.Attempt{API: api, Meta: meta, Tree: tree})
}

// hostile is text that would be a script, were it not escaped.
const hostile = `<script>document.title = "caught"</script><img src="https://example.org/x">` + "\x1b[2J\u202e"

// node is a node of a tree, by its parent.
func node(parent int, tool string, outcome envs.Outcome) mcts.Record {
	return mcts.Record{
		Parent: parent, Action: "Thought: I call " + tool + ".\nAction: " + tool + "\nAction Input: {}", Tool: tool,
		Name: tool, Key: tool + " {}", Observation: "seen by " + tool, Outcome: outcome, Prior: 0.5, Visits: 2,
		TotalValue: 1, Expanded: true, Draws: 1,
	}
}

// treeOf is a tree of some nodes, the root first.
func treeOf(nodes ...mcts.Record) *mcts.TreeRecord {
	t := &mcts.TreeRecord{Calls: len(nodes), Simulations: 3, Nodes: nodes}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.ID = i

		if i == 0 {
			n.Parent = mcts.NoParent
			continue
		}

		n.Depth = t.Nodes[n.Parent].Depth + 1
	}
	return t
}

// recovered is a tree in which one branch reads a notice and answers rightly, and another one gives
// up.
func recovered() *mcts.TreeRecord {
	right, wrong := node(3, "Finish", envs.Correct), node(1, "Finish", envs.Incorrect)
	right.Grade = envs.Grade{Answer: "7", Official: true, Strict: true}
	wrong.Answer = "unknown"
	cached := node(5, "Later", envs.OK)
	update := node(2, "UpdateTool", envs.OK)

	t := treeOf(mcts.Record{Expanded: true}, node(0, "LoadDB", envs.Deprecated), node(1, "OpenDB", envs.OK), update,
		right, node(1, "Other", envs.Malformed), wrong, cached)
	t.Nodes[1].Observation = hostile
	t.Nodes[2].Tool = "LoadDB"
	t.Nodes[5].Expanded = false

	return t
}

// manifest writes the manifest of a run directory.
func manifest(t testing.TB, kind string, finished bool) string {
	t.Helper()

	dir := t.TempDir()
	r, err := store.StartRun(t.Context(), dir, store.Manifest{ID: "1", Kind: kind}, "")
	if err != nil {
		t.Fatal(err)
	}

	if finished {
		if err := r.Finish(t.Context(), 0, ""); err != nil {
			t.Fatal(err)
		}
	}

	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// example is a collection and an evaluation of the same two questions.
func example(t testing.TB) (*viewer.Site, *source) {
	t.Helper()

	questions := []trajectories.Question{
		{ID: "easy/one 1", Text: "How many? " + hostile, Gold: "7", Split: "train"},
		{ID: "two", Text: "How much?", Gold: "8", Split: "train"},
	}
	collected := &source{attempts: map[string][]viewer.Attempt{}, open: map[string]int{"two": 1}}
	collected.add(questions[0], "p_s_in", recovered())

	played := &source{attempts: map[string][]viewer.Attempt{}}
	failed := node(0, "Finish", envs.Incorrect)
	failed.Answer = "9"

	for _, q := range questions {
		played.add(q, "p_c", treeOf(mcts.Record{Expanded: true}, failed))
		played.add(q, "p_s_ood", treeOf(mcts.Record{Expanded: true}, node(0, "LoadDB", envs.Deprecated)))
	}
	return viewer.New([]*viewer.Run{
		{Name: "first", Dir: manifest(t, "collect", false), Questions: questions, Source: collected},
		{Name: "measured (2)", Dir: manifest(t, "eval", true), Questions: questions, Source: played},
	}, nil), collected
}

// written is what WriteFile writes.
func written(t *testing.T, s *viewer.Site) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "all.html")

	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	if err := s.WriteFile(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	return path
}
