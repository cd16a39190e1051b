package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/metrics"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

func (a *app) collectCommand() *cobra.Command {
	cmd := newCommand("collect")
	f := a.addCollectFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.estimate.check(cmd, *f.dryRun); err != nil {
			return err
		}

		return a.makeRun(cmd, stored.Collection, f, onePolicy(cmd.Name()), func(b *bench) error {
			return a.collect(cmd.Context(), f, b)
		})
	}

	return cmd
}

// addCollectFlags adds the flags of collect, which doctor takes, too.
func (a *app) addCollectFlags(cmd *cobra.Command) *runFlags {
	f := a.addRunFlags(cmd, nil, "dataset", "difficulty", "template", "split", "limit", "perturb", "api", "policy",
		"preset", "trees", "seed", "compat", "feedback", "no-update-tool", "no-reflection", "engine", "python")
	f.command, f.kind = stored.Collection, stored.Collection
	f.estimate = addEstimateFlags(cmd)
	cmd.Flags().BoolVar(&f.unreadable, "ignore-unreadable", false, "go on although no action can be read from "+
		"what the model writes first")

	return f
}

// collectOptions wires a collection over a run's store.
func collectOptions(b *bench, run *store.Run) (collect.Options, error) {
	o, err := logOptions(b, run)
	if err != nil {
		return o, err
	}

	o.Policy, err = b.Policy(b.Config.Policy[0])
	o.Room = b.Room()

	return o, err
}

// logOptions is collectOptions without a model: for what needs nothing but the run's log.
func logOptions(b *bench, run *store.Run) (collect.Options, error) {
	env, err := b.branchEnvironment(run)
	if err != nil {
		return collect.Options{}, err
	}

	questions := make([]collect.Question, len(b.tasks))
	for i, t := range b.tasks {
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
		Log:       b.log,
		Retry:     b.retry(),
	}, nil
}

// charactersOfAToken is how many characters count as a token where there is no tokenizer.
const charactersOfAToken = 4

// acceptance returns which trajectories training takes, as an export with the same cutoff and tokenizer would.
func (b *bench) acceptance() (*export.Acceptance, error) {
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

	return export.NewAcceptance(linter, b.Config.Environment.ActionCodec(), b.Config.Reasoning(),
		prompt.System, characters), nil
}

// onePolicy refuses several policies, which grow no tree together, and one that knows more than a
// prompt says: who learns from it learns to guess. Whole programs grow no tree either. What
// training takes must be known.
func onePolicy(command string) func(*bench) error {
	return func(b *bench) error {
		switch policies := b.Config.Policy; {
		case len(policies) != 1:
			return console.Usage("%s takes one --policy, not %s", command, strings.Join(policies, ","))
		case serving.IsKnowing(policies[0]):
			return console.Usage("--policy %s: it is told what is deployed, so its trajectories teach nothing: "+
				"evaluate it, and let another one %s", policies[0], command)
		case b.Config.Environment.ActionCodec() == action.Python{}:
			return console.Usage("environment.codec: python answers a task in one turn, and a search needs several: "+
				"%s with react or function-call, and evaluate with python", command)
		}

		_, err := b.acceptance()

		return err
	}
}

// collect grows what is left of the trees of a run, and writes their trajectories.
func (a *app) collect(ctx context.Context, f *runFlags, b *bench) error {
	return a.inRun(ctx, stored.Collection, f, b, func(run *stored.Run) error {
		o, err := collectOptions(b, run.Run)
		if err != nil {
			return err
		}

		o.Unreadable = f.unreadable
		o.Workers, o.Progress = f.workerCount(b), &collect.Progress{}

		finish, err := a.follow(f, b, run, followed{
			figures: metrics.Collection(o.Progress.Snapshot),
			done: func() int64 {
				s := o.Progress.Snapshot()
				return s.TreesDone + s.Asked + s.Replayed
			},
			progress: func() rundir.Progress { return collectProgress(o.Progress.Snapshot()) },
			status:   collectStatus(o.Progress.Snapshot, b.Load()),
		})
		if err != nil {
			return err
		}

		snapshot, err := collect.Run(ctx, o)
		err = cmp.Or(err, finish())

		// Trees that were given up end the run as unfinished, but what the others found is written.
		var unresolved *collect.UnresolvedError
		var cannot *collect.CannotActError

		switch {
		case errors.As(err, &cannot):
			return b.cannotAct(f, cannot)
		case err != nil && !errors.As(err, &unresolved):
			return a.stopped(stored.Collection, f, err)
		}

		return a.endCollection(ctx, f, b, run, snapshot, unresolved)
	})
}

