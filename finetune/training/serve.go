package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"toolevo/envs/disk"
	"toolevo/finetune/checkpoint"
	"toolevo/finetune/child"
)

// Servable returns a folder of whole weights that a server can load, for the weights in a folder of
// this training: that folder itself, or, for an adapter, one in which LLaMA-Factory has merged it
// into its base model.
func (t *Training) Servable(ctx context.Context, f *Factory, weights string) (string, error) {
	if !t.plan.Adapts() {
		return weights, nil
	}

	merged := t.path(filepath.Join(mergedFolder, filepath.Base(weights)))
	_, err := checkpoint.Read(merged)
	if cmp.Or(err, checkpoint.Check(merged), t.checkHead(merged)) == nil {
		return merged, nil
	}

	if err := errors.Join(checkpoint.Check(weights), os.RemoveAll(merged)); err != nil {
		return "", err
	}

	origin, err := checkpoint.Read(weights)
	if err != nil {
		return "", err
	}

	if err := t.merge(ctx, f, weights, merged); err != nil {
		return "", fmt.Errorf("merge the adapter %s: %w", weights, err)
	}

	origin.Adapter = false
	return merged, origin.Seal(merged)
}

// mergeFile holds LLaMA-Factory's arguments for a merge.
const mergeFile = "merge.yaml"

func (t *Training) merge(ctx context.Context, f *Factory, adapter, merged string) error {
	args := arguments{
		{Key: argModel, Value: t.plan.Model},
		{Key: argAdapter, Value: adapter},
		{Key: argTemplate, Value: t.plan.Template()},
		{Key: argTuning, Value: "lora"},
		{Key: "export_dir", Value: merged},
		{Key: "export_size", Value: 5}, // GB of a file at most
		{Key: "export_device", Value: "cpu"},
		{Key: "export_legacy_format", Value: false},
	}

	// In this stage alone LLaMA-Factory takes the head along.
	if t.plan.rewards() {
		args = args.with(argStage, stageReward)
	}

	text, err := args.encode()
	if err != nil {
		return err
	}

	if err := os.WriteFile(t.path(mergeFile), text, 0o644); err != nil {
		return err
	}

	c, err := child.Start(ctx, f.command(t.dir, "export", mergeFile))
	if err != nil {
		return err
	}
	return cmp.Or(c.Wait(), t.checkHead(merged))
}

// Choose points the link of the training at the weights that are to be served, and removes other
// merged ones.
func (t *Training) Choose(servable string) error {
	target, err := filepath.Rel(t.dir, servable)
	if err != nil {
		return err
	}

	next := t.Model() + disk.Unfinished
	if err := os.Remove(next); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}

	if err := os.Symlink(target, next); err != nil {
		return err
	}

	if err := disk.Rename(next, t.Model()); err != nil {
		return err
	}

	others, err := filepath.Glob(t.path(filepath.Join(mergedFolder, "*")))
	for _, dir := range others {
		if dir != servable {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}

	return err
}
