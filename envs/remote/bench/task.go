package bench

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/names"
	"toolevo/envs/pytext"
)

// Task is a task as its file has it.
type Task struct {
	ID         string `json:"id"`
	Question   string `json:"question"`
	Dataset    string `json:"dataset,omitempty"`    // a group of tasks, by default "tasks"
	Difficulty string `json:"difficulty,omitempty"` // by default "plain"

	Answer    string  `json:"answer,omitempty"`    // the gold answer
	Match     string  `json:"match,omitempty"`     // how answers are compared with it, by default strict
	Tolerance float64 `json:"tolerance,omitempty"` // of numbers: the largest difference

	After   []Query  `json:"after,omitempty"`   // asked when the task has ended
	Command []string `json:"command,omitempty"` // reads the episode as JSON, and exits with 0 if it is right
	Rubric  string   `json:"rubric,omitempty"`  // by which a language model judges the episode

	Solution []Step `json:"solution,omitempty"` // for scripted policies
	Final    string `json:"final,omitempty"`    // what the solution answers, by default Answer
}

// Query is a call whose answer has to have some members.
type Query struct {
	Step

	Has json.RawMessage `json:"has"` // JSON; an object may have further members
}

// Step is a call in the words of p_c. A text among its arguments may contain {{2 /orders/0/id}},
// the value at a JSON pointer of the second call's answer; a text that is nothing else becomes that
// value.
type Step struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
}

// args returns the arguments of a call.
func (s Step) args() (envs.Args, error) {
	if len(s.Args) == 0 {
		return nil, nil
	}

	value, err := pytext.DecodeStrict(string(s.Args))
	if err != nil {
		return nil, err
	}

	args, ok := value.(envs.Args)
	if !ok {
		return nil, fmt.Errorf("args are a %s, want an object", pytext.TypeName(value))
	}
	return args, nil
}

// The labels of tasks whose file has none.
const (
	noDataset    = "tasks"
	noDifficulty = "plain"
)

// env returns the task as an agent sees it, with the question as it is asked.
func (t *Task) env(question string) envs.Task {
	return envs.Task{ID: t.ID, Question: question, Labels: map[string]string{
		envs.LabelDataset: t.Dataset, envs.LabelDifficulty: t.Difficulty,
	}}
}

// ReadTasks reads a file of tasks, which may use the tools of some names.
func ReadTasks(path string, tools []string) (all []*Task, err error) {
	number := 0

	for line, err := range disk.Lines(path) {
		number++

		if err != nil {
			return nil, err
		}

		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}

		t := &Task{}
		if err = disk.DecodeLine(line, t); err == nil {
			all, err = t.join(all, tools)
		}

		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, number, err)
		}
	}
	return all, nil
}

// complete fills in the labels that a file may leave out.
func (t *Task) complete() {
	t.Dataset, t.Difficulty = cmp.Or(t.Dataset, noDataset), cmp.Or(t.Difficulty, noDifficulty)
}

// join appends a task to those before it in a file, or returns what is wrong with it.
func (t *Task) join(before []*Task, tools []string) ([]*Task, error) {
	t.complete()

	err := t.validate(tools)

	isSame := func(other *Task) bool { return other.ID == t.ID }
	if err == nil && slices.ContainsFunc(before, isSame) {
		err = fmt.Errorf("there is a task %s before", t.ID)
	}
	return append(before, t), err
}

// validate returns what is wrong with a task.
func (t *Task) validate(tools []string) error {
	switch {
	case t.ID == "" || t.Question == "":
		return errors.New("a task wants an id and a question")
	case strings.ContainsAny(t.ID, ",\n"): // commas separate IDs in settings
		return fmt.Errorf("the id %q has a comma or a line break", t.ID)
	case t.Answer == "" && len(t.After) == 0 && len(t.Command) == 0 &&
		strings.TrimSpace(t.Rubric) == "":
		return fmt.Errorf("%s: nothing says what is right: want answer, after, command or rubric",
			t.ID)
	case t.Tolerance != 0 && t.Match != matchNumber || t.Tolerance < 0:
		return fmt.Errorf("%s: tolerance is of numbers, and at least 0: want match %s", t.ID,
			matchNumber)
	}

	// A gold answer that its matcher cannot read would fail every episode without a word.
	if err := t.validateMatch(); err != nil {
		return fmt.Errorf("%s: answer: %w", t.ID, err)
	}

	for i, q := range t.After {
		if err := q.validate(tools); err != nil {
			return fmt.Errorf("%s: after, %d: %w", t.ID, i+1, err)
		}

		if _, err := pytext.DecodeStrict(string(q.Has)); err != nil {
			return fmt.Errorf("%s: after, %d: has: %w", t.ID, i+1, err)
		}
	}

	for i, s := range t.Solution {
		if err := s.validate(tools); err != nil {
			return fmt.Errorf("%s: solution, %d: %w", t.ID, i+1, err)
		}

		// When a call is made, only the answers of earlier ones exist.
		if n := lastReference(string(s.Args)); n > i {
			return fmt.Errorf("%s: solution, %d: it has the answer of call %d, which is not made "+
				"before", t.ID, i+1, n)
		}
	}

	if n := lastReference(t.Final); n > len(t.Solution) {
		return fmt.Errorf("%s: final: there is no call %d", t.ID, n)
	}
	return nil
}

// validateMatch returns why answers cannot be compared with the gold answer.
func (t *Task) validateMatch() error {
	matcher, err := names.Parse("match", t.matcher(), matchers())
	if err != nil {
		return err
	}

	switch {
	case t.Answer == "":
		return nil
	case matcher == matchNumber:
		if _, ok := number(t.Answer); !ok {
			return fmt.Errorf("%.50q is no number", t.Answer)
		}
	case matcher == matchJSON:
		_, err = pytext.DecodeStrict(t.Answer)
	case matcher == matchRegex:
		_, err = regexp.Compile(t.Answer)
	}

	return err
}

func (s Step) validate(tools []string) error {
	if !slices.Contains(tools, s.Tool) {
		return names.Unknown("tool", s.Tool, tools)
	}

	_, err := s.args()
	return err
}

// matcher is the name of the task's matcher.
func (t *Task) matcher() string {
	if t.Match == "" {
		return matchStrict
	}
	return strings.ToLower(t.Match)
}
