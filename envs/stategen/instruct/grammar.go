package instruct

import (
	"fmt"
	"strings"

	"toolevo/envs/display"
)

// join joins parts of a sentence: "a", "a and b", "a, b and c".
func join(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}

	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

var ordinals = []string{
	"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
}

// ordinal returns the ordinal of an element's index in a list.
func ordinal(index int) string {
	if index < len(ordinals) {
		return ordinals[index]
	}
	return display.Ordinal(index + 1)
}

// counted writes a small number.
func counted(n int) string {
	if n == 2 {
		return "two"
	}
	return fmt.Sprint(n)
}

// quoted writes a name as it is.
func quoted(name string) string { return "`" + name + "`" }

func quotedAll(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = quoted(name)
	}
	return all
}
