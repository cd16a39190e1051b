package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench/virtual"
	"toolevo/envs/wire"
)

// Read reads the calls of a file with one JSON object per line: category, tool_name, api_name and
// tool_input, as clients of StableToolBench's server send them, and error and response, as the
// server answers.
func Read(path string) ([]Call, error) {
	f, err := disk.OpenJSON(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	var calls []Call

	for lines := json.NewDecoder(f); ; {
		var line json.RawMessage

		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			return calls, nil
		}

		var c Call
		if err == nil {
			c, err = parse(string(line))
		}

		if err != nil {
			return nil, fmt.Errorf("%s: call %d: %w", path, len(calls)+1, err)
		}

		calls = append(calls, c)
	}
}

func parse(line string) (c Call, err error) {
	v, err := pytext.DecodeStrict(line)
	if err != nil {
		return c, err
	}

	object, _ := v.(envs.Args)

	// In their order: of several that are missing, the error always names the same one.
	for _, member := range []struct {
		name string
		to   *string
	}{{"category", &c.Category}, {"tool_name", &c.Tool}, {"api_name", &c.API}} {
		if *member.to, _ = object.Text(member.name); *member.to == "" {
			return c, fmt.Errorf("%s is missing", member.name)
		}
	}

	input, _ := object.Get("tool_input")
	if c.Input, err = wire.Arguments(input); err != nil {
		return c, fmt.Errorf("tool_input: %w", err)
	}

	answer, answered := virtual.AnswerOf(object)
	if _, hasError := object.Get("error"); !answered && !hasError {
		return c, errors.New("the answer has neither error nor response")
	}

	c.Answer = answer
	return c, nil
}
