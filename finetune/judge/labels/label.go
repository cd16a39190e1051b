package labels

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/pytext"
	"toolevo/finetune/judge"
)

// Label is a labeller's verdict on a final answer.
type Label struct {
	Query, Answer string
	By            string // the labeller
	Solved        bool   // the answer is complete
	Reason        string // "" if none was given
}

// Read reads the labels of a file: one JSON object a line, or CSV with a header. Its columns are
// query, answer (or final_answer), label (or evaluation, the reply of a judge), labeller and
// reason; the labeller defaults to the file's name. unread counts the labels whose verdict cannot
// be read.
func Read(path string) (all []Label, unread int, err error) {
	rows, err := readRows(path)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}

	for i, r := range rows {
		l := Label{
			Query: r.first("query"), Answer: r.first("answer", "final_answer"),
			By:     r.first("labeller"),
			Reason: r.first("reason"),
		}
		if l.By == "" {
			l.By = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}

		// An empty column is a mistake in the file; a reply that cannot be read is one of the
		// judge's, and is only counted.
		said := r.first("label", "evaluation")
		if l.Query == "" || l.Answer == "" || said == "" {
			return nil, 0, fmt.Errorf("%s: label %d: want query, answer and label", path, i+1)
		}

		// The published evaluator writes this text, misspelt, for answers that it could not judge.
		if !l.read(said) || r.first("prompt") == "an error has occured" {
			unread++
			continue
		}

		all = append(all, l)
	}
	return all, unread, nil
}

// row is a label in a file, by column.
type row map[string]string

func (r row) first(names ...string) string {
	for _, name := range names {
		if text := strings.TrimSpace(r[name]); text != "" {
			return text
		}
	}

	return ""
}

// reason finds the reason in a judge's reply.
var reason = regexp.MustCompile(`(?is)\breason\b[\s:*]*(\S.*)$`)

// read reads a label, or a judge's reply, and reports whether it could.
func (l *Label) read(said string) bool {
	switch strings.ToLower(said) {
	case "1", "1.0", "true":
		l.Solved = true
		return true
	case "0", "0.0", "false":
		return true
	}

	status, err := judge.ReadComplete(said)
	if found := reason.FindStringSubmatch(said); found != nil && l.Reason == "" {
		l.Reason = strings.TrimSpace(found[1])
	}

	l.Solved = status == judge.Solved
	return err == nil
}

func readRows(path string) (all []row, err error) {
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return readCSV(path)
	}

	for line, err := range disk.Lines(path) {
		if err != nil {
			return nil, err
		}

		o, _, err := pytext.DecodeObject(string(line))
		if err != nil {
			return nil, fmt.Errorf("label %d is no JSON object: %w", len(all)+1, err)
		}

		all = append(all, rowOf(o))
	}
	return all, nil
}

// rowOf returns an object as a row, with numbers and truth values as texts.
func rowOf(o envs.Args) row {
	r := row{}
	for _, member := range o {
		if member.Value != nil {
			r[member.Name] = pytext.Str(member.Value)
		}
	}

	return r
}

func readCSV(path string) (all []row, err error) {
	text, err := disk.ReadText(path)
	if err != nil {
		return nil, err
	}

	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, err
	}

	for _, line := range lines[1:] {
		r := row{}
		for i, name := range lines[0] {
			r[name] = line[i]
		}

		all = append(all, r)
	}
	return all, nil
}
