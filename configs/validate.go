package configs

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs/names"
	"toolevo/toolqa"
)

// The two matchers that may decide the reward.
const (
	RewardOfficial = "official"
	RewardStrict   = "strict"
)

// validate reports the first value that makes no sense, with the layer it came from. Names of API versions,
// policies and compat options are checked where they are looked up, with the valid ones in the error.
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

	if err := r.Server.Sampling.Validate(); err != nil {
		return r.invalid("server.sampling", err)
	}

	rewards := []string{RewardOfficial, RewardStrict}
	if !slices.Contains(rewards, r.Environment.Reward) {
		return r.invalid("environment.reward", names.Unknown("matcher", r.Environment.Reward, rewards))
	}

	if err := r.Retrieval.validate(); err != nil {
		return r.invalid("retrieval.server", err)
	}

	if err := r.validatePython(); err != nil {
		return err
	}

	if err := r.validateLists(); err != nil {
		return err
	}

	return r.validateNumbers()
}

// validate wants a server's address that can be shown: the configuration stands in every run. The errors do
// not show it.
func (r Retrieval) validate() error {
	if r.Server == "" {
		return nil
	}

	u, err := url.Parse(r.Server)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("is no base URL, want e.g. http://localhost:8000/v1")
	case u.User != nil:
		return errors.New("holds credentials, which every run would show: give them in OPENAI_API_KEY, or in " +
			"OPENAI_BASE_URL")
	case r.Model == "":
		return errors.New("is of no use without retrieval.model, the name of an embedding model")
	}

	return nil
}

// moduleName is a top-level module: its submodules come with it.
var moduleName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// validatePython wants an engine that exists and has what it needs.
func (r *Resolved) validatePython() error {
	p := r.Python
	if !slices.Contains(PythonEngines(), p.Engine) {
		return r.invalid("python.engine", names.Unknown("engine", p.Engine, PythonEngines()))
	}

	if p.Engine == "wasi" && p.Wasm == "" {
		return r.invalid("python.engine", errors.New("wasi needs python.wasm, the path of a CPython built for WASI"))
	}

	if p.Engine == "unsafe" && len(p.Accept) > 0 {
		return r.invalid("python.accept", errors.New("is of no use with the engine unsafe, which has no walls"))
	}

	for _, wall := range p.Accept {
		if !slices.Contains(PythonWalls(), wall) {
			return r.invalid("python.accept", names.Unknown("wall", wall, PythonWalls()))
		}
	}

	for _, module := range p.Modules {
		if !moduleName.MatchString(module) {
			return r.invalid("python.modules", fmt.Errorf("%q is no name of a module, want e.g. numpy", module))
		}
	}

	return nil
}

// validateLists wants names in the lists, and none of them twice: what is done for each would be done again.
func (r *Resolved) validateLists() error {
	for _, list := range []struct {
		key   string
		value []string
		least int
	}{{"dataset", r.Dataset, 1}, {"api", r.API, 1}, {"policy", r.Policy, 1},
		{"environment.compat", r.Environment.Compat, 0},
		{"python.modules", r.Python.Modules, 0}, {"python.accept", r.Python.Accept, 0},
		{"server.ends", r.Server.Ends, 0}} {
		if len(list.value) < list.least {
			return r.invalid(list.key, fmt.Errorf("is empty, want at least one name"))
		}

		seen := make(map[string]bool, len(list.value))
		for _, name := range list.value {
			name = strings.TrimSpace(name)
			if seen[name] {
				return r.invalid(list.key, fmt.Errorf("has %q twice, want each name once", name))
			}

			seen[name] = true
		}
	}

	return nil
}

// most is the largest number of anything: in nanoseconds, or in bytes where it counts MiB, it still fits 64 bits.
const most = 1e9

func (r *Resolved) validateNumbers() error {
	if err := r.validateDepths(); err != nil {
		return err
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
		{"server.shots", float64(r.Server.Shots), 0},
		{"server.window", float64(r.Server.Window), 1},
		{"attempts", float64(r.Attempts), 1},
		{"training.cutoff", float64(r.Training.Cutoff), 0},
	} {
		if !(n.value >= n.least) {
			return r.invalid(n.key, fmt.Errorf("is %v, want at least %v", n.value, n.least))
		}

		if n.value > most {
			return r.invalid(n.key, fmt.Errorf("is %v, want at most %v", n.value, most))
		}
	}

	return nil
}

// depthName is a dataset and a difficulty. The presets name datasets that toolqa may not have.
var depthName = regexp.MustCompile(`^[a-z]+-(easy|hard)$`)

func (r *Resolved) validateDepths() error {
	for _, name := range slices.Sorted(maps.Keys(r.Search.MaxDepthBy)) {
		key, depth := "search.max_depth_by."+name, r.Search.MaxDepthBy[name]
		switch {
		case !depthName.MatchString(name):
			return r.invalid(key, fmt.Errorf("want a dataset and difficulty, e.g. coffee-hard"))
		case depth < 1:
			return r.invalid(key, fmt.Errorf("is %d, want at least 1", depth))
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
