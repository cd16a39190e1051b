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

	// Branch is the episode as a tree of one branch, which is how a run keeps it. Its last node is
	// never Running: what ended an episode that the agent did not is its Limit.
	Branch *mcts.TreeRecord
}

// Limits say how an episode is played.
type Limits struct {
	MaxTurns int    // at least 1
	Sampled  bool   // actions are sampled, not decoded greedily
	Seed     uint64 // of what is sampled, with the episode's name
}

// Play runs one episode: one sample a turn. id names the episode in the log; its Path is ignored. The error is ours,
// and the question is then lost.
func Play(ctx context.Context, env envs.Environment, policy mcts.Policy, task envs.Task, id mcts.NodeID,
	limits Limits) (Episode, error) {
	state, err := env.Reset(ctx, task)
	if err != nil {
		return Episode{}, err
	}

	e := Episode{History: state.History(), Status: state.Status()}
	e.Branch = &mcts.TreeRecord{Question: id.Question, Tree: id.Tree, Nodes: []mcts.Record{
		{Parent: mcts.NoParent, Status: e.Status},
	}}

	for e.History.Len() < limits.MaxTurns && e.Status == envs.Running && e.Limit == mcts.LimitNone {
		if state, err = e.turn(ctx, env, policy, state, limits.request(id, e.History)); err != nil {
			return e, err
		}
	}

	e.end()

	return e, nil
}

// request asks for the action after a history.
func (l Limits) request(id mcts.NodeID, h envs.History) mcts.Request {
	id.Path = "0" + strings.Repeat(".0", h.Len())
	r := mcts.Request{Node: id, History: h, N: 1, Greedy: !l.Sampled}

	if l.Sampled {
		r.Seed = mcts.TreeSeed(l.Seed, id.String(), id.Tree) >> 1 // servers take no more than 63 bits
	}

	return r
}

// turn asks for one action and runs it. It returns the state after it.
func (e *Episode) turn(ctx context.Context, env envs.Environment, policy mcts.Policy, state envs.State,
	r mcts.Request) (envs.State, error) {
	id, turn := r.Node, e.History.Len()

	proposals, err := policy.Propose(ctx, r)
	if err != nil {
		return state, envs.Fail(envs.StagePolicy, fmt.Sprintf("episode %s, turn %d", id.Question, turn), err)
	}
	e.Branch.Calls++
	e.Branch.Samples += len(proposals)

	switch {
	case len(proposals) > 0 && proposals[0].Finish == mcts.FinishTooLong:
		e.Limit = mcts.LimitContext
		return state, nil
	case len(proposals) == 0 || strings.TrimSpace(proposals[0].Text) == "":
		e.Limit = mcts.LimitSilence
		return state, nil
	}

	action := envs.Action(proposals[0].Text)

	next, err := env.Step(ctx, state, action)
	if err != nil {
		return state, envs.Fail(envs.StageEnvironment, fmt.Sprintf("episode %s, turn %d", id.Question, turn), err)
	}

	e.History, e.Status, e.Grade = next.State.History(), next.State.Status(), next.Grade
	cut := proposals[0].Finish == mcts.FinishLength && next.Turn.Call.Name == ""
	e.Branch.Nodes = append(e.Branch.Nodes, mcts.Record{
		ID: turn + 1, Parent: turn, Depth: turn + 1,
		Action: proposals[0].Text, Tool: next.Turn.Call.Tool, Name: next.Turn.Call.Name,
		Key: mcts.Canonical(env, action), Observation: next.Turn.Observation, Maker: next.Turn.Maker,
		Outcome: next.Turn.Outcome, Status: e.Status, Reward: next.Reward, Grade: next.Grade, Draws: 1, Cut: cut,
	})

	return next.State, nil
}

// end notes what ended the episode.
func (e *Episode) end() {
	last := &e.Branch.Nodes[len(e.Branch.Nodes)-1]
	switch {
	case e.Limit != mcts.LimitNone:
		last.Limit = e.Limit
	case e.Status == envs.Running:
		last.Limit = mcts.LimitDepth
	case e.Status == envs.Truncated:
		last.Limit = mcts.LimitEnvironment
	}

	if last.Status == envs.Running {
		last.Status = envs.Truncated
	}
}
