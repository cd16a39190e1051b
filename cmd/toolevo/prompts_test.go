package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/mcts/policy/chat"
)

// TestPrompts compares what a model is sent for a question of each suite with texts that a person
// can read, one of each form and codec. The templates that we render put the texts of the chat into
// marks of their own: of those only what is around the texts is kept.
func TestPrompts(t *testing.T) {
	t.Parallel()

	for name, suiteArgs := range map[string][]string{
		"toolqa":    {"--dataset", "coffee"},
		"toolbench": {"--set", "suite=toolbench", "--difficulty", "all"},
		"session":   {"--set", "suite=stategen", "--dataset", "session"},
		"tensor":    {"--set", "suite=stategen", "--dataset", "tensor"},
		"voice":     {"--set", "suite=stategen", "--dataset", "voice"},
	} {
		codecs := []string{"react", "function-call", "tools", "python"}
		if len(suiteArgs) == 2 || name == "toolbench" {
			codecs = codecs[:3] // only generated tasks are solved by whole programs
		}

		for _, codec := range codecs {
			t.Run(name+"-"+codec, func(t *testing.T) {
				t.Parallel()

				shown := func(form string) string {
					return must(t, slices.Concat([]string{"play", "--data", smallData(t), "--print-prompt",
						"--set", "environment.codec=" + codec, "--set", "server.form=" + form}, suiteArgs)...)
				}

				if codec == "tools" { // which are sent in no other form
					golden(t, filepath.Join("prompts", name+"-tools.txt"), shown("chat"))
					return
				}

				prompts := func(of string) string {
					return filepath.Join("prompts", name+"-"+of+".txt")
				}

				talk := shown("chat")
				golden(t, prompts(codec+"-chat"), talk)
				golden(t, prompts(codec+"-few-shot"), shown("few-shot"))

				system, asked, ok := strings.Cut(strings.TrimPrefix(talk, "[system]\n"), "\n\n[user]\n")
				if !ok {
					t.Fatalf("a chat of other messages:\n%s", talk)
				}

				var around strings.Builder

				for _, template := range chat.Templates() {
					name := template.String()
					if name == "chatml" && codec == "function-call" {
						continue // it has none
					}

					text := shown(name)
					for part, mark := range map[string]string{system: "SYSTEM", strings.TrimSpace(asked): "QUESTION"} {
						if strings.Count(text, part) != 1 {
							t.Errorf("%s shows the %s of the chat %d times", name, mark, strings.Count(text, part))
						}

						text = strings.Replace(text, part, "‹"+mark+"›", 1)
					}

					around.WriteString("== " + name + "\n" + text + "\n")
				}

				golden(t, prompts(codec+"-templates"), around.String())
			})
		}
	}
}
