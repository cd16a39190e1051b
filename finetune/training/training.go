package training

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolevo/envs/disk"
	"toolevo/finetune/checkpoint"
	"toolevo/finetune/child"
)

// The files of a training's folder.
const (
	argumentsFile = "train.yaml"
	logFile       = "train.log"
	lockFile      = "train.lock"
	weightsFolder = "weights"
	mergedFolder  = "merged"
	modelLink     = "model"

	// DevFolder has the evaluations of checkpoints, in a folder for each step.
	DevFolder = "dev"
)

// Training is a folder in which a plan is carried out.
type Training struct {
	dir  string // absolute
	plan *Plan
}

// Open makes the folder for a plan, or returns it if the same plan began there.
func Open(dir string, p *Plan) (*Training, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}

	t := &Training{dir, p}

	text, err := p.YAML()
	if err != nil {
		return nil, err
	}

	// The arguments are written last: if they exist, so does all else.
	before, err := os.ReadFile(t.path(argumentsFile))

	switch {
	case err == nil && bytes.Equal(before, text):
		return t, nil
	case err == nil:
		return nil, fmt.Errorf("%s holds another training (%s differs): choose another folder, or repeat "+
			"what it was begun with: the same export, recipe and GPUs", dir, argumentsFile)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}

	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}

	// A killed write may have left files, whole or not; they are written again.
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		_, planned := p.files[strings.TrimSuffix(e.Name(), disk.Unfinished)]
		return planned || e.Name() == argumentsFile+disk.Unfinished
	})

	// Anything else is somebody's: a training would mix with it, and clear removes weights.
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty, and no training began in it: choose another folder", dir)
	}

	return t, t.write(text)
}

// write writes what LLaMA-Factory reads, the arguments last.
func (t *Training) write(arguments []byte) error {
	if err := os.MkdirAll(t.dir, 0o755); err != nil {
		return err
	}

	for name, text := range t.plan.files {
		if err := disk.Write(t.path(name), text); err != nil {
			return err
		}
	}

	return disk.Write(t.path(argumentsFile), arguments)
}

func (t *Training) path(name string) string { return filepath.Join(t.dir, name) }

// Log returns the file with what LLaMA-Factory printed.
func (t *Training) Log() string { return t.path(logFile) }

// Weights returns the folder of the last weights.
func (t *Training) Weights() string { return t.path(weightsFolder) }

// Model returns the link to the weights that are to be served, once they exist.
func (t *Training) Model() string { return t.path(modelLink) }

// Finished reports whether the training is over. It fails if the weights were whole and are no
// longer.
func (t *Training) Finished() (bool, error) {
	if _, err := checkpoint.Read(t.Weights()); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}

	if err := checkpoint.Check(t.Weights()); err != nil {
		return false, fmt.Errorf("%w: remove %s to train them again", err, t.Weights())
	}
	return true, nil
}

// Progress returns how far the training is.
func (t *Training) Progress() Progress { return lastProgress(t.Weights()) }

// Checkpoints lists the whole checkpoints that were saved, the earliest first.
func (t *Training) Checkpoints() ([]Checkpoint, error) {
	whole, _, err := checkpoints(t.Weights())
	return whole, err
}

// tidyEvery is how often superseded states are looked for. They are written every few minutes at
// most.
const tidyEvery = 2 * time.Second

// Train carries the plan out on some GPUs, starting from the last whole checkpoint. When ctx ends,
// so does LLaMA-Factory, and what it saved stays. Software names this program in the origin of the
// weights.
func (t *Training) Train(ctx context.Context, f *Factory, gpus int, software string) error {
	trainer, err := f.Version(ctx)
	if err != nil {
		return err
	}

	// Before hours of training: what the weights come from may be unreadable.
	origin, err := t.origin(trainer, software)
	if err != nil {
		return err
	}

	if err := t.clear(); err != nil {
		return err
	}

	command := f.command(t.dir, "train", argumentsFile)
	command.Lock = t.path(lockFile)

	if t.plan.torchrun {
		command.Env = append(command.Env, "FORCE_TORCHRUN=1")
	}

	if gpus > 0 {
		command.Env = append(command.Env, "NPROC_PER_NODE="+strconv.Itoa(gpus))
	}

	if err := t.watch(ctx, command); err != nil {
		return err
	}
	return t.finish(origin)
}

