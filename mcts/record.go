package mcts

import "toolevo/envs"

// NoParent is the Parent of a root.
const NoParent = -1

// TreeRecord is a finished tree as it is stored, exported and viewed.
type TreeRecord struct {
	Question    string // the task's ID
	Tree        int    // index among the question's trees, from 0
	Seed        uint64 // the tree's seed, derived from the run's
	Simulations int    // simulations run
	Idle        int    // of those, the ones that found nothing to expand
	Calls       int    // requests to the policy
	Samples     int    // completions received
	Nodes       []Record
}

// Record is one node of a TreeRecord. A node's ID is its place in Nodes; parents come before their children.
type Record struct {
	ID      int
	Parent  int // NoParent for the root
	Depth   int // turns from the root
	Ordinal int // place among its siblings

	Action      string // the model's text
	Tool        string // the tool meant, by its prompt-version name; "" when there is none
	Name        string // the API name as written
	Key         string // canonical form of the action; equal keys mean the same call
	Observation string
	Maker       string // the program that made the observation, see envs.Result; of old runs the root has the tree's
	Outcome     envs.Outcome
	Status      envs.Status
	Limit       Limit // what truncated the node

	Prior      float64 // P(s,a) in 0..1
	Visits     int     // N(s,a)
	TotalValue float64 // W(s,a)
	Expanded   bool    // whether its children are visible to selection
	Reward     float64 // of the node itself: ±1 when the task ended here
	Grade      envs.Grade

	Draws int  // how many of its parent's samples chose this action; 0 at the root, and in runs of old formats
	Cut   bool // the completion was cut by its length limit before its action was whole
}

// Path returns the IDs from the root to node id.
func (t *TreeRecord) Path(id int) []int {
	path := make([]int, t.Nodes[id].Depth+1)
	for i := len(path) - 1; i >= 0; i-- {
		path[i] = id
		id = t.Nodes[id].Parent
	}
	return path
}

// Record flattens the tree.
func (t *Tree) Record() *TreeRecord {
	r := &TreeRecord{
		Question: t.Task.ID, Tree: t.Index, Seed: t.Seed,
		Simulations: t.Simulations, Idle: t.Idle, Calls: t.Calls, Samples: t.Samples,
		Nodes: make([]Record, len(t.Nodes)),
	}
	for i, n := range t.Nodes {
		parent := NoParent
		if n.Parent != nil {
			parent = n.Parent.ID
		}
		r.Nodes[i] = Record{
			ID: n.ID, Parent: parent, Depth: n.Depth, Ordinal: n.Ordinal,
			Action: string(n.Turn.Action), Tool: n.Turn.Call.Tool, Name: n.Turn.Call.Name, Key: n.Key,
			Observation: n.Turn.Observation, Maker: n.Turn.Maker, Outcome: n.Turn.Outcome, Status: n.Status, Limit: n.Limit,
			Prior: n.Prior, Visits: n.Visits, TotalValue: n.TotalValue, Expanded: n.Expanded,
			Reward: n.Reward, Grade: n.Grade, Draws: n.Draws, Cut: n.Cut,
		}
	}
	return r
}
