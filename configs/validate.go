package configs

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/envs/suite"
)

// The two matchers that may decide the reward.
const (
	RewardOfficial = "official"
	RewardStrict   = "strict"
)

// What a call is answered with whose name stands and whose parameters are those of a deprecated version.
const (
	FeedbackNotice    = "notice"    // a deprecation notice
	FeedbackPublished = "published" // the API's text about wrong arguments
)

// Feedbacks lists the values of environment.feedback.
func Feedbacks() []string { return []string{FeedbackNotice, FeedbackPublished} }

// validate reports the first value that makes no sense, with the layer it came from. Names of API versions,
// policies and compat options are checked where they are looked up, with the valid ones in the error.
func (r *Resolved) validate() error {
	_, noSuite := suite.Lookup(r.Suite)
	_, noDataset := r.Datasets()
	_, noDifficulty := r.Difficulties()
	_, noReward := names.Parse("matcher", r.Environment.Reward, []string{RewardOfficial, RewardStrict})
	_, noFeedback := names.Parse("feedback", r.Environment.Feedback, Feedbacks())
	_, noCodec := action.ParseCodec(r.Environment.Codec)

	var noSplit error
	if valid := r.ValidNames("split"); valid != nil {
		_, noSplit = names.Parse("split", r.Split, valid)
	}

	for _, check := range []struct {
		key string
		err error
	}{
		{"suite", noSuite}, {"dataset", noDataset}, {"difficulty", noDifficulty}, {"split", noSplit},
		{"search", r.Search.Validate()}, {"server.sampling", r.Server.Sampling.Validate()},
		{"environment.reward", noReward}, {"environment.feedback", noFeedback}, {"environment.codec", noCodec},
		{"server.prompt.tools", r.checkTools()}, {"branch", r.Branch.validate()},
	} {
		if check.err != nil {
			return r.invalid(check.key, check.err)
		}
	}

	if _, react := r.Codec().(action.ReAct); !react && r.Server.Form == "chatml" {
		return r.invalid("server.form", errors.New("chatml has no form for function calls (environment.codec)"))
	}

	for name, settings := range r.Sections() {
		if setting, err := settings.Validate(); err != nil {
			return r.invalid(join(name, setting), err)
		}
	}

	if err := r.validatePython(); err != nil {
		return err
	}

	if err := r.validateLists(); err != nil {
		return err
	}

	return r.validateNumbers()
}

// validate wants a question where there are actions, and the API version that each met.
func (b *Branch) validate() error {
	switch {
	case b.Question == "" && len(b.Actions) > 0:
		return errors.New("actions of no question: want branch.question")
	case len(b.Actions) != len(b.API):
		return fmt.Errorf("%d actions, and %d API versions that they met: want one for each", len(b.Actions),
			len(b.API))
	}

	return nil
}

// checkTools wants a tool list that the suite can give.
func (c *Config) checkTools() error {
	if _, err := names.Parse("tool list", c.Server.Prompt.Tools, []string{ToolsAll, ToolsOfDataset}); err != nil {
		return err
	}

	b, err := suite.Lookup(c.Suite)
	if err != nil || c.Server.Prompt.Tools == ToolsAll {
		return err
	}

	if _, ok := b.(suite.Narrower); !ok {
		return fmt.Errorf("the suite %s does not say which tools serve a dataset: want %s", c.Suite, ToolsAll)
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
	}{{"dataset", r.Dataset, 1}, {"template", r.Template, 1}, {"api", r.API, 1}, {"policy", r.Policy, 1},
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
		{"python.wall_seconds", r.Python.WallSeconds, 0.001},
		{"python.cpu_seconds", float64(r.Python.CPUSeconds), 1},
		{"python.memory_mib", float64(r.Python.MemoryMiB), 64},
		{"python.output_kib", float64(r.Python.OutputKiB), 1},
		{"eval.max_turns", float64(r.Eval.MaxTurns), 1}, {"eval.repeats", float64(r.Eval.Repeats), 1},
		{"server.shots", float64(r.Server.Shots), 0},
		{"server.window", float64(r.Server.Window), 1},
		{"attempts", float64(r.Attempts), 1},
		{"training.cutoff", float64(r.Training.Cutoff), 0},
	} {
		if err := suite.Within(n.value, n.least); err != nil {
			return r.invalid(n.key, err)
		}
	}

	return nil
}

// depthName is a dataset and a difficulty. The presets name datasets that the suite may not have.
var depthName = regexp.MustCompile(`^[a-z0-9_]+-[a-z0-9_]+$`)

func (r *Resolved) validateDepths() error {
	for _, name := range slices.Sorted(maps.Keys(r.Search.MaxDepthBy)) {
		key, depth := "search.max_depth_by."+name, r.Search.MaxDepthBy[name]
		switch {
		case !depthName.MatchString(name):
			return r.invalid(key, errors.New("want a dataset and difficulty, DATASET-DIFFICULTY"))
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
