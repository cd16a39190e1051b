package training_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolevo/envs/disk"
	"toolevo/finetune/checkpoint"
	"toolevo/finetune/training"
	"toolevo/finetune/training/trainingtest"
)

const software = "toolevo test"

// begin opens a training of a recipe with the script for LLaMA-Factory.
func begin(t *testing.T, text string) (*training.Training, *training.Factory) {
	t.Helper()

	f, err := training.Find(trainingtest.Factory(t))
	if err != nil {
		t.Fatal(err)
	}

	tr, err := training.Open(filepath.Join(t.TempDir(), "out"), plan(t, text, training.Options{
		Exports: []string{exported(t, manifest())},
	}))
	if err != nil {
		t.Fatal(err)
	}

	return tr, f
}

// sets writes the number of a step into a file that an environment variable of the script names.
func sets(t *testing.T, variable, step string) (path string) {
	t.Helper()

	path = filepath.Join(t.TempDir(), variable)
	if err := os.WriteFile(path, []byte(step), 0o644); err != nil {
		t.Fatal(err)
	}

	t.Setenv(variable, path)
	return path
}

// files lists the files below a folder.
func files(t *testing.T, dir string) (all []string) {
	t.Helper()

	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(dir, path)
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return all
}

func TestTrain(t *testing.T) {
	tr, f := begin(t, recipeText)
	if finished, err := tr.Finished(); finished || err != nil || tr.Progress().Steps != 0 {
		t.Error("it is finished before it began")
	}

	if err := tr.Train(t.Context(), f, 2, software); err != nil {
		t.Fatal(err)
	}

	whole, err := tr.Checkpoints()
	if err != nil || len(whole) != 3 || whole[2].Step != 3 {
		t.Errorf("checkpoints %v, %v", whole, err)
	}

	for _, name := range files(t, tr.Weights()) {
		if strings.Contains(name, "optimizer") || strings.Contains(name, "global_step") {
			t.Errorf("%s is still there", name)
		}
	}

	if p := tr.Progress(); p.String() != "step 3/3, epoch 3.00, loss 0.3000" {
		t.Errorf("progress: %s", p)
	}

	log, err := os.ReadFile(tr.Log())
	if err != nil || !strings.Contains(string(log), "from step 0, 2 GPUs") {
		t.Errorf("log: %s, %v", log, err)
	}

	o, err := checkpoint.Read(whole[1].Dir)
	if err != nil {
		t.Fatal(err)
	}

	data := o.Sources[0].Export
	if o.Trainer != "LLaMA-Factory 0.9.5" || o.Step != 2 || data.Seal != "5ea1" || o.Base.Model != "some/model" ||
		data.Runs[0].RunID != "one" || o.Software != software || !strings.Contains(o.Arguments, "learning_rate") {
		t.Errorf("origin: %+v", o)
	}

	if finished, err := tr.Finished(); !finished || err != nil {
		t.Errorf("it is not finished: %v", err)
	}

	// As if it had been killed before the end.
	state := filepath.Join(whole[0].Dir, "optimizer.pt")
	if err := errors.Join(os.WriteFile(state, nil, 0o644), tr.DropStates()); err != nil {
		t.Fatal(err)
	}

	if _, err := os.Stat(state); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a state is still there: %v", err)
	}
}

// What the weights come from is read before they are trained for hours.
func TestBaseThatCannotBeRead(t *testing.T) {
	model := t.TempDir()
	if err := os.WriteFile(filepath.Join(model, checkpoint.File), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}

	tr, f := begin(t, strings.Replace(recipeText, "some/model", model, 1))
	if err := tr.Train(t.Context(), f, 0, software); err == nil || !strings.Contains(err.Error(), checkpoint.File) {
		t.Errorf("error %v", err)
	}

	if _, err := os.Stat(tr.Log()); err == nil {
		t.Error("it was trained")
	}
}

// A training that dies in the middle of saving goes on from the checkpoint before, and keeps but
// the newest states.
func TestTrainGoesOn(t *testing.T) {
	tr, f := begin(t, recipeText)
	sets(t, "FAKE_DIE_AT", "3")

	err := tr.Train(t.Context(), f, 0, software)
	if err == nil || !strings.Contains(err.Error(), "CUDA out of memory") || !strings.Contains(err.Error(), tr.Log()) {
		t.Fatalf("error %v, want what it said last, and where the rest is", err)
	}

	if finished, err := tr.Finished(); finished || err != nil {
		t.Errorf("it is finished though it failed: %v", err)
	}

	if step, err := tr.Resumes(); step != 2 || err != nil {
		t.Errorf("it goes on from step %d, %v", step, err)
	}

	if err := tr.Train(t.Context(), f, 0, software); err != nil {
		t.Fatal(err)
	}

	log, err := os.ReadFile(tr.Log())
	if err != nil || !strings.Contains(string(log), "from step 2, no GPUs") {
		t.Errorf("log: %s, %v", log, err)
	}

	if err := checkpoint.Check(filepath.Join(tr.Weights(), "checkpoint-3")); err != nil {
		t.Errorf("the half checkpoint was kept: %v", err)
	}
}

