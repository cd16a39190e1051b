package improve

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"toolevo/envs/disk"
)

// Notes of another version are refused, and none are the first.
func TestNotesOfAnotherVersion(t *testing.T) {
	dir := t.TempDir()

	n, err := readNotes(dir)
	if err != nil || n.Version != notesVersion {
		t.Fatalf("no notes: %+v, %v", n, err)
	}

	text := []byte(`{"notes_version": 1, "stages": "none"}`)
	if err := os.WriteFile(filepath.Join(dir, notesFile), text, 0o644); err != nil {
		t.Fatal(err)
	}

	_, err = readNotes(dir)
	if e, ok := errors.AsType[*disk.FormatError](err); !ok || e.Format != 1 {
		t.Errorf("got %v", err)
	}
}
