package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/account"
	"toolevo/mcts/collect"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/metrics"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// CollectJob grows trees over questions.
type CollectJob struct {
	RunJob
	Unreadable bool             // continue even if no action can be read from the model's first turns
	Estimate   *EstimateOptions // for the cost that a [Plan] shows; nil estimates nothing
}

// Collected is the result of a collection.
type Collected struct {
	Run     string `json:"run_id"`   // no other run has it
	Hash    string `json:"run_hash"` // of runs that grow the same trees if their models answer the same
	Policy  string `json:"policy"`   // e.g. "scripted:noisy"
	Dir     string `json:"dir"`      // the run directory
	File    string `json:"file"`     // of the correct trajectories
	Correct int    `json:"correct"`  // correct trajectories, which the official matcher accepts: the rows of the file
	collect.Snapshot
	Spent    account.Total              `json:"spent"`              // by all models that were asked, in all passes
	Estimate *Projection                `json:"estimate,omitempty"` // made before it began, for all of it
	LeftOut  []export.LeftOut           `json:"left_out,omitempty"` // correct, but not accepted
	GivenUp  []store.GivenUp            `json:"given_up,omitempty"` // trees, as a request failed alone
	Policies map[string]server.Snapshot `json:"policies,omitempty"` // on servers, by name: the counts of this pass
	// of PythonInterpreter, in words; more than one when they were mixed
	Engines  []string `json:"engines"`
	Warnings []string `json:"warnings,omitempty"` // what a reader must know, a sentence each
}

// Collect grows what is left of the trees of a run, and writes their trajectories.
func Collect(ctx context.Context, job CollectJob) (Collected, error) {
	job.setCommand(stored.Collection, stored.Collection, nil)
	return job.collect(ctx, OnePolicy(stored.Collection), nil)
}

// collect is Collect with a check of the configuration, and one of a run that is about to begin.
func (j *CollectJob) collect(ctx context.Context, check func(*Bench) error, begin func(*Bench) error) (
	c Collected, err error) {
	if j.Estimate != nil {
		if err := j.Estimate.check(); err != nil {
			return c, err
		}
	}

	b, err := j.open(ctx, check)
	if err != nil {
		return c, err
	}
	defer b.Close()

	if j.Plan != nil {
		return c, j.plan(ctx, b, j.Estimate)
	}

	// A branch replays the steps to its node here: the engine is running, and no run has begun.
	if begin != nil {
		if err := begin(b); err != nil {
			return c, err
		}
	}

	err = j.inRun(ctx, b, func(run *stored.Run) (err error) {
		// The run's folder keeps the estimate, so it is made once there is one, before any call.
		expected := j.projected(ctx, b, run.Dir)
		if c, err = j.grow(ctx, b, run); err == nil {
			c.Estimate = expected
		}
		return err
	})
	return c, err
}

// CollectOptions wires a collection to a run's store.
func CollectOptions(b *Bench, run *store.Run) (collect.Options, error) {
	o, err := LogOptions(b, run)
	if err != nil {
		return o, err
	}

	o.Policy, err = b.Policy(b.Config.Policy[0])
	o.Room = b.Room()
	return o, err
}

// LogOptions is CollectOptions without a model, for what needs only the run's log.
func LogOptions(b *Bench, run *store.Run) (collect.Options, error) {
	env, err := b.branchEnvironment(run)
	if err != nil {
		return collect.Options{}, err
	}

	questions := make([]collect.Question, len(b.Tasks))
	for i, t := range b.Tasks {
		questions[i] = collect.Question{Task: t, MaxDepth: b.Config.MaxDepth(t), Prefix: b.prefix()}
	}

	accept, err := b.acceptance()
	if err != nil {
		return collect.Options{}, err
	}
	return collect.Options{
		Questions: questions,
		Env:       env,
		Search:    b.Config.Search.Config,
		Accept:    accept.Accept,
		Seed:      b.Config.Seed,
		Store:     run.Store,
		Log:       b.Log,
		Retry:     b.Retry(),
	}, nil
}

// charactersOfAToken is how many characters count as a token without a tokenizer.
const charactersOfAToken = 4

