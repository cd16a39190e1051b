package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune"
	"toolevo/mcts"
)

// PlayJob plays one episode of a question.
type PlayJob struct {
	Host
	Settings Settings // of one API version and one policy
	Data     string   // the data folder; "" is TOOLEVO_DATA or data
	Question string   // its ID; "" is the first of the split
	Player   Player   // plays in place of the policy; nil lets the policy play
}

// Player acts in an environment.
type Player interface {
	// Begin gets what a model is shown, what is deployed, and the question.
	Begin(Briefing)
	// Act returns the next action; [io.EOF] ends the episode.
	Act(ctx context.Context) (string, error)
	// Saw is shown what the action came to.
	Saw(envs.Turn)
}

// Briefing is what a player is shown first.
type Briefing struct {
	System           string // the system message of a model
	Prompt, Deployed string // the API versions of that, and of the environment
	Question         string
	Codec            action.Codec // how actions are written
}

// Play plays the episode.
func Play(ctx context.Context, job PlayJob) (h envs.History, err error) {
	b, err := job.open(ctx)
	if err != nil {
		return h, err
	}
	defer b.Close()

	t, err := questionIn(b, job.Question)
	if err != nil {
		return h, err
	}

	// A person plays without a policy, so that no server has to run.
	if job.Player != nil {
		env, err := b.Environment(b.Deployed.All(), nil)
		if err != nil {
			return h, err
		}
		return job.play(ctx, b, env, t)
	}

	play, err := b.player(b.Config.Policy[0], b.Deployed.All())
	if err != nil {
		return h, err
	}

	e, err := play(ctx, t)
	return e.History, console.GaveUp(err)
}

// player returns a function that has a policy play an episode of a task under versions.
func (b *Bench) player(policy string, deployed drift.Family) (
	func(ctx context.Context, t envs.Task) (finetune.Episode, error), error) {
	env, err := b.Environment(deployed, nil)
	if err != nil {
		return nil, err
	}

	p, err := b.PolicyIn(policy, env, b.versionOf(deployed))
	return func(ctx context.Context, t envs.Task) (finetune.Episode, error) {
		return finetune.Play(ctx, env, p, t, mcts.NodeID{Question: t.ID},
			finetune.Limits{MaxTurns: b.Config.Eval.MaxTurns})
	}, err
}

// open opens what one episode of the configuration needs.
func (j *PlayJob) open(ctx context.Context) (*Bench, error) {
	c, err := j.Resolve(j.Settings, nil, nil)
	if err != nil {
		return nil, err
	}

	if len(c.API) != 1 || len(c.Policy) != 1 {
		return nil, console.Usage("play takes one ‹api› and one ‹policy›, not %s and %s",
			strings.Join(c.API, ","), strings.Join(c.Policy, ","))
	}

	b, err := OpenBench(ctx, cmp.Or(j.Data, j.DefaultData()), c, nil, j.OpenEngine)
	if err != nil {
		return nil, err
	}

	b.Servers = j.DefaultServers()

	if err := j.FitModules(b); err != nil {
		return nil, errors.Join(err, b.Close())
	}

	for _, line := range engines.Warnings([]sandbox.Stamp{b.Stamp}) {
		j.Say("%s", line)
	}
	return b, nil
}

// ShownPrompt returns the text that a model is sent to write its first action on the question, in
// the form that the configuration wants; see [serving.Sent.Shown].
func ShownPrompt(ctx context.Context, job PlayJob) (string, error) {
	b, err := job.open(ctx)
	if err != nil {
		return "", err
	}
	defer b.Close()

	t, err := questionIn(b, job.Question)
	if err != nil {
		return "", err
	}

	policy := b.Config.Policy[0]

	// Without its demonstrations the prompt would not be what a run sends.
	shown, err := b.Prompt()
	if err == nil {
		err = b.checkDemonstrations(shown)
	}

	if err != nil {
		return "", err
	}

	sent, err := b.Sent()
	if err != nil {
		return "", err
	}
	return sent.Shown(b.Told(policy, envs.NewHistory(t), b.versionOf(b.Deployed.All())(t.ID))), nil
}

// questionIn returns the question with an ID, or the first one.
func questionIn(b *Bench, id string) (envs.Task, error) {
	ids := make([]string, len(b.Tasks))
	for i, t := range b.Tasks {
		if ids[i] = t.ID; id == "" || t.ID == id {
			return t, nil
		}
	}

	return envs.Task{}, unknownQuestion(fmt.Sprintf("the %s split", b.Config.Split), id, ids)
}

// play has the player act until the task ends, or the player leaves.
func (j *PlayJob) play(ctx context.Context, b *Bench, env envs.Environment, t envs.Task) (
	h envs.History, err error) {
	state, err := env.Reset(ctx, t)
	if err != nil {
		return h, console.GaveUp(err)
	}

	prompt, err := b.Prompt()
	if err != nil {
		return h, err
	}

	j.Player.Begin(Briefing{
		prompt.ForPeople(t), b.Config.Prompt, b.Deployed.All().Of(b.Config.Seed, t.ID),
		t.Question, b.Config.Environment.ActionCodec(),
	})

	for state.Status() == envs.Running {
		text, err := j.Player.Act(ctx)

		// A player who leaves is no failure: what was played so far can be looked at.
		switch {
		case errors.Is(err, io.EOF):
			return state.History(), nil
		case err != nil:
			return h, err
		}

		next, err := env.Step(ctx, state, envs.Action(text))
		if err != nil {
			return h, console.GaveUp(err)
		}

		state = next.State
		j.Player.Saw(next.Turn)
	}
	return state.History(), nil
}
