package viewer

import (
	"context"
	"fmt"

	"toolevo/trajectories"
)

// side is one of the trajectories that stand side by side.
type side struct {
	At          place
	Policy, API string
	Mark        mark
	Answer      string
}

// compareBody is trajectories side by side, aligned by step.
type compareBody struct {
	Question trajectories.Question
	Sides    []side
	Steps    [][]*card // a row for each step, nil where a trajectory has ended
	Alike    int       // steps from the first on that are the same on all sides
}

// comparePage shows trajectories side by side. A place that names no node stands for the trajectory that says most of
// its attempt.
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
			at.Node = a.best()
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
	p.Way = []place{p.At, {places[0].Run, "", -1, -1}, {places[0].Run, places[0].Question, -1, -1}}

	return p, nil
}

// attempt returns the attempt of a place, which has the node of the place if that names one.
func (s *Site) attempt(ctx context.Context, at place) (*Attempt, error) {
	r, err := s.run(at.Run)
	if err != nil {
		return nil, err
	}

	q, err := r.question(at.Question)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errNowhere)
	}

	attempts, err := r.Source.Attempts(ctx, q)
	if err != nil {
		return nil, err
	}

	if at.Attempt < 0 || at.Attempt >= len(attempts) {
		return nil, fmt.Errorf("%s has %d attempts at %s: %w", r.Name, len(attempts), q.ID, errNowhere)
	}

	a := &attempts[at.Attempt]
	if at.Node >= len(a.Tree.Nodes) {
		return nil, fmt.Errorf("the tree has nodes 0 to %d: %w", len(a.Tree.Nodes)-1, errNowhere)
	}

	return a, nil
}

// align puts the turns of the trajectories into rows, and marks those that differ from the first trajectory's.
func (b *compareBody) align(all [][]card) {
	for i := 0; ; i++ {
		row, ended, alike := make([]*card, len(all)), 0, true

		for j, cards := range all {
			if i >= len(cards) {
				ended++
				alike = false

				continue
			}

			c := &cards[i]
			c.Differs = j > 0 && (row[0] == nil || c.Key != row[0].Key || c.Observation != row[0].Observation)
			alike = alike && !c.Differs
			row[j] = c
		}

		if ended == len(all) {
			return
		}

		if alike && b.Alike == i {
			b.Alike++
		}

		b.Steps = append(b.Steps, row)
	}
}
