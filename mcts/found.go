package mcts

import (
	"maps"
	"math"

	"toolevo/envs"
)

// Accept reports whether training takes the trajectory that led to a history. It is called for
// trajectories whose answer is right, and may be called from many goroutines.
type Accept func(envs.History) bool

// Found is what the trees of one question have found so far, in their order. It decides how a tree
// is grown (Config.Enough, Config.Barren, Config.Widen, Config.Completions), so it depends on
// nothing but the question's own trees.
type Found struct {
	task   envs.Task
	accept Accept

	accepted     map[string]struct{} // keys of what accept took, in a tree that is growing, too: clones share it
	trajectories map[string]struct{} // distinct, by their keys
	tools        map[string]struct{} // the distinct sequences of tools that they call
	barren       int                 // trees in a row, up to now, that added to neither
	drawn        int                 // samples
}

// NewFound returns the Found of a task before its first tree. accept may be nil: then every
// trajectory with a right answer counts.
func NewFound(task envs.Task, accept Accept) *Found {
	return &Found{
		task: task, accept: accept, accepted: map[string]struct{}{},
		trajectories: map[string]struct{}{}, tools: map[string]struct{}{},
	}
}

// Len is the number of distinct trajectories.
func (f *Found) Len() int { return len(f.trajectories) }

// Add adds a finished tree, the next of the question.
func (f *Found) Add(t *TreeRecord) {
	before := len(f.tools)

	for id := range t.Nodes {
		if t.Nodes[id].Accepted() {
			f.add(t.Trajectory(id), func() ([]envs.Turn, bool) { return t.turns(id) })
		}
	}

	f.drawn += t.Samples
	f.barren++
	if len(f.tools) > before {
		f.barren = 0
	}
}

// Done reports whether a question needs no further tree: it has enough, is given up, or its
// completions are used up.
func (f *Found) Done(c Config) bool { return f.enough(c) || f.barrenTooLong(c) || f.left(c, 0) == 0 }

// left is how many samples may still be drawn; drawn is what the growing tree has drawn.
func (f *Found) left(c Config, drawn int) int {
	if c.Completions == 0 {
		return math.MaxInt
	}
	return max(c.Completions-f.drawn-drawn, 0)
}

// enough reports whether as many trajectories as wanted call different tools, or half as many again
// exist.
func (f *Found) enough(c Config) bool {
	return c.Enough > 0 && (len(f.tools) >= c.Enough || len(f.trajectories) >= c.Enough+(c.Enough+1)/2)
}

// barrenTooLong reports whether too many trees in a row found nothing new. An answered question is
// allowed more.
func (f *Found) barrenTooLong(c Config) bool {
	return c.Barren > 0 && f.barren >= c.Barren+len(f.tools)
}

// samples is how many of k samples are drawn at a node: no more than there are trajectories still
// wanted, and some more after a tree that found nothing.
func (f *Found) samples(c Config, k int) int {
	if c.Enough == 0 {
		return k
	}

	k = min(k, max(1, c.Enough-len(f.tools)))
	if f.barren > 0 {
		k += c.Widen
	}
	return k
}

// clone returns a copy that can be added to.
func (f *Found) clone() *Found {
	c := *f
	c.trajectories, c.tools = maps.Clone(f.trajectories), maps.Clone(f.tools)
	return &c
}

// addNode adds what ends at a node of a tree that is growing.
func (f *Found) addNode(n *Node) {
	if n.Accepted() {
		f.add(n.Trajectory(), n.turns)
	}
}

// add adds a trajectory that is new and that training takes. turns returns its turns, and whether
// one of them was cut.
func (f *Found) add(key string, turns func() ([]envs.Turn, bool)) {
	if _, ok := f.trajectories[key]; ok {
		return
	}

	path, cut := turns()
	if cut {
		return
	}

	// Clones share accepted: what a growing tree has shown the matcher is not judged again when the
	// tree is finished.
	if _, ok := f.accepted[key]; !ok && f.accept != nil {
		history := envs.NewHistory(f.task)
		for _, t := range path {
			history = history.Append(t)
		}

		if !f.accept(history) {
			return
		}

		f.accepted[key] = struct{}{}
	}

	// Arguments play no part here: Enough asks for trajectories that call different tools.
	names := make([]string, len(path))
	for i, t := range path {
		names[i] = t.Call.Name
	}

	f.trajectories[key] = struct{}{}
	f.tools[TrajectoryKey(names)] = struct{}{}
}

// turns returns the turns from the root to the node, and whether one of them was cut.
func (n *Node) turns() (turns []envs.Turn, cut bool) {
	turns = make([]envs.Turn, n.Depth)
	for m := n; m.Parent != nil; m = m.Parent {
		turns[m.Depth-1] = m.Turn
		cut = cut || m.Cut
	}

	return turns, cut
}

// turns is Node.turns for a stored node.
func (t *TreeRecord) turns(id int) (turns []envs.Turn, cut bool) {
	for _, i := range t.Path(id)[1:] {
		n := &t.Nodes[i]
		turns = append(turns, envs.Turn{
			Action: envs.Action(n.Action), Call: envs.Call{Tool: n.Tool, Name: n.Name},
			Observation: n.Observation, Outcome: n.Outcome,
		})
		cut = cut || n.Cut
	}

	return turns, cut
}
