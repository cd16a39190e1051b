package main

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/disk"
	"toolevo/envs/drift"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/mcts/policy/server"
	"toolevo/trajectories/export"
)

// flagFile explains flags, one per line: the group, which one or several commands have, the flag,
// and its usage.
//
//go:embed flags.txt
var flagFile string

// flagTexts returns the usages of flags by group and name.
var flagTexts = sync.OnceValue(func() map[string]string {
	list := func(is func(export.Format) bool) string { return names.Join(export.FormatsThat(is)) }
	serverNames, _ := disk.Named(configs.Servers())
	words := strings.NewReplacer(
		"{addresses}", strings.Join(server.AddressVariables(), " or "),
		"{columns}", strings.Join(columnNames(), ", "),
		"{documents}", list(export.Format.IsDocuments),
		"{factors}", strings.Join(drift.FactorNames(), ", "),
		"{formats}", names.Join(export.Formats()),
		"{logs}", list(export.Format.IsOfEvaluation),
		"{metrics-key}", toolevo.MetricsKeyVariable,
		"{mix-kinds}", names.Join(export.MixKinds()),
		"{probed}", fmt.Sprint(toolevo.Probed),
		"{servers}", strings.Join(serverNames, ", "),
		"{skipping}", skipping(),
		"{stand-in}", toolevo.StandIn,
		"{strategies}", names.Join(export.Strategies()),
		"{templates}", strings.Join(export.Templates(), ", "),
		"{trainers}", names.Join(export.Trainers()))

	texts := map[string]string{}

	for line := range strings.Lines(words.Replace(flagFile)) {
		flag, usage, _ := strings.Cut(strings.TrimSpace(line), ": ")
		texts[flag] = usage
	}
	return texts
})

// flagText returns the usage of a group's flag. It panics if flags.txt lacks it: that is a bug.
func flagText(group, name string) string {
	text, ok := flagTexts()[group+" "+name]
	if !ok {
		panic(fmt.Sprintf("flags.txt does not explain --%s of %s", name, group))
	}
	return text
}

// into maps flags to the variables that take their values and hold their defaults.
type into map[string]any

// addFlags adds flags of a group to a command.
func addFlags(cmd *cobra.Command, group string, values into) {
	for name, value := range values {
		cmdline.AddFlag(cmd, name, value, flagText(group, name))
	}
}

// repeated makes values those of a flag that may be repeated, and whose values may hold commas.
func repeated(values *[]string) *suite.Repeated { return (*suite.Repeated)(values) }
