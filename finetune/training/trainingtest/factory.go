// Package trainingtest replaces LLaMA-Factory in tests: a script that makes the files that the
// real one makes, and trains nothing.
package trainingtest

import (
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

//go:embed factory.sh
var script []byte

// Weights writes a model of one weight into a folder, which is made.
func Weights(t testing.TB, folder string) {
	t.Helper()

	const header = `{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`

	err := errors.Join(os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "config.json"), []byte("{}"), 0o644),
		os.WriteFile(filepath.Join(folder, "model.safetensors"),
			append([]byte{byte(len(header)), 7: 0}, header+"w"...), 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

// Factory writes the script into a folder of the test and returns its path. Its first lines say by
// which environment variables it can be made to fail.
func Factory(t testing.TB) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "llamafactory-cli")
	if err := os.WriteFile(path, script, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
