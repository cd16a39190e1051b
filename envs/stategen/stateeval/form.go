package stateeval

import (
	"toolevo/envs/stategen"
	"toolevo/envs/yamltext"
)

// Form is a form of the benchmark's rows: which evaluator reads them.
type Form string

// The forms, by when their evaluators were published.
const (
	April    Form = "april"    // of 2026: tensors are encoded, and identifiers of sessions do not count
	December Form = "december" // of 2025: tensors are nested lists, and RESULT is compared with its identifiers
)

// Forms lists the names of the forms, the newest first.
func Forms() []string { return []string{string(April), string(December)} }

// ending is what a form adds to the programs of a domain, and to what models are asked.
type ending struct {
	Lists   bool   `yaml:"lists"` // only where RESULT is a list
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
