package bench

import (
	"errors"
	"slices"
	"testing"

	"toolevo/envs"
)

// A solution is compared with what it does on a fresh instance, also where it fails there alone.
func TestProblemsOf(t *testing.T) {
	turn := func(said string) envs.Turn { return envs.Turn{Observation: said} }
	fails := episode{failed: errors.New("no id in the answer")}

	for name, test := range map[string]struct {
		first, second episode
		want          []string
	}{
		"equal": {episode{turns: []envs.Turn{turn("a")}}, episode{turns: []envs.Turn{turn("a")}}, nil},
		"first": {fails, fails, []string{"the solution: no id in the answer"}},
		"fresh": {episode{turns: []envs.Turn{turn("a")}}, fails,
			[]string{"the solution, on a fresh instance: no id in the answer"}},
	} {
		if got := problemsOf(test.first, test.second); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