// acceptance returns which trajectories training takes, as an export with the same cutoff and
// tokenizer would.
func (b *Bench) acceptance() (*export.Acceptance, error) {
	t := b.Config.Training

	prompt, err := b.Prompt()
	if err != nil {
		return nil, err
	}

	tokens, characters := 0, charactersOfAToken*t.Cutoff
	if b.tokenizer != nil {
		tokens, characters = t.Cutoff, 0
	}

	linter, err := export.NewLinter(b.tokenizer, t.Template, tokens)
	if err != nil {
		return nil, console.Usage("training: %v", err)
	}

	shown := func(t envs.Task) trajectories.Shown { return shownBy(prompt, t) }
	return export.NewAcceptance(linter, b.Config.Reasoning(), shown, b.versionOf(b.Deployed.All()),
		characters), nil
}

// OnePolicy rejects several policies, which cannot grow a tree together, and one that knows more
// than its prompt says: a model trained on it learns to guess. It rejects whole programs, too,
// which leave nothing to search, and requires settings of training that can be used.
func OnePolicy(command string) func(*Bench) error {
	return func(b *Bench) error {
		switch policies := b.Config.Policy; {
		case len(policies) != 1:
			return console.Usage("%s takes one ‹policy›, not %s", command,
				strings.Join(policies, ","))
		case serving.IsKnowing(policies[0]):
			return console.Usage("‹policy› %s: it is told what is deployed, so its trajectories "+
				"teach nothing: evaluate it, and let another one %s", policies[0], command)
		case serving.BaselineOf(policies[0]) != "":
			return console.Usage("‹policy› %s: a baseline shows or does what training data should "+
				"not: evaluate it, and %s without it", policies[0], command)
		case b.Config.Environment.ActionCodec() == action.Python{}:
			return console.Usage("environment.codec: python answers a task in one turn, and a "+
				"search needs several: %s with react or function-call, and evaluate with python",
				command)
		}

		_, err := b.acceptance()
		return err
	}
}

// grow grows what is left of the trees of a run, and writes their trajectories.
func (j *CollectJob) grow(ctx context.Context, b *Bench, run *stored.Run) (c Collected, err error) {
	options := CollectOptions
	if j.Coordinate != nil { // workers have the model
		options = LogOptions
	}

	o, err := options(b, run.Run)
	if err != nil {
		return c, err
	}

	o.Unreadable = j.Unreadable
	o.Workers, o.Progress = j.workerCount(b), &collect.Progress{}
	o.Accepted = j.Servers.Account.Accept

	workers, load, release, err := j.engage(ctx, b, run, &o)
	if err != nil {
		return c, err
	}
	defer func() { err = cmp.Or(err, release(err == nil)) }()

	finish, err := j.followCollection(b, run, o.Progress, workers, load)
	if err != nil {
		return c, err
	}

	// The last counts are written whatever happened, with those of workers that hand in what they
	// have; the error of the search comes first. Of trees that are given up nothing is to be handed
	// in, and the run may be complete without them: then workers go home.
	snapshot, err := collect.Run(ctx, o)
	if err != nil && !errors.As(err, new(*collect.UnresolvedError)) {
		err = cmp.Or(err, release(false))
	}

	err = cmp.Or(err, finish())

	// Unresolved trees leave the run unfinished, but what the others found is written.
	var unresolved *collect.UnresolvedError
	var cannot *collect.CannotActError

	switch {
	case errors.As(err, &cannot):
		return c, j.cannotActError(b.Config, cannot)
	case err != nil && !errors.As(err, &unresolved):
		return c, j.stopped(err)
	}

	return j.end(ctx, b, run, snapshot, unresolved)
}

// engage has workers grow the trees, if the job says so; see coordinated.
func (j *CollectJob) engage(ctx context.Context, b *Bench, run *stored.Run, o *collect.Options) (
	workers *cluster.Coordinator, load func() string, release func(done bool) error, err error) {
	workers, load, release, err = j.coordinated(ctx, b, run)
	if workers != nil {
		o.Elsewhere, o.Workers, o.Room = workers.Grow, mostOpenUnits, nil
	}
	return workers, load, release, err
}

