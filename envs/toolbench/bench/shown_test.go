package bench

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/pytext"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/serving"
)

func init() { suite.Register(ToolBench{}) }

// Who sees the prompt of a query alone can write the calls of its solution: the functions and what
// they require are listed, with the types of what is chosen freely. Under other versions than that
// of the prompt notices add what has changed; where the prompt is of the deployed version, nothing
// is missing at all.
func TestPromptsSayWhatSolutionsTake(t *testing.T) {
	t.Parallel()

	for name, folder := range map[string]string{"invented": queries, "published": publishedFolder()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if _, err := os.Stat(folder); err != nil {
				t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
			}

			c := choice(t, folder)

			var versions []string
			c.Versions, versions = madeOf(t, c)

			first := open(t, c)
			shownOf := promptOf(t, versionOf(t, first, base))
			checkSameQuestions(t, first)

			for _, version := range versions {
				c := c
				c.Prompt = version
				second := open(t, c) // its prompts show what is deployed

				w := &writer{suite: first, version: version, env: environmentOf(t, first, version), prompt: shownOf}

				var err error
				if w.spec, err = c.Versions.Spec(version); err != nil {
					t.Fatal(err)
				}

				stride := 1 + len(first.tasks)/20
				if version == base {
					stride = 1
				}

				for i := 0; i < len(first.tasks); i += stride {
					task := first.tasks[i] // the order of tasks depends on the version
					same := func(other envs.Task) bool { return other.ID == task.ID }
					shown := second.tasks[slices.IndexFunc(second.tasks, same)]

					w.solve(t, task, shown, first.planned(first.queries[task.ID]))
				}
			}
		})
	}
}

// madeOf returns the versions of a choice with ten that are made, and the names of those that are
// tried.
func madeOf(t *testing.T, c suite.Choice) (*toolapi.Catalog, []string) {
	t.Helper()

	all, err := (ToolBench{}).Versions(c.Data)
	if err != nil {
		t.Fatal(err)
	}

	m, err := drift.NewMaker(all, base, nil, 5)
	if err != nil {
		t.Fatal(err)
	}

	names := []string{base, inDomain, outOfDomain}

	for i := range 10 {
		made, _ := m.Version(i)
		all = all.Promise(made.Version, func() (*toolapi.Spec, error) { return made, nil })
		names = append(names, made.Version)
	}

	return all, names
}

func promptOf(t *testing.T, v *toolapi.Version) prompt.Prompt {
	t.Helper()

	c, err := configs.Load(configs.SettingLayer("test", "suite", "toolbench"))
	if err != nil {
		t.Fatal(err)
	}

	p, err := serving.NewPrompt(ToolBench{}, c, v, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkSameQuestions checks that tasks which ask the same have the same plan, by which it is found.
func checkSameQuestions(t *testing.T, s *opened) {
	t.Helper()

	for _, task := range s.tasks {
		if want, got := s.planned(s.queries[task.ID]), s.plans[task.Question]; fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("%s: the plan of its question is that of another: %v, want %v", task.ID, got, want)
		}
	}
}

// writer is two authors, who see the prompts of the base version and of the deployed one.
type writer struct {
	suite   *opened
	version string
	env     envs.Environment
	spec    *toolapi.Spec
	prompt  prompt.Prompt // the same for both, but for the functions of tasks
}

// deployed returns the version with the functions of a task.
func (w *writer) deployed(t *testing.T, task envs.Task) *toolapi.Version {
	t.Helper()

	tools := w.suite.toolsOf(w.suite.queries[task.ID].APIs)

	c, err := part(w.suite.choice.Versions, tools, base, w.version)
	if err != nil {
		t.Fatal(err)
	}

	v, err := c.Version(w.version)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// solve has both write the calls of a plan.
func (w *writer) solve(t *testing.T, shown, deployed envs.Task, calls []envs.Call) {
	t.Helper()

	a := &suitetest.Author{Tools: suitetest.Listed(w.prompt.System(shown)), Read: []string{shown.Question}}
	b := &suitetest.Author{Tools: suitetest.Listed(w.prompt.System(deployed))}
	b.Choose(w.spec)

	state, err := w.env.Reset(t.Context(), shown)
	if err != nil {
		t.Fatal(err)
	}

	step := func(c envs.Call) envs.Turn {
		next, err := w.env.Step(t.Context(), state, text(c))
		if err != nil {
			t.Fatal(err)
		}

		state = next.State
		return next.Turn
	}

	for _, call := range calls {
		missing := chosen(a, call)
		known := lifted(t, w.env, shown, call) // by who sees its document
		now := known

		if a.Call(now) != nil {
			v := w.deployed(t, shown)

			d, ok := v.Deprecation(call.Name)
			if !ok {
				d, _ = v.Outdated(call.Name, call.Args)
			}

			if turn := step(call); d.New == nil || !a.Learn(d, turn.Observation) {
				missing = append(missing, "how to say it: "+turn.Observation)
			} else {
				now.Args = filled(now.Args, d.New.Example())
				a.Choose(w.spec)
			}
		}

		b.Read = a.Read

		for _, what := range slices.Concat(missing, a.Call(now), b.Call(known)) {
			t.Errorf("%s: %s: %v: nothing tells %s", w.version, shown.ID, call, what)
		}

		if turn := step(now); turn.Outcome != envs.OK {
			t.Errorf("%s: %s: %v: %s", w.version, shown.ID, now, turn.Observation)
		}
	}

	if missing := a.Call(envs.Finish(shown.Question)); missing != nil { // whose words it has
		t.Errorf("%s: nothing tells %s", shown.ID, missing)
	}
}

// filled returns the arguments of a call with the values of a notice's example where they have
// none: an optional parameter that has come to be required takes null, of which the example says
// nothing.
func filled(args envs.Args, example string) envs.Args {
	return withValues(args, read(example)).(envs.Args)
}

func read(example string) envs.Args {
	args, _, _ := pytext.DecodeObject(example)
	return args
}

func withValues(v any, example envs.Args) any {
	args, ok := v.(envs.Args)
	if !ok {
		return v
	}

	args = slices.Clone(args)
	for i, arg := range args {
		if value, ok := example.Get(arg.Name); ok && arg.Value == nil {
			args[i].Value = value
		} else {
			args[i].Value = withValues(arg.Value, example.Object(arg.Name))
		}
	}

	return args
}

// chosen returns what of a call an author cannot know who chooses values where the document says no
// more than a type. It has read its own choices then.
func chosen(a *suitetest.Author, c envs.Call) (missing []string) {
	for _, arg := range c.Args {
		document := a.Tools[c.Name]
		of := regexp.MustCompile(`(?m)^    ` + regexp.QuoteMeta(arg.Name) + ` \(` + typeOf(arg.Value) + `[,)]`)
		one := envs.Call{Tool: c.Tool, Name: c.Name, Args: envs.Args{arg}}

		if !of.MatchString(document) {
			missing = append(missing, a.Call(one)...)
		}

		a.Read = append(a.Read, pytext.Str(arg.Value), pytext.JSON(arg.Value))
	}
	return append(missing, a.Call(c)...)
}

// typeOf is the type of a value in documents.
func typeOf(v any) string {
	switch v.(type) {
	case envs.Number:
		return "(?:number|integer)"
	case bool:
		return "boolean"
	case []any:
		return "array.*"
	case envs.Args:
		return "object.*"
	}

	return "string"
}
