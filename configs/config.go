package configs

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/dynamic"
	"toolevo/envs/perturb"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/suite"
	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// Config holds every setting that decides what a run produces. Where it runs, how many workers it
// has and how it reports are not among them. default.yaml explains each setting. The tag least is
// the least value of a number, or the least length of a list of names, which must differ.
type Config struct {
	Suite         string   `yaml:"suite"`
	Dataset       []string `yaml:"dataset,flow" least:"1"`
	Difficulty    string   `yaml:"difficulty"`
	Template      []string `yaml:"template,flow" least:"1"`
	Split         string   `yaml:"split"`
	Questions     string   `yaml:"questions"`
	Perturb       string   `yaml:"perturb"`
	PerturbValues bool     `yaml:"perturb_values"`
	Paraphraser   string   `yaml:"paraphraser"`
	Prompts       string   `yaml:"prompts"`
	Limit         int      `yaml:"limit" least:"0"`
	Only          []string `yaml:"only,flow" least:"0"`
	Prompt        string   `yaml:"prompt"`
	API           []string `yaml:"api,flow" least:"1"`
	Policy        []string `yaml:"policy,flow" least:"1"`
	Preset        string   `yaml:"preset"`
	Seed          uint64   `yaml:"seed"`

	Search      Search           `yaml:"search"`
	Branch      Branch           `yaml:"branch"`
	Training    Training         `yaml:"training"`
	Environment dynamic.Settings `yaml:"environment"`
	Python      engines.Settings `yaml:"python"`
	Eval        Eval             `yaml:"eval"`
	Server      Server           `yaml:"server"`

	Attempts int `yaml:"attempts" least:"1"`

	// BySection has the settings of all sections that belong to suites.
	BySection map[string]suite.Settings `yaml:"-"`
}

// Search configures the search, with its depth limits by dataset.
type Search struct {
	mcts.Config `yaml:",inline"`
	// MaxDepthBy overrides MaxDepth for a dataset and difficulty, e.g. "coffee-hard": 20.
	MaxDepthBy map[string]int `yaml:"max_depth_by"`
}

// Branch says that the trees of a run begin at a node of another run's tree.
type Branch struct {
	From     string   `yaml:"from"`         // that node, for people: RUN-ID QUESTION TREE NODE
	Question string   `yaml:"question"`     // the only question of the run; "" if it is no branch
	Actions  []string `yaml:"actions,flow"` // from the beginning of the task to the node
	API      []string `yaml:"api,flow"`     // the API version that each of them met
}

// Training says which trajectories the export will take. A question ends when it has enough of
// them.
type Training struct {
	Cutoff    int    `yaml:"cutoff" least:"0"` // the longest sample, in tokens; 0 is no bound
	Tokenizer string `yaml:"tokenizer"`        // the tokenizer.json of the model that is trained; "" counts characters
	Template  string `yaml:"template"`         // the chat template to count under, with a tokenizer
}

// Eval configures episodes.
type Eval struct {
	MaxTurns   int    `yaml:"max_turns" least:"1"`
	Repeats    int    `yaml:"repeats" least:"1"` // episodes of each question; several are sampled
	Controller string `yaml:"controller"`        // cot or dfsdt, see finetune.Controller
	Tries      int    `yaml:"tries" least:"1"`   // of cot
	Calls      int    `yaml:"calls" least:"1"`   // to the model, of dfsdt
}

// controllers lists the values of eval.controller.
func controllers() []string { return []string{"cot", "dfsdt"} }

