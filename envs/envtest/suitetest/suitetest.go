// Package suitetest tests that a benchmark keeps the guarantees of package suite. Its toy
// benchmark, [Shop], is for tests of code that runs benchmarks.
package suitetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/drift"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// maxPlayed is about how many tasks of a benchmark are played.
const maxPlayed = 50

// Run checks a benchmark with a choice of its data that has tasks: equal choices open the same
// tasks, tasks can be told apart and reset in every version, even made ones, unknown versions are
// errors, no task gives its answer away, and the plans solve the tasks in the prompt version, with
// the tools of their datasets if the benchmark names those. engine, if not nil, is called on every
// suite that is opened, to give it an engine.
func Run(t *testing.T, b suite.Benchmark, c suite.Choice, engine func(suite.Suite)) {
	open := func(c suite.Choice) suite.Suite {
		s, err := b.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}

		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})

		if engine != nil {
			engine(s)
		}
		return s
	}
	first, second := open(c), open(c)
	tasks := first.Tasks()

	if len(tasks) == 0 || len(first.Datasets()) == 0 {
		t.Fatal("there are no tasks to check")
	}

	// A run that is resumed opens its suite again, and must find the same.
	for what, same := range map[string][2]any{
		"tasks":    {tasks, second.Tasks()},
		"datasets": {first.Datasets(), second.Datasets()},
		"lineage":  {first.Lineage(), second.Lineage()},
	} {
		if diff := cmp.Diff(same[0], same[1]); diff != "" {
			t.Errorf("opened twice, %s differ:\n%s", what, diff)
		}
	}

	checkTasks(t, first, tasks)
	checkRephrased(t, b, c, tasks)

	// A misspelt version has to fail here, and not in the middle of a run.
	if _, err := first.Environment("no such version", nil); err == nil {
		t.Error("a version that does not exist has an environment")
	}

	versions, err := b.Versions(c.Data)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := versions.Version("no such version"); err == nil {
		t.Error("a version that does not exist is there")
	}

	for _, version := range versions.Names() {
		checkVersion(t, b, versions, first, version, tasks)
	}

	made := checkMade(t, b, &c, versions)
	// The choice has the made version only now, so the suite is opened once more.
	checkVersion(t, b, c.Versions, open(c), made, tasks)

	if p, ok := first.(suite.Planner); ok {
		checkPlans(t, p, toolsOf(b), first, c.Prompt, tasks)
	}

	// These plans go by a question's words alone, and have to solve the same tasks.
	if p, ok := b.(suite.WordPlanner); ok {
		checkPlans(t, planner(p.Plans()), toolsOf(b), first, c.Prompt, tasks)
	}
}

// planner implements [suite.Planner].
type planner func(question string) (envs.Plan, bool)

func (p planner) Plan(question string) (envs.Plan, bool) { return p(question) }

// checkMade checks that a version can be made from the prompt version, and read from its file. The
// choice gets it.
func checkMade(t *testing.T, b suite.Benchmark, c *suite.Choice, versions *toolapi.Catalog) (name string) {
	t.Helper()

	m, err := drift.NewMaker(versions, c.Prompt, nil, 1)
	if err != nil {
		t.Fatal(err)
	}

	made, _ := m.Version(0)

	text, err := made.Encode()
	if err != nil {
		t.Fatal(err)
	}

	own := toolapi.File{Path: made.Version + ".yaml", Text: string(text)}

	if c.Versions, err = b.Versions(c.Data, own); err != nil {
		t.Fatal(err)
	}
	return made.Version
}

// checkRephrased checks that questions can be rephrased, and that nothing else changes with them.
func checkRephrased(t *testing.T, b suite.Benchmark, c suite.Choice, tasks []envs.Task) {
	t.Helper()

	const before = "In other words: "
	c.Rephrase = func(_, query string) string { return before + query }

	s, err := b.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}

	defer s.Close()

	rephrased := s.Tasks()
	for i := range rephrased {
		if !strings.HasPrefix(rephrased[i].Question, before) {
			t.Errorf("%s was not rephrased", rephrased[i].ID)
		}

		rephrased[i].Question = strings.TrimPrefix(rephrased[i].Question, before)
	}

	if diff := cmp.Diff(tasks, rephrased); diff != "" {
		t.Errorf("more than the beginning of questions changed:\n%s", diff)
	}
}

