package stateeval

import (
	"toolevo/envs/stategen"
	"toolevo/envs/yamltext"
)

// Form is a format of the benchmark's rows, by the evaluator that reads them.
type Form string

// The forms, by when their evaluators were published.
const (
	// April, of 2026, has encoded tensors, and ignores identifiers of sessions.
	April Form = "april"
	// December, of 2025, has tensors as nested lists, and compares RESULT with its identifiers.
	December Form = "december"
)

// Forms lists the names of the forms, the newest first.
func Forms() []string { return []string{string(April), string(December)} }

// ending is what a form adds to the programs of a domain, and to what models are asked.
type ending struct {
	Lists   bool   `yaml:"lists"` // only if RESULT is a list
	Program string `yaml:"program"`
	Prompt  string `yaml:"prompt"`
}

var endings = yamltext.Once[map[Form]map[string]ending](files, "forms.yaml")

// ending returns what the form adds to a task.
func (f Form) ending(domain string, t *stategen.Task) ending {
	end := endings()[f][domain]

	lists := false
	for _, c := range t.Cases {
		_, isList := c.Result.Any.([]any)
		lists = lists || isList
	}

	if t.Program.Python != "" || end.Lists && !lists {
		return ending{}
	}
	return end
}
