package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/suite"
)

// settingFlag is a flag for one setting.
type settingFlag struct{ flag, key, usage string }

// settingFlags are the flags that set a setting; they mean the same on every command that has them.
var settingFlags = []settingFlag{
	{"suite", "suite", "`NAME` of the benchmark whose tools they expose"},
	{"dataset", "dataset", "`NAMES` of datasets, separated by commas, or all"},
	{"difficulty", "difficulty", "`NAME`: easy, hard or all"},
	{"template", "template", "`NAMES` of question templates, separated by commas, or all"},
	{"split", "split", "`NAME`: train, dev or test"},
	{"questions", "questions", "`FILE` of your own questions in place of the split's: JSON lines with qid, question, " +
		"answer, dataset and, where they are told apart, difficulty"},
	{"perturb", "perturb", "`NAME` of how questions are changed: distractor, case-mix, punctuation-noise, paraphrase " +
		"or none"},
	{"limit", "limit", "only the first `N` questions of each dataset and difficulty (0: all)"},
	{"api", "api", "`NAMES` of deployed API versions: p_c, p_s_in, p_s_ood, p_s_ood_proprietary, files, " +
		"file:DIR/*.yaml, or ten versions in which one factor changes, factor:NAME (all: each). Of several, and for " +
		"collect of all, a question meets one, drawn by the seed"},
	{"policy", "policy", "`KIND:NAME` of the policy (eval, analyze: several), e.g. scripted:noisy"},
	{"preset", "preset", "`NAME` of the search preset: paper, reference or efficient"},
	{"trees", "search.trees", "`N` trees per question (default: the preset's)"},
	{"repeats", "eval.repeats", "`N` episodes of each question: one is greedy, several are sampled"},
	{"controller", "eval.controller", "`NAME` of what follows a chain without an answer: cot, another from the " +
		"question on (eval.tries in all); dfsdt, another action further up"},
	{"seed", "seed", "`N` is the seed of all randomness"},
	{"engine", "python.engine", "`NAME` of the engine that runs model-written Python: auto, forkserver, bwrap " +
		"or unsafe"},
	{"python", "python.executable", "`FILE` is the interpreter of PythonInterpreter"},
	{"compat", "environment.compat", "`NAMES` of defects of the published code to reproduce, or published for all"},
	{"feedback", "environment.feedback", "`NAME` of what a call is told that is not taken: deprecation (the notice " +
		"of what replaces it), invocation (what is wrong), generic (that something is) or none"},
	{"reward", "environment.reward", "`NAME` of the matcher that decides the reward: official or strict"},
}

// switchFlags are the flags that switch a module off, for the ablations of the paper's Table 5.
var switchFlags = []settingFlag{
	{"no-update-tool", "environment.update_tool", "take UpdateTool away (ablation)"},
	{"no-reflection", "search.reflect", "end a path at its first invocation error (ablation)"},
}

// embedded are the settings that nobody has changed.
var embedded = sync.OnceValue(func() map[string]string {
	base, err := configs.Load()
	if err != nil {
		panic(fmt.Sprintf("the embedded configuration: %v", err))
	}

	return base.Values()
})

// settings are a command's flags that make up its configuration.
type settings struct {
	app      *app
	set      []string
	config   string
	defaults map[string]string // what this command sets before anybody else does, by key
	own      []suite.SettingFlag
}

// addSettings gives a command the flags named, --config and --set.
func (a *app) addSettings(cmd *cobra.Command, defaults map[string]string, names ...string) *settings {
	s := &settings{app: a, defaults: defaults}
	base := embedded()

	for _, f := range settingFlags {
		if !slices.Contains(names, f.flag) {
			continue
		}

		value := base[f.key]
		if v, ok := defaults[f.key]; ok {
			value = v
		}

		if f.flag == "trees" {
			value = "" // the preset's
		}

		cmd.Flags().String(f.flag, strings.Trim(value, "[]"), f.usage)

		if f.flag == "template" { // export's is that of a chat
			cmdline.Complete(cmd, f.flag, listedValues("template", all))
		}
	}

	for _, f := range switchFlags {
		if slices.Contains(names, f.flag) {
			cmd.Flags().Bool(f.flag, false, f.usage)
		}
	}

	cmd.Flags().StringArrayVar(&s.set, "set", nil, "set any setting by `KEY=VALUE`, e.g. search.cpuct=2 (repeatable)")
	cmd.Flags().StringVar(&s.config, "config", "", "read settings from the YAML `FILE`")

	return s
}

// addOwn adds flags of settings that are a suite's own.
func (s *settings) addOwn(cmd *cobra.Command, own []suite.SettingFlag) {
	s.own = own
	for _, f := range own {
		cmd.Flags().String(f.Flag, embedded()[f.Key], f.Usage)

		if f.Names != nil {
			cmdline.Complete(cmd, f.Flag, cmdline.Offered(f.Names()))
		}
	}
}

// given are the settings that a command line gives.
func (s *settings) given(flags *pflag.FlagSet) (toolevo.Settings, error) {
	given := toolevo.Settings{File: s.config, Set: s.flagLayers(flags)}

	for _, kv := range s.set {
		layer, _, err := setLayer(kv)
		if err != nil {
			return given, err
		}

		given.Set = append(given.Set, layer)
	}

	return given, nil
}

// resolve makes the configuration of a command that makes no run.
func (s *settings) resolve(flags *pflag.FlagSet) (*configs.Resolved, error) {
	given, err := s.given(flags)
	if err != nil {
		return nil, err
	}

	host := s.app.host(console.ProgressNone)

	return host.Resolve(given, s.defaults, nil)
}

// flagLayers are the settings that the user gave by their own flags.
func (s *settings) flagLayers(flags *pflag.FlagSet) (layers []configs.Layer) {
	for _, f := range settingFlags {
		if flag := flags.Lookup(f.flag); flag != nil && flag.Changed {
			layers = append(layers, configs.SettingLayer("flag --"+f.flag, f.key, flag.Value.String()))
		}
	}

	for _, f := range s.own {
		if flag := flags.Lookup(f.Flag); flag.Changed {
			layers = append(layers, configs.SettingLayer("flag --"+f.Flag, f.Key, flag.Value.String()))
		}
	}

	for _, f := range switchFlags {
		if flag := flags.Lookup(f.flag); flag != nil && flag.Changed {
			on := flag.Value.String() == "true"
			layers = append(layers, configs.SettingLayer("flag --"+f.flag, f.key, fmt.Sprint(!on)))
		}
	}

	return layers
}

// setLayer is the layer of a --set, and the key that it sets.
func setLayer(kv string) (configs.Layer, string, error) {
	key, value, ok := strings.Cut(kv, "=")
	if !ok {
		return configs.Layer{}, "", console.Usage("--set %s: want KEY=VALUE, e.g. --set search.cpuct=2", kv)
	}

	return configs.SettingLayer("flag --set "+key, key, value), key, nil
}

// runDataFlag adds --data to a command that reads runs, each of which knows its data folder.
func (a *app) runDataFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data", "", "data folder `DIR` (default: the run's own, before TOOLEVO_DATA)")
	cmdline.Complete(cmd, "data", cmdline.Folders)
}

// ofRun makes the help of --data say that it is the run's own.
func ofRun(cmd *cobra.Command) {
	f := cmd.Flags().Lookup("data")
	f.Usage = "data folder `DIR` (default: the run's own, before TOOLEVO_DATA)"
	f.DefValue = ""
}
