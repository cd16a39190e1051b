//go:build linux && amd64

package disk_test

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"toolevo/envs/disk"
	"toolevo/envs/killtest"
)

// change replaces two files, removes one, and adds one.
func change(work string) error {
	return errors.Join(
		disk.Write(filepath.Join(work, "a"), []byte("new a")),
		disk.Write(filepath.Join(work, "below", "b"), []byte("new b")),
		os.Remove(filepath.Join(work, "gone")),
		disk.Write(filepath.Join(work, "more"), []byte("new")),
	)
}

var (
	before  = map[string]string{"a": "a", "below/b": "b", "gone": "gone", "kept": "kept"}
	changed = map[string]string{"a": "new a", "below/b": "new b", "more": "new", "kept": "kept"}
)

// start makes a folder as it is before.
func start(t *testing.T, dir string) {
	t.Helper()

	err := errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "below"), 0o755))
	for name, text := range before {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}

	if err != nil {
		t.Fatal(err)
	}
}

// holds is what the files of a folder hold, by name.
func holds(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}

	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}

		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		name, err := filepath.Rel(dir, path)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return all
}

// TestReplaceFolderKilled kills a process at each call that changes a file while it changes a
// folder, which holds what it did before or all that is new.
func TestReplaceFolderKilled(t *testing.T) {
	if dir := os.Getenv("TOOLEVO_TEST_REPLACED_FOLDER"); dir != "" {
		killtest.Now()

		if err := disk.ReplaceFolder(dir, change); err != nil {
			t.Fatal(err)
		}
		return
	}

	t.Parallel()

	parent := t.TempDir()
	dir := filepath.Join(parent, "folder")

	killtest.EachCall(t, func() *exec.Cmd {
		start(t, dir)

		cmd := exec.Command(os.Args[0], "-test.run=^TestReplaceFolderKilled$")
		cmd.Env = append(os.Environ(), "TOOLEVO_TEST_REPLACED_FOLDER="+dir)
		return cmd
	}, func(call string) {
		if got := holds(t, dir); !maps.Equal(got, before) && !maps.Equal(got, changed) {
			t.Errorf("killed at %s: the folder holds %v", call, got)
		}
	})

	start(t, dir)

	if err := disk.ReplaceFolder(dir, change); err != nil || !maps.Equal(holds(t, dir), changed) {
		t.Errorf("the folder holds %v, %v", holds(t, dir), err)
	}

	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("beside the folder there is %v, %v", left, err)
	}
}

// An error leaves the folder as it is, and files that others have a link to are not written into.
func TestReplaceFolder(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "folder"), filepath.Join(t.TempDir(), "a")
	start(t, dir)

	if err := os.Link(filepath.Join(dir, "a"), other); err != nil {
		t.Fatal(err)
	}

	failed := errors.New("failed")
	err := disk.ReplaceFolder(dir, func(work string) error { return errors.Join(change(work), failed) })

	if !errors.Is(err, failed) || !maps.Equal(holds(t, dir), before) {
		t.Errorf("after an error the folder holds %v, %v", holds(t, dir), err)
	}

	t.Chdir(dir)

	if err := disk.ReplaceFolder(".", change); err != nil || !maps.Equal(holds(t, "."), changed) {
		t.Errorf("in the folder itself there is %v, %v", holds(t, "."), err)
	}

	if text, err := os.ReadFile(other); string(text) != "a" || err != nil {
		t.Errorf("the link holds %q, %v", text, err)
	}
}
