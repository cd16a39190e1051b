package engines

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/attack"
	"toolevo/envs/sandbox/confine"
)

func TestWallsThatAreMissing(t *testing.T) {
	t.Parallel()
	stamp := func(engine string, missing ...string) sandbox.Stamp {
		return sandbox.Stamp{Engine: engine, Missing: missing}
	}

	some, all := []string{"read-file", "host-environment"},
		[]string{"read-file", "host-environment", "write-file", "fork", "udp-send", "change-metadata", "threads"}
	for _, test := range []struct {
		stamp    sandbox.Stamp
		accepted []string // of all, those that may get through
		words    string   // of the warning
	}{
		{stamp("forkserver"), nil, ""},
		{stamp("forkserver", "landlock"), some, "No landlock around model-written programs (python.accept)."},
		{stamp("forkserver", "seccomp"), []string{"fork", "udp-send", "change-metadata", "threads"},
			"No seccomp around"},
		{stamp("forkserver", "landlock", "seccomp"), all, "No landlock and seccomp around"},
		{stamp("bwrap", "landlock"), nil, "No landlock around model-written programs; bubblewrap stands in for it."},
		{stamp("bwrap", "landlock", "seccomp"), []string{"fork", "udp-send", "change-metadata", "threads"},
			"No landlock and seccomp around"},
		{stamp("unsafe"), nil, "No walls around model-written programs (python.engine unsafe)."},
	} {
		var accepted []string

		for _, name := range all {
			if isAccepted(test.stamp, named(t, name)) {
				accepted = append(accepted, name)
			}
		}

		if diff := cmp.Diff(test.accepted, accepted); diff != "" {
			t.Errorf("%s: accepted breaches, -want +got:\n%s", test.stamp, diff)
		}

		warnings := Warnings([]sandbox.Stamp{test.stamp, test.stamp})
		if got := strings.Join(warnings, "\n"); len(warnings) > 1 || !strings.HasPrefix(got, test.words) ||
			test.words == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", test.stamp, warnings, test.words)
		}
	}

	for wall, b := range breached {
		for _, name := range b.attacks {
			named(t, name)
		}

		for _, w := range b.walls {
			if !slices.Contains(attack.Walls(), w) {
				t.Errorf("without %s: no attack is on a wall %q", wall, w)
			}
		}
	}
}

// named returns the attack of a name.
func named(t *testing.T, name string) attack.Attack {
	t.Helper()

	for _, a := range attack.List() {
		if a.Name == name {
			return a
		}
	}

	t.Fatalf("there is no attack %s", name)
	return attack.Attack{}
}

// What really gets through for lack of a wall is what a user who accepts that is taken to accept.
func TestEnginesWithoutAWallStillHold(t *testing.T) {
	t.Parallel()
	for _, wall := range confine.Walls() {
		o := Options{Engine: ForkServer, Lacking: []confine.Wall{wall}, Accept: []confine.Wall{wall}}
		stamp := sandbox.Stamp{Engine: ForkServer, Missing: []string{string(wall)}}

		if err := Check(t.Context(), stamp, o, nil); err != nil {
			t.Errorf("without %s: %v", wall, err)
		}
	}
}

// A breach for lack of a wall that the user does without ends no run; another one does.
func TestAcceptedBreaches(t *testing.T) {
	t.Parallel()
	stamp := sandbox.Stamp{Engine: "forkserver", Missing: []string{"landlock"}}

	finding := func(name string) attack.Finding { return attack.Finding{Attack: named(t, name)} }
	for _, test := range []struct {
		breaches []attack.Finding
		want     string
	}{
		{[]attack.Finding{finding("read-file")}, ""},
		{[]attack.Finding{finding("read-file"), finding("udp-send")}, "udp-send"},
	} {
		try := func(context.Context, sandbox.Stamp, func(context.Context) (sandbox.Engine, error)) error {
			return &attack.BreachError{Engine: stamp, Breaches: test.breaches}
		}

		err := Check(t.Context(), stamp, Options{}, try)
		if (err == nil) != (test.want == "") ||
			err != nil && (!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "read-file")) {
			t.Errorf("error %v, want one about %q alone", err, test.want)
		}
	}
}
