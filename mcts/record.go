package mcts

import (
	"fmt"
	"slices"

	"toolevo/envs"
)

// NoParent is the Parent of a root.
const NoParent = -1

// TreeRecord is a finished tree as it is stored, exported and viewed.
type TreeRecord struct {
	Question    string   `json:"question_id"`      // the task's ID
	Tree        int      `json:"tree"`             // index among the question's trees, from 0
	Seed        uint64   `json:"tree_seed,string"` // derived from the run's
	Simulations int      `json:"simulations"`      // simulations run
	Idle        int      `json:"idle"`             // of those, the ones that found nothing to expand
	Calls       int      `json:"calls"`            // requests to the policy
	Samples     int      `json:"samples"`          // completions received
	Nodes       []Record `json:"nodes"`            // parents before their children
}

// Unreadable counts the turns of the tree from which no action could be read.
func (t *TreeRecord) Unreadable() (n int) {
	for i := range t.Nodes {
		if t.Nodes[i].Unreadable() {
			n++
		}
	}

	return n
}

// Record is one node of a TreeRecord. A node's ID is its place in Nodes; parents come before their
// children.
type Record struct {
	ID      int `json:"node"`    // its place in the tree, from 0, which is the root
	Parent  int `json:"parent"`  // NoParent, -1, for the root
	Depth   int `json:"depth"`   // turns from the root
	Ordinal int `json:"ordinal"` // place among its siblings

	Action      string `json:"action"`      // the model's text
	Tool        string `json:"tool"`        // the tool meant, by its prompt-version name; "" when there is none
	Name        string `json:"api"`         // the API name as written
	Key         string `json:"key"`         // canonical form of the action; equal keys mean the same call
	Observation string `json:"observation"` // the environment's answer
	// the program that made the observation, see envs.Result; of old runs the root has the tree's
	Maker   string       `json:"maker"`
	Outcome envs.Outcome `json:"outcome"` // what kind of observation it is
	Status  envs.Status  `json:"status"`  // whether the task went on: "running", "terminated" or "truncated"
	Limit   Limit        `json:"limit"`   // what truncated the node; "" when nothing did

	Prior      float64 `json:"prior"`       // P(s,a) in 0..1
	Visits     int     `json:"visits"`      // N(s,a)
	TotalValue float64 `json:"total_value"` // W(s,a)
	Expanded   bool    `json:"expanded"`    // whether its children are visible to selection
	Reward     float64 `json:"reward"`      // of the node itself: ±1 when the task ended here
	envs.Grade         // how the answer was scored, where one was given

	// how many of its parent's samples chose this action; 0 at the root, and in runs of old formats
	Draws int  `json:"draws"`
	Cut   bool `json:"cut"` // the completion was cut by its length limit before its action was whole
}

// Path returns the IDs from the root to node id.
func (t *TreeRecord) Path(id int) []int {
	path := make([]int, t.Nodes[id].Depth+1)
	for i := range slices.Backward(path) {
		path[i] = id
		id = t.Nodes[id].Parent
	}

	return path
}

// IsCached reports whether a rollout made the node and selection has not reached it.
func (t *TreeRecord) IsCached(id int) bool {
	return t.Nodes[id].Parent != NoParent && !t.Nodes[t.Nodes[id].Parent].Expanded
}

// Unreadable reports whether no action could be read from the node's text; see [envs.Unreadable].
func (r *Record) Unreadable() bool { return envs.Unreadable(r.Name, r.Outcome) }

// Q is the mean reward Q(s,a) = W/N, and 0 before the first visit.
func (r *Record) Q() float64 {
	if r.Visits == 0 {
		return 0
	}
	return r.TotalValue / float64(r.Visits)
}

// Record flattens the tree.
func (t *Tree) Record() *TreeRecord {
	r := &TreeRecord{
		Question: t.Task.ID, Tree: t.Index, Seed: t.Seed,
		Simulations: t.Simulations, Idle: t.Idle, Calls: t.Calls, Samples: t.Samples,
		Nodes: make([]Record, len(t.Nodes)),
	}
	for i, n := range t.Nodes {
		r.Nodes[i] = n.Record
	}

	return r
}

// Differences says how a stored tree differs from the one that was grown again from the log.
func (t *TreeRecord) Differences(grown *TreeRecord) []string {
	var out []string
	a, b := *grown, *t

	a.Nodes, b.Nodes = nil, nil
	if fmt.Sprint(a) != fmt.Sprint(b) {
		out = append(out, fmt.Sprintf("is %+v in the store, %+v by the log", b, a))
	}

	if len(grown.Nodes) != len(t.Nodes) {
		return append(out, fmt.Sprintf("has %d nodes in the store, %d by the log", len(t.Nodes), len(grown.Nodes)))
	}

	for i := range grown.Nodes {
		if grown.Nodes[i] != t.Nodes[i] {
			out = append(out, fmt.Sprintf("node %d is %+v in the store, %+v by the log", i, t.Nodes[i], grown.Nodes[i]))
		}
	}

	return out
}
