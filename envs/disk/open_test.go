package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()

	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("text"), 0o644), os.Symlink(file, link),
		syscall.Mkfifo(pipe, 0o644)); err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{file, link} {
		if data, err := ReadFile(path); string(data) != "text" || err != nil {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}

	for path, kind := range map[string]string{dir: "folder", pipe: "pipe", "/dev/null": "device"} {
		if _, err := ReadFile(path); !errors.Is(err, ErrNot) || !strings.HasSuffix(err.Error(), kind) {
			t.Errorf("%s: %v, want one that calls it a %s", path, err, kind)
		}
	}

	if _, err := ReadFile(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
