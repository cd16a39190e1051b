package stateeval

import (
	"embed"

	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/yamltext"
)

//go:embed prompt.txt forms.yaml
var files embed.FS

var prompt = yamltext.Text(files, "prompt.txt")

// Prompt returns what a model is asked for a task, in the order of the published prompts: a
// sentence, the documents of the calls, the instruction with what else to do, and what exists
// before the program begins.
func Prompt(s *code.Surface, t *stategen.Task, also string) string {
	return prompt(map[string]any{
		"Calls": s.Documents(), "Variables": t.Instruction.Variables, "Text": t.Instruction.Text,
		"Also": also,
	})
}
