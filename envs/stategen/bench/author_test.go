package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/drift"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/stateeval"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/serving"
)

func init() { suite.Register(StateGen{}) } // configurations name it

const (
	// authored is how many tasks of each domain have authors, enough for every tool and every
	// optional parameter to occur.
	authored = 60
	// authoredVersions is how many versions are made for them.
	authoredVersions = 10
)

// An able author who sees the prompt and, turn by turn, the observations can write every call of
// every reference, and every program in one go. Where tools have moved on, it takes the notices
// about them; or the prompt shows the version that is deployed. Programs have one turn, and nobody
// tells them of another version. An exported row is enough, too.
func TestPromptsSayWhatReferencesNeed(t *testing.T) {
	t.Parallel()

	c := choice(t, authored)

	var made []string
	c.Versions, made = driftedCatalog(t)
	s := open(t, c)
	all := references(t, s)
	checkAllOccur(t, all)

	for _, name := range append([]string{base, drift.InDomain, drift.OutOfDomain}, made[:authoredVersions]...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			missing := map[string]string{} // of which task
			deployed := environmentOf(t, s, name).(caller)

			v, err := c.Versions.Version(name)
			if err != nil {
				t.Fatal(err)
			}

			for _, prompt := range slices.Compact([]string{base, name}) {
				authors := authorsOf(t, c.Versions, prompt, name, action.ReAct{})

				for _, r := range all {
					for _, what := range r.unsaid(t, authors.of(r.task), v, deployed) {
						missing[what+" to who sees "+prompt] = r.task.ID
					}
				}
			}

			authors, c := authorsOf(t, c.Versions, name, name, action.Python{}), c
			c.Prompt, c.Environment.Codec = name, action.Python{}.String()

			opened, err := StateGen{}.Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()

			for _, task := range opened.Tasks() {
				p := opened.(*programs)
				for _, what := range p.unsaid(t, authors.of(task), task) {
					missing[what] = task.ID
				}

				if name == base { // parameters' documents are not exported
					exported := &suitetest.Author{
						Tools: map[string]string{"": asked(p.reference(t, task))}, Known: inPrograms(),
					}
					for _, what := range p.unsaid(t, exported, task) {
						missing[what+" to who sees an exported row"] = task.ID
					}
				}
			}

			for what, task := range missing {
				t.Errorf("nothing tells %s (%s)", what, task)
			}
		})
	}
}

// authors know the prompts of tasks, by domain.
type authors map[string]*suitetest.Author

// authorsOf returns those who see an API version where another one is deployed, with the settings
// that nobody changed.
func authorsOf(t *testing.T, versions *toolapi.Catalog, shown, deployed string, codec action.Codec) authors {
	t.Helper()

	c, err1 := configs.Load(configs.SettingLayer("test", "suite", StateGen{}.Name()),
		configs.SettingLayer("test", "environment.codec", codec.String()))
	v, err2 := versions.Version(shown)
	spec, err3 := versions.Spec(deployed)

	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}

	p, err := serving.NewPrompt(StateGen{}, c, v, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	all := authors{}

	for _, domain := range domains.Names() {
		system := p.System(envs.OfDataset(domain)) // of a chat
		if text := p.Render(envs.NewHistory(envs.OfDataset(domain))); !strings.HasPrefix(text, system) {
			t.Fatalf("a chat and a text differ in what they say of tools:\n%s", text)
		}

		all[domain] = &suitetest.Author{Tools: suitetest.Listed(system), Known: inPrograms()}
		all[domain].Choose(spec)
	}
	return all
}

// of returns the author of a task.
func (a authors) of(task envs.Task) *suitetest.Author {
	author := *a[task.Labels[envs.LabelDataset]]
	author.Tools, author.Read = maps.Clone(author.Tools), []string{task.Question}
	return &author
}

// inPrograms returns words that who writes Python knows, of its own, of its library and of those
// that tasks name.
func inPrograms() map[string]bool {
	known := map[string]bool{}

	words := "any else f for get getattr globals if import in item json len list raise_for_status re str strip split"

	for word := range strings.FieldsSeq(words) {
		known[word] = true
	}
	return known
}

// reference is the solution of a case, as it was played where the tools are those of the prompt.
type reference struct {
	task    envs.Task
	program *stategen.Program
	calls   []envs.Call
	results []string // of the calls
}

// references returns the solutions of all tasks of a suite.
func references(t *testing.T, s *opened) (all []reference) {
	t.Helper()

	env := environmentOf(t, s, base)

	for _, task := range s.Tasks() {
		last, calls := play(t, s, env, task, as)
		if last.Reward != 1 {
			t.Fatalf("%s: the reference gets %v", task.ID, last.Reward)
		}

		e, err := s.episode(task.ID)
		if err != nil {
			t.Fatal(err)
		}

		r := reference{task: task, program: e.program, calls: calls}
		for _, turn := range last.State.History().Turns() {
			r.results = append(r.results, turn.Observation)
		}

		all = append(all, r)
	}
	return all
}

