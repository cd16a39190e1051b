package viewer

import (
	"context"
	"fmt"

	"toolevo/trajectories"
)

// side is one of the trajectories that are shown side by side.
type side struct {
	At          place
	Policy, API string
	Mark        mark
	Answer      string
}

// compareBody is trajectories side by side, aligned by what their turns call.
type compareBody struct {
	Question trajectories.Question
	Sides    []side
	Steps    [][]*card // rows, nil where a trajectory has no such turn
	Alike    int       // rows that are the same on all sides
}

// comparePage shows trajectories side by side. A place without a node means the most telling
// trajectory of its attempt.
func (s *Site) comparePage(ctx context.Context, places []place) (*page, error) {
	p := newPage(place{Attempt: -1, Node: -1}, "compare", "Side by side")
	body := &compareBody{}

	var all [][]card

	for _, at := range places {
		a, err := s.attempt(ctx, at)
		if err != nil {
			return nil, err
		}

		if at.Node < 0 {
			at.Node = a.bestNode()
		}

		n := &a.Tree.Nodes[at.Node]
		body.Question = a.Meta.Question
		body.Sides = append(body.Sides, side{
			At: at, Policy: a.Meta.Run.Policy, API: a.API, Mark: markOf(n), Answer: n.Answer,
		})
		all = append(all, cardsOf(at, a, nil))
	}

	body.align(all)
	p.Body = body
	p.Way = newPage(places[0], "", "").Way[:3]
	return p, nil
}

// attempt returns the attempt of a place, and makes sure that it has the node that the place names.
func (s *Site) attempt(ctx context.Context, at place) (*Attempt, error) {
	r, err := s.run(at.Run)
	if err != nil {
		return nil, err
	}

	q, err := r.question(at.Question)
	if err != nil {
		return nil, nowhere{err.Error()}
	}

	attempts, err := r.Source.Attempts(ctx, q)
	if err != nil {
		return nil, err
	}

	if at.Attempt < 0 || at.Attempt >= len(attempts) {
		return nil, nowhere{fmt.Sprintf("%s has %d attempts at %s", r.Name, len(attempts), q.ID)}
	}

	a := &attempts[at.Attempt]
	if at.Node >= len(a.Tree.Nodes) {
		return nil, nowhere{fmt.Sprintf("the tree has nodes 0 to %d", len(a.Tree.Nodes)-1)}
	}
	return a, nil
}

// align puts the turns of the trajectories into rows, each beside the turn of the first trajectory
// that it resembles most, and marks those that differ from it.
func (b *compareBody) align(all [][]card) {
	first := all[0]
	beside := make([][]*card, len(all))  // by trajectory: the turn beside each of the first one's
	extra := make([][][]*card, len(all)) // and the turns before it, beside none; also at the end

	// The first is paired with itself, too, which gives every turn of it a row.
	for j, cards := range all {
		beside[j], extra[j] = make([]*card, len(first)), make([][]*card, len(first)+1)
		next := 0

		for k, i := range pairs(first, cards) {
			if i >= 0 {
				beside[j][i], next = &cards[k], i+1
			} else {
				extra[j][next] = append(extra[j][next], &cards[k])
			}
		}
	}

	for i := 0; i <= len(first); i++ {
		// Turns that only some have come before the next common row. Those of several trajectories
		// share rows, or a page would grow with each.
		for r := 0; ; r++ {
			row, empty := make([]*card, len(all)), true

			for j := range all {
				if r < len(extra[j][i]) {
					row[j], empty = extra[j][i][r], false
				}
			}

			if empty {
				break
			}

			b.addRow(row)
		}

		if i < len(first) {
			row := make([]*card, len(all))
			for j := range all {
				row[j] = beside[j][i]
			}

			b.addRow(row)
		}
	}
}

// addRow adds a row, and marks in it what differs from the first trajectory.
func (b *compareBody) addRow(row []*card) {
	alike := 0

	for j, c := range row {
		if c == nil {
			continue
		}

		f := row[0]
		c.Differs = j > 0 && (f == nil || c.Key != f.Key || c.Observation != f.Observation ||
			c.Outcome != f.Outcome)
		alike += toInt(!c.Differs)
	}

	b.Alike += toInt(alike == len(row))
	b.Steps = append(b.Steps, row)
}

// What turns side by side have in common: the same call outweighs any number of calls of the same
// tool, and each of those any number of turns that only share a place.
const (
	sameCall  = 1 << 20
	sameTool  = 1 << 10
	samePlace = 1
)

// pairs returns for each turn the index of the turn of the first trajectory beside it, or -1. Of
// all pairings that keep the order it is the one with the most in common, by Needleman and Wunsch.
func pairs(first, turns []card) []int {
	most := make([][]int, len(first)+1) // in common, from turns i and k on
	for i := range most {
		most[i] = make([]int, len(turns)+1)
	}

	// Keys are calls in one spelling, so that formatting does not keep equal calls apart.
	common := func(i, k int) int {
		switch a, b := &first[i], &turns[k]; {
		case a.Key == b.Key:
			return sameCall
		case a.Tool != "" && a.Tool == b.Tool:
			return sameTool
		}

		return samePlace
	}

	for i := len(first) - 1; i >= 0; i-- {
		for k := len(turns) - 1; k >= 0; k-- {
			most[i][k] = max(most[i+1][k], most[i][k+1], most[i+1][k+1]+common(i, k))
		}
	}

	// The sums are from the end, so the path is read off from the start, pairing wherever that
	// loses nothing.
	places := make([]int, len(turns))

	for i, k := 0, 0; k < len(turns); {
		switch {
		case i < len(first) && most[i][k] == most[i+1][k+1]+common(i, k):
			places[k] = i
			i, k = i+1, k+1
		case i < len(first) && most[i][k] == most[i+1][k]:
			i++
		default:
			places[k] = -1
			k++
		}
	}

	return places
}
