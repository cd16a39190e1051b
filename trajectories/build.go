package trajectories

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
)

// Meta is what a tree does not know about its run and question.
type Meta struct {
	Run      Run
	Question Question

	// Makers may have made parts of the tree. The first of each kind is the one that the run began
	// with. A row names those whose output it holds, and for a kind without any output the first.
	Makers []RunMaker
}

// RunMaker is a maker and the name that its results carry (envs.Result).
type RunMaker struct {
	Result string
	Maker  Maker
}

// Run is the lineage that all rows of a run share.
type Run struct {
	ID          string
	Hash        string
	Preset      string
	Policy      string       // e.g. "scripted:noisy"
	PromptAPI   string       // the API version the model is shown
	DeployedAPI string       // the API version the server enforces
	Codec       action.Codec // what the actions are written in; nil is ReAct
	Seed        uint64
	ConfigHash  string
	Software    string
}

// Question is what a row says about its question.
type Question struct {
	ID     string            // unique within a run
	Labels map[string]string // of its task
	Split  string            // "train", "dev", "test" or "own"
	Index  int               // place in the split, from 0
	Text   string            // what the agent was asked
	Tools  string            // as in envs.Task
	Gold   string            // the gold answer
}

// FromTree returns the trajectories of a tree that ended with the right answer, in the order of
// their leaves.
func FromTree(meta Meta, tree *mcts.TreeRecord) []Row {
	var rows []Row

	for id := range tree.Nodes {
		if tree.Nodes[id].Outcome == envs.Correct {
			rows = append(rows, FromNode(meta, tree, id))
		}
	}

	return rows
}

// Ended returns the trajectories of a tree that came to an end, right or wrong, in the order of
// their leaves. It leaves out those that ended because the model said nothing or had no room left:
// they tell nothing about the worth of the state.
func Ended(meta Meta, tree *mcts.TreeRecord) []Row {
	var rows []Row

	for id := range tree.Nodes {
		if n := &tree.Nodes[id]; n.Outcome.Ends() || stopped(n.Limit) {
			rows = append(rows, FromNode(meta, tree, id))
		}
	}

	return rows
}

// stopped reports whether the agent itself ran into the limit.
func stopped(limit mcts.Limit) bool {
	return limit == mcts.LimitDepth || limit == mcts.LimitRepeat || limit == mcts.LimitReflection ||
		limit == mcts.LimitEnvironment
}

// FromNode returns the trajectory that ends at a node of a tree, whatever became of it.
func FromNode(meta Meta, tree *mcts.TreeRecord, id int) Row {
	leaf := &tree.Nodes[id]
	path := tree.Path(id)
	run, q := &meta.Run, &meta.Question

	row := Row{
		SchemaVersion: SchemaVersion,
		RunID:         run.ID,
		RunHash:       run.Hash,
		Preset:        run.Preset,
		Policy:        run.Policy,
		PromptAPI:     run.PromptAPI,
		DeployedAPI:   run.DeployedAPI,
		Seed:          run.Seed,
		ConfigHash:    run.ConfigHash,
		Software:      run.Software,
		Makers:        meta.makers(tree, path),
		Labels:        validLabels(q.Labels),
		Split:         q.Split,
		QuestionIndex: q.Index,
		QuestionID:    q.ID,
		Question:      q.Text,
		Tools:         q.Tools,
		Gold:          q.Gold,
		Tree:          tree.Tree,
		TreeSeed:      tree.Seed,
		Node:          id,
		NodePath:      nodePath(tree, path),
		Answer:        leaf.Grade.Answer,
		Official:      leaf.Grade.Official,
		Strict:        leaf.Grade.Strict,
		Visits:        leaf.Visits,
		Value:         leaf.Q(),
	}

	// The root is the question: it has no turn.
	for _, n := range path[1:] {
		row.Turns = append(row.Turns, turnOf(&tree.Nodes[n], action.OrDefault(run.Codec)))
		if tree.Nodes[n].Cut {
			row.Cuts++
		}
	}

	// Models and tools may write any bytes, but the files hold UTF-8 only. The key is a hash of
	// texts, so it is computed from those that are stored.
	eachText(reflect.ValueOf(&row).Elem(), valid)
	row.Sum()
	return row
}

// makers returns what made the results on a path, sorted by kind.
func (m *Meta) makers(tree *mcts.TreeRecord, path []int) []Maker {
	var made []Maker

	for _, run := range m.Makers {
		if slices.ContainsFunc(path, func(id int) bool { return tree.Nodes[id].Maker == run.Result }) {
			made = append(made, run.Maker)
		}
	}

	for _, run := range m.Makers {
		if !slices.ContainsFunc(made, func(m Maker) bool { return m.Kind == run.Maker.Kind }) {
			made = append(made, run.Maker)
		}
	}

	slices.SortStableFunc(made, func(a, b Maker) int { return strings.Compare(a.Kind, b.Kind) })
	return made
}

func turnOf(n *mcts.Record, codec action.Codec) Turn {
	text := valid(n.Action)
	return Turn{
		Action: text, Thought: codec.Thought(text), Tool: n.Tool, API: n.Name, Key: n.Key,
		Observation: n.Observation, Outcome: n.Outcome,
		Prior: n.Prior, Visits: n.Visits, Value: n.Q(), Limit: string(n.Limit),
	}
}

// nodePath names a node as mcts.NodeID does.
func nodePath(tree *mcts.TreeRecord, path []int) string {
	ordinals := make([]string, len(path))
	for i, id := range path {
		ordinals[i] = strconv.Itoa(tree.Nodes[id].Ordinal)
	}
	return strings.Join(ordinals, ".")
}

// Sum computes the key and the sums over the turns.
func (r *Row) Sum() {
	r.Key, r.TurnCount = Key(r.Turns), len(r.Turns)
	for i, t := range r.Turns {
		switch {
		case t.Outcome == envs.Deprecated:
			r.Deprecations++
			if _, ok := Recovery(r.Turns, i, nil); ok {
				r.Recovered++
			}
		case t.Outcome.IsInvocationError():
			r.Errors++
		case t.IsUpdate():
			r.Updates++
		}
	}
}

// Key returns the trajectory key of the turns, by mcts.TrajectoryKey.
func Key(turns []Turn) string {
	actions := make([]string, len(turns))
	for i, t := range turns {
		actions[i] = t.Key
	}
	return mcts.TrajectoryKey(actions)
}

// eachText replaces the texts within a value, except those in maps.
func eachText(v reflect.Value, replace func(string) string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(replace(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			eachText(v.Field(i), replace)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachText(v.Index(i), replace)
		}
	}
}

// valid returns s with U+FFFD in place of bytes that are not UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