// A trainer that ends well and leaves no weights, or not all, has trained nothing.
func TestTrainLeavesNothing(t *testing.T) {
	for name, last := range map[string]string{
		"nothing":        "rm -r *",
		"an empty file":  ": >model.safetensors",
		"half a file":    "truncate -s 40 model.safetensors",
		"no config":      "rm config.json",
		"an index alone": `rm model.safetensors; echo '{"weight_map": {"w": "a.safetensors"}}' >model.safetensors.index.json`,
	} {
		t.Run(name, func(t *testing.T) {
			tr, f := begin(t, recipeText)
			t.Setenv("FAKE_LAST", last)

			if err := tr.Train(t.Context(), f, 0, software); err == nil || !strings.Contains(err.Error(), tr.Log()) {
				t.Errorf("error %v, want one that names the log", err)
			}

			if finished, err := tr.Finished(); finished || err != nil {
				t.Errorf("it counts as finished: %v", err)
			}
		})
	}
}

// Weights that were whole and are no longer are not taken for trained.
func TestWeightsThatChanged(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"cut off": func(path string) error { return os.Truncate(path, 40) },
		"gone":    os.Remove,
		"another": func(path string) error { // as large as before
			text, err := os.ReadFile(path)
			text[len(text)-1] ^= 1
			return errors.Join(err, os.WriteFile(path, text, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr, f := begin(t, recipeText)
			if err := tr.Train(t.Context(), f, 0, software); err != nil {
				t.Fatal(err)
			}

			if err := harm(filepath.Join(tr.Weights(), "model.safetensors")); err != nil {
				t.Fatal(err)
			}

			if _, err := tr.Finished(); !errors.Is(err, disk.ErrDamaged) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Without optimizer states there is nothing to go on from, and reward models never go on.
func TestTrainBeginsAnew(t *testing.T) {
	for name, text := range map[string]string{
		"weights alone":  recipeText + "  save_only_model: true\n",
		"a reward model": strings.Replace(recipeText, "stage: sft", "stage: rm", 1),
	} {
		t.Run(name, func(t *testing.T) {
			tr, f := begin(t, text)
			sets(t, "FAKE_DIE_AT", "3")

			if err := tr.Train(t.Context(), f, 0, software); err == nil {
				t.Fatal("it did not die")
			}

			if step, err := tr.Resumes(); step != 0 || err != nil {
				t.Errorf("it goes on from step %d, %v", step, err)
			}

			if err := tr.Train(t.Context(), f, 0, software); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Weights of a training that died before it was over, and saved nothing on the way, are in the way.
func TestTrainAfterTheLastWeights(t *testing.T) {
	tr, f := begin(t, recipeText)
	if err := os.MkdirAll(tr.Weights(), 0o755); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(tr.Weights(), "model.safetensors"), nil, 0o644); err != nil {
		t.Fatal(err)
	}

	if err := tr.Train(t.Context(), f, 0, software); err != nil {
		t.Fatal(err)
	}
}

// When the context ends, the trainer and what it started end.
func TestTrainStops(t *testing.T) {
	tr, f := begin(t, recipeText)
	path := sets(t, "FAKE_WAIT_AT", "2")

	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the test")
	done := make(chan error)

	go func() { done <- tr.Train(ctx, f, 0, software) }()

	waitFor(t, func() bool { _, err := os.Stat(path + ".reached"); return err == nil })
	cancel(stopped)

	if err := <-done; !errors.Is(err, stopped) {
		t.Errorf("error %v, want the cause", err)
	}

	if step, err := tr.Resumes(); step != 1 || err != nil {
		t.Errorf("it goes on from step %d, %v", step, err)
	}
}

// A trainer that ends by loading the best checkpoint needs its states, as DeepSpeed wrote them.
func TestTrainLoadsTheBest(t *testing.T) {
	tr, f := begin(t, recipeText+"  load_best_model_at_end: true\n")
	t.Setenv("FAKE_STEPS", "4")
	path := sets(t, "FAKE_WAIT_AT", "4")

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)

	go func() { done <- tr.Train(ctx, f, 0, software) }()

	superseded := filepath.Join(tr.Weights(), "checkpoint-2", "optimizer.pt")
	waitFor(t, func() bool {
		_, reached := os.Stat(path + ".reached")
		_, there := os.Stat(superseded)
		return reached == nil && there != nil
	})
	stop()
	<-done

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}

	if err := tr.Train(t.Context(), f, 0, software); err != nil {
		t.Error(err)
	}
}

// waitFor waits until something holds.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()

	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()

	for !holds() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("it never held")
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	o := training.Options{Exports: []string{exported(t, manifest())}}
	first := plan(t, recipeText, o)
	dir := filepath.Join(t.TempDir(), "out")

	for range 2 {
		if _, err := training.Open(dir, first); err != nil {
			t.Fatal(err)
		}
	}

	o.Set = []string{"learning_rate=1.0e-6"}

	_, err := training.Open(dir, plan(t, recipeText, o))
	if err == nil || !strings.Contains(err.Error(), "holds another training") {
		t.Errorf("error %v", err)
	}

	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}

	_, err = training.Open(other, first)
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("error %v", err)
	}
}

// An adapter is merged once; the link leads to what was chosen, and other merged weights go.
func TestServable(t *testing.T) {
	tr, f := begin(t, strings.Replace(recipeText, "finetuning_type: full", "finetuning_type: lora", 1))
	if err := tr.Train(t.Context(), f, 0, software); err != nil {
		t.Fatal(err)
	}

	whole, err := tr.Checkpoints()
	if err != nil {
		t.Fatal(err)
	}

	var merged []string

	for _, c := range whole[:2] {
		dir, err := tr.Servable(t.Context(), f, c.Dir)
		if err != nil {
			t.Fatal(err)
		}

		merged = append(merged, dir)
	}

	o, err := checkpoint.Read(merged[1])
	if err != nil || o.Adapter || o.Step != 2 {
		t.Errorf("origin %+v, %v", o, err)
	}

	for i := range merged {
		if err := tr.Choose(merged[1]); err != nil {
			t.Fatalf("choice %d: %v", i, err)
		}
	}

	if got := files(t, tr.Model()+"/"); !slices.Contains(got, "model.safetensors") {
		t.Errorf("the link leads to %v", got)
	}

	if _, err := os.Stat(merged[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("other merged weights are still there: %v", err)
	}
}

// What was made of weights goes with them: other ones are merged, and measured, anew.
func TestServableOfOtherWeights(t *testing.T) {
	tr, f := begin(t, strings.Replace(recipeText, "type: full", "type: lora", 1))
	dev := filepath.Join(filepath.Dir(tr.Weights()), training.DevFolder, "1")

	const change = "printf x | dd of=model.safetensors bs=1 seek=61 conv=notrunc"

	for _, last := range []string{"", change} {
		t.Setenv("FAKE_LAST", last)

		if err := tr.Train(t.Context(), f, 0, software); err != nil {
			t.Fatal(err)
		}

		for _, path := range []string{dev, tr.Model()} {
			if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", path, err)
			}
		}

		dir, err := tr.Servable(t.Context(), f, tr.Weights())
		if err := errors.Join(err, tr.Choose(dir), os.MkdirAll(dev, 0o755)); err != nil {
			t.Fatal(err)
		}

		want, err := os.ReadFile(filepath.Join(tr.Weights(), "model.safetensors"))
		if err != nil {
			t.Fatal(err)
		}

		got, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("other weights are served: %q, want %q, %v", got, want, err)
		}

		if err := os.RemoveAll(tr.Weights()); err != nil {
			t.Fatal(err)
		}
	}
}

// A reward model is served with its head, and is not finished without.
func TestRewardModel(t *testing.T) {
	text := strings.NewReplacer("finetuning_type: full", "finetuning_type: lora", "stage: sft",
		"stage: rm").
		Replace(recipeText)
	tr, f := begin(t, text)
	t.Setenv("FAKE_LAST", "rm value_head.safetensors")

	err := tr.Train(t.Context(), f, 0, software)
	if finished, _ := tr.Finished(); finished || err == nil ||
		!strings.Contains(err.Error(), "value_head") {
		t.Errorf("finished: %v, error %v", finished, err)
	}

	t.Setenv("FAKE_LAST", "")

	if err := tr.Train(t.Context(), f, 0, software); err != nil {
		t.Fatal(err)
	}

	for range 2 {
		dir, err := tr.Servable(t.Context(), f, tr.Weights())
		if err != nil {
			t.Fatal(err)
		}

		// Weights that were merged without it are merged again.
		head := filepath.Join(dir, "value_head.safetensors")
		if err := errors.Join(checkpoint.CheckHead(dir), os.Remove(head)); err != nil {
			t.Error(err)
		}

		if err := checkpoint.Check(dir); !errors.Is(err, disk.ErrDamaged) {
			t.Errorf("without its head: error %v", err)
		}
	}
}

func TestFindSaysHowToInstall(t *testing.T) {
	_, err := training.Find(filepath.Join(t.TempDir(), "llamafactory-cli"))
	if err == nil || !strings.Contains(err.Error(), "pip install llamafactory==") {
		t.Errorf("error %v", err)
	}
}

func TestVersionOfABrokenInstallation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "llamafactory-cli")
	script := "#!/bin/sh\necho 'RuntimeError: torchaudio and torch were compiled apart' >&2\nexit 1\n"

	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}

	f, err := training.Find(path)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := f.Version(t.Context()); err == nil || !strings.Contains(err.Error(), "compiled apart") {
		t.Errorf("error %v, want what it said", err)
	}
}
