//go:build linux && amd64

package export_test

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"toolevo/envs/killtest"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// TestKilledAtEachCall kills a process at every system call that changes a file while it writes an
// export over an older one. The folder holds the one or the other, to the byte, and the next export
// leaves nothing beside it.
func TestKilledAtEachCall(t *testing.T) {
	one, other := synth.Rows(1, 4, 2), synth.Rows(2, 5, 2)

	if dir := os.Getenv("TOOLEVO_TEST_KILLED_EXPORT"); dir != "" {
		killtest.Now()
		wrote(t, dir, other, export.Options{})
		return
	}

	t.Parallel()

	parent := t.TempDir()
	dir, whole := filepath.Join(parent, "export"), filepath.Join(t.TempDir(), "other")
	wrote(t, whole, other, export.Options{})

	var before map[string]string

	killtest.EachCall(t, func() *exec.Cmd {
		wrote(t, dir, one, export.Options{})
		before = filesBelow(t, dir)

		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAtEachCall$")
		cmd.Env = append(os.Environ(), "TOOLEVO_TEST_KILLED_EXPORT="+dir)
		return cmd
	}, func(call string) {
		if got := filesBelow(t, dir); !maps.Equal(got, before) && !maps.Equal(got, filesBelow(t, whole)) {
			t.Errorf("killed at %s: the folder holds neither the earlier export nor the new one", call)
		}
	})

	wrote(t, dir, one, export.Options{})

	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("beside the export there is %v, %v", left, err)
	}
}

// A link to the folder stays one, the folder keeps its mode, and who is in it stays there.
func TestWhereTheFolderStands(t *testing.T) {
	rows := synth.Rows(1, 4, 2)
	want := filepath.Join(t.TempDir(), "want")
	wrote(t, want, rows, export.Options{})

	dir := filepath.Join(t.TempDir(), "export")
	link := filepath.Join(t.TempDir(), "link")

	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(dir, link)); err != nil {
		t.Fatal(err)
	}

	wrote(t, link, synth.Rows(2, 5, 2), export.Options{})
	wrote(t, link, rows, export.Options{})

	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 || !maps.Equal(filesBelow(t, dir), filesBelow(t, want)) {
		t.Errorf("by a link: %v, %v", info.Mode(), err)
	}

	t.Chdir(dir)
	wrote(t, ".", synth.Rows(2, 5, 2), export.Options{})
	wrote(t, ".", rows, export.Options{})

	if !maps.Equal(filesBelow(t, "."), filesBelow(t, want)) {
		t.Error("in the folder itself the new export is not seen")
	}
}

// filesBelow is what the files below a folder hold, by name.
func filesBelow(t *testing.T, dir string) map[string]string {
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
