package viewer

import (
	"strconv"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// nodeLine is a node in the drawing of a tree.
type nodeLine struct {
	At       place
	Branch   mcts.Branch
	Label    string
	Kind     string // of its outcome, as classes of a page have it
	Visits   int
	Q        float64
	Visited  bool
	Prior    float64
	Cached   bool // by a rollout: selection has not reached it
	Draws    int
	Accepted bool // its trajectory is one that training takes
	Selected bool
}

// card is a turn with what is marked in it.
type card struct {
	trajectories.Turn
	At         place
	Parent     place
	Number     int // from 1
	Kind       string
	Reflection bool // it answers an error
	Learned    bool // a tool's description was taken into the prompt
	Recovered  int  // turns until the deprecated tool was called with success; 0: never
	Siblings   []nodeLine
	Differs    bool  // from the trajectory beside it
	Of         place // the trajectory
}

// attemptBody is a tree with the trajectory to a node.
type attemptBody struct {
	Question    trajectories.Question
	Policy, API string
	Calls       int
	Simulations int
	Lines       []nodeLine
	Cards       []card
	Tree        place // the attempt
	Selected    place // the node whose trajectory is shown
	Branches    bool  // whether there is a choice of nodes
	Mark        mark
	Answer      string
}

// attemptPage shows a tree and the trajectory in it that a place names, or else the most telling
// one. With all it has the turns of all nodes.
func (s *Site) attemptPage(named place, a *Attempt, all bool) *page {
	at := named
	if at.Node < 0 {
		at.Node = a.bestNode()
	}

	// The page keeps the place that was asked for: a tree without a chosen node has its own
	// address.
	title := at.Question + " " + strconv.Itoa(at.Attempt) + " node " + strconv.Itoa(at.Node)
	p := newPage(named, "attempt", title)
	n := &a.Tree.Nodes[at.Node]
	body := &attemptBody{
		Question: a.Meta.Question, Policy: a.Meta.Run.Policy, API: a.API, Calls: a.Tree.Calls,
		Simulations: a.Tree.Simulations, Tree: place{at.Run, at.Question, at.Attempt, -1},
		Selected: at, Mark: markOf(n), Answer: n.Answer,
	}

	siblings := map[int][]nodeLine{}

	for id, branch := range a.Tree.Drawn(true) {
		line := lineOf(at, a.Tree, id)
		line.Branch = branch
		line.Selected = id == at.Node
		body.Lines = append(body.Lines, line)

		// A tree in which no node has a sibling is an episode, and is shown without a drawing.
		parent := a.Tree.Nodes[id].Parent
		body.Branches = body.Branches || len(siblings[parent]) > 0
		siblings[parent] = append(siblings[parent], line)
	}

	// In a file a script shows the turns of the node that is chosen, so it needs those of all.
	if !all {
		body.Cards = cardsOf(at, a, siblings)
		p.Body = body
		return p
	}

	body.Cards = allCards(at, a)
	p.Body = body
	return p
}

// allCards returns the turns of all nodes, by ID. What a turn says about later ones holds for the
// trajectory to the node of a place, or for the first trajectory that it belongs to.
func allCards(at place, a *Attempt) []card {
	cards := make([]card, len(a.Tree.Nodes))
	inner := map[int]bool{}

	for _, n := range a.Tree.Nodes {
		inner[n.Parent] = true
	}

	for id := range a.Tree.Nodes {
		// The node of the place goes first, in place of the root, which has no turn.
		if id == 0 {
			id = at.Node
		} else if inner[id] {
			continue
		}

		end := at
		end.Node = id

		for _, c := range cardsOf(end, a, nil) {
			if cards[c.At.Node].Number == 0 {
				cards[c.At.Node] = c
			}
		}
	}

	return cards[1:]
}

// lineOf returns a node without what is drawn before it.
func lineOf(at place, t *mcts.TreeRecord, id int) nodeLine {
	n := &t.Nodes[id]
	at.Node = id
	return nodeLine{
		At:       at,
		Label:    n.Label(),
		Kind:     n.Outcome.String(),
		Visits:   n.Visits,
		Q:        n.Q(),
		Visited:  n.Visits > 0,
		Prior:    n.Prior,
		Cached:   t.IsCached(id),
		Draws:    n.Draws,
		Accepted: n.Accepted() && !n.Cut,
	}
}

// cardsOf returns the turns of the trajectory to a node.
func cardsOf(at place, a *Attempt, siblings map[int][]nodeLine) (cards []card) {
	turns := a.turns(at.Node)
	path := a.Tree.Path(at.Node)

	for i, turn := range turns {
		c := card{Turn: turn, At: at, Of: at, Parent: at, Number: i + 1, Kind: turn.Outcome.String()}
		c.At.Node, c.Parent.Node = path[i+1], path[i]
		c.Reflection = i > 0 && turns[i-1].Outcome.IsError()
		c.Learned = turn.IsUpdate()

		if turn.Outcome == envs.Deprecated {
			c.Recovered, _ = trajectories.Recovery(turns, i, nil)
		}

		if all := siblings[path[i]]; len(all) > 1 {
			c.Siblings = all
		}

		cards = append(cards, c)
	}
	return cards
}
