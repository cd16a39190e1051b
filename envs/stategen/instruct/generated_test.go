package instruct

import (
	"strings"
	"testing"

	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
)

// Generated programs of every domain can be said, by each wording that is drawn; and what does
// something else reads otherwise.
func TestGeneratedPrograms(t *testing.T) {
	for _, d := range domains.All() {
		t.Run(d.Name(), func(t *testing.T) {
			t.Parallel()

			texts := map[string]string{}
			o := stategen.Options{Calls: stategen.DefaultCalls, Selector: stategen.K2, Seed: 5}

			_, err := stategen.Generate(t.Context(), d, o, new(stategen.Book), 150, func(task stategen.Task) error {
				made, err := Instruct(&task, 3)
				if err != nil {
					return err
				}

				if bad := broken.FindString(made.Variables + made.Text); bad != "" {
					t.Errorf("%s: %q in\n%s", task.ID, bad, made.Text)
				}

				if other := texts[made.Text]; other != "" {
					t.Errorf("%s and %s read alike:\n%s", task.ID, other, made.Text)
				}

				for _, c := range task.Cases {
					for name, v := range c.Set {
						if text, _ := v.Any.(string); strings.Contains(text, "_other") {
							t.Errorf("%s: %s is no text of the domain: %s", task.ID, name, text)
						}
					}
				}

				texts[made.Text] = task.ID
				tellsApart(t, &task, made)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// tellsApart tests that the mutants of a task read otherwise.
func tellsApart(t *testing.T, task *stategen.Task, made stategen.Instruction) {
	t.Helper()

	for _, m := range stategen.Mutants(*task) {
		if m.Kind == stategen.UnknownTool {
			continue // of which nothing can be said
		}

		other := *task
		other.Program = m.Program

		// A mutant that uses a variable less is not told apart by its words alone: it has no
		// instruction.
		if second, err := Instruct(&other, 3); err == nil && second.Text == made.Text {
			t.Errorf("%s: %s reads alike:\n%s", task.ID, m.Kind, made.Text)
		}
	}
}