// checkAllOccur checks that every tool and every optional parameter occurs in a reference.
func checkAllOccur(t *testing.T, all []reference) {
	t.Helper()

	seen := map[string]bool{}

	for _, r := range all {
		for _, call := range r.calls {
			for _, name := range append(call.Args.Names(), "") {
				seen[call.Tool+" "+name] = true
			}
		}
	}

	for _, d := range domains.All() {
		for _, api := range d.APIs() {
			for _, name := range append(toolapi.ParameterNames(api.Parameters.All), "") {
				if slices.Contains(d.Counted(), api.Name) && !seen[api.Name+" "+name] {
					t.Errorf("no reference has %s %s", api.Name, name)
				}
			}
		}
	}
}

// caller answers calls that belong to no task.
type caller interface {
	Call(ctx context.Context, call envs.Call) (envs.Turn, error)
}

// unsaid returns what of a reference an author cannot know.
func (r reference) unsaid(t *testing.T, a *suitetest.Author, v *toolapi.Version, deployed caller) (missing []string) {
	t.Helper()

	for i, call := range r.calls {
		if call.Tool == envs.FinishTool {
			answer, _ := call.Args.Text("answer")
			value, _ := pytext.DecodeStrict(answer)
			missing = append(missing, a.Call(finish(cmp.Or[any](value, answer)))...)

			continue
		}

		name, args, err := v.Lift(call.Tool, call.Args)
		if err != nil {
			t.Fatal(err)
		}

		_, listed := a.Tools[name]
		if !listed || name == call.Name && !stategen.Equal(args, call.Args) {
			// What the prompt says is called, and is answered with what to call instead.
			turn, err := deployed.Call(t.Context(), call)
			if d, ok := outdated(v, call); err != nil || !ok || !a.Learn(d, turn.Observation) {
				missing = append(missing, fmt.Sprintf("that %s is %s now", call.Name, name))
			}
		}

		missing = append(missing, a.Call(envs.Call{Name: name, Args: args})...)
		a.Read = append(a.Read, r.results[i])
	}
	return append(missing, r.keys(a)...)
}

// outdated is what a version says of a call that the prompt's version takes.
func outdated(v *toolapi.Version, call envs.Call) (toolapi.Deprecation, bool) {
	if d, ok := v.Deprecation(call.Name); ok {
		return d, true
	}
	return v.Outdated(call.Name, call.Args)
}

// keys returns the members of objects that a program reads or sets, and that nothing tells of.
func (r reference) keys(a *suitetest.Author) (missing []string) {
	all := &suitetest.Author{Read: slices.Concat(a.Read, slices.Collect(maps.Values(a.Tools)))}

	for _, e := range r.program.Exprs() {
		if e.Func == stategen.Sentences && !knowsSentences(all) {
			missing = append(missing, "what a sentence is")
		}

		for _, key := range e.Path {
			missing = append(missing, all.Code("", strings.Trim(key, "0123456789"))...)
		}
	}
	return missing
}

// knowsSentences reports whether an author was told how texts are divided, which is a pattern in
// programs.
func knowsSentences(a *suitetest.Author) bool {
	return slices.ContainsFunc(a.Read, func(text string) bool {
		return strings.Contains(text, `Sentences of a text end with ".", "!" or "?"`)
	})
}

// ownNames are the names that a program gives to its variables.
var ownNames = regexp.MustCompile(`(?m)^\s*(\w+) = |\bfor (\w+) in `)

// unsaid returns what of the program of a task an author cannot know.
func (p *programs) unsaid(t *testing.T, a *suitetest.Author, task envs.Task) []string {
	t.Helper()

	surface, reference := p.reference(t, task)

	text, err := surface.Render(&reference.Program)
	if err != nil {
		t.Fatal(err)
	}

	a.Read = append(a.Read, slices.Collect(maps.Values(a.Tools))...)
	text = strings.ReplaceAll(text, "None", "null") // as documents call it

	if knowsSentences(a) {
		text = strings.ReplaceAll(text, `"[.!?]"`, "")
	}

	// What "the third" is in a list is known, too.
	for i, ordinal := range []string{"first", "second", "third", "fourth", "fifth", "sixth"} {
		if strings.Contains(task.Question, ordinal) {
			text = strings.ReplaceAll(text, fmt.Sprintf("[%d]", i), "")
		}
	}

	var own []string
	for _, m := range ownNames.FindAllStringSubmatch(text, -1) {
		own = append(own, m[1], m[2])
	}
	return a.Code("", text, own...)
}

// reference returns the generated task of a task, and how programs reach the tools that prompts
// show.
func (p *programs) reference(t *testing.T, task envs.Task) (*code.Surface, *stategen.Task) {
	t.Helper()

	reference, err := p.task(task.ID)
	if err != nil {
		t.Fatal(err)
	}

	surface, err := p.surface(&reference.Program, p.choice.Prompt)
	if err != nil {
		t.Fatal(err)
	}
	return surface, reference
}

// asked is what a model is asked for a task as StateEval asks.
func asked(s *code.Surface, t *stategen.Task) string { return stateeval.Prompt(s, t, "") }
