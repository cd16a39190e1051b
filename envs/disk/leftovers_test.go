package disk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLeftovers keeps what is being written, and what is not called like it.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()

	writing, err := CreateTemp(dir, ".making-*")
	if err != nil {
		t.Fatal(err)
	}

	folder, err := MkdirTemp(dir, ".making-*")
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{".making-", ".making-x1", "other", ".making-12"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	if err := os.MkdirAll(filepath.Join(dir, ".making-34", "below"), 0o755); err != nil {
		t.Fatal(err)
	}

	left := func() []string {
		t.Helper()

		if err := RemoveLeftovers(dir, ".making-", ""); err != nil {
			t.Fatal(err)
		}
		var names []string

		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}

		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	others := []string{".making-", ".making-x1", "other"}
	busy := append([]string{filepath.Base(writing.Name()), filepath.Base(folder.Name())}, others...)
	slices.Sort(busy)

	if got := left(); !slices.Equal(got, busy) {
		t.Errorf("left %v, want %v", got, busy)
	}

	if err := errors.Join(writing.Close(), folder.Close()); err != nil {
		t.Fatal(err)
	}

	if got := left(); !slices.Equal(got, others) {
		t.Errorf("when nobody writes: left %v, want %v", got, others)
	}

	if err := RemoveLeftovers(filepath.Join(dir, "none"), "", ""); err != nil {
		t.Errorf("without a folder: %v", err)
	}
}
