package fidelity

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"toolevo/envs/disk"
	"toolevo/envs/toolbench/virtual"
	"toolevo/trajectories/mirror"
)

// Case is a call that a real API answered, and a simulator's answer to it.
type Case struct {
	Model       string       // the simulator; "" where none has answered
	Split       mirror.Split // e.g. "ood_success"
	System      string       // what the simulator is told
	Instruction string       // the document and the request, as the simulator is sent them
	Real        string       // the answer of the real API
	Simulated   string       // the simulator's
}

// line is a case in a file: a sample of a test set, with a simulator's answer where one is there.
// The second names are those of the predictions that LLaMA-Factory writes.
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
// output and, where a simulator has answered, predict; or prompt, label and predict. Without a
// split of their own they are of the one that the file's name says, test_SPLIT.jsonl; without a
// model of its folder's name.
func Read(path string) ([]Case, error) {
	f, err := disk.OpenJSON(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	name := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), "test_")
	folder := filepath.Base(filepath.Dir(path))

	var cases []Case

	for l, err := range lines(f) {
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
		// An empty answer is an answer, too.
		if l.Predict != nil {
			c.Model, c.Simulated = cmp.Or(l.Model, folder), *l.Predict
		}

		cases = append(cases, c)
	}

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

// lines yields the objects of a file, which may stand in a list.
func lines(r io.Reader) func(yield func(line, error) bool) {
	return func(yield func(line, error) bool) {
		in := bufio.NewReader(r)

		start, _ := in.Peek(1)
		d := json.NewDecoder(in)

		if string(start) == "[" {
			if _, err := d.Token(); err != nil {
				yield(line{}, err)
				return
			}
		}

		for d.More() {
			var l line

			err := d.Decode(&l)
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// compared is an answer as it is compared: the object of error and response that it is, or else as
// it was written.
func compared(text string) string {
	a, err := virtual.ReadReply(text)
	if err != nil {
		return text
	}
	return a.Text()
}
