package training

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolevo/finetune/checkpoint"
)

// Checkpoint is what the trainer saved after some updates.
type Checkpoint struct {
	Step int64  // updates before it
	Dir  string // its folder
}

// trainerState is the file that the trainer writes last into a checkpoint.
const trainerState = "trainer_state.json"

// states are the files of a checkpoint that only resuming a training needs.
var states = []string{
	"optimizer.pt", "optimizer.bin", "scheduler.pt", "scaler.pt", "rng_state*.pth", "global_step*", "latest",
	"zero_to_fp32.py",
}

// checkpoints lists the whole checkpoints of a training, the earliest first, and the folders of
// broken ones.
func checkpoints(weights string) (whole []Checkpoint, broken []string, err error) {
	entries, err := os.ReadDir(weights)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}

	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), "checkpoint-")

		step, atoiErr := strconv.ParseInt(number, 10, 64)
		if !ok || atoiErr != nil || !e.IsDir() {
			continue
		}

		dir := filepath.Join(weights, e.Name())
		if isWhole(dir) {
			whole = append(whole, Checkpoint{step, dir})
		} else {
			broken = append(broken, dir)
		}
	}

	slices.SortFunc(whole, func(a, b Checkpoint) int { return cmp.Compare(a.Step, b.Step) })
	return whole, broken, err
}

// isWhole reports whether the trainer finished a checkpoint: the file that it writes last is
// complete, and so are the weights.
func isWhole(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, trainerState))
	return err == nil && json.Valid(text) && checkpoint.Whole(dir) == nil
}

// dropStates removes the optimizer states of checkpoints.
func dropStates(some []Checkpoint) error {
	var all error

	for _, c := range some {
		for _, pattern := range states {
			files, err := filepath.Glob(filepath.Join(c.Dir, pattern))
			all = errors.Join(all, err)

			for _, f := range files {
				all = errors.Join(all, os.RemoveAll(f))
			}
		}
	}

	return all
}

// dropSuperseded removes the optimizer states of all whole checkpoints but the newest and, if asked
// to, the best.
func dropSuperseded(weights string, keepBest bool) error {
	whole, _, err := checkpoints(weights)
	if len(whole) < 2 {
		return err
	}

	superseded, newest := whole[:len(whole)-1], whole[len(whole)-1]

	if keepBest {
		var state struct {
			Best string `json:"best_model_checkpoint"`
		}

		text, readErr := os.ReadFile(filepath.Join(newest.Dir, trainerState))
		if err = cmp.Or(err, readErr, json.Unmarshal(text, &state)); err != nil {
			return err
		}

		superseded = slices.DeleteFunc(superseded, func(c Checkpoint) bool {
			return filepath.Base(c.Dir) == filepath.Base(state.Best)
		})
	}
	return errors.Join(err, dropStates(superseded))
}
