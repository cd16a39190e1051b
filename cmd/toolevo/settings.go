package main

import (
	"cmp"
	"fmt"
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

// settingFlags maps flags to the keys of the settings that they set. They mean the same on every
// command that has them.
var settingFlags = map[string]string{
	"suite":      "suite",
	"dataset":    "dataset",
	"difficulty": "difficulty",
	"template":   "template",
	"split":      "split",
	"questions":  "questions",
	"tasks":      "questions",
	"perturb":    "perturb",
	"prompts":    "prompts",
	"limit":      "limit",
	"prices":     "server.prices",
	"api":        "api",
	"policy":     "policy",
	"preset":     "preset",
	"trees":      "search.trees",
	"repeats":    "eval.repeats",
	"controller": "eval.controller",
	"seed":       "seed",
	"engine":     "python.engine",
	"python":     "python.executable",
	"compat":     "environment.compat",
	"feedback":   "environment.feedback",
	"hint":       "environment.hint",
	"reward":     "environment.reward",
}

// switchFlags maps flags that switch a module off, for the ablations of the paper's Table 5, to the
// keys of its settings.
var switchFlags = map[string]string{
	"no-update-tool": "environment.update_tool",
	"no-reflection":  "search.reflect",
}

// embedded returns the settings as they are before anybody sets any.
var embedded = sync.OnceValue(func() map[string]string {
	base, err := configs.Load()
	if err != nil {
		panic(fmt.Sprintf("the embedded configuration: %v", err))
	}
	return base.Values()
})

// settings are the flags of a command that make up its configuration.
type settings struct {
	app      *app
	set      []string
	config   string
	defaults map[string]string // what the command itself sets first, by key
	own      map[string]string // the keys of the flags that a suite adds
}

// addSettings gives a command the named flags, --config and --set.
func (a *app) addSettings(cmd *cobra.Command, defaults map[string]string, names ...string) *settings {
	s := &settings{app: a, defaults: defaults}
	base := embedded()

	for _, name := range names {
		usage := flagText("settings", name)
		if _, ok := switchFlags[name]; ok {
			cmd.Flags().Bool(name, false, usage)
			continue
		}

		key := settingFlags[name]

		value := strings.Trim(cmp.Or(defaults[key], base[key]), "[]")
		if name == "trees" {
			value = "" // the preset decides
		}

		cmd.Flags().String(name, value, usage)
	}

	addFlags(cmd, "settings", into{
		"set":    repeated(&s.set),
		"config": &s.config,
	})
	return s
}

// addOwn adds the flags of a suite's own settings.
func (s *settings) addOwn(cmd *cobra.Command, own []suite.SettingFlag) {
	s.own = map[string]string{}

	for _, f := range own {
		s.own[f.Flag] = f.Key
		cmd.Flags().String(f.Flag, embedded()[f.Key], f.Usage)

		if f.Names != nil {
			cmdline.Complete(cmd, f.Flag, cmdline.Offered(f.Names()))
		}
	}
}

// given returns the settings that a command line gives.
func (s *settings) given(flags *pflag.FlagSet) (toolevo.Settings, error) {
	given := toolevo.Settings{File: s.config, Set: s.flagLayers(flags)}

	for _, own := range []string{"questions", "tasks"} {
		if flags.Changed(own) && flags.Changed("split") {
			return given, console.Usage("--split and --%s: name a split, or a file in place of one", own)
		}
	}

	for _, kv := range s.set {
		layer, err := toolevo.ParseSetting("flag --set", kv)
		if err != nil {
			return given, err
		}

		given.Set = append(given.Set, layer)
	}
	return given, nil
}

// resolve returns the configuration of a command that makes no run.
func (s *settings) resolve(flags *pflag.FlagSet) (*configs.Resolved, error) {
	given, err := s.given(flags)
	if err != nil {
		return nil, err
	}

	host := s.app.host(console.ProgressNone)
	return host.Resolve(given, s.defaults, nil)
}

// flagLayers returns the settings that the user gave by flags of their own.
func (s *settings) flagLayers(flags *pflag.FlagSet) (layers []configs.Layer) {
	flags.Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		key := cmp.Or(settingFlags[f.Name], s.own[f.Name])

		if off, ok := switchFlags[f.Name]; ok {
			key, value = off, fmt.Sprint(value != "true")
		}

		if key != "" {
			layers = append(layers, configs.SettingLayer("flag --"+f.Name, key, value))
		}
	})
	return layers
}

// runDataFlag adds --data to a command that reads runs, each of which knows its data folder.
func (a *app) runDataFlag(cmd *cobra.Command, dir *string) {
	addFlags(cmd, "settings", into{
		"data": dir,
	})
	cmdline.Complete(cmd, "data", cmdline.Folders)
}

// ofRun makes the help of --data say that the run's own folder is the default.
func ofRun(cmd *cobra.Command) {
	f := cmd.Flags().Lookup("data")
	f.Usage = "data folder `DIR` (default: the run's own, before TOOLEVO_DATA)"
	f.DefValue = ""
}