// watch runs LLaMA-Factory and removes superseded states meanwhile.
func (t *Training) watch(ctx context.Context, command child.Command) error {
	c, err := child.Start(ctx, command)
	if err != nil {
		return err
	}

	// At the end the trainer loads the best checkpoint; with DeepSpeed it needs its states.
	keepBest := t.plan.arguments.isTrue(argLoadBest)

	ticker := time.NewTicker(tidyEvery)
	defer ticker.Stop()

	for {
		select {
		case <-c.Done():
			return c.Wait()
		case <-ticker.C:
			if err := dropSuperseded(t.Weights(), keepBest); err != nil {
				return errors.Join(err, c.Stop())
			}
		}
	}
}

// clear removes checkpoints that no training can resume from, and all weights if there is no other:
// LLaMA-Factory refuses to begin where weights are. With those goes what was made of them, which
// would be taken for that of the next ones.
func (t *Training) clear() error {
	whole, broken, err := checkpoints(t.Weights())

	for _, dir := range broken {
		err = errors.Join(err, os.RemoveAll(dir))
	}

	if err == nil && (len(whole) == 0 || !t.plan.resumes()) {
		for _, name := range []string{modelLink, mergedFolder, DevFolder, weightsFolder} {
			err = errors.Join(err, os.RemoveAll(t.path(name)))
		}
	}
	return err
}

// Resumes returns the step at which the next attempt resumes, 0 for the beginning.
func (t *Training) Resumes() (int64, error) {
	whole, err := t.Checkpoints()
	if len(whole) == 0 || !t.plan.resumes() {
		return 0, err
	}
	return whole[len(whole)-1].Step, err
}

// finish removes what only a training needs, and notes beside all weights what they were trained
// on.
func (t *Training) finish(origin *checkpoint.Origin) error {
	// That a trainer ended well does not prove its weights, and sealing broken ones would hide it.
	if err := cmp.Or(checkpoint.Whole(t.Weights()), t.checkHead(t.Weights())); err != nil {
		return fmt.Errorf("the trainer reported success, but %v (%s)", err, t.Log())
	}

	whole, err := t.Checkpoints()
	if err != nil {
		return err
	}

	for _, c := range whole {
		// Every checkpoint may be served, so each says what it was trained on, and for how many
		// steps.
		at := *origin
		at.Step = c.Step

		if err := at.Seal(c.Dir); err != nil {
			return err
		}
	}

	// Sealed weights are what makes a training finished. Until then it may have to be resumed, and
	// for that its states are needed.
	if err := origin.Seal(t.Weights()); err != nil {
		return err
	}

	return dropStates(whole)
}

// DropStates removes the optimizer states of a finished training. [Training.Train] ends with that,
// unless it is killed just before.
func (t *Training) DropStates() error {
	whole, err := t.Checkpoints()
	return errors.Join(err, dropStates(whole))
}

// checkHead makes sure that weights of a reward model have their head.
func (t *Training) checkHead(weights string) error {
	if !t.plan.rewards() {
		return nil
	}
	return checkpoint.CheckHead(weights)
}

// origin says what the weights were trained on.
func (t *Training) origin(trainer, software string) (*checkpoint.Origin, error) {
	base, err := checkpoint.BaseOf(t.plan.Model)
	if err != nil {
		return nil, err
	}

	text, err := t.plan.YAML()
	return &checkpoint.Origin{
		Version:   checkpoint.OriginVersion,
		Software:  software,
		Trainer:   trainer,
		Recipe:    t.plan.Recipe.Name,
		Arguments: string(text),
		Template:  t.plan.Template(),
		Adapter:   t.plan.Adapts(),
		Sources:   t.plan.Origins(),
		Base:      base,
	}, err
}
