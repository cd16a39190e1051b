package server_test

import (
	"testing"

	"toolevo/mcts/policy/server"
)

// A version that cannot be compared is neither known to be before another nor to have what came
// with one.
func TestVersions(t *testing.T) {
	k := &server.Kind{ScoredSince: "0.12.11"}

	for _, test := range []struct {
		version        string
		before, scored bool
	}{
		{"0.9.6", true, false}, {"0.12.10", true, false}, {"v0.12.5", true, false},
		{"0.12.11", false, true}, {"0.12.11-rc1", false, true}, {"v0.17.4", false, true}, {"1.0.0", false, true},
		{"0.0.0", false, false}, {"", false, false}, {"main", false, false}, {"0.12", false, false},
		{"0.1", true, false}, {"0.11", true, false}, {"0.0", false, false}, {"1", false, false},
	} {
		if got := server.Before(test.version, "0.12.11"); got != test.before {
			t.Errorf("%q is before 0.12.11: %v", test.version, got)
		}

		if got := k.Scored(test.version); got != test.scored {
			t.Errorf("%q gives log-probabilities: %v", test.version, got)
		}
	}

	if !new(server.Kind).Scored("") {
		t.Error("a kind whose versions all give log-probabilities")
	}
}
