package bench

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"toolevo/envs/suite"
	"toolevo/envs/toolbench/virtual"
)

//go:embed default.yaml
var defaults []byte

// Defaults implements [suite.Configurable].
func (ToolBench) Defaults() []byte { return defaults }

// section is this benchmark's section of the configuration.
const section = "toolbench"

// The simulators that are not models.
const (
	scripted = "scripted"
	nobody   = "none" // the cache has all the answers there are
)

// settings choose what stands in for the APIs.
type settings struct {
	Simulator   string  `yaml:"simulator"` // scripted, none, or KIND:NAME of a model
	Mode        string  `yaml:"mode"`
	Temperature float64 `yaml:"temperature"`
	Tokens      int     `yaml:"tokens"` // of one answer
	Server      string  `yaml:"server"` // "" is the policies' own
	Cache       string  `yaml:"cache"`  // the path of a file; "" is none
}

// Sections implements [suite.Configurable].
func (ToolBench) Sections() []suite.Section {
	return []suite.Section{{
		Name: section, New: func() suite.Settings { return &settings{} },
		Incidental: []string{"server"},
	}}
}

// Values implements [suite.Configurable]: groups, difficulties and splits are what the data folder
// has.
func (ToolBench) Values(string) []string { return nil }

// Validate implements [suite.Settings].
func (s *settings) Validate() (string, error) {
	if _, err := virtual.ParseMode(s.Mode); err != nil {
		return "mode", err
	}

	if _, name, ok := strings.Cut(s.Simulator, ":"); s.isModel() && (!ok || name == "") {
		return "simulator", fmt.Errorf("is %q, want %s, %s, openai:MODEL or ollama:MODEL", s.Simulator, scripted,
			nobody)
	}

	if s.Simulator == nobody && s.Cache == "" {
		return "simulator", errors.New("is none, so toolbench.cache has to name a file with recorded answers")
	}

	if s.Server != "" && !s.isModel() {
		return "server", errors.New("is of no use without toolbench.simulator, the name of a model")
	}

	for address := range strings.SplitSeq(s.Server, ",") {
		if err := suite.CheckAddress(strings.TrimSpace(address)); err != nil {
			return "server", err
		}
	}

	if err := suite.Within(s.Temperature, 0); err != nil {
		return "temperature", err
	}
	return "tokens", suite.Within(float64(s.Tokens), 1)
}

// isModel reports whether a language model stands in for the APIs.
func (s *settings) isModel() bool { return s.Simulator != scripted && s.Simulator != nobody }

// settings returns the settings of the choice, or the defaults.
func (o *opened) settings() *settings {
	if s, ok := o.choice.Settings[section].(*settings); ok {
		return s
	}
	return &settings{Simulator: scripted, Mode: string(virtual.SFT)}
}
