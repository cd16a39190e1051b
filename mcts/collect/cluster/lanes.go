package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
)

// lane is the work of a unit that grows trees of a question: Count of them, from First on.
type lane struct {
	Question string `json:"question"`
	First    int    `json:"first"`
	Count    int    `json:"count"`
	Again    bool   `json:"again,omitempty"` // an earlier pass gave some of them up; see mcts.Again
}

// laneOutcome is what such a unit ends with.
type laneOutcome struct {
	Missing  failures `json:"missing,omitempty"` // trees, by their indices
	Replayed int      `json:"replayed"`
}

// Grow has trees of a question grown by a worker, which uses GrowLane: it is the
// collect.Options.Elsewhere of a collection.
func (c *Coordinator) Grow(
	ctx context.Context, question string, first, count int, asked func(calls, samples int),
) (g collect.Grown, err error) {
	work, err := json.Marshal(lane{question, first, count, mcts.IsAgain(ctx)})
	if err != nil {
		return g, err
	}

	text, err := c.Do(ctx, Unit{
		ID:    UnitID(question, first, count),
		Work:  work,
		Asked: asked,
		Earlier: func(ctx context.Context) ([]store.Row, error) {
			return c.options.Store.RowsOf(ctx, question, first, count)
		},
	})
	if err != nil {
		return g, err
	}

	var o laneOutcome
	if err := decode("outcome", text, &o); err != nil {
		return g, err
	}
	return collect.Grown{Missing: o.Missing.errors(), Replayed: o.Replayed}, nil
}

// GrowLane grows the trees of a unit of Grow. o is what a collection of all questions would have,
// with an empty store of this unit's own: of what a worker once had of a unit, its log alone
// counts.
func GrowLane(ctx context.Context, a *Assignment, o collect.Options) (outcome []byte, err error) {
	var l lane
	if err := decode("work", a.Work, &l); err != nil {
		return nil, err
	}

	if a.Fruitless != nil {
		return json.Marshal(laneOutcome{Missing: l.allMissing(a.Fruitless)})
	}

	question, err := questionOf(o.Questions, l.Question)
	if err != nil {
		return nil, err
	}

	question.First, question.Count = l.First, l.Count
	o.Questions = []collect.Question{question}
	o.Workers, o.Room, o.Unreadable = l.Count, nil, true // the coordinator counts first turns

	if _, err := o.Store.Take(ctx, a.Earlier, o.Search.InTurn()); err != nil {
		return nil, err
	}

	o.Store.Watch(a.Add)

	if l.Again {
		ctx = mcts.Again(ctx)
	}

	s, err := collect.Run(ctx, o)
	done := laneOutcome{Replayed: int(s.Replayed)}

	var unresolved *collect.UnresolvedError
	if errors.As(err, &unresolved) {
		done.Missing, err = failuresOf(unresolved.Missing), nil
	}

	if err != nil {
		return nil, err
	}

	if outcome, err = json.Marshal(done); err == nil && unresolved != nil {
		err = Unable(unresolved)
	}
	return outcome, err
}

// allMissing returns that all trees of the lane are missing.
func (l *lane) allMissing(because error) failures {
	f := FailureOf(because)

	all := failures{}
	for i := l.First; i < l.First+l.Count; i++ {
		all[i] = f
	}
	return all
}

// questionOf returns a question by its ID.
func questionOf(all []collect.Question, id string) (collect.Question, error) {
	for _, q := range all {
		if q.Task.ID == id {
			return q, nil
		}
	}
	return collect.Question{}, fmt.Errorf("cluster: this worker does not have the question %s: has the run been "+
		"extended?", id)
}
