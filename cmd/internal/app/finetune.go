package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/checkpoint"
	"toolevo/finetune/host"
	"toolevo/finetune/training"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
	"toolevo/trajectories/export"
)

// FineTuneJob trains a model on exports, and serves it.
type FineTuneJob struct {
	Host
	training.Options        // what to train; Files are the recipes that are shipped
	Recipe           string // the name of a shipped one, or a file
	Out              string // the folder to train in, or to resume in
	Factory          string // where LLaMA-Factory is; "" is where it is installed
	Server           string // where the result is served: a name or file as in configs/servers; "" is nowhere
	Name             string // of the result on the server; "" is that of Out
	// Pick says how checkpoints are evaluated, in folders of Out; the most accurate is served. nil
	// takes the last.
	Pick *EvaluateJob
}

// FineTuned is the result of a training.
type FineTuned struct {
	Out         string   `json:"out"`               // the training's folder
	Model       string   `json:"model"`             // the weights to serve
	Base        string   `json:"base"`              // what training began with
	Recipe      string   `json:"recipe"`            // its name
	Rows        int      `json:"rows"`              // samples of an epoch
	Scripted    int      `json:"scripted"`          // samples that scripts wrote, not a language model
	Checkpoints []Picked `json:"checkpoints"`       // saved on the way, the earliest first
	Step        int64    `json:"step,omitempty"`    // of the checkpoint that was picked
	Policy      string   `json:"policy,omitempty"`  // that asks the model, if it is registered
	Command     []string `json:"command,omitempty"` // serves the model
	Template    string   `json:"template"`          // the chat template that was trained

	Sources []checkpoint.Source `json:"sources"` // what was trained
}

// visibleGPUs is the environment variable that limits CUDA to some GPUs.
const visibleGPUs = "CUDA_VISIBLE_DEVICES"

// PlanTraining returns the arguments of LLaMA-Factory.
func (j *FineTuneJob) PlanTraining(ctx context.Context) (*training.Plan, error) {
	switch {
	case j.Recipe == "":
		return nil, console.Usage("finetune needs ‹recipe› NAME: configs/finetune has those " +
			"that are shipped")
	case j.Out == "":
		return nil, console.Usage("finetune needs ‹out› DIR, the folder to train in")
	case j.GPUs < -1:
		return nil, console.Usage("‹gpus› %d: want a number of GPUs, 0 for none, -1 for those of this machine", j.GPUs)
	case j.Pick != nil && j.Server == "":
		return nil, console.Usage("‹pick› needs ‹serve› NAME: checkpoints are served to be evaluated")
	}

	recipe, err := training.LoadRecipe(configs.Recipes(), j.Recipe)
	if err != nil {
		return nil, err
	}

	// An empty CUDA_VISIBLE_DEVICES hides every GPU; an unset one hides none.
	if j.GPUs < 0 {
		isSet := slices.ContainsFunc(j.Environ, func(variable string) bool {
			return strings.HasPrefix(variable, visibleGPUs+"=")
		})
		j.GPUs = training.CountGPUs(ctx, j.Lookup(visibleGPUs), isSet)
	}

	j.Files = configs.Recipes()

	p, err := recipe.Plan(j.Options)
	if err != nil {
		return nil, err
	}

	j.Say("%s: %s", recipe.Name, recipe.About)

	// A single export is the one that was named; of several it matters how much each gives.
	if len(p.Sources) > 1 {
		for _, s := range p.Sources {
			j.Say("%s", s)
		}
	}

	for _, w := range p.Warnings {
		j.Say("%s", w)
	}
	return p, nil
}

// FineTune trains or resumes a training, chooses a checkpoint, and registers it.
func FineTune(ctx context.Context, job FineTuneJob) (_ *FineTuned, err error) {
	p, err := job.PlanTraining(ctx)
	if err != nil {
		return nil, err
	}

	// A result that cannot be served as asked is rejected before hours of training.
	server, err := job.server(ctx, p)
	if err != nil {
		return nil, err
	}

	factory, err := training.Find(job.Factory)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	tr, err := training.Open(job.Out, p)
	if err != nil {
		return nil, err
	}

	// A second process that trained here would spoil the checkpoints of the first.
	release, err := store.Lock(filepath.Join(job.Out, ".lock"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()

	if err := job.train(ctx, tr, factory); err != nil {
		return nil, err
	}

	// However many checkpoints are evaluated, the engine is attacked once.
	if job.Pick != nil && job.Pick.Attack == nil {
		job.Pick.Attack = engines.Once()
	}

	s := &selector{&job, tr, factory, server, p}

	done, err := s.choose(ctx)
	if err != nil {
		return nil, err
	}

	done.Base, done.Recipe, done.Rows, done.Template = p.Model, p.Recipe.Name, p.Rows(), p.Template()
	done.Scripted, done.Sources = p.Scripted(), p.Origins()
	return done, s.register(ctx, done)
}

// server returns where the result is served, after a check that the plan suits it and this machine,
// and that checkpoints can be evaluated.
func (j *FineTuneJob) server(ctx context.Context, p *training.Plan) (
	server host.Server, err error) {
	if p.Recipe.Trainer != export.LlamaFactory {
		return server, console.Usage("recipe %s is for %s, which finetune does not run: add "+
			"‹print›, and give what it prints to %s ‹config› FILE", p.Recipe.Name, p.Recipe.Trainer,
			p.Command())
	}

	if j.Server != "" {
		if server, err = host.Load(configs.Servers(), j.Server); err != nil {
			return server, err
		}
	}

	if server.Adapters && !p.Adapts() {
		return server, console.Usage("‹serve› %s is for adapters, and recipe %s trains all weights",
			j.Server, j.Recipe)
	}

	if p.NeedsGPU() && j.GPUs == 0 {
		return server, console.Usage("recipe %s is for GPUs, and this machine shows none. On a "+
			"processor a small model trains with ‹set› use_cpu=true ‹set› bf16= ‹set› deepspeed= "+
			"‹set› flash_attn=", j.Recipe)
	}
	return server, j.checkPick(ctx, server)
}

// train trains, unless the training has finished.
func (j *FineTuneJob) train(ctx context.Context, tr *training.Training, f *training.Factory) error {
	if finished, err := tr.Finished(); err != nil {
		return err
	} else if finished {
		j.Say("%s is trained already.", j.Out)
		return tr.DropStates()
	}

	before, err := tr.Resumes()
	if err != nil {
		return err
	}

	// The steps of this process tell the time left: earlier ones may have run elsewhere.
	if before > 0 {
		j.Say("Continuing from step %d.", before)
	}

	finished := j.Report(func() console.Status {
		p := tr.Progress()
		return console.Status{
			Done:  p.Step,
			Total: p.Steps,
			Work:  console.Work{Done: p.Step - before, Left: p.Steps - p.Step},
			Text:  p.String(),
		}
	})
	err = tr.Train(ctx, f, j.GPUs, Software())

	finished()

	// An interrupted training is no failure of infrastructure.
	if ctx.Err() != nil {
		return err
	}
	return console.GaveUp(err)
}

// RunningServer returns where a server of a kind already runs.
func (h *Host) RunningServer(kind string) string { return serving.Running(kind, h.Lookup) }
