package fidelity

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"toolevo/envs/disk"
	"toolevo/envs/toolbench/virtual"
	"toolevo/trajectories/mirror"
)

// Case is a call that a real API answered, and a simulator's answer to it.
type Case struct {
	Model       string       // the simulator; "" if none has answered
	Split       mirror.Split // e.g. "ood_success"
	System      string       // the simulator's system prompt
	Instruction string       // the document and the request, as the simulator is sent them
	Real        string       // the answer of the real API
	Simulated   string       // the simulator's
}

// line is a case in a file: a sample of a test set, with a simulator's answer if it has one. The
// second names are those of the predictions that LLaMA-Factory writes.
type line struct {
	Model       string       `json:"model"`
	Split       mirror.Split `json:"split"`
	System      string       `json:"system"`
	Instruction string       `json:"instruction"`
	Prompt      string       `json:"prompt"`
	Output      string       `json:"output"`
	Label       string       `json:"label"`
	Predict     *string      `json:"predict"`
}

// Read reads the cases of a file of one JSON object a line, or of a list of them: instruction,
// output and, where a simulator has answered, predict; or prompt, label and predict. The
// split defaults to that of the file's name, test_SPLIT.jsonl, the model to its folder's name.
func Read(path string) ([]Case, error) {
	f, err := disk.OpenJSON(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	// LLaMA-Factory writes predictions that name neither split nor model; where they lie has to
	// say.
	name := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), "test_")
	folder := filepath.Base(filepath.Dir(path))

	var cases []Case

	for l, err := range disk.Values[line](f) {
		if err == nil {
			err = l.check()
		}

		if err != nil {
			return nil, fmt.Errorf("%s: case %d: %w", path, len(cases)+1, err)
		}

		c := Case{
			Split: cmp.Or(l.Split, mirror.Split(name)), System: l.System,
			Instruction: cmp.Or(l.Instruction, l.Prompt), Real: cmp.Or(l.Output, l.Label),
		}

		// An empty answer is an answer, too: only a missing one leaves the case to be simulated.
		if l.Predict != nil {
			c.Model, c.Simulated = cmp.Or(l.Model, folder), *l.Predict
		}

		cases = append(cases, c)
	}

	// An empty file is more likely a wrong path than a measurement of nothing.
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s has no case", path)
	}
	return cases, nil
}

func (l *line) check() error {
	switch {
	case l.Instruction == "" && l.Prompt == "":
		return errors.New("it has no instruction, the document and the request")
	case l.Output == "" && l.Label == "":
		return errors.New("it has no output, the answer of the real API")
	}

	return nil
}

// compared returns an answer as it is compared: as the object of error and response if it is one,
// else as it was written.
func compared(text string) string {
	a, err := virtual.ReadReply(text)
	if err != nil {
		return text
	}
	return a.Text()
}