// Server says how a model on an inference server is asked. Where the server is and how hard it is
// driven changes no result, and is not set here.
type Server struct {
	URLs   []string `yaml:"urls,flow" least:"0"` // base URLs, where --server names none
	Form   string   `yaml:"form"`                // FormFewShot, FormChat, or a chat template's name
	Layout string   `yaml:"layout"`              // of few-shot prompts: stable or paper
	Shots  int      `yaml:"shots" least:"0"`     // demonstrations in a few-shot prompt
	// Demonstrations is a file of them for all datasets, or a folder with DATASET.yaml; "" takes
	// those of the data folder.
	Demonstrations string `yaml:"demonstrations"`

	Reasoning  string         `yaml:"reasoning"`                // ReasoningAuto, or an [action.Reasoning]
	Extensions bool           `yaml:"extensions"`               // send vLLM's own fields
	LogProbs   bool           `yaml:"logprobs"`                 // the server reports log-probabilities
	TokenIDs   bool           `yaml:"token_ids"`                // keep the ids of tokens in the log
	Ends       []string       `yaml:"ends,flow" least:"0"`      // the server's own words for the end of a whole completion
	LeaveOut   []string       `yaml:"leave_out,flow" least:"0"` // parameters not to send
	Headers    server.Headers `yaml:"headers"`                  // sent with every request, from the environment
	Names      []string       `yaml:"names,flow" least:"0"`     // that replies may carry besides the model's
	Window     int            `yaml:"window" least:"1"`         // context window in tokens; Ollama loads the model with it
	Slots      int            `yaml:"slots" least:"0"`          // prompts that each server keeps; 0 asks it
	Prices     []string       `yaml:"prices,flow"`              // see account.ParsePrices; empty if unknown

	Template server.TemplateArguments `yaml:"chat_template_kwargs"`

	Tools    server.ToolCalls   `yaml:"tools"`   // for native tool calls
	Session  server.SessionKeys `yaml:"session"` // where requests carry the id of their tree
	Prompt   Shown              `yaml:"prompt"`
	Sampling server.Sampling    `yaml:"sampling"`
}

// Shown says which part of the prompt version a model is shown, in every form.
type Shown struct {
	Tools string `yaml:"tools"` // ToolsAuto, ToolsAll or ToolsOfDataset
}

// The tool lists of a prompt.
const (
	ToolsAuto      = "auto" // what the suite wants
	ToolsAll       = "all"
	ToolsOfDataset = "dataset" // those that serve the question's dataset
)

// The forms in which a server is asked, besides the names of chat templates that this program
// renders itself.
const (
	FormFewShot = "few-shot" // one text: guidelines, tools, demonstrations, question, turns
	FormChat    = "chat"     // messages; the server applies the model's template
)

// ReasoningAuto lets the form decide what becomes of reasoning.
const ReasoningAuto = "auto"

// Reasoning returns what becomes of the reasoning of models on servers. Templates that servers
// apply cut it from earlier turns (those of Qwen 3, DeepSeek R1, GLM, Nemotron, Gemma 4 and gpt-oss
// do); those that this program renders do not. The thought of a function call is part of the
// codec's form.
func (c *Config) Reasoning() action.Reasoning {
	switch {
	case c.Server.Reasoning != ReasoningAuto && c.Server.Reasoning != "":
		return action.Reasoning(c.Server.Reasoning)
	case c.Server.Form == FormChat && c.Environment.ActionCodec() != action.FunctionCall{}:
		return action.Once
	}

	return action.Show
}

// everything names all datasets, all difficulties or all templates.
const everything = "all"

// Datasets returns the chosen datasets in alphabetical order; nil means all of the data folder.
func (c *Config) Datasets() []string {
	return slices.Sorted(slices.Values(chosenOf(c.Dataset)))
}

// Templates returns the chosen question templates; nil means all.
func (c *Config) Templates() []string { return chosenOf(c.Template) }

// Difficulties returns the chosen difficulties; nil means all.
func (c *Config) Difficulties() []string { return chosenOf([]string{c.Difficulty}) }

// chosenOf returns the names of a setting, or nil if it says everything.
func chosenOf(setting []string) []string {
	if slices.Equal(setting, []string{everything}) {
		return nil
	}

	var names []string
	for _, name := range setting {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// byRule is the paraphraser that is not a model.
const byRule = "scripted"

// ParaphrasedBy returns the model that paraphrases the questions, or "".
func (c *Config) ParaphrasedBy() string {
	if perturb.Kind(c.Perturb) == perturb.Paraphrase && c.Paraphraser != byRule {
		return c.Paraphraser
	}
	return ""
}

// Rephrase returns the function that changes the text of each question by rule, or nil.
func (c *Config) Rephrase() func(id, query string) string {
	if kind := perturb.Kind(c.Perturb); kind != perturb.None && c.ParaphrasedBy() == "" {
		return perturb.Perturbation{Kind: kind, Faithful: c.PerturbValues, Seed: c.Seed}.Apply
	}
	return nil
}

// MaxDepth returns the depth limit of a task.
func (c *Config) MaxDepth(t envs.Task) int {
	if depth, ok := c.Search.MaxDepthBy[t.Labels[envs.LabelDataset]+"-"+t.Labels[envs.LabelDifficulty]]; ok {
		return depth
	}
	return c.Search.MaxDepth
}