// followCollection shows how a collection is doing.
func (j *CollectJob) followCollection(b *Bench, run *stored.Run, p *collect.Progress, workers *cluster.Coordinator,
	load func() string) (finish func() error, err error) {
	return j.follow(b, run, followed{
		workers: workers,
		figures: metrics.Collection(p.Snapshot),
		// Replayed answers count as work, too: a run that catches up with its log is healthy.
		done: func() int64 {
			s := p.Snapshot()
			return s.TreesDone + s.Asked + s.Replayed
		},
		progress: func() rundir.Progress { return collectProgress(p.Snapshot()) },
		status: func() func() console.Status {
			return collectStatus(p.Snapshot, load)
		},
	})
}

// end writes the trajectories of the trees that were grown.
func (j *CollectJob) end(ctx context.Context, b *Bench, run *stored.Run, snapshot collect.Snapshot,
	unresolved *collect.UnresolvedError) (c Collected, err error) {
	path := filepath.Join(run.Dir, stored.RowsFile)

	n, err := run.WriteRows(ctx, j.Say)
	if err != nil {
		return c, j.stopped(err)
	}

	// A run whose missing trees are all given up is done: asking again is up to the user.
	if unresolved != nil && (!unresolved.Named() || snapshot.Trees == 0) {
		j.Say("%s has the %d trajectories of the trees that are there.", path, n)
		return c, j.stopped(unresolved)
	}

	givenUp, err := run.GivenUp(ctx)
	if err == nil {
		err = run.End(ctx, n)
	}

	if err != nil {
		return c, j.stopped(err)
	}

	// Only if the two counts differ is the file read again, for the reasons.
	left, err := b.leftOut(run, n-int(snapshot.Accepted))
	if err != nil {
		return c, err
	}
	return Collected{
		LeftOut:  left,
		GivenUp:  givenUp,
		Run:      run.Manifest.ID,
		Hash:     run.Manifest.Hash,
		Policy:   run.Config.Policy[0],
		Dir:      run.Dir,
		Correct:  n,
		File:     path,
		Snapshot: snapshot,
		Spent:    j.Servers.Account.Total(),
		Policies: b.Snapshots(),
		Engines:  engines.InWords(run.Engines),
		Warnings: run.Warnings(),
	}, nil
}

// leftOut says why n trajectories of the run's file are not accepted.
func (b *Bench) leftOut(run *stored.Run, n int) ([]export.LeftOut, error) {
	if n == 0 {
		return nil, nil
	}

	accept, err := b.acceptance()
	if err != nil {
		return nil, err
	}
	return accept.LeftOut(trajectories.ReadFile(filepath.Join(run.Dir, stored.RowsFile)))
}

// collectProgress returns how far a collection is, for the list of runs.
func collectProgress(s collect.Snapshot) rundir.Progress {
	return rundir.Progress{
		Done:       s.TreesDone,
		Total:      s.TreesPlanned,
		Questions:  s.Questions,
		Finished:   s.QuestionsDone,
		Solved:     &s.Solved,
		Correct:    &s.Correct,
		Accepted:   &s.Accepted,
		Unresolved: &s.Unresolved,
	}
}

// collectStatus returns the line of progress. With the bar it fits 80 columns; where it does not,
// the least important part comes last. Questions, not trees, tell the time left: most trees of a
// question that has enough are skipped.
func collectStatus(read func() collect.Snapshot, load func() string) func() console.Status {
	calls := console.NewMeter()
	return func() console.Status {
		s := read()

		text := fmt.Sprintf("%d/%d questions, %d solved, %d accepted", s.QuestionsDone, s.Questions,
			s.Solved, s.Accepted)
		if s.Unresolved > 0 {
			text += fmt.Sprintf(", %d unresolved", s.Unresolved)
		}

		text += UnreadableShare(s.Unreadable, s.Turns)
		text += fmt.Sprintf(", %s, %d trees", display.Rate(calls.Rate(s.Asked), "calls"), s.Trees)
		return console.Status{
			Done:  s.TreesDone,
			Total: s.TreesPlanned,
			Work: console.Work{
				Done: s.QuestionsDone - s.QuestionsReplayed,
				Left: s.Questions - s.QuestionsDone,
			},
			Text:    text,
			Servers: load(),
		}
	}
}

// Prepared returns the job for callers that check its needs one by one.
func (j CollectJob) Prepared() CollectJob {
	j.setCommand(stored.Collection, stored.Collection, nil)
	return j
}