// endCollection writes the trajectories of the trees that are there, and reports.
func (a *app) endCollection(ctx context.Context, f *runFlags, b *bench, run *stored.Run, snapshot collect.Snapshot,
	unresolved *collect.UnresolvedError) error {
	path := filepath.Join(run.Dir, stored.RowsFile)

	n, err := run.WriteRows(ctx, a.Say)
	if err != nil {
		return a.stopped(stored.Collection, f, err)
	}

	// A run whose missing trees are all named has come to its end; asking again is the user's choice.
	if unresolved != nil && (!unresolved.Named() || snapshot.Trees == 0) {
		a.Say("%s has the %d trajectories of the trees that are there.", path, n)
		return a.stopped(stored.Collection, f, unresolved)
	}

	givenUp, err := run.GivenUp(ctx)
	if err == nil {
		a.sayGivenUp("trees", givenUp, resumeCommand(f))

		err = run.End(ctx, n)
	}

	if err != nil {
		return a.stopped(stored.Collection, f, err)
	}

	left, err := b.leftOut(run, n-int(snapshot.Accepted))
	if err != nil {
		return err
	}

	return a.printCollected(*f.asJSON, collected{
		LeftOut:  left,
		GivenUp:  givenUp,
		Run:      run.Manifest.ID,
		Hash:     run.Manifest.Hash,
		Policy:   run.Config.Policy[0],
		Dir:      run.Dir,
		Correct:  n,
		File:     path,
		Snapshot: snapshot,
		Policies: b.Snapshots(),
		Engines:  engines.InWords(run.Engines),
		Warnings: engines.Warnings(run.Engines),
	})
}

// leftOut says why some trajectories of the run's file are not accepted, if there are any such.
func (b *bench) leftOut(run *stored.Run, n int) ([]export.LeftOut, error) {
	if n == 0 {
		return nil, nil
	}

	accept, err := b.acceptance()
	if err != nil {
		return nil, err
	}

	return accept.LeftOut(trajectories.ReadFile(filepath.Join(run.Dir, stored.RowsFile)))
}

// collectProgress is how far a collection is, for those who list runs.
func collectProgress(s collect.Snapshot) rundir.Progress {
	return rundir.Progress{
		Done:       s.TreesDone,
		Total:      s.TreesPlanned,
		Questions:  s.Questions,
		Solved:     &s.Solved,
		Correct:    &s.Correct,
		Unresolved: &s.Unresolved,
	}
}

// collected is the result of a collection.
type collected struct {
	Run     string `json:"run_id"`   // no other run has it
	Hash    string `json:"run_hash"` // of runs that grow the same trees if their models answer the same
	Policy  string `json:"policy"`   // e.g. "scripted:noisy"
	Dir     string `json:"dir"`      // the run directory
	File    string `json:"file"`     // of the correct trajectories
	Correct int    `json:"correct"`  // correct trajectories, which the official matcher takes: the rows of the file
	collect.Snapshot
	LeftOut  []export.LeftOut           `json:"left_out,omitempty"` // correct, but not accepted
	GivenUp  []store.GivenUp            `json:"given_up,omitempty"` // trees, as a request failed alone
	Policies map[string]server.Snapshot `json:"policies,omitempty"` // on servers, by name: the counts of this pass
	// of PythonInterpreter, in words; more than one when they were mixed
	Engines  []string `json:"engines"`
	Warnings []string `json:"warnings,omitempty"` // about walls that were not there
}

func (a *app) printCollected(asJSON bool, c collected) error {
	return a.Show(asJSON, c, func() {
		fmt.Fprintf(a.Out, "run %s: %d of %d questions solved\n", c.Run, c.Solved, c.Questions)
		fmt.Fprintf(a.Out, "%d trees, %d model calls, and %d answered by the log\n", c.Trees, c.Asked, c.Replayed)
		fmt.Fprintf(a.Out, "%d correct trajectories, %d of them distinct and accepted, in %s\n", c.Correct, c.Accepted,
			c.File)
		if c.Unreadable > 0 {
			fmt.Fprintf(a.Out, "%d turns,%s\n", c.Turns, unreadableShare(c.Unreadable, c.Turns))
		}

		for _, left := range c.LeftOut {
			fmt.Fprintf(a.Out, "left out %d: %s\n", left.N, left.Why)
		}

		printEngines(a.Out, c.Engines, c.Warnings)
		next := "--out DIR"
		if mcts.IsScripted(c.Policy) {
			next += " --allow-scripted"
		}

		a.Say("Next: toolevo %s\n      toolevo %s %s", console.Shell("inspect", c.Dir),
			console.Shell("export", c.Dir), next)
	})
}

// collectStatus is the progress. With the bar it fits 80 columns; where it does not, what matters least stands last.
// The time left is told by questions: most trees of one that has enough are skipped.
func collectStatus(read func() collect.Snapshot, load func() string) func() console.Status {
	calls := console.NewMeter()

	return func() console.Status {
		s := read()
		solved := 100 * float64(s.Solved) / float64(max(s.Questions, 1))

		text := fmt.Sprintf("%d/%d questions %.0f%% solved %d accepted", s.QuestionsDone, s.Questions, solved,
			s.Accepted)
		if s.Unresolved > 0 {
			text += fmt.Sprintf(" %d unresolved", s.Unresolved)
		}

		text += unreadableShare(s.Unreadable, s.Turns)
		text += fmt.Sprintf(" %s %d trees", display.Rate(calls.Rate(s.Asked), "calls"), s.Trees)

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
