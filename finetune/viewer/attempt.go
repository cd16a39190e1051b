package viewer

import (
	"strconv"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// nodeLine is a node as a tree is drawn.
type nodeLine struct {
	At       place
	Branch   mcts.Branch
	Label    string
	Kind     string // of its outcome, as classes of a page have it
	Visits   int
	Q        float64
	Visited  bool
	Prior    float64
	Cached   bool // by a rollout; selection has not reached it
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
	Recovered  int  // after how many turns the deprecated tool was called with success; 0: never
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

// attemptPage shows a tree and the trajectory of it that a place names, or else the one that says
// most. With all it has the turns of all nodes.
func (s *Site) attemptPage(named place, a *Attempt, all bool) *page {
	at := named
	if at.Node < 0 {
		at.Node = a.best()
	}

	p := newPage(named, "attempt", at.Question+" "+strconv.Itoa(at.Attempt)+" node "+strconv.Itoa(at.Node))
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

		parent := a.Tree.Nodes[id].Parent
		body.Branches = body.Branches || len(siblings[parent]) > 0
		siblings[parent] = append(siblings[parent], line)
	}

	if !all {
		body.Cards = cardsOf(at, a, siblings)
		p.Body = body
		return p
	}

	body.Cards = allCards(at, a)
	p.Body = body
	return p
}

// allCards are the turns of all nodes, by their IDs. What a turn says of those after it is said of
// the trajectory to the node of a place, or of the first that it belongs to.
func allCards(at place, a *Attempt) []card {
	cards := make([]card, len(a.Tree.Nodes))
	inner := map[int]bool{}

	for _, n := range a.Tree.Nodes {
		inner[n.Parent] = true
	}

	for id := range a.Tree.Nodes {
		// The node of the place goes first, and stands for itself in its turn.
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

// lineOf is a node without what is drawn before it.
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

// cardsOf are the turns of the trajectory to a node.
func cardsOf(at place, a *Attempt, siblings map[int][]nodeLine) (cards []card) {
	turns := a.turns(at.Node)
	path := a.Tree.Path(at.Node)

	for i, turn := range turns {
		c := card{Turn: turn, At: at, Of: at, Parent: at, Number: i + 1, Kind: turn.Outcome.String()}
		c.At.Node, c.Parent.Node = path[i+1], path[i]
		c.Reflection = i > 0 && turns[i-1].Outcome.IsError()
		c.Learned = turn.IsUpdate()

		if turn.Outcome == envs.Deprecated {
			c.Recovered, _ = trajectories.Recovery(turns, i)
		}

		if all := siblings[path[i]]; len(all) > 1 {
			c.Siblings = all
		}

		cards = append(cards, c)
	}
	return cards
}
