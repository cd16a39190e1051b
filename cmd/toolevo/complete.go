package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/dynamic"
	"toolevo/envs/perturb"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/suite"
	"toolevo/finetune/rundir"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/policy/simserver"
	"toolevo/trajectories/export"
)

// all stands for all datasets, difficulties and the like.
const all = "all"

// flagValues returns what a shell offers after each flag that takes names. They mean the same on
// every command.
func flagValues() map[string]cobra.CompletionFunc {
	// Every start of the program makes this map: names that are slow to list are looked up later.
	return map[string]cobra.CompletionFunc{
		"dataset":       listedValues("dataset", all),
		"difficulty":    cmdline.Offered(append(valuesOf("difficulty"), all)),
		"template":      listedValues("template", all),
		"split":         cmdline.Offered(suite.Splits()),
		"perturb":       cmdline.Offered(perturb.Kinds()),
		"suite":         cmdline.Offered(suite.Names()),
		"api":           versionNames,
		"policy":        policies,
		"by":            policies,
		"baseline":      cmdline.Listed(serving.Baselines()),
		"preset":        cmdline.Offered(configs.Presets()),
		"engine":        cmdline.Offered(engines.Names()),
		"compat":        listedValues("environment.compat"),
		"feedback":      cmdline.Offered(dynamic.Feedbacks()),
		"hint":          cmdline.Offered(dynamic.Hints()),
		"simulator":     policies,
		"config":        shippedOrFile,
		"set":           settingKeys,
		"without":       cmdline.Listed(confine.Walls()),
		"strategy":      cmdline.Offered(export.Strategies()),
		"score":         cmdline.Offered(export.Scores()),
		"chat-template": cmdline.Offered(export.Templates()),
		"format":        cmdline.Offered(export.FormatsThat(export.Format.IsExported)),
		"for":           cmdline.Offered(export.Trainers()),
		"wrong":         cmdline.Listed(simserver.Misconfigurations()),
		"log-level":     cmdline.Offered(console.LogLevels()),
		"protocol":      cmdline.Offered([]simserver.Kind{simserver.VLLM, simserver.Ollama}),
		"out":           runsOrFolders, // a run to continue, or the parent of a new one
	}
}

// addCompletions lets shells complete the values of flags of cmd and of all commands below it.
func addCompletions(cmd *cobra.Command, values map[string]cobra.CompletionFunc) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if complete, ok := values[f.Name]; ok {
			cmdline.Complete(cmd, f.Name, complete)
		}
	})

	for _, c := range cmd.Commands() {
		addCompletions(c, values)
	}
}

// policies completes the kind of a policy, and the name of a scripted one.
func policies(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]

	var names []string
	for _, name := range serving.PolicyNames() {
		names = append(names, before+strings.TrimSuffix(name, "MODEL"))
	}
	return cmdline.BeginningWith(typed, names), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// shippedOrFile completes the name of a shipped configuration, else that of a file.
func shippedOrFile(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if names := cmdline.BeginningWith(typed, configs.Policies()); len(names) > 0 {
		return names, cobra.ShellCompDirectiveDefault
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// settingKeys completes the key of a setting.
func settingKeys(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var keys []string
	for _, key := range configs.Keys() {
		keys = append(keys, key+"=")
	}
	return cmdline.BeginningWith(typed, keys), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// runs completes the runs that a command takes as its first most arguments; a negative most is any
// number.
func runs(most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if most >= 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return runsOrFolders(cmd, args, typed)
	}
}

// runsOrFolders completes the runs in the folder being typed and in runs/, or folders if it finds
// no runs.
func runsOrFolders(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	dir := filepath.Dir(typed)

	found, _ := rundir.Find(dir, 1)
	if dir == "." {
		below, _ := rundir.Find(toolevo.RunsFolder, 1)
		found = append(found, below...)
	}

	if found = cmdline.BeginningWith(typed, found); len(found) > 0 {
		return found, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// listedValues completes lists of the names that a setting takes, and of some more. It looks them
// up when somebody types: parsing all question templates would be half the work of a short command.
func listedValues(setting string, more ...string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return cmdline.Listed(append(valuesOf(setting), more...))(cmd, args, typed)
	}
}

// valuesOf returns the names that a setting may have in any suite.
func valuesOf(setting string) []string {
	var all []string

	for _, b := range suite.All() {
		if c, ok := b.(suite.Configurable); ok {
			all = append(all, c.Values(setting)...)
		}
	}

	return all
}

func versionNames(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var (
		names []string
		data  string
	)

	if f := cmd.Flags().Lookup("data"); f != nil {
		data = f.Value.String()
	}

	for _, b := range suite.All() {
		if versions, err := b.Versions(data); err == nil {
			names = append(names, versions.Names()...)
		}
	}

	slices.Sort(names) // several suites have versions of one name
	names = slices.Compact(names)

	for _, name := range append(drift.FactorNames(), all) {
		names = append(names, drift.FactorPrefix+name)
	}
	return cmdline.Listed(names)(cmd, args, typed)
}
