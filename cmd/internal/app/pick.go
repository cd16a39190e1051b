package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/finetune/host"
	"toolevo/finetune/stored"
	"toolevo/finetune/training"
)

// Picked is a checkpoint and how it did on the dev split.
type Picked struct {
	Step     int64    `json:"step"`               // updates before it
	Official *float64 `json:"official,omitempty"` // its accuracy; missing without --pick
	N        int      `json:"n,omitempty"`        // questions measured
}

// selector chooses among the checkpoints of a training and serves the chosen one.
type selector struct {
	*FineTuneJob
	training *training.Training
	factory  *training.Factory
	server   host.Server
	plan     *training.Plan
}

// choose points the training's link to the last weights, or to those of the most accurate
// checkpoint.
func (s *selector) choose(ctx context.Context) (*FineTuned, error) {
	done := &FineTuned{
		Out: s.Out, Model: filepath.Join(s.Out, filepath.Base(s.training.Model())), Checkpoints: []Picked{},
	}

	all, err := s.training.Checkpoints()
	if err != nil {
		return nil, err
	}

	for _, c := range all {
		done.Checkpoints = append(done.Checkpoints, Picked{Step: c.Step})
	}

	weights := s.training.Weights()

	// A training that ended before its first checkpoint has nothing to choose from.
	if s.Pick != nil && len(all) > 0 {
		best, err := s.best(ctx, all, done.Checkpoints)
		if err != nil {
			return nil, err
		}

		done.Step, weights = all[best].Step, all[best].Dir
	}

	// The link is moved last: until then it leads to what was chosen before.
	servable, err := s.servable(ctx, weights)
	if err != nil {
		return nil, err
	}

	return done, s.training.Choose(servable)
}

// checkPick rejects an evaluation of checkpoints that cannot be made, or gives no single accuracy.
func (j *FineTuneJob) checkPick(ctx context.Context, server host.Server) error {
	if j.Pick == nil {
		return nil
	}

	part := *j.Pick
	part.Plan, part.MixEngines = &Plan{}, false
	part.setCommand("eval", stored.Evaluated, EvaluateDefaults())
	part.Settings = part.Settings.With("policy", server.Kind+":"+j.modelName())

	_, err := part.evaluate(ctx, func(b *Bench) error {
		if n := len(b.Config.Policy) * len(b.Deployed.Families); n != 1 {
			return console.Usage("the evaluation is of %d API versions or policies: to pick a "+
				"checkpoint there has to be one accuracy", n)
		}
		return nil
	})
	return err
}

// best evaluates the checkpoints and returns the most accurate, the earliest of several.
func (s *selector) best(ctx context.Context, all []training.Checkpoint, results []Picked) (
	int, error) {
	best := 0

	for i, c := range all {
		row, err := s.measure(ctx, c)
		if err != nil {
			return 0, fmt.Errorf("evaluate checkpoint %d: %w", c.Step, err)
		}

		results[i].Official, results[i].N = &row.Official, row.N
		s.Say("Checkpoint %d: %.1f %% of %d dev questions", c.Step, 100*row.Official, row.N)

		if row.Official > *results[best].Official {
			best = i
		}
	}
	return best, nil
}

// measure evaluates a checkpoint, or resumes its evaluation.
func (s *selector) measure(ctx context.Context, c training.Checkpoint) (
	row finetune.Row, err error) {
	servable, err := s.servable(ctx, c.Dir)
	if err != nil {
		return row, err
	}

	served, err := s.serve(ctx, servable, fmt.Sprintf("%s-%d", s.modelName(), c.Step))
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, served.Stop()) }()

	// The evaluation asks this checkpoint's server, whatever others the user has.
	part := *s.Pick
	if part.Servers == nil {
		part.Servers = part.DefaultServers()
	}

	addressed := *part.Servers
	addressed.Addresses = served.Address
	part.Servers, part.Settings = &addressed, part.Settings.With("policy", served.Policy)
	part.Out = filepath.Join(s.Out, training.DevFolder, strconv.FormatInt(c.Step, 10))
	part.Resume = IsRun(part.Out)
	part.MixEngines = part.MixEngines && part.Resume

	var result Evaluated

	err = served.While(ctx, func(ctx context.Context) (err error) {
		result, err = Evaluate(ctx, part)
		return err
	})

	// How to resume the evaluation alone, which its error says, is of no use to who trains.
	switch {
	case err != nil && ctx.Err() != nil:
		return row, ctx.Err()
	case err != nil:
		return row, err
	}

	return result.Overall[0], nil
}

// servable is what the server loads for weights: a server of adapters takes them unmerged.
func (s *selector) servable(ctx context.Context, weights string) (string, error) {
	if s.server.Adapters {
		return weights, nil
	}
	return s.training.Servable(ctx, s.factory, weights)
}

// serve serves weights under a name.
func (s *selector) serve(ctx context.Context, weights, name string) (*host.Served, error) {
	served, err := s.server.Serve(ctx, s.checkpoint(weights, name), s.RunningServer(s.server.Kind),
		filepath.Join(s.Out, "serve.log"))
	if ctx.Err() != nil {
		return nil, err
	}

	return served, console.GaveUp(err)
}

func (s *selector) checkpoint(weights, name string) host.Checkpoint {
	return host.Checkpoint{
		Folder:      weights,
		Name:        name,
		Template:    s.plan.Template(),
		NativeCalls: s.plan.NativeCalls(),
	}
}

func (j *FineTuneJob) modelName() string {
	if j.Name != "" {
		return j.Name
	}
	return filepath.Base(filepath.Clean(j.Out))
}

// register registers the chosen weights where the server keeps them, and otherwise notes how they
// are served.
func (s *selector) register(ctx context.Context, done *FineTuned) error {
	if s.Server == "" {
		return nil
	}

	c := s.checkpoint(s.training.Model(), s.modelName())

	if len(s.server.Command) > 0 {
		done.Command = s.server.CommandLine(c, "8000")
		done.Policy = s.server.Kind + ":" + c.Name
		return nil
	}

	served, err := s.serve(ctx, c.Folder, c.Name)
	if err != nil {
		return err
	}

	done.Policy = served.Policy
	return served.Stop()
}
