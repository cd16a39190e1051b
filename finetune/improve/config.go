package improve

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"

	"toolevo/envs/disk"
	"toolevo/envs/names"
	"toolevo/envs/yamltext"
	"toolevo/finetune/host"
	"toolevo/mcts"
)

// Config describes the rounds.
type Config struct {
	Rounds   int    `yaml:"rounds"`   // at least 1
	Name     string `yaml:"name"`     // of the models on servers, followed by the round: name-1
	Model    string `yaml:"model"`    // what training begins with: a folder, or a name of a model hub
	Continue bool   `yaml:"continue"` // a round trains the checkpoint of the round before
	Template string `yaml:"template"` // the chat template that is trained, and given to an Ollama

	Collect  Flags    `yaml:"collect"`  // of toolevo collect
	Trained  Flags    `yaml:"trained"`  // of collect and eval for a checkpoint, e.g. its form and window
	Export   Flags    `yaml:"export"`   // of toolevo export
	Train    Train    `yaml:"train"`    // the trainer
	Evaluate Evaluate `yaml:"evaluate"` // what is measured

	// ByRound is what is special in a round. The first must name a policy for collect, and others
	// may; else the checkpoint of the round before collects.
	ByRound map[int]Special `yaml:"by_round"`

	Servers   map[string]host.Server `yaml:"servers"`   // by name
	Collector string                 `yaml:"collector"` // the server of checkpoints that collect
}

// Special has flags of one round, which add to those of all rounds or replace them.
type Special struct {
	Collect Flags    `yaml:"collect"`
	Export  Flags    `yaml:"export"`
	Train   []string `yaml:"train"` // words added to the trainer's command
}

// Train is the trainer: any command. It may hold {export}, the folder of samples, {model}, what
// training begins with, {out}, a folder for its output, which exists when it is started again,
// {name} and {round}, and {toolevo}, this program.
type Train struct {
	Command     []string          `yaml:"command"`
	Environment map[string]string `yaml:"environment"` // besides this process's
	Result      string            `yaml:"result"`      // the folder of the weights that it leaves, e.g. "{out}/model"
}

// Evaluate is what is measured after a round.
type Evaluate struct {
	Servers []string `yaml:"servers"` // by name, at least one
	Before  bool     `yaml:"before"`  // also measure the model that training begins with, as round 0
	Flags   Flags    `yaml:"flags"`   // of toolevo eval
}

// Flags are flags of a toolevo command, by name and in order.
type Flags yaml.MapSlice

// UnmarshalYAML reads a mapping.
func (f *Flags) UnmarshalYAML(decode func(any) error) error { return decode((*yaml.MapSlice)(f)) }

