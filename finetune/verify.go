package finetune

import (
	"context"
	"errors"
	"fmt"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// Verification is what Verify found.
type Verification struct {
	Episodes int `json:"episodes"` // stored episodes that were played again
	Calls    int `json:"calls"`    // model calls read back from the log
	// episodes that are not stored because a request of theirs failed alone
	GivenUp  []store.GivenUp `json:"given_up,omitempty"`
	Missing  int             `json:"missing"`  // other episodes that are not stored: lost, or not played yet
	Problems []string        `json:"problems"` // in the order of the jobs; empty if all is well
}

// Verify proves that the stored episodes are what the log says: it reads every row of the database,
// and plays each episode again from the log alone, without asking any model, so that every tool
// runs and every answer is scored a second time. For an episode that is not stored it makes sure
// that the log answers what would be asked, as far as the log goes. The error is a failure to
// verify; what is wrong with the evaluation is in the result.
func Verify(ctx context.Context, jobs []Job, o Options) (Verification, error) {
	if err := o.validate(jobs); err != nil {
		return Verification{}, err
	}

	var all []attempt

	for _, job := range jobs {
		for task, repeat := range job.attempts() {
			all = append(all, attempt{job, task, repeat})
		}
	}

	// In the order of the jobs, however many workers there are: the report must not depend on them.
	played, err := kept.All(ctx, len(all), o.Workers, nil, func(ctx context.Context, i int) (playedAgain, error) {
		return o.again(ctx, all[i])
	})
	if err != nil {
		return Verification{}, err
	}

	givenUp, wasGivenUp, err := o.givenUp(ctx)
	if err != nil {
		return Verification{}, err
	}

	// Playing skips what is damaged, so that each damage is named once, here.
	damage, err := o.Store.Check(ctx)
	v := Verification{GivenUp: givenUp, Problems: append([]string{}, damage...)}

	for i, p := range played {
		v.Calls += p.calls

		// An episode that was given up is known by name; only the others are merely missing.
		if p.stored {
			v.Episodes++
		} else if !wasGivenUp[Attempt{all[i].Episode(all[i].task), all[i].repeat}] {
			v.Missing++
		}

		for _, problem := range p.problems {
			v.Problems = append(v.Problems,
				fmt.Sprintf("episode %s: %s", all[i].Episode(all[i].task), problem))
		}
	}
	return v, err
}

// attempt is an episode of a job.
type attempt struct {
	Job
	task   envs.Task
	repeat int
}

// playedAgain is the result of playing an episode again.
type playedAgain struct {
	stored   bool
	calls    int
	problems []string
}

// again plays an episode from the log alone and compares it with the stored one.
func (o *Options) again(ctx context.Context, a attempt) (p playedAgain, err error) {
	id := mcts.NodeID{Question: a.Episode(a.task), Tree: a.repeat}
	var branch *mcts.TreeRecord

	branch, p.stored, err = o.Store.LoadTree(ctx, id.Question, id.Tree)

	// Damage, here and below, is for Store.Check to report: a problem would name it twice.
	if errors.Is(err, store.ErrDamaged) {
		p.stored = true
		return p, nil
	}

	if err != nil {
		return p, err
	}

	// With no policy to ask, a call that is not in the log fails.
	policy, err := o.Store.Policy(ctx, id.Question, id.Tree, nil)
	if errors.Is(err, store.ErrDamaged) {
		return p, nil
	}

	if err != nil {
		return p, err
	}

	e, err := Play(ctx, a.Env, policy, a.task, id, a.limits())
	_, p.calls = policy.Counts()

	stage, _ := envs.FailedStage(err)
	switch {
	case ctx.Err() != nil:
		return p, ctx.Err()
	case !p.stored && (stage != envs.StageStore || errors.Is(err, store.ErrNotLogged)):
		// An episode that is not stored ends where the log does, or where a failure ended it.
		return p, nil
	case err != nil:
		p.problems = append(p.problems, fmt.Sprintf("cannot be played from the log: %v", err))
	default:
		p.problems = branch.Differences(e.Branch)
	}

	return p, nil
}
