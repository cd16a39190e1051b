package stateeval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"toolevo/envs/stategen"
	"toolevo/envs/stategen/tensor"
)

// Row is a row of the published data set.
type Row struct {
	ExampleID int    `json:"example_id"`
	Evaluator string `json:"evaluator_json"` // an Evaluator
	Prompt    string `json:"prompt"`
	Metadata  string `json:"metadata_json"`             // an object, published the same per scenario
	AgentData string `json:"agent_data_json,omitempty"` // of newer rows: the agents' conversation

	cases []TestCase // once they are read
}

// Evaluator holds the test cases of a task.
type Evaluator struct {
	TestCases []TestCase      `json:"test_cases"`
	Config    json.RawMessage `json:"config"`
}

// TestCase is a run of a program and what it has to lead to.
type TestCase struct {
	Result      stategen.Value `json:"result"`
	StateOracle stategen.Value `json:"state_oracle"`
	Info        ProgramInfo    `json:"program_info"`
	Program     string         `json:"program"`
}

// ProgramInfo is what exists before a program runs. Its members have the published names, including
// a misspelt one.
type ProgramInfo struct {
	InitLocalStr     string         `json:"init_local_str"`     // assignments, as Python text
	InitLocalInfo    []Named        `json:"init_local_info"`    // the same as values
	InitImplicitDict stategen.Value `json:"init_implicit_dict"` // sessions at the start, or null
	EndImplicitList  stategen.Value `json:"end_implict_list"`   // sessions at the end, or null
	InitLoadStr      *string        `json:"init_load_str"`      // what is loaded, in words
	InitLoadInfo     []Named        `json:"init_load_info"`     // the same as values, or null
}

// Named is a value with a name: a pair in JSON.
type Named struct {
	Name  string
	Value stategen.Value
}

// MarshalJSON implements [json.Marshaler].
func (n Named) MarshalJSON() ([]byte, error) { return json.Marshal([2]any{n.Name, n.Value}) }

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Named) UnmarshalJSON(text []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}

	if len(pair) != 2 {
		return fmt.Errorf("%d values, want a name and a value", len(pair))
	}
	return errors.Join(json.Unmarshal(pair[0], &n.Name), json.Unmarshal(pair[1], (*large)(&n.Value)))
}

// large is a value that may be a tensor written out.
type large stategen.Value

// mostList is the longest text of a list that is read as a list.
const mostList = 1 << 16

// UnmarshalJSON implements [json.Unmarshaler]. It reads longer lists as a [*tensor.Tensor] if they
// are one: as values they would take a hundred bytes for each number.
func (v *large) UnmarshalJSON(text []byte) error {
	if len(text) > mostList && text[0] == '[' {
		if t, err := tensor.Parse(text); err == nil {
			v.Any = t
			return nil
		}
	}

	return json.Unmarshal(text, (*stategen.Value)(v))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *TestCase) UnmarshalJSON(text []byte) error {
	type plain TestCase

	whole := struct {
		*plain
		Result large `json:"result"`
	}{plain: (*plain)(c)}

	err := json.Unmarshal(text, &whole)
	c.Result = stategen.Value(whole.Result)
	return err
}

// metadata is toolevo's own part of Row.Metadata.
type metadata struct {
	Task *stategen.Task `json:"toolevo_task,omitempty"`
}

// Read yields the rows of a file: rows or evaluators one after another, each on a line or on
// several, or a list of them. An evaluator is a row that has neither a number nor a prompt. The
// error for anything else names the line on which it ends; an error of yield ends the reading.
func Read(r io.Reader, yield func(Row) error) error {
	counted := &lines{from: r}
	values := json.NewDecoder(counted)

	for {
		var text json.RawMessage

		err := values.Decode(&text)
		if errors.Is(err, io.EOF) {
			return nil
		}

		// After an error this is still the end of the value before, which may end a line.
		end := values.InputOffset()
		if err != nil {
			end++
		}

		all := []json.RawMessage{text}
		if err == nil && text[0] == '[' {
			err = json.Unmarshal(text, &all)
		}

		// Here all errors become one message: of the decoder, of a list, and of a row.
		for _, text := range all {
			var row Row
			if err == nil {
				row, err = parse(text)
			}

			if err != nil {
				return fmt.Errorf("line %d is no row of StateEval: %w: want example_id, "+
					"evaluator_json, prompt and metadata_json, or the text of an evaluator_N.json",
					counted.lineOf(end), err)
			}

			if err := yield(row); err != nil {
				return err
			}
		}
	}
}

// lines notes where the lines end while it reads.
type lines struct {
	from io.Reader
	read int64
	ends []int64
}

// Read implements [io.Reader].
func (l *lines) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)

	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}

	l.read += int64(n)
	return n, err
}

// lineOf returns the number of a byte's line, counted from 1.
func (l *lines) lineOf(offset int64) int {
	before, _ := slices.BinarySearch(l.ends, offset)
	return before + 1
}

// parse reads a row, and checks that its evaluator is one.
func parse(text []byte) (Row, error) {
	var row Row
	if err := json.Unmarshal(text, &row); err != nil {
		return row, err
	}

	if row.Evaluator == "" {
		row.Evaluator = string(text)
	}

	_, err := row.Cases()
	return row, err
}

// Cases returns the test cases of a row; there is at least one.
func (r *Row) Cases() ([]TestCase, error) {
	if r.cases != nil {
		return r.cases, nil
	}

	var e Evaluator
	if err := json.Unmarshal([]byte(r.Evaluator), &e); err != nil {
		return nil, fmt.Errorf("evaluator: %w", err)
	}

	if len(e.TestCases) == 0 {
		return nil, errors.New("evaluator: no test_cases")
	}

	for i, c := range e.TestCases {
		if c.Program == "" {
			return nil, fmt.Errorf("evaluator: test case %d has no program", i+1)
		}
	}

	r.cases = e.TestCases
	return r.cases, nil
}

// Task returns the task that an exported row was made from, if it is such a row.
func (r *Row) Task() (*stategen.Task, bool, error) {
	var m metadata

	if r.Metadata == "" {
		return nil, false, nil
	}

	if err := json.Unmarshal([]byte(r.Metadata), &m); err != nil {
		return nil, false, fmt.Errorf("stateeval: the metadata of row %d: %w", r.ExampleID, err)
	}
	return m.Task, m.Task != nil, nil
}
