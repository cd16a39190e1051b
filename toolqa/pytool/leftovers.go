package pytool

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	folderPrefix = "toolevo-python-"
	leftoverAge  = time.Hour // longer than any program runs, also one whose owner is in another container
)

// workingFolder makes the folder of one program. Its name has the number of this process, for [removeLeftovers].
func workingFolder() (string, error) {
	return os.MkdirTemp("", folderPrefix+strconv.Itoa(os.Getpid())+"-")
}

// removeLeftovers removes the working folders in parent that a process of this user left behind when it was killed. It
// says nothing of those that it cannot remove: they are in nobody's way.
func removeLeftovers(parent string, now time.Time) {
	folders, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*-*"))
	for _, folder := range folders {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), folderPrefix), "-")
		owner, err := strconv.Atoi(number)
		if err != nil || owner <= 0 || syscall.Kill(owner, 0) != syscall.ESRCH {
			continue
		}
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || now.Sub(info.ModTime()) < leftoverAge {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == os.Getuid() {
			os.RemoveAll(folder)
		}
	}
}
