package collect

import (
	"context"
	"fmt"

	"toolevo/envs"
	"toolevo/mcts"
)

// manyFirstTurns is after how many first turns a run stops if no action can be read from any. A
// model that knows the form it is asked in writes one in most.
const manyFirstTurns = 40

// CannotActError means that no action could be read from any of the first turns of tasks: the model
// cannot act in the form it is asked in.
type CannotActError struct {
	Turns    int           // first turns
	Examples []envs.Action // one or two of them
}

// Error counts the turns.
func (e *CannotActError) Error() string {
	return fmt.Sprintf("collect: no action can be read from any of %d first turns", e.Turns)
}

// Final makes it the end of the run; see [envs.IsFinal].
func (e *CannotActError) Final() bool { return true }

// watchFirstTurns returns env such that it ends the run if the model cannot act.
func (c *collector) watchFirstTurns(env envs.Environment) envs.Environment {
	return mcts.WithStep(env, func(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
		next, err := env.Step(ctx, s, a)
		if err != nil || s.History().Len() > 0 {
			return next, err
		}
		return next, c.firstTurn(a, envs.Unreadable(next.Turn.Call.Name, next.Turn.Outcome))
	})
}

// readFirstTurns is watchFirstTurns for a tree that this process has not grown. One that was there
// already counts, but ends no run before what it goes on with is seen.
func (c *collector) readFirstTurns(l *lane, t *mcts.TreeRecord) error {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Depth != 1 {
			continue
		}

		if err := c.firstTurn(envs.Action(n.Action), n.Unreadable()); err != nil && l.away != nil {
			return err
		}
	}
	return nil
}

// firstTurn notes the first turn of a task. It returns an error once many were read without any
// action.
func (c *collector) firstTurn(a envs.Action, unreadable bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	if !unreadable {
		c.acts = true
	}

	if c.acts || c.Unreadable {
		return nil
	}

	c.firstTurns++
	c.examples = append(c.examples[:min(len(c.examples), 1)], a)

	if c.firstTurns < manyFirstTurns {
		return nil
	}
	return c.cannotAct()
}

// cannotAct is the error of a run in which no first turn has an action; nil if one has, or if there
// was no first turn.
func (c *collector) cannotAct() error {
	if c.acts || c.firstTurns == 0 {
		return nil
	}
	return &CannotActError{c.firstTurns, c.examples}
}
