package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/configs"
	"toolevo/mcts/store"
)

// settingFlags are the flags that set a setting; they mean the same on every command that has them.
var settingFlags = []struct{ flag, key, usage string }{
	{"dataset", "dataset", "datasets, separated by commas"},
	{"difficulty", "difficulty", "easy, hard or all"},
	{"split", "split", "train, dev or test"},
	{"limit", "limit", "only the first N questions of each dataset and difficulty (0: all)"},
	{"api", "api", "API version deployed: p_c, p_s_in, p_s_ood, p_s_ood_proprietary (eval: several)"},
	{"policy", "policy", "policy as KIND:NAME, e.g. scripted:noisy (eval: several)"},
	{"preset", "preset", "search preset: paper, reference or efficient"},
	{"trees", "search.trees", "trees per question (default: the preset's)"},
	{"seed", "seed", "seed of everything random"},
	{"compat", "environment.compat", "defects of the published code to reproduce: names, or published for all"},
}

// switchFlags are the flags that switch a module off, for the ablations of the paper's Table 5.
var switchFlags = []struct{ flag, key, usage string }{
	{"no-update-tool", "environment.update_tool", "take UpdateTool away (ablation)"},
	{"no-reflection", "search.reflect", "end a path at its first invocation error (ablation)"},
}

// settings are a command's flags that make up its configuration.
type settings struct {
	app      *app
	set      []string
	config   string
	defaults map[string]string // what this command sets before anybody else does, by key
}

// addSettings gives a command the flags named, --config and --set.
func (a *app) addSettings(cmd *cobra.Command, defaults map[string]string, names ...string) *settings {
	s := &settings{app: a, defaults: defaults}
	base, err := configs.Load()
	if err != nil {
		panic(fmt.Sprintf("the embedded configuration: %v", err))
	}
	for _, f := range settingFlags {
		if !slices.Contains(names, f.flag) {
			continue
		}
		value := base.Value(f.key)
		if v, ok := defaults[f.key]; ok {
			value = v
		}
		if f.flag == "trees" {
			value = "" // the preset's
		}
		cmd.Flags().String(f.flag, strings.Trim(value, "[]"), f.usage)
	}
	for _, f := range switchFlags {
		if slices.Contains(names, f.flag) {
			cmd.Flags().Bool(f.flag, false, f.usage)
		}
	}
	cmd.Flags().StringArrayVar(&s.set, "set", nil, "set any setting, KEY=VALUE, e.g. --set search.cpuct=2 (repeatable)")
	cmd.Flags().StringVar(&s.config, "config", "", "read settings from this YAML file")
	return s
}

// resolve makes the configuration. When it goes on with a run, the run's own configuration stands where other runs have
// the file's, so that --resume --out DIR is enough.
func (s *settings) resolve(flags *pflag.FlagSet, resumed string) (*configs.Resolved, error) {
	var layers []configs.Layer
	for key, value := range s.defaults {
		layers = append(layers, configs.SettingLayer("default of this command", key, value))
	}
	for _, name := range []string{s.config, resumed} {
		if name == "" {
			continue
		}
		l, err := configs.FileLayer(name)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	environment, err := configs.EnvironmentLayers(s.app.environ)
	if err != nil {
		return nil, err
	}
	layers = append(layers, environment...)
	for _, f := range settingFlags {
		if flag := flags.Lookup(f.flag); flag != nil && flag.Changed {
			layers = append(layers, configs.SettingLayer("flag --"+f.flag, f.key, flag.Value.String()))
		}
	}
	for _, f := range switchFlags {
		if flag := flags.Lookup(f.flag); flag != nil && flag.Changed {
			on := flag.Value.String() == "true"
			layers = append(layers, configs.SettingLayer("flag --"+f.flag, f.key, fmt.Sprint(!on)))
		}
	}
	for _, kv := range s.set {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, usage("--set %s: want KEY=VALUE, e.g. --set search.cpuct=2", kv)
		}
		layers = append(layers, configs.SettingLayer("flag --set", key, value))
	}
	return configs.Load(layers...)
}

// resumedConfig returns the configuration file of the run in dir, "" when there is none.
func resumedConfig(dir string) string {
	path := filepath.Join(dir, store.ConfigFile)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// lookup returns a variable of the environment the program was started with.
func (a *app) lookup(name string) string {
	for _, v := range a.environ {
		if k, value, _ := strings.Cut(v, "="); k == name {
			return value
		}
	}
	return ""
}

// dataFlag adds --data.
func (a *app) dataFlag(cmd *cobra.Command) *string {
	dir := "data"
	if v := a.lookup("TOOLEVO_DATA"); v != "" {
		dir = v
	}
	return cmd.Flags().String("data", dir, "data folder (or TOOLEVO_DATA)")
}
