package cmdline

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/envs/names"
)

// foreignFile says what other tools call things.
//
//go:embed foreign.txt
var foreignFile string

// Foreign returns the flags of other tools, each with what does the same here, in the order in
// which it is looked for: a flag and its value, such as "--out PATH", or another text.
var Foreign = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}

	for line := range strings.Lines(foreignFile) {
		theirs, ours, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}

		for _, name := range strings.Split(theirs, ", ") {
			table[name] = strings.Split(ours, " | ")
		}
	}
	return table
})

// insteadOf says what may have been meant by a flag that cmd does not have; "" if that is unknown.
func insteadOf(cmd *cobra.Command, name string) string {
	answers := Foreign()[strings.ReplaceAll(name, "_", "-")]
	for _, answer := range answers {
		if has(cmd, answer) {
			return fmt.Sprintf(", did you mean %s?", answer)
		}
	}

	var flags []string

	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })

	// A name that the table knows is no misspelling of a flag.
	if meant, ok := names.Closest(name, flags); ok && len(answers) == 0 {
		return fmt.Sprintf(", did you mean --%s?", meant)
	}

	// Other commands may have what this one lacks, or a flag of that very name.
	answers = append(answers, "--"+name)
	for _, c := range commandsOf(cmd.Root()) {
		for _, answer := range answers {
			switch {
			case !strings.HasPrefix(answer, "--"):
				return ": " + answer
			case has(c, answer):
				return fmt.Sprintf(": `%s` takes %s", c.CommandPath(), answer)
			}
		}
	}

	return ""
}

// commandsOf returns a command and all below it, collect before the others that have most of its
// flags.
func commandsOf(cmd *cobra.Command) (all []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if below := commandsOf(c); c.Name() == "collect" {
			all = append(below, all...)
		} else {
			all = append(all, below...)
		}
	}

	return append(all, cmd)
}

// has reports whether a command has the flag that begins an answer.
func has(cmd *cobra.Command, answer string) bool {
	flag, _, _ := strings.Cut(strings.TrimPrefix(answer, "--"), " ")

	f := cmd.Flags().Lookup(flag)
	if f == nil || f.Hidden {
		return false
	}

	value, _ := pflag.UnquoteUsage(f)
	return flag != "set" || value == "KEY=VALUE" // the one for a trainer's arguments is another flag
}
