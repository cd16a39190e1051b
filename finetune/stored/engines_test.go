package stored

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox"
)

// What a row says of an engine is all that there is to say.
func TestMaker(t *testing.T) {
	t.Parallel()

	for _, want := range []sandbox.Stamp{
		{Engine: "forkserver", Python: "3.12.0"},
		{Engine: "forkserver", Python: "3.11.2", Modules: []string{"numpy 1.24.2", "pandas 2.0"}},
		{Engine: "bwrap", Python: "3.11.2", Missing: []string{"landlock", "seccomp"}},
	} {
		if diff := cmp.Diff(want, Engine(maker(want, ""))); diff != "" {
			t.Errorf("what a row says of an engine is another one, -want +got:\n%s", diff)
		}
	}
}
