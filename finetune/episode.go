package finetune

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/mcts"
)

// Episode is one greedy run of a policy on one task.
type Episode struct {
	History envs.History
	Status  envs.Status // Running when the turns were used up, or the policy fell silent
	Limit   mcts.Limit  // why the policy said nothing more: mcts.LimitSilence, mcts.LimitContext; "" when it did
	Grade   envs.Grade
}

// Play runs one episode: at most maxTurns turns, one greedy sample each. id names the episode in the log; its Path is
// ignored. The error is ours, and the question is then lost.
func Play(ctx context.Context, env envs.Environment, policy mcts.Policy, task envs.Task, id mcts.NodeID, maxTurns int) (Episode, error) {
	state, err := env.Reset(ctx, task)
	if err != nil {
		return Episode{}, err
	}
	e := Episode{History: state.History(), Status: state.Status()}
	path := []byte("0")
	for turn := 0; turn < maxTurns && e.Status == envs.Running; turn++ {
		id.Path = string(path)
		proposals, err := policy.Propose(ctx, mcts.Request{Node: id, History: e.History, N: 1, Greedy: true})
		if err != nil {
			return e, envs.Fail(envs.StagePolicy, fmt.Sprintf("episode %s, turn %d", id.Question, turn), err)
		}
		switch {
		case len(proposals) > 0 && proposals[0].Finish == mcts.FinishTooLong:
			e.Limit = mcts.LimitContext
			return e, nil
		case len(proposals) == 0 || strings.TrimSpace(proposals[0].Text) == "":
			e.Limit = mcts.LimitSilence
			return e, nil
		}
		next, err := env.Step(ctx, state, envs.Action(proposals[0].Text))
		if err != nil {
			return e, envs.Fail(envs.StageEnvironment, fmt.Sprintf("episode %s, turn %d", id.Question, turn), err)
		}
		state = next.State
		e = Episode{History: state.History(), Status: state.Status(), Grade: next.Grade}
		path = append(path, ".0"...)
	}
	return e, nil
}
