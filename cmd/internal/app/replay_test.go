package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is searched under may have several settings, and a value may have blanks.
func TestSplitSettings(t *testing.T) {
	t.Parallel()

	for set, want := range map[string][]string{
		"search.cpuct=2":                  {"search.cpuct=2"},
		" search.cpuct=2  search.trees=3": {"search.cpuct=2", "search.trees=3"},
		"search.max_depth_by={a: 1, b: 2} search.trees=3": {"search.max_depth_by={a: 1, b: 2}",
			"search.trees=3"},
		"search.cpuct": {"search.cpuct"},
		"":             nil,
	} {
		if diff := cmp.Diff(want, splitSettings(set)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", set, diff)
		}
	}
}
