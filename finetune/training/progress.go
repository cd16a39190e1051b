package training

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Progress is how far a training is, as LLaMA-Factory noted it last. The zero value means that it
// has noted nothing yet: it is reading the model and the data.
type Progress struct {
	Step  int64    `json:"current_steps"` // updates made
	Steps int64    `json:"total_steps"`   // updates to make
	Epoch float64  `json:"epoch"`         // passes over the data
	Loss  *float64 `json:"loss"`          // since the note before; nil in a note without
}

// String returns the progress in a few words.
func (p Progress) String() string {
	if p.Steps == 0 {
		return "loading the model and the data"
	}

	text := fmt.Sprintf("step %d/%d, epoch %.2f", p.Step, p.Steps, p.Epoch)
	if p.Loss != nil {
		text += fmt.Sprintf(", loss %.4f", *p.Loss)
	}
	return text
}

// trainerLog is LLaMA-Factory's file of notes, a line of JSON each.
const trainerLog = "trainer_log.jsonl"

// noteBytes is more than the length of a note.
const noteBytes = 4096

// lastProgress reads the last whole note of a training, with the last loss that was noted.
func lastProgress(weights string) Progress {
	// Progress is only shown: a log that cannot be read is no reason to end a training.
	f, err := os.Open(filepath.Join(weights, trainerLog))
	if err != nil {
		return Progress{}
	}
	defer f.Close()

	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return Progress{}
	}

	// Only the end is read, since the log grows for hours and progress is asked for again and
	// again.
	from := max(0, end-noteBytes)

	text, err := io.ReadAll(io.NewSectionReader(f, from, end-from))
	if err != nil {
		return Progress{}
	}

	var last Progress

	for line := range strings.Lines(string(text)) {
		var p Progress

		// The first line may be cut, and the last one still being written.
		if !strings.HasSuffix(line, "\n") || json.Unmarshal([]byte(line), &p) != nil {
			continue
		}

		// Not every note has a loss; the last one stays on display meanwhile.
		if p.Loss == nil {
			p.Loss = last.Loss
		}

		last = p
	}
	return last
}
