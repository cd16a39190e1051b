package bench

import (
	"testing"

	"toolevo/envs/console"
	"toolevo/envs/suite"
)

// A part that adds nothing, since its programs are there already, is followed by another one.
func TestExamplesThatAreThereAlready(t *testing.T) {
	t.Parallel()

	data := t.TempDir()

	for n, seed := range []uint64{2, 1} {
		g := wanted(t, suite.Examples, n+1)
		g.options.Seed = seed

		made, err := g.run(t.Context(), data, &console.Steps{})
		if err != nil || made.Domains[0].Tasks != n+1 || made.Domains[0].Repeated != n {
			t.Errorf("%+v, %v", made, err)
		}
	}
}
