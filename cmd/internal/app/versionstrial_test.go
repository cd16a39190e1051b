package app

import (
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// A version that a model wrote is played before it is taken: one that does not load, or under which
// a question cannot be solved any more, is refused with the reason.
func TestTrial(t *testing.T) {
	t.Parallel()

	ctx, data := t.Context(), t.TempDir()
	if err := (&Host{}).Fill(ctx, "stategen", data); err != nil {
		t.Fatal(err)
	}

	job := &MutateVersionsJob{}
	job.Data, job.From, job.Out, job.Count = data, "p_c", "x", 1
	job.Settings = Settings{}.With("suite", "stategen")

	shipped, m, err := job.open()
	if err != nil {
		t.Fatal(err)
	}

	c, err := job.Resolve(job.Settings, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := suite.Lookup(c.Suite); err != nil {
		t.Fatal(err)
	}

	tried := &trial{job: job, config: c, shipped: shipped}
	if err := tried.choose(ctx); err != nil {
		t.Fatal(err)
	}

	for name, test := range map[string]struct {
		spoil func(a *toolapi.APISpec)
		want  string // in what is wrong; "" where nothing is
	}{
		"whole": {spoil: func(*toolapi.APISpec) {}},
		"an example that is no call": {
			spoil: func(a *toolapi.APISpec) { a.Notice.Example = `{"nothing": 1}` },
			want:  "example",
		},
		"calls that it refuses": {
			spoil: func(a *toolapi.APISpec) {
				a.Parameters.All = slices.Clone(a.Parameters.All) // those of the source are others'
				p := &a.Parameters.All[0]
				p.Schema = append(envs.Object("enum", []any{"harbor_lab"}), p.Schema...)
			},
			want: "a question cannot be solved any more: add_session {",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			made, _ := m.Applied("made", drift.Operators()[:1], 0)
			for i := range made.APIs {
				if made.APIs[i].ToolName() == "add_session" {
					test.spoil(&made.APIs[i])
				}
			}

			wrong, err := tried.problem(ctx, made)
			if err != nil {
				t.Fatal(err)
			}

			said := ""
			if wrong != nil {
				said = wrong.Error()
			}

			if (said == "") != (test.want == "") || !strings.Contains(said, test.want) {
				t.Errorf("what is wrong is %q, want %q", said, test.want)
			}
		})
	}

	solved := 0

	for _, is := range tried.tasks {
		if is {
			solved++
		}
	}

	if solved == 0 || solved != len(tried.tasks) {
		t.Errorf("%d of %d questions are solved under p_c", solved, len(tried.tasks))
	}
}