func checkTasks(t *testing.T, s suite.Suite, tasks []envs.Task) {
	t.Helper()

	seen := map[string]bool{}
	answers, _ := s.(suite.Answerer)

	for _, task := range tasks {
		if task.ID == "" || task.Question == "" || seen[task.ID] {
			t.Errorf("%q: no ID, no question, or twice", task.ID)
		}

		seen[task.ID] = true

		if dataset := task.Labels[envs.LabelDataset]; !slices.Contains(s.Datasets(), dataset) {
			t.Errorf("%s is of the dataset %q, which is not among %v", task.ID, dataset, s.Datasets())
		}

		for name, label := range task.Labels {
			if answers != nil && len(label) > 3 && label == answers.Answer(task.ID) {
				t.Errorf("%s: the label %s says the answer", task.ID, name)
			}
		}
	}
}

func checkVersion(
	t *testing.T, b suite.Benchmark, versions *toolapi.Catalog, s suite.Suite, version string,
	tasks []envs.Task,
) {
	t.Helper()

	v, err := versions.Version(version)
	if err != nil {
		t.Fatal(err)
	}

	apis := b.Tools(v, nil)

	// Without Finish no episode could end, and without UpdateTool nothing could be learned.
	exposed := func(tool string) bool {
		return slices.ContainsFunc(apis, func(a *toolapi.API) bool { return a.Tool == tool })
	}
	if !exposed(envs.FinishTool) || !exposed(envs.UpdateTool) {
		t.Errorf("%s lacks %s or %s", version, envs.FinishTool, envs.UpdateTool)
	}

	env, err := s.Environment(version, nil)
	if err != nil {
		t.Fatal(err)
	}

	// Any task may meet any version, so each has to begin under all of them.
	for _, task := range tasks {
		if _, err := env.Reset(t.Context(), task); err != nil {
			t.Errorf("%s: %s: %v", version, task.ID, err)
		}
	}
}

// toolsOf returns the tools for each dataset, nil if the benchmark does not say.
func toolsOf(b suite.Benchmark) map[string][]string {
	if n, ok := b.(suite.Narrower); ok {
		tools, _ := n.DatasetTools()
		return tools
	}
	return nil
}

// checkPlans plays a sample of tasks from the whole list, following the plans.
func checkPlans(
	t *testing.T, p suite.Planner, tools map[string][]string, s suite.Suite, prompt string, tasks []envs.Task,
) {
	t.Helper()

	env, err := s.Environment(prompt, nil)
	if err != nil {
		t.Fatal(err)
	}

	for i := 0; i < len(tasks); i += 1 + len(tasks)/maxPlayed {
		task := tasks[i]

		plan, ok := p.Plan(task.Question)
		if !ok {
			t.Errorf("%s is not recognised: %s", task.ID, task.Question)
			continue
		}

		if tools != nil {
			plan = confined(t, task, plan, tools[task.Labels[envs.LabelDataset]])
		}

		if h := play(t, env, task, plan); h == nil || h[len(h)-1].Outcome != envs.Correct {
			t.Errorf("%s: the plan does not solve it: %s", task.ID, strings.Join(observations(h), " | "))
		}
	}
}

// confined returns a plan that may call only some tools.
func confined(t *testing.T, task envs.Task, plan envs.Plan, tools []string) envs.Plan {
	return func(results []string) (string, envs.Call, error) {
		thought, call, err := plan(results)
		if err == nil && !slices.Contains(tools, call.Tool) {
			t.Errorf("%s: the plan calls %s, which is not among the tools of its dataset", task.ID, call.Tool)
		}
		return thought, call, err
	}
}

// play returns the turns of an episode that follows a plan, at most 30.
func play(t *testing.T, env envs.Environment, task envs.Task, plan envs.Plan) []envs.Turn {
	t.Helper()

	state, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	for state.Status() == envs.Running && state.History().Len() < 30 {
		thought, call, err := plan(observations(state.History().Turns()))
		if err != nil {
			t.Errorf("%s: %v", task.ID, err)
			break
		}

		next, err := env.Step(t.Context(), state, envs.Action(action.ReAct{}.Format(thought, call)))
		if err != nil {
			t.Fatal(err)
		}

		state = next.State
	}
	return state.History().Turns()
}

func observations(turns []envs.Turn) []string {
	texts := make([]string, len(turns))
	for i, turn := range turns {
		texts[i] = turn.Observation
	}
	return texts
}
