package configs

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/mcts"
	"toolevo/mcts/policy/server"
	"toolevo/toolqa"
)

// Config is every setting that decides what a run produces. Where it runs, how many workers it has and how it reports
// are not among them. default.yaml explains each.
type Config struct {
	Dataset    []string `yaml:"dataset,flow"`
	Difficulty string   `yaml:"difficulty"`
	Split      string   `yaml:"split"`
	Limit      int      `yaml:"limit"`
	Prompt     string   `yaml:"prompt"`
	API        []string `yaml:"api,flow"`
	Policy     []string `yaml:"policy,flow"`
	Preset     string   `yaml:"preset"`
	Seed       uint64   `yaml:"seed"`

	Search      Search      `yaml:"search"`
	Training    Training    `yaml:"training"`
	Environment Environment `yaml:"environment"`
	SQL         SQL         `yaml:"sql"`
	Python      Python      `yaml:"python"`
	Retrieval   Retrieval   `yaml:"retrieval"`
	Eval        Eval        `yaml:"eval"`
	Server      Server      `yaml:"server"`

	Attempts int `yaml:"attempts"`
}

// Search is the search's configuration and its depth limits by dataset.
type Search struct {
	mcts.Config `yaml:",inline"`
	// MaxDepthBy overrides MaxDepth for a dataset and difficulty, e.g. "coffee-hard": 20.
	MaxDepthBy map[string]int `yaml:"max_depth_by"`
}

// Training says which trajectories the export will take, so that a question ends when it has enough of those.
type Training struct {
	Cutoff    int    `yaml:"cutoff"`    // the longest sample, in tokens; 0 is no bound
	Tokenizer string `yaml:"tokenizer"` // the tokenizer.json of the model that is trained; "" counts characters
	Template  string `yaml:"template"`  // the chat template to count under, with a tokenizer
}

// Environment configures the evolving environment.
type Environment struct {
	UpdateTool       bool     `yaml:"update_tool"`
	Reward           string   `yaml:"reward"`
	MaxLoads         int      `yaml:"max_loads"`
	ObservationWords int      `yaml:"observation_words"`
	Compat           []string `yaml:"compat,flow"`
}

// SQL limits the SQLInterpreter.
type SQL struct {
	Seconds float64 `yaml:"seconds"`
	Rows    int     `yaml:"rows"`
}

// Python chooses and limits the PythonInterpreter. What the choice comes to on a machine is the engine's
// stamp, an input of the run.
type Python struct {
	Engine      string   `yaml:"engine"`       // one of PythonEngines
	Executable  string   `yaml:"executable"`   // the python3 of every engine but wasi
	Wasm        string   `yaml:"wasm"`         // the path of a CPython built for WASI; "" is none
	Modules     []string `yaml:"modules,flow"` // third-party modules that programs may import, where they are installed
	Accept      []string `yaml:"accept,flow"`  // walls to do without where the machine has none, of PythonWalls
	WallSeconds float64  `yaml:"wall_seconds"`
	CPUSeconds  int      `yaml:"cpu_seconds"`
	MemoryMiB   int      `yaml:"memory_mib"`
	OutputKiB   int      `yaml:"output_kib"`
}

// PythonEngines lists the engines of PythonInterpreter. auto is the first that works of bwrap, forkserver and wasi.
func PythonEngines() []string {
	return []string{"auto", "forkserver", "bwrap", "wasi", "process", "unsafe"}
}

// PythonWalls lists the walls that the user may accept to do without.
func PythonWalls() []string { return []string{"landlock", "seccomp"} }

// Retrieval chooses how the retrieval tools rank passages.
type Retrieval struct {
	Model  string `yaml:"model"`  // an embedding model; "" is BM25
	Server string `yaml:"server"` // the base URL of its server, without credentials; "" is the policy's
}

// Eval configures episodes.
type Eval struct {
	MaxTurns int `yaml:"max_turns"`
}

// Server says how a model on an inference server is asked. Where the server is, and how hard it is driven, changes no
// result and is not among it.
type Server struct {
	Form       string          `yaml:"form"`       // FormFewShot, FormChat, or a chat template's name
	Layout     string          `yaml:"layout"`     // of few-shot prompts: stable or paper
	Shots      int             `yaml:"shots"`      // demonstrations in a few-shot prompt
	Extensions bool            `yaml:"extensions"` // send vLLM's own fields
	LogProbs   bool            `yaml:"logprobs"`   // the server reports log-probabilities
	Ends       []string        `yaml:"ends,flow"`  // the server's own words for the end of a whole completion
	Window     int             `yaml:"window"`     // context window in tokens; Ollama loads the model with it
	Sampling   server.Sampling `yaml:"sampling"`
}

// The forms in which a server is asked, beside the names of chat templates, which we render ourselves.
const (
	FormFewShot = "few-shot" // one text: guidelines, tools, demonstrations, question, turns
	FormChat    = "chat"     // messages; the server applies the model's template
)

// Datasets returns the datasets chosen, in the order of the rows.
func (c *Config) Datasets() ([]toolqa.Dataset, error) {
	if c.AllDatasets() {
		return toolqa.Datasets(), nil
	}

	all, err := parseAll(c.Dataset, toolqa.ParseDataset)
	if err != nil {
		return nil, fmt.Errorf("%w, %s", err, everything)
	}

	slices.Sort(all)

	return all, nil
}

// AllDatasets reports whether all datasets are chosen without being named: those that the data folder has.
func (c *Config) AllDatasets() bool { return slices.Equal(c.Dataset, []string{everything}) }

// everything is the name of all datasets, and of all difficulties.
const everything = "all"

// Difficulties returns the difficulties chosen, easy first.
func (c *Config) Difficulties() ([]toolqa.Difficulty, error) {
	if c.Difficulty == everything {
		return toolqa.Difficulties(), nil
	}

	d, err := toolqa.ParseDifficulty(c.Difficulty)
	if err != nil {
		return nil, fmt.Errorf("%w, %s", err, everything)
	}

	return []toolqa.Difficulty{d}, nil
}

// MaxDepth returns the depth limit of a dataset and difficulty.
func (c *Config) MaxDepth(ds toolqa.Dataset, d toolqa.Difficulty) int {
	if depth, ok := c.Search.MaxDepthBy[string(ds)+"-"+string(d)]; ok {
		return depth
	}

	return c.Search.MaxDepth
}

func parseAll[T any](names []string, parse func(string) (T, error)) ([]T, error) {
	all := make([]T, 0, len(names))
	for _, name := range names {
		v, err := parse(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}

		all = append(all, v)
	}

	return all, nil
}
