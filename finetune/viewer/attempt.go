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
	Differs    bool // from the trajectory beside it
	Hidden     bool
}

// attemptBody is a tree with the trajectory to a node.
type attemptBody struct {
	Question    trajectories.Question
	Policy, API string
	Calls       int
	Simulations int
	Lines       []nodeLine
	Cards       []card
	Selected    place // the node whose trajectory is shown
	Branches    bool  // whether there is a choice of nodes
	Mark        mark
	Answer      string
}

// attemptPage shows a tree and the trajectory of it that a place names, or else the one that says most. With all it has
// the turns of all nodes, those apart from the trajectory hidden.
func (s *Site) attemptPage(named place, a *Attempt, all bool) *page {
	at := named
	if at.Node < 0 {
		at.Node = a.best()
	}

	p := newPage(named, "attempt", at.Question+" "+strconv.Itoa(at.Attempt)+" node "+strconv.Itoa(at.Node))
	n := &a.Tree.Nodes[at.Node]
	body := &attemptBody{
		Question: a.Meta.Question, Policy: a.Meta.Run.Policy, API: a.API, Calls: a.Tree.Calls,
		Simulations: a.Tree.Simulations, Selected: at, Mark: markOf(n), Answer: n.Answer,
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

	shown := map[int]bool{}
	for _, id := range a.Tree.Path(at.Node) {
		shown[id] = true
	}

	for id := 1; id < len(a.Tree.Nodes); id++ {
		here := at
		here.Node = id
		cards := cardsOf(here, a, siblings)
		c := cards[len(cards)-1]
		c.Hidden = !shown[id]
		body.Cards = append(body.Cards, c)
	}

	p.Body = body

	return p
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
	row := a.row(at.Node)
	path := a.Tree.Path(at.Node)

	for i, turn := range row.Turns {
		c := card{Turn: turn, At: at, Parent: at, Number: i + 1, Kind: turn.Outcome.String()}
		c.At.Node, c.Parent.Node = path[i+1], path[i]
		c.Reflection = i > 0 && row.Turns[i-1].Outcome.IsError()
		c.Learned = turn.IsUpdate()

		if turn.Outcome == envs.Deprecated {
			c.Recovered, _ = trajectories.Recovery(row.Turns, i)
		}

		if all := siblings[path[i]]; len(all) > 1 {
			c.Siblings = all
		}

		cards = append(cards, c)
	}

	return cards
}
