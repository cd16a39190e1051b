package trajectories

import (
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
)

// Meta is what a tree does not know about itself.
type Meta struct {
	Run      Run
	Question Question

	// Makers are what may have run its programs, the one that the run began with first. A row names those
	// whose output it holds, and the first one where no program ran.
	Makers []Maker
}

// Maker is a Python by the name that results of its programs have (envs.Result).
type Maker struct {
	Name   string
	Python Python
}

// Run is the lineage that all rows of a run share.
type Run struct {
	ID          string
	Hash        string
	Preset      string
	Policy      string // e.g. "scripted:noisy"
	PromptAPI   string // the API version the model is shown
	DeployedAPI string // the API version the server enforces
	Seed        uint64
	ConfigHash  string
	Software    string
}

// Question is what a row says about its question.
type Question struct {
	ID     string            // unique within a run
	Labels map[string]string // of its task
	Split  string            // "train", "dev" or "test"
	Index  int               // place in the split, from 0
	Text   string            // what the agent was asked
	Gold   string            // the gold answer
}

// FromTree returns the trajectories of a tree that ended with the right answer, in the order of their leaves.
func FromTree(meta Meta, tree *mcts.TreeRecord) []Row {
	var rows []Row

	for id := range tree.Nodes {
		if tree.Nodes[id].Outcome == envs.Correct {
			rows = append(rows, FromNode(meta, tree, id))
		}
	}

	return rows
}

// FromNode returns the trajectory that ends at a node of a tree, whatever became of it.
func FromNode(meta Meta, tree *mcts.TreeRecord, id int) Row {
	leaf := &tree.Nodes[id]
	path := tree.Path(id)
	run, q := &meta.Run, &meta.Question

	row := Row{
		SchemaVersion: SchemaVersion,
		RunID:         valid(run.ID),
		RunHash:       valid(run.Hash),
		Preset:        valid(run.Preset),
		Policy:        valid(run.Policy),
		PromptAPI:     valid(run.PromptAPI),
		DeployedAPI:   valid(run.DeployedAPI),
		Seed:          run.Seed,
		ConfigHash:    valid(run.ConfigHash),
		Software:      valid(run.Software),
		Python:        meta.python(tree, path).valid(),
		Labels:        validLabels(q.Labels),
		Split:         valid(q.Split),
		QuestionIndex: q.Index,
		QuestionID:    valid(q.ID),
		Question:      valid(q.Text),
		Gold:          valid(q.Gold),
		Tree:          tree.Tree,
		TreeSeed:      tree.Seed,
		Node:          id,
		NodePath:      nodePath(tree, path),
		Answer:        valid(leaf.Grade.Answer),
		Official:      leaf.Grade.Official,
		Strict:        leaf.Grade.Strict,
		Visits:        leaf.Visits,
		Value:         meanValue(leaf),
	}
	for _, n := range path[1:] {
		row.Turns = append(row.Turns, turnOf(&tree.Nodes[n]))
		if tree.Nodes[n].Cut {
			row.Cuts++
		}
	}

	row.Key = Key(row.Turns)
	row.count()

	return row
}

// python returns what ran the programs on a path.
func (m *Meta) python(tree *mcts.TreeRecord, path []int) Python {
	var made []Python

	for _, maker := range m.Makers {
		isMaker := func(id int) bool { return tree.Nodes[id].Maker == maker.Name }
		if slices.ContainsFunc(path, isMaker) {
			made = append(made, maker.Python)
		}
	}

	if len(made) == 0 && len(m.Makers) > 0 {
		made = append(made, m.Makers[0].Python)
	}

	return together(made)
}

func turnOf(n *mcts.Record) Turn {
	text := valid(n.Action)

	return Turn{
		Action: text, Thought: action.ReAct{}.Thought(text), Tool: valid(n.Tool), API: valid(n.Name), Key: valid(n.Key),
		Observation: valid(n.Observation), Outcome: n.Outcome,
		Prior: n.Prior, Visits: n.Visits, Value: meanValue(n), Limit: valid(string(n.Limit)),
	}
}

// meanValue is Q(s,a) = W(s,a) / N(s,a), 0 before the first visit.
func meanValue(n *mcts.Record) float64 {
	if n.Visits == 0 {
		return 0
	}

	return n.TotalValue / float64(n.Visits)
}

// nodePath names a node as mcts.NodeID does.
func nodePath(tree *mcts.TreeRecord, path []int) string {
	ordinals := make([]string, len(path))
	for i, id := range path {
		ordinals[i] = strconv.Itoa(tree.Nodes[id].Ordinal)
	}

	return strings.Join(ordinals, ".")
}

// count fills in the sums over the turns.
func (r *Row) count() {
	r.TurnCount = len(r.Turns)
	for i, t := range r.Turns {
		switch {
		case t.Outcome == envs.Deprecated:
			r.Deprecations++
			if recovered(t.Tool, r.Turns[i+1:]) {
				r.Recovered++
			}
		case t.Outcome.IsInvocationError():
			r.Errors++
		case t.Outcome == envs.OK && t.Tool == envs.UpdateTool:
			r.Updates++
		}
	}
}

// recovered reports whether a tool is called with success in one of the turns. Finish succeeds by ending the task.
func recovered(tool string, turns []Turn) bool {
	for _, t := range turns {
		if tool != "" && t.Tool == tool && (t.Outcome == envs.OK || t.Outcome.Ends()) {
			return true
		}
	}

	return false
}

// Key returns the trajectory key of the turns, by mcts.TrajectoryKey.
func Key(turns []Turn) string {
	actions := make([]string, len(turns))
	for i, t := range turns {
		actions[i] = t.Key
	}

	return mcts.TrajectoryKey(actions)
}

// valid returns s with U+FFFD in place of bytes that are not UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
