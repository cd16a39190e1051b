package finetune

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/mcts"
)

// Episode is one run of a policy on one task. If its controller let the policy try several chains,
// it is the one with the answer, else the last.
type Episode struct {
	History envs.History
	Status  envs.Status // Running when the turns were used up, or the policy fell silent
	Limit   mcts.Limit  // why the policy fell silent: mcts.LimitSilence, mcts.LimitContext; "" if not
	Grade   envs.Grade

	// Branch is the episode as a tree of one branch, which is how a run keeps it. Its last node is
	// never Running: what ended an episode that the agent did not is its Limit.
	Branch *mcts.TreeRecord
}

// Limits say how an episode is played.
type Limits struct {
	MaxTurns   int    // of a chain, at least 1
	Sampled    bool   // actions are sampled, not decoded greedily
	Seed       uint64 // of what is sampled, with the episode's name
	Controller Controller
}

// Play runs one episode: one sample a turn. id names the episode in the log; its Path is ignored.
// An error means that the infrastructure failed, and the question is then lost.
func Play(ctx context.Context, env envs.Environment, policy mcts.Policy, task envs.Task,
	id mcts.NodeID, limits Limits) (Episode, error) {
	state, err := env.Reset(ctx, task)
	if err != nil {
		return Episode{}, err
	}

	p := &player{env: env, policy: policy, id: id, limits: limits}
	last := chain{
		state: state, path: "0",
		nodes: []mcts.Record{{Parent: mcts.NoParent, Status: state.Status()}},
	}

	if limits.Controller.Kind == DepthFirst {
		last, _, err = p.descend(ctx, last)
	} else {
		last, err = p.chains(ctx, last)
	}

	return p.episode(last, err == nil), err
}

// player plays an episode.
type player struct {
	env            envs.Environment
	policy         mcts.Policy
	id             mcts.NodeID
	limits         Limits
	calls, samples int
}

// chain is a sequence of turns from the question on. It is a value: chains with the same beginning
// share its nodes.
type chain struct {
	state envs.State
	limit mcts.Limit // why the policy said nothing more
	grade envs.Grade
	nodes []mcts.Record
	path  string // of the node at its end
}

// isOver reports whether nothing can come after the chain.
func (p *player) isOver(c chain) bool {
	return c.state.Status() != envs.Running || c.limit != mcts.LimitNone ||
		c.state.History().Len() >= p.limits.MaxTurns
}

// answered reports whether the agent gave an answer. An empty one counts as giving up.
func (c chain) answered() bool {
	return c.state.Status() == envs.Terminated && strings.TrimSpace(c.grade.Answer) != ""
}

// request asks for one more action at the end of a chain, at which before have been drawn already.
func (p *player) request(c chain, before int) mcts.Request {
	r := mcts.Request{
		Node: p.id, History: c.state.History(), First: before, N: 1, Greedy: !p.limits.Sampled,
	}
	r.Node.Path = c.path

	if p.limits.Sampled {
		seed := mcts.TreeSeed(p.limits.Seed, r.Node.String(), r.Node.Tree)
		r.Seed = seed>>1 + uint64(before) // of 63 bits
	}
	return r
}

// turn asks for an action at the end of a chain and runs it. A remark that is not "" is added to
// the prompt.
func (p *player) turn(ctx context.Context, c chain, before int, remark string) (chain, error) {
	r := p.request(c, before)
	id, turn := r.Node, r.History.Len()

	// The remark is in this prompt alone. The chain keeps its own history, so that what is recorded
	// has no remark in it.
	if remark != "" {
		r.History = r.History.Remark(remark)
	}

	proposals, err := p.policy.Propose(ctx, r)
	if err != nil {
		return c, envs.Fail(envs.StagePolicy,
			fmt.Sprintf("episode %s, turn %d", id.Question, turn), err)
	}
	p.calls++
	p.samples += len(proposals)

	c.path += "." + strconv.Itoa(before)

	// Silence and a prompt that no longer fits are no failures of the infrastructure: both end the
	// chain, and the episode notes why.
	switch {
	case len(proposals) > 0 && proposals[0].Finish == mcts.FinishTooLong:
		c.limit = mcts.LimitContext
		return c, nil
	case len(proposals) == 0 || strings.TrimSpace(proposals[0].Text) == "":
		c.limit = mcts.LimitSilence
		return c, nil
	}

	action := envs.Action(proposals[0].Text)

	next, err := p.env.Step(ctx, c.state, action)
	if err != nil {
		return c, envs.Fail(envs.StageEnvironment,
			fmt.Sprintf("episode %s, turn %d", id.Question, turn), err)
	}

	c.state, c.grade = next.State, next.Grade

	// A text that ran into its length limit counts as cut only if no call was complete by then.
	cut := proposals[0].Finish == mcts.FinishLength && next.Turn.Call.Name == ""

	// The action as the environment cut it is recorded, not the whole text: later prompts show no
	// more. Clip keeps chains that share a beginning from writing into one array.
	c.nodes = append(slices.Clip(c.nodes), mcts.Record{
		ID: turn + 1, Parent: turn, Depth: turn + 1,
		Action: string(next.Turn.Action), Tool: next.Turn.Call.Tool, Name: next.Turn.Call.Name,
		Key: mcts.Canonical(p.env, action), Observation: next.Turn.Observation,
		Maker:   next.Turn.Maker,
		Outcome: next.Turn.Outcome, Status: next.State.Status(),
		Reward: next.Reward, Grade: next.Grade,
		Draws: 1, Cut: cut,
	})

	return c, nil
}

// episode returns the chain as an episode that notes what ended it.
func (p *player) episode(c chain, ended bool) Episode {
	e := Episode{
		History: c.state.History(), Status: c.state.Status(), Limit: c.limit, Grade: c.grade,
		Branch: &mcts.TreeRecord{
			Question: p.id.Question, Tree: p.id.Tree, Calls: p.calls, Samples: p.samples,
			Nodes: slices.Clone(c.nodes),
		},
	}

	if !ended {
		return e
	}

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
	return e
}