// Read reads a file.
func Read(path string) (*Config, error) {
	text, err := disk.ReadText(path)
	if err != nil {
		return nil, err
	}

	var c Config
	if err := yamltext.Decode(text, &c, yaml.Strict(), yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &c, nil
}

// check rejects what would only fail after hours of earlier stages.
func (c *Config) check() error {
	switch {
	case c.Rounds < 1:
		return fmt.Errorf("rounds: %d: want at least 1", c.Rounds)
	case c.Name == "":
		return errors.New("name: want what the models are called on servers")
	case c.Model == "":
		return errors.New("model: want what training begins with: a folder, or a name of a model hub")
	case len(c.Train.Command) == 0:
		return errors.New("train.command: want the command of the trainer")
	case c.Train.Result == "":
		return errors.New("train.result: want the folder of the weights that the trainer leaves, " +
			`e.g. "{out}/model"`)
	case len(c.Evaluate.Servers) == 0:
		return errors.New("evaluate.servers: want the servers on which checkpoints are evaluated")
	}

	for name, s := range c.Servers {
		if err := s.Check(); err != nil {
			return fmt.Errorf("servers.%s: %w", name, err)
		}

		// Whether a model calls natively is the same for all rounds, so there is no second case.
		if len(s.Calls) > 0 {
			return fmt.Errorf("servers.%s.calls: put these words into the command", name)
		}
	}

	// The first round has no checkpoint to collect with, and the others need a server for theirs.
	for round := 1; round <= c.Rounds; round++ {
		switch {
		case c.namesPolicy(round):
		case round == 1:
			return errors.New("by_round.1.collect.policy: want who collects before there is a " +
				"checkpoint, e.g. scripted:noisy")
		case c.Collector == "":
			return fmt.Errorf("collector: want the server of the checkpoint that collects in round %d", round)
		}
	}

	return errors.Join(c.checkScripted(), c.checkNames())
}

// checkScripted rejects scripted rounds whose exports would fail. An export takes the runs of all
// rounds so far.
func (c *Config) checkScripted() error {
	script := ""

	for round := 1; round <= c.Rounds; round++ {
		if policy := c.collectFlags(round).text("policy"); mcts.IsScripted(policy) {
			script = policy
		}

		if script != "" && c.exportFlags(round).text("allow-scripted") != "true" {
			return fmt.Errorf("export: want allow-scripted: true, and the same for `toolevo finetune`: %s, "+
				"which collects, is a script and not a language model", script)
		}
	}

	return nil
}

// namesPolicy reports whether the file says who collects in a round.
func (c *Config) namesPolicy(round int) bool { return c.collectFlags(round).has("policy") }

// FirstPolicy returns the policy that collects in the first round.
func (c *Config) FirstPolicy() string { return c.collectFlags(1).text("policy") }

// collectFlags returns the flags of collect in a round.
func (c *Config) collectFlags(round int) Flags {
	return c.Collect.overriddenBy(c.ByRound[round].Collect)
}

// exportFlags returns the flags of export in a round.
func (c *Config) exportFlags(round int) Flags { return c.Export.overriddenBy(c.ByRound[round].Export) }

// checkNames rejects unknown servers, and flags that the stages set themselves.
func (c *Config) checkNames() error {
	known := slices.Sorted(maps.Keys(c.Servers))

	// Only servers that a stage asks must be described; a file may describe more.
	asked := c.Evaluate.Servers
	if c.Collector != "" {
		asked = append(slices.Clone(asked), c.Collector)
	}

	for _, name := range asked {
		if _, err := names.Parse("server", name, known); err != nil {
			return err
		}
	}

	sections := map[string]Flags{
		"collect": c.Collect, "trained": c.Trained, "export": c.Export,
		"evaluate.flags": c.Evaluate.Flags,
	}
	for round, special := range c.ByRound {
		sections[fmt.Sprintf("by_round.%d.collect", round)] = special.Collect
		sections[fmt.Sprintf("by_round.%d.export", round)] = special.Export
	}

	// With another folder, say, a stage would not find what it did before.
	for section, flags := range sections {
		for _, key := range stageFlags {
			if flags.has(key) {
				return fmt.Errorf("%s: %s cannot be set in the file: it follows from the stage",
					section, key)
			}
		}
	}

	// Here policy is not one of those: by_round may name one, and only a checkpoint's own flags may
	// not.
	if c.Trained.has("policy") || c.Evaluate.Flags.has("policy") {
		return errors.New("trained, evaluate.flags: the policy is the checkpoint")
	}
	return nil
}

// stageFlags lists the flags that stages set themselves.
var stageFlags = []string{"out", "resume", "json", "progress", "server", "dry-run", "lint", "run-id"}

// args returns the flags as arguments. A list repeats its flag for each value.
func (f Flags) args() (all []string) {
	for _, item := range f {
		values, ok := item.Value.([]any)
		if !ok {
			values = []any{item.Value}
		}

		for _, v := range values {
			all = append(all, fmt.Sprintf("--%v=%v", item.Key, v))
		}
	}
	return all
}

// has reports whether a flag is set.
func (f Flags) has(key string) bool {
	return slices.ContainsFunc(f, func(item yaml.MapItem) bool { return item.Key == key })
}

// text returns the value of a flag, "" if it is not set.
func (f Flags) text(key string) string {
	for _, item := range f {
		if item.Key == key {
			return fmt.Sprint(item.Value)
		}
	}

	return ""
}

// overriddenBy returns the flags with others added, which replace those of the same names. Those of
// set are settings of many kinds, so all are kept; of one setting the last counts.
func (f Flags) overriddenBy(others Flags) Flags {
	kept := slices.DeleteFunc(slices.Clone(f), func(item yaml.MapItem) bool {
		return item.Key != "set" && others.has(fmt.Sprint(item.Key))
	})
	return append(kept, others...)
}
