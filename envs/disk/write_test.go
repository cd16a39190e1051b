package disk_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"toolevo/envs/disk"
)

func TestWriteFile(t *testing.T) {
	full := errors.New("the disk is full")
	for name, tt := range map[string]struct {
		fill func(io.Writer) error
		want string
		err  error
	}{
		"whole": {func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }, "new", nil},
		"fails": {func(w io.Writer) error { _, err := io.WriteString(w, "ne"); return errors.Join(err, full) }, "old",
			full},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			write(t, path, "old")
			write(t, path+disk.Unfinished, "what a killed process left")

			if err := disk.WriteFile(path, tt.fill); !errors.Is(err, tt.err) {
				t.Errorf("got %v, want %v", err, tt.err)
			}

			if got, err := os.ReadFile(path); err != nil || string(got) != tt.want {
				t.Errorf("the file holds %q, %v: want %q", got, err, tt.want)
			}

			if _, err := os.Stat(path + disk.Unfinished); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the unfinished file is still there: %v", err)
			}
		})
	}
}

// What cannot take its place leaves nothing behind.
func TestWriteFileOverAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	write(t, filepath.Join(path, "file"), "old")

	if err := disk.WriteFile(path, func(io.Writer) error { return nil }); err == nil {
		t.Error("a folder was replaced")
	}

	if _, err := os.Stat(path + disk.Unfinished); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the unfinished file is still there: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()

	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err := errors.Join(err, os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}
