package app_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"toolevo/cmd/internal/app"
	"toolevo/envs/console"
)

// Where a file of the last version is in the way, none is written.
func TestMakeVersionsWritesAllOrNone(t *testing.T) {
	t.Parallel()

	job := app.MakeVersionsJob{From: "p_c", Out: t.TempDir(), Count: 3, Seed: 1}

	made, err := app.MakeVersions(t.Context(), job)
	if err != nil || len(made.Made) != 3 {
		t.Fatalf("%+v, %v", made, err)
	}

	first, last := made.Made[0].Path, made.Made[2].Path
	if err := errors.Join(os.Remove(first), os.WriteFile(last, []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}

	if _, err := app.MakeVersions(t.Context(), job); console.KindOf(err) != console.WrongUsage {
		t.Errorf("over another file: %v", err)
	}

	if _, err := os.Stat(first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there: %v", first, err)
	}
}
