package questions

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/toolqa/corpus"
)

// sums are the checksums of the question files below DIR/questions, by their paths there. They are
// kept in the file SHA256SUMS beside them, in the format of sha256sum. It is written after all
// files of a command, so a folder that holds files of two commands does not agree with it.
type sums map[string]string

// folder returns where a data folder has questions.
func folder(dir string) string { return filepath.Join(dir, "questions") }

// sumsPath returns the file of the checksums below the data folder dir.
func sumsPath(dir string) string { return filepath.Join(folder(dir), "SHA256SUMS") }

// sumsKey returns the name that a question file of the data folder dir has among the checksums.
func sumsKey(dir, path string) (string, error) {
	name, err := filepath.Rel(folder(dir), path)
	return filepath.ToSlash(name), err
}

// readSums reads the checksums; none, and no error, if there are no question files yet.
func readSums(dir string) (sums, error) {
	path := sumsPath(dir)

	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return sums{}, nil
	}

	if err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	}

	s := sums{}

	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		s[name] = sum
	}

	if !bytes.Equal(s.text(), text) {
		return nil, fmt.Errorf("questions: %s is %w: %s", path, corpus.ErrDamaged, again)
	}
	return s, nil
}

// text returns the text of the file of checksums.
func (s sums) text() []byte {
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(s)) {
		text = fmt.Appendf(text, "%s  %s\n", s[name], name)
	}
	return text
}

// check returns an error unless data is what was written to the question file at path.
func (s sums) check(dir, path string, data []byte) error {
	name, err := sumsKey(dir, path)
	if err != nil {
		return err
	}

	switch want, ok := s[name]; {
	case !ok:
		return fmt.Errorf("%w: %s does not name it", corpus.ErrDamaged, sumsPath(dir))
	case want != envs.SHA256(data):
		return fmt.Errorf("%w: its checksum is not the one in %s: a command was interrupted, or the file was changed",
			corpus.ErrDamaged, sumsPath(dir))
	}

	return nil
}

// updateSums changes the checksums of files, by their paths; those that are "" are removed. It
// writes them into the folder work, which takes the place of the data folder's.
func updateSums(dir, work string, changes map[string]string) error {
	s, err := readSums(dir)
	if errors.Is(err, corpus.ErrDamaged) {
		s, err = sums{}, nil // the other files have to be written again, too
	}

	if err != nil {
		return err
	}

	for path, sum := range changes {
		name, err := sumsKey(dir, path)
		if err != nil {
			return err
		}

		if s[name] = sum; sum == "" {
			delete(s, name)
		}
	}

	if err := replaceFile(filepath.Join(work, filepath.Base(sumsPath(dir))), s.text()); err != nil {
		return fmt.Errorf("questions: write %s: %w", sumsPath(dir), err)
	}
	return nil
}
