package code

import (
	"strings"
	"testing"

	"toolevo/envs/sandbox/sandboxtest"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
)

// tasks generates tasks of a domain.
func tasks(t testing.TB, d stategen.Domain, n int) []stategen.Task {
	t.Helper()

	var all []stategen.Task

	o := stategen.Options{Calls: stategen.DefaultCalls, Selector: stategen.Argmax, Seed: 5, Workers: 2}
	if _, err := stategen.Generate(t.Context(), d, o, new(stategen.Book), n, func(task stategen.Task) error {
		all = append(all, task)
		return nil
	}); err != nil {
		t.Fatal(err)
	}

	return all
}

// Every reference passes as Python, and, written for a drifted version, there. The base's program
// passes where nothing has changed; of all programs whose text is another one, nearly none does.
func TestReferencesOfDomains(t *testing.T) {
	e := sandboxtest.Engine(t)
	c := catalog(t, domains.All()...)
	base := version(t, c, "p_c")
	for _, d := range domains.All() {
		t.Run(d.Name(), func(t *testing.T) {
			of := Surface{Domain: d, Base: base, Deployed: base}
			stale, lucky := 0, 0

			for _, task := range tasks(t, d, 4) {
				program, err := of.Render(&task.Program)
				if err != nil {
					t.Fatalf("%s: %v", task.ID, err)
				}

				g := Grader{Surface: of, Engine: e}
				if v := grade(t, &g, &task, program); !v.Passed() {
					t.Fatalf("%s: %+v\n%s", task.ID, v, program)
				}

				for i := range 2 {
					g.Surface.Deployed = made(t, c, i)

					lifted, err := g.Surface.Render(&task.Program)
					if err != nil {
						t.Errorf("%s under %s: %v", task.ID, g.Surface.Deployed.Name, err)
						continue
					}

					if v := grade(t, &g, &task, lifted); !v.Passed() {
						t.Errorf("%s under %s: %+v\n%s", task.ID, g.Surface.Deployed.Name, v, lifted)
					}

					if lifted == program {
						continue
					}

					stale++

					if v := grade(t, &g, &task, program); v.Passed() {
						lucky++
					}
				}
			}

			t.Logf("%d of %d programs of the base pass although an API that they call has changed", lucky, stale)

			if stale == 0 || lucky*4 > stale {
				t.Errorf("%d of %d programs of the base pass where what they call has changed", lucky, stale)
			}
		})
	}
}

// Every reference can be written for every version.
func TestReferencesCanBeWritten(t *testing.T) {
	c := catalog(t, domains.All()...)
	base := version(t, c, "p_c")

	for i := range 20 {
		deployed := made(t, c, i)

		for _, d := range domains.All() {
			s := Surface{Domain: d, Base: base, Deployed: deployed}

			for _, task := range tasks(t, d, 10) {
				text, err := s.Render(&task.Program)
				if err != nil {
					t.Errorf("%s: %v", task.ID, err)
				}

				if strings.Contains(text, "arg1arg") || strings.Contains(text, "90001") {
					t.Errorf("%s has a stand-in:\n%s", task.ID, text)
				}
			}
		}
	}
}

func TestMutantsOfDomains(t *testing.T) {
	e := sandboxtest.Engine(t)
	base := version(t, catalog(t, domains.All()...), "p_c")

	for _, d := range domains.All() {
		t.Run(d.Name(), func(t *testing.T) {
			g := Grader{Surface: Surface{Domain: d, Base: base, Deployed: base}, Engine: e}

			for _, task := range tasks(t, d, 3) {
				for _, m := range stategen.Mutants(task) {
					one := task
					one.Cases = []stategen.Case{m.Case}

					want := Result

					text, err := g.Surface.Render(&m.Program)
					if m.Kind == stategen.UnknownTool {
						if err == nil {
							t.Errorf("%s: a tool that does not exist was written as\n%s", task.ID, text)
						}

						continue
					}

					if err != nil {
						t.Fatal(err)
					}

					v := grade(t, &g, &one, text)
					caught, _ := stategen.Replay(d, &m.Program, m.Case, nil)
					oracle, err := stategen.Replay(d, &task.Program, m.Case, nil)

					if same := err == nil && stategen.Passes(d, caught, oracle); v.Passed() != same {
						t.Errorf("%s, %s: %+v, and in the interpreter %v\n%s", task.ID, m.Kind, v, same, text)
					}

					if v.Class == Syntax || v.Class == Execution && !strings.Contains(m.Kind, "w") && v.Class != want {
						t.Errorf("%s, %s: %+v, want %s\n%s", task.ID, m.Kind, v, want, text)
					}
				}
			}
		})
	}
}
