package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/regular"
	"toolevo/envs/toolbench"
)

// line is a call in a file: a request of StableToolBench's server with the members of its answer.
type line struct {
	Category string          `json:"category"`
	Tool     string          `json:"tool_name"`
	API      string          `json:"api_name"`
	Input    json.RawMessage `json:"tool_input"` // an object, or a text that holds one; nothing is {}
	Error    json.RawMessage `json:"error"`
	Response json.RawMessage `json:"response"`
}

// Read reads the calls of a file of one JSON object a line: category, tool_name, api_name and tool_input, as a client
// of StableToolBench's server sends them, and error and response, as it is answered.
func Read(path string) ([]Call, error) {
	f, err := regular.OpenJSON(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	var calls []Call

	for lines := json.NewDecoder(f); ; {
		var l line

		err := lines.Decode(&l)
		if errors.Is(err, io.EOF) {
			return calls, nil
		}

		var c Call
		if err == nil {
			c, err = l.call()
		}

		if err != nil {
			return nil, fmt.Errorf("%s: call %d: %w", path, len(calls)+1, err)
		}

		calls = append(calls, c)
	}
}

func (l *line) call() (Call, error) {
	c := Call{Key: toolbench.Key{Category: l.Category, Tool: l.Tool, API: l.API}}

	for name, value := range map[string]string{
		"category": l.Category, "tool_name": l.Tool, "api_name": l.API,
	} {
		if value == "" {
			return c, fmt.Errorf("%s is missing", name)
		}
	}

	var err error
	if c.Input, err = parseInput(string(l.Input)); err != nil {
		return c, err
	}

	answer := envs.Args{}

	for _, member := range []struct {
		name string
		text json.RawMessage
	}{{errorMember, l.Error}, {responseMember, l.Response}} {
		if member.text == nil {
			continue
		}

		value, err := pytext.DecodeStrict(string(member.text))
		if err != nil {
			return c, fmt.Errorf("%s: %w", member.name, err)
		}

		answer = answer.With(member.name, value)
	}

	c.Answer, err = parseAnswer(answer)

	return c, err
}

// parseInput reads the arguments of a request.
func parseInput(text string) (envs.Args, error) {
	if text == "" {
		return envs.Args{}, nil
	}

	v, err := pytext.DecodeStrict(text)
	if inner, ok := v.(string); ok && err == nil {
		if pytext.Strip(inner) == "" {
			return envs.Args{}, nil
		}

		v, err = pytext.DecodeStrict(inner)
	}

	if err != nil {
		return nil, fmt.Errorf("tool_input: %w", err)
	}

	args, ok := v.(envs.Args)
	if !ok {
		return nil, errors.New("tool_input is no object: want the arguments by their names")
	}

	return args, nil
}

// Append adds a call to a file that [Read] reads.
func (c *Call) Append(dst []byte) []byte {
	dst = pytext.AppendJSON(dst, envs.Object(
		"category", c.Category, "tool_name", c.Tool, "api_name", c.API,
		"tool_input", c.Input, errorMember, c.Answer.Error,
		responseMember, c.Answer.Response,
	))

	return append(dst, '\n')
}
