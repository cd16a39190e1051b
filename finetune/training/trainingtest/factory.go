// Package trainingtest stands for LLaMA-Factory in tests: a script that makes the files that the real one makes, and
// trains nothing.
package trainingtest

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"
)

//go:embed factory.sh
var script []byte

// Factory writes the script into a folder of the test and returns its path. Its first lines say by which environment
// variables it can be made to fail.
func Factory(t testing.TB) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "llamafactory-cli")
	if err := os.WriteFile(path, script, 0o755); err != nil {
		t.Fatal(err)
	}

	return path
}
