package corpus

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftoverAge is how old a temporary file has to be before nobody can still be writing it.
const leftoverAge = time.Hour

// RemoveLeftovers removes the temporary files that a killed program left in folder: those whose names are prefix, the
// digits of [os.CreateTemp] and suffix, and which are older than an hour. A younger one may still be written.
func RemoveLeftovers(folder, prefix, suffix string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), prefix)
		if ok {
			digits, ok = strings.CutSuffix(digits, suffix)
		}
		if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" || !e.Type().IsRegular() {
			continue
		}
		stat, err := e.Info()
		if err == nil && time.Since(stat.ModTime()) > leftoverAge {
			err = os.Remove(filepath.Join(folder, e.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another program may remove it at the same time
			return err
		}
	}
	return nil
}
