package export

import (
	"errors"
	"fmt"
	"slices"
)

// Node is an action in a search tree and its result.
type Node struct {
	NodeFacts
	Messages []Message `json:"messages"` // the action and its observation, which an end lacks
}

// NodeFacts is what is known about a node of a tree besides its messages.
type NodeFacts struct {
	Parent    int     `json:"parent"`            // place of the node above in the list; -1: the prompt
	NodePath  string  `json:"node_path"`         // ordinals from the root, as in "0.1.0"
	Visits    int     `json:"visits"`            // N(s,a)
	Value     float64 `json:"value"`             // Q(s,a), -1 to 1
	Advantage float64 `json:"advantage"`         // among its siblings
	Outcome   string  `json:"outcome,omitempty"` // of an end: correct, incorrect, or its limit
}

// chatNode is a node with messages of OpenAI's chat API.
type chatNode struct {
	NodeFacts
	Messages []chatMessage `json:"messages"`
}

func toTree(s *Sample) record {
	rec := record{Prompt: toChat(s.System, s.Conversations), Tools: s.Tools}

	for _, n := range s.Nodes {
		// IDs of calls hold the number of their turn, so the path above has to be converted, too.
		var before []Message
		for i := n.Parent; i >= 0; i = s.Nodes[i].Parent {
			before = slices.Concat(s.Nodes[i].Messages, before)
		}

		before = slices.Concat(s.Conversations, before)
		path := toChat("", slices.Concat(before, n.Messages))
		rec.Nodes = append(rec.Nodes, chatNode{n.NodeFacts, path[len(toChat("", before)):]})
	}
	return rec
}

func fromTree(r *record) (Sample, error) {
	s := Sample{Tools: r.Tools}
	err := s.readChat(r.Prompt)

	for i, n := range r.Nodes {
		if n.Parent < -1 || n.Parent >= i {
			err = errors.Join(err, fmt.Errorf("node %d has the parent %d", i, n.Parent))
		}

		own := Sample{Tools: r.Tools}
		err = errors.Join(err, own.readChat(n.Messages))
		s.Nodes = append(s.Nodes, Node{n.NodeFacts, own.Conversations})
	}
	return s, err
}
