package retrieve

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/toolqa/corpus"
)

// temporary begins the names of files that are being written.
const temporary = ".making-"

// derivedKey names what is derived from a corpus, by everything that it depends on.
func derivedKey(c *corpus.Corpus, parts ...string) string {
	return envs.SHA256(strings.Join(append(parts, c.Info().ContentSHA256), "\x00"))[:24]
}

// derivedFolder is the folder beside a corpus file that holds what is derived from it.
func derivedFolder(c *corpus.Corpus, suffix string) string {
	return strings.TrimSuffix(c.Path(), ".sqlite") + suffix
}

// writeDerived writes the file at path, whole or not at all, though others may be writing it, too.
func writeDerived(path string, fill func(io.Writer) error) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}

	tmp, err := disk.CreateTemp(folder, temporary+"*")
	if err != nil {
		return err
	}
	defer tmp.Close()
	defer os.Remove(tmp.Name()) // after the rename there is nothing to remove

	if err := errors.Join(fill(tmp), tmp.Sync()); err != nil {
		return err
	}
	return disk.Rename(tmp.Name(), path)
}

// removeOthers removes what is beside a file: what was made of other contents of the corpus. It
// stays readable for a program that has it open.
func removeOthers(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}

	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporary) || e.Name() == filepath.Base(path) {
			continue
		}

		if err := os.RemoveAll(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			return err
		}
	}
	return nil
}
