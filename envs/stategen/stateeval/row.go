package stateeval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"toolevo/envs/stategen"
)

// Row is a row of the published data set.
type Row struct {
	ExampleID int    `json:"example_id"`
	Evaluator string `json:"evaluator_json"` // an Evaluator
	Prompt    string `json:"prompt"`
	Metadata  string `json:"metadata_json"`             // an object, the same in all published rows of a scenario
	AgentData string `json:"agent_data_json,omitempty"` // of newer rows: what the translating agents said
}

// Evaluator is the test cases of a task.
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

// ProgramInfo is what is there before a program runs. Its members are called as published, misspelt ones included.
type ProgramInfo struct {
	InitLocalStr     string         `json:"init_local_str"`     // assignments, as Python text
	InitLocalInfo    []Named        `json:"init_local_info"`    // the same as values
	InitImplicitDict stategen.Value `json:"init_implicit_dict"` // sessions of the service at the start, or null
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

	return errors.Join(json.Unmarshal(pair[0], &n.Name), json.Unmarshal(pair[1], &n.Value))
}

// metadata is what is of ours in Row.Metadata.
type metadata struct {
	Task *stategen.Task `json:"toolevo_task,omitempty"`
}

// mostLine is how long a row may be: tensors are written out.
const mostLine = 1 << 30

// Read yields the rows of a file: lines of rows, or one evaluator, whose row has neither a number nor a prompt. The
// error of a line that is no row names the line; that of yield ends the reading.
func Read(r io.Reader, yield func(Row) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), mostLine)

	number := 0

	for lines.Scan() {
		if number++; len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}

		row, err := parse(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d is no row of StateEval: %w: want example_id, evaluator_json, prompt and "+
				"metadata_json, or the text of an evaluator_N.json in one line", number, err)
		}

		if err := yield(row); err != nil {
			return err
		}
	}

	return lines.Err()
}

// parse reads a row, and finds out whether its evaluator is one.
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

	return e.TestCases, nil
}

// Task returns the task that a row of ours was made from, and whether it is one.
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
