package configs

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// Config is every setting that decides what a run produces. Where it runs, how many workers it has and how it reports
// are not among them. default.yaml explains each.
type Config struct {
	Suite      string   `yaml:"suite"`
	Dataset    []string `yaml:"dataset,flow"`
	Difficulty string   `yaml:"difficulty"`
	Template   []string `yaml:"template,flow"`
	Split      string   `yaml:"split"`
	Questions  string   `yaml:"questions"`
	Limit      int      `yaml:"limit"`
	Prompt     string   `yaml:"prompt"`
	API        []string `yaml:"api,flow"`
	Policy     []string `yaml:"policy,flow"`
	Preset     string   `yaml:"preset"`
	Seed       uint64   `yaml:"seed"`

	Search      Search      `yaml:"search"`
	Branch      Branch      `yaml:"branch"`
	Training    Training    `yaml:"training"`
	Environment Environment `yaml:"environment"`
	Python      Python      `yaml:"python"`
	Eval        Eval        `yaml:"eval"`
	Server      Server      `yaml:"server"`

	Attempts int `yaml:"attempts"`

	// BySection are the settings of all suites' own sections.
	BySection map[string]suite.Settings `yaml:"-"`
}

// Search is the search's configuration and its depth limits by dataset.
type Search struct {
	mcts.Config `yaml:",inline"`
	// MaxDepthBy overrides MaxDepth for a dataset and difficulty, e.g. "coffee-hard": 20.
	MaxDepthBy map[string]int `yaml:"max_depth_by"`
}

// Branch says that the trees of a run begin at a node of another run's tree.
type Branch struct {
	From     string   `yaml:"from"`         // that node, for people: RUN-ID QUESTION TREE NODE
	Question string   `yaml:"question"`     // the only question of the run; "" is no branch
	Actions  []string `yaml:"actions,flow"` // from the beginning of the task to the node
	API      []string `yaml:"api,flow"`     // the API version that each of them met
}

// Training says which trajectories the export will take, so that a question ends when it has enough of those.
type Training struct {
	Cutoff    int    `yaml:"cutoff"`    // the longest sample, in tokens; 0 is no bound
	Tokenizer string `yaml:"tokenizer"` // the tokenizer.json of the model that is trained; "" counts characters
	Template  string `yaml:"template"`  // the chat template to count under, with a tokenizer
}

// Environment configures the evolving environment.
type Environment struct {
	Codec            string   `yaml:"codec"`
	UpdateTool       bool     `yaml:"update_tool"`
	Reward           string   `yaml:"reward"`
	Feedback         string   `yaml:"feedback"`
	MaxLoads         int      `yaml:"max_loads"`
	ObservationWords int      `yaml:"observation_words"`
	Compat           []string `yaml:"compat,flow"`
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

// Eval configures episodes.
type Eval struct {
	MaxTurns int `yaml:"max_turns"`
	Repeats  int `yaml:"repeats"` // episodes of each question; several are sampled
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
	Prompt     Shown           `yaml:"prompt"`
	Sampling   server.Sampling `yaml:"sampling"`
}

// Shown says what of the prompt version a model is shown, in every form.
type Shown struct {
	Tools string `yaml:"tools"` // ToolsAll or ToolsOfDataset
}

// The tool lists of a prompt.
const (
	ToolsAll       = "all"
	ToolsOfDataset = "dataset" // those that serve the question's dataset
)

// The forms in which a server is asked, beside the names of chat templates, which we render ourselves.
const (
	FormFewShot = "few-shot" // one text: guidelines, tools, demonstrations, question, turns
	FormChat    = "chat"     // messages; the server applies the model's template
)

// everything is the name of all datasets, of all difficulties, and of all templates.
const everything = "all"

// Datasets returns the datasets chosen, in alphabetical order; nil is all that the data folder has.
func (c *Config) Datasets() ([]string, error) {
	if slices.Equal(c.Dataset, []string{everything}) {
		return nil, nil
	}

	all, err := c.parseAll("dataset", c.Dataset)
	slices.Sort(all)

	return all, err
}

// Templates returns the question templates chosen; nil is all.
func (c *Config) Templates() []string {
	if slices.Equal(c.Template, []string{everything}) {
		return nil
	}

	return c.Template
}

// Difficulties returns the difficulties chosen; nil is all.
func (c *Config) Difficulties() ([]string, error) {
	if c.Difficulty == everything {
		return nil, nil
	}

	return c.parseAll("difficulty", []string{c.Difficulty})
}

// Codec returns how actions are written.
func (c *Config) Codec() action.Codec {
	codec, _ := action.ParseCodec(c.Environment.Codec) // validated

	return codec
}

// MaxDepth returns the depth limit of a task.
func (c *Config) MaxDepth(t envs.Task) int {
	if depth, ok := c.Search.MaxDepthBy[t.Labels[envs.LabelDataset]+"-"+t.Labels[envs.LabelDifficulty]]; ok {
		return depth
	}

	return c.Search.MaxDepth
}

// parseAll returns names of a setting that may also say everything. Where the suite lists the valid names, it takes no
// other.
func (c *Config) parseAll(setting string, chosen []string) ([]string, error) {
	valid := c.ValidNames(setting)

	all := make([]string, len(chosen))
	for i, name := range chosen {
		all[i] = strings.TrimSpace(name)
		if valid == nil {
			continue
		}

		if _, err := names.Parse(setting, all[i], valid); err != nil {
			return nil, fmt.Errorf("%w, %s", err, everything)
		}
	}

	return all, nil
}
