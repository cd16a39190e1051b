package cmdline

import (
	"strings"

	"github.com/spf13/cobra"
)

// Complete lets a shell complete the value of a flag, unless something does already.
func Complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f) // the first one stays
}

// Offered completes a value to one of some names.
func Offered[T ~string](valid []T) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return BeginningWith(typed, valid), cobra.ShellCompDirectiveNoFileComp
	}
}

// Listed completes the last of several names that are separated by commas, none of them twice.
func Listed[T ~string](valid []T) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		var lists []string

		for _, name := range valid {
			if !strings.Contains(","+before, ","+string(name)+",") {
				lists = append(lists, before+string(name))
			}
		}

		return BeginningWith(typed,
			lists), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// Folders completes the path of a folder.
func Folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// BeginningWith returns the names that begin with what was typed.
func BeginningWith[T ~string](typed string, names []T) []string {
	var found []string

	for _, name := range names {
		if strings.HasPrefix(string(name), typed) {
			found = append(found, string(name))
		}
	}

	return found
}
