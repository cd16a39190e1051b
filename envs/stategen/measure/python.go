package measure

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/sandbox"
)

//go:embed flow.py
var flowScript string

// NoProgramError is the error for a text that is no Python program.
type NoProgramError struct{ Reason string }

// Error implements error.
func (e *NoProgramError) Error() string { return "no Python program: " + e.Reason }

// Read returns the flow of a Python program that calls these tools: as functions and methods of
// their names, or as routes of the session service. The engine parses the program and does not run
// it; if it cannot, the error is a [NoProgramError].
func Read(ctx context.Context, engine sandbox.Engine, tools []string, program string) (Flow, error) {
	code := fmt.Sprintf("TEXT = %s\nTOOLS = %s\n%s", pytext.Repr(program),
		pytext.Repr(envs.Listed(tools)), flowScript)

	reply, err := engine.Run(ctx, sandbox.Program{Code: code}, sandbox.Limits{Output: 1 << 20})
	if err != nil {
		return nil, fmt.Errorf("measure: read a Python program: %w", err)
	}

	var read struct {
		Flow  Flow   `json:"flow"`
		Error string `json:"error"`
	}

	// A program that nests so deeply that the parser crashes is no program either.
	if err := json.Unmarshal([]byte(reply.Output), &read); reply.End != sandbox.Finished || err != nil {
		read.Error = "it cannot be parsed within the limits of the sandbox"
	}

	if read.Error != "" {
		return nil, &NoProgramError{read.Error}
	}
	return read.Flow, nil
}
