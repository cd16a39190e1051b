package pytool

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// gone returns the number of a process that has ended.
func gone(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(cmd.Process.Pid)
}

func TestLeftovers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dead, alive := folderPrefix+gone(t)+"-", folderPrefix+strconv.Itoa(os.Getpid())+"-"
	old, young := time.Now().Add(-2*time.Hour), time.Now()
	for _, tt := range []struct {
		name    string
		changed time.Time
		removed bool
	}{
		{dead + "1", old, true},
		{dead + "2", young, false},
		{alive + "1", old, false},
		{folderPrefix + "x-1", old, false},
		{folderPrefix + "-1-1", old, false},
		{"other-" + gone(t) + "-1", old, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := filepath.Join(os.TempDir(), tt.name)
			err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "f"), nil, 0o600), os.Chtimes(folder, tt.changed, tt.changed))
			if err != nil {
				t.Fatal(err)
			}
			engine(t)
			if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) != tt.removed {
				t.Errorf("removed is not %v: %v", tt.removed, err)
			}
		})
	}
	link := filepath.Join(os.TempDir(), dead+"3")
	aim := t.TempDir()
	if err := os.Symlink(aim, link); err != nil {
		t.Fatal(err)
	}
	removeLeftovers(os.TempDir(), young.Add(2*leftoverAge))
	if _, err := os.Lstat(link); err != nil {
		t.Errorf("a link, which is not a folder of ours, is gone: %v", err)
	}
}

func TestWorkingFolderNamesItsOwner(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder, err := workingFolder()
	if err != nil {
		t.Fatal(err)
	}
	removeLeftovers(os.TempDir(), time.Now().Add(2*leftoverAge))
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("the folder of a process that lives: %v", err)
	}
	if name, owner := filepath.Base(folder), folderPrefix+strconv.Itoa(os.Getpid())+"-"; !strings.HasPrefix(name, owner) {
		t.Errorf("the folder is called %s, want %s and a number", name, owner)
	}
}
