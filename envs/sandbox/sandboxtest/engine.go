// Package sandboxtest has the engine that tests run programs in. Their TestMain calls
// [confine.Main] first.
package sandboxtest

import (
	"os"
	"testing"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/forkserver"
	"toolevo/envs/sandbox/python"
)

// Engine starts a fork server on the interpreter that TOOLEVO_TEST_PYTHON names, or on python3. It
// does without the walls that this machine lacks, and ends with the test, which is skipped if there
// is no Python.
func Engine(t testing.TB) sandbox.Engine {
	t.Helper()

	in, err := python.Find(t.Context(), os.Getenv("TOOLEVO_TEST_PYTHON"), nil)
	if err != nil {
		t.Skipf("no Python: %v", err)
	}

	var lacking []confine.Wall

	for _, w := range confine.Walls() {
		if confine.Probe()[w] != nil {
			lacking = append(lacking, w)
		}
	}

	e, err := forkserver.New(t.Context(), forkserver.Options{Python: in, Without: lacking})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})

	return e
}
