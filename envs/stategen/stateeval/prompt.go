package stateeval

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
)

//go:embed prompt.txt
var promptText string

var prompt = template.Must(template.New("").Parse(promptText))

// Prompt returns what a model is asked for a task, in the order of the published prompts: a sentence, the documents of
// the calls, the instruction, and what is there before the program begins.
func Prompt(s *code.Surface, t *stategen.Task) (string, error) {
	var b strings.Builder

	err := prompt.Execute(&b, map[string]any{
		"Calls": s.Documents(), "Variables": t.Instruction.Variables, "Text": t.Instruction.Text,
	})
	if err != nil {
		return "", fmt.Errorf("stateeval: the prompt of %s: %w", t.ID, err)
	}

	return b.String(), nil
}
