package configs

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/toolqa"
)

// published switches on every compat option.
const published = "published"

// The two matchers that may decide the reward.
const (
	RewardOfficial = "official"
	RewardStrict   = "strict"
)

// validate reports the first value that makes no sense, with the layer it came from. Names of API versions, policies and
// compat options are checked where they are looked up, with the valid ones in the error.
func (r *Resolved) validate() error {
	if _, err := r.Datasets(); err != nil {
		return r.invalid("dataset", err)
	}
	if _, err := r.Difficulties(); err != nil {
		return r.invalid("difficulty", err)
	}
	if _, err := toolqa.ParseSplit(r.Split); err != nil {
		return r.invalid("split", err)
	}
	if err := r.Search.Validate(); err != nil {
		return r.invalid("search", err)
	}
	rewards := []string{RewardOfficial, RewardStrict}
	if !slices.Contains(rewards, r.Environment.Reward) {
		return r.invalid("environment.reward", fmt.Errorf("unknown matcher %q: valid are %s", r.Environment.Reward, strings.Join(rewards, ", ")))
	}
	for _, list := range []struct {
		key   string
		value []string
	}{{"dataset", r.Dataset}, {"api", r.API}, {"policy", r.Policy}} {
		if len(list.value) == 0 {
			return r.invalid(list.key, fmt.Errorf("is empty, want at least one name"))
		}
	}
	for _, n := range []struct {
		key          string
		value, least float64
	}{
		{"limit", float64(r.Limit), 0},
		{"environment.max_loads", float64(r.Environment.MaxLoads), 0},
		{"environment.observation_words", float64(r.Environment.ObservationWords), 1},
		{"sql.seconds", r.SQL.Seconds, 0.001},
		{"sql.rows", float64(r.SQL.Rows), 1},
		{"python.wall_seconds", r.Python.WallSeconds, 0.001},
		{"python.cpu_seconds", float64(r.Python.CPUSeconds), 1},
		{"python.memory_mib", float64(r.Python.MemoryMiB), 64},
		{"python.output_kib", float64(r.Python.OutputKiB), 1},
		{"eval.max_turns", float64(r.Eval.MaxTurns), 1},
		{"attempts", float64(r.Attempts), 1},
	} {
		if n.value < n.least {
			return r.invalid(n.key, fmt.Errorf("is %v, want at least %v", n.value, n.least))
		}
	}
	return nil
}

func (r *Resolved) invalid(key string, err error) error {
	if origin := r.origins[key]; origin != "" {
		return fmt.Errorf("configs: %s (from %s): %w", key, origin, err)
	}
	return fmt.Errorf("configs: %s: %w", key, err)
}
