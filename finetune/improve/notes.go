package improve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"toolevo/envs/disk"
)

// notes are the finished stages, in the order in which they were finished.
type notes struct {
	Version int    `json:"notes_version"`
	Stages  []note `json:"stages"`
	Begun   note   `json:"begun,omitzero"` // the training that began last
}

const (
	notesFile    = "stages.json"
	notesVersion = 2
)

// note is a finished stage.
type note struct {
	Stage   string          `json:"stage"`
	Key     string          `json:"key"`     // of its settings
	Seconds float64         `json:"seconds"` // that its last attempt took
	Skipped bool            `json:"skipped,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"` // what its command printed
}

func readNotes(dir string) (*notes, error) {
	path := filepath.Join(dir, notesFile)

	text, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &notes{Version: notesVersion}, nil
	}

	if err != nil {
		return nil, err
	}

	if err := disk.CheckJSON(path, text, "notes_version", notesVersion); err != nil {
		return nil, err
	}

	var n notes
	if err := json.Unmarshal(text, &n); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, disk.ErrDamaged, err)
	}
	return &n, nil
}

func (n *notes) write(dir string) error {
	return disk.WriteFile(filepath.Join(dir, notesFile), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(n)
	})
}

// key returns the key that a stage was finished with, or a training begun; "" if it was neither.
func (n *notes) key(stage string) string {
	if done := n.find(stage); done != nil {
		return done.Key
	}

	if n.Begun.Stage == stage {
		return n.Begun.Key
	}
	return ""
}

// find returns the note on a stage; nil if it is not finished.
func (n *notes) find(stage string) *note {
	for i := range n.Stages {
		if n.Stages[i].Stage == stage {
			return &n.Stages[i]
		}
	}

	return nil
}
