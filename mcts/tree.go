package mcts

import (
	"strconv"

	"toolevo/envs"
)

// Tree is the search tree of one task.
type Tree struct {
	Task  envs.Task
	Index int    // among the question's trees, from 0
	Seed  uint64 // see TreeSeed
	Root  *Node
	Nodes []*Node // every node, cached ones too, in the order they were made; Nodes[n.ID] is n

	Simulations int // simulations run
	Idle        int // of those, the ones that found nothing to expand
	Calls       int // requests to the policy
	Samples     int // completions received, duplicates too
}

// Node is one action and the state it leads to. The root has no action: it is the state of the task
// before any. What is stored of a node is its Record. The search changes its Expanded, Draws and
// Prior, and back-up alone its Visits and TotalValue (equation 4); all else is fixed when the node
// is made.
//
// Prior is P(s,a): exp of the mean token log-probability, or 1/k when the server gave none. Where
// siblings that repeat an action are one (SameAction) it is the sum of theirs, at most 1.
type Node struct {
	Record

	// Fixed when the node is made.
	Parent  *Node
	State   envs.State
	Turn    envs.Turn // the last turn of State
	Repeats bool      // the turn repeats a failure (Config.Redraw, Config.Repeats)
	// turns in a row up to this one that repeat a failure, not counting what was done before in
	// between
	Streak int

	// Changed by the search.
	Children []*Node // before the node is Expanded they are a cache
	Drawn    int     // samples drawn here, dropped duplicates too
	Redrawn  bool    // more samples were drawn because none was worth continuing from
	Closed   bool    // nothing below is left to expand
}

// Limit names what truncated a node.
type Limit string

// The limits of the search; an environment's own limits are LimitEnvironment.
const (
	LimitNone        Limit = ""
	LimitDepth       Limit = "depth"       // deeper than the configuration allows
	LimitRepeat      Limit = "repeat"      // too many turns in a row that repeat a failure
	LimitReflection  Limit = "reflection"  // an invocation error, with self-reflection switched off
	LimitSilence     Limit = "silence"     // the policy had nothing to say here
	LimitContext     Limit = "context"     // the prompt does not fit the model's context window
	LimitEnvironment Limit = "environment" // the environment stopped the task
)

// Open reports whether selection may descend to the node: the task has not ended there, and
// something is left to expand.
func (n *Node) Open() bool { return n.Status == envs.Running && !n.Closed }

// silent reports whether the node ended because the policy wrote nothing. Such an end has no
// reward.
func (n *Node) silent() bool { return n.Limit == LimitSilence || n.Limit == LimitContext }

// Path returns the ordinals from the root, e.g. "0.1.0"; the root is "0".
func (n *Node) Path() string {
	if n.Parent == nil {
		return "0"
	}
	return string(n.appendPath(make([]byte, 0, 4*n.Depth)))
}

func (n *Node) appendPath(b []byte) []byte {
	if n.Parent == nil {
		return append(b, '0')
	}
	return strconv.AppendInt(append(n.Parent.appendPath(b), '.'), int64(n.Ordinal), 10)
}

// add appends a node to the tree and to its parent's children.
func (t *Tree) add(n *Node) *Node {
	n.ID, n.Record.Parent = len(t.Nodes), NoParent
	n.Action, n.Tool, n.Name = string(n.Turn.Action), n.Turn.Call.Tool, n.Turn.Call.Name
	n.Observation, n.Maker, n.Outcome = n.Turn.Observation, n.Turn.Maker, n.Turn.Outcome

	t.Nodes = append(t.Nodes, n)
	if n.Parent != nil {
		n.Ordinal = len(n.Parent.Children)
		n.Depth, n.Record.Parent = n.Parent.Depth+1, n.Parent.ID
		n.Parent.Children = append(n.Parent.Children, n)
	}

	return n
}
