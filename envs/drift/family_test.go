package drift_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/envtest"
	"toolevo/envs/toolapi"
)

// The environment of a family keeps what an environment promises, and deploys to each task its
// version.
func TestFamilyConforms(t *testing.T) {
	t.Parallel()

	f := drift.Family{Name: "f", Versions: []string{"a", "b", "c"}}
	m := envtest.NewMaze()

	envtest.Run(t, func() envs.Environment {
		env, err := f.Environment(1, func(string) (envs.Environment, error) { return envtest.NewMaze(), nil })
		if err != nil {
			t.Fatal(err)
		}
		return env
	}, []envs.Task{envtest.MazeTask}, append(m.Actions(), "", "left  twice", "learn", "stop now"))

	env, err := f.Environment(1, func(version string) (envs.Environment, error) { return named(version), nil })
	if err != nil {
		t.Fatal(err)
	}

	for i := range 20 {
		task := envs.Task{ID: fmt.Sprint(i)}

		state, err := env.Reset(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}

		next, err := env.Step(t.Context(), state, "")
		if want := f.Of(1, task.ID); err != nil || next.Turn.Observation != want {
			t.Errorf("question %d meets %q (%v), want %q", i, next.Turn.Observation, err, want)
		}
	}
}

// What a version needs is its file, and those of the versions that it deprecates.
func TestOnlyAVersion(t *testing.T) {
	t.Parallel()

	d := &drift.Deployed{
		Families: []drift.Family{
			{Name: "made", Versions: []string{"a_1", "a_10", "a_2"}}, {Name: "p_c", Versions: []string{"p_c"}},
		},
		Files: []toolapi.File{
			{Path: "1", Text: "version: a_1\ndeprecates: [p_c]\n"}, {Path: "10", Text: "version: a_10\n"},
			{Path: "2", Text: "version: 'a_2'\ndeprecates: [a_10]\n"},
		},
	}

	for version, want := range map[string]string{"a_1": "1", "a_10": "10", "a_2": "2 10", "p_c": ""} {
		only := d.Only(version)

		var paths []string
		for _, f := range only.Files {
			paths = append(paths, f.Path)
		}

		if got := strings.Join(paths, " "); got != want || len(only.Families) != 1 ||
			!slices.Equal(only.Families[0].Versions, []string{version}) {
			t.Errorf("%s needs %q: %+v, want %q", version, got, only.Families, want)
		}
	}
}

// Where versions change in the middle of a task, each turn meets its own, and the environment keeps
// what one promises.
func TestChanging(t *testing.T) {
	t.Parallel()

	m := envtest.NewMaze()
	envtest.Run(t, func() envs.Environment {
		return drift.Changing([]envs.Environment{envtest.NewMaze(), envtest.NewMaze()}, envtest.NewMaze())
	}, []envs.Task{envtest.MazeTask}, append(m.Actions(), "", "left  twice", "learn", "stop now"))

	env := drift.Changing([]envs.Environment{named("a"), named("b")}, named("c"))
	state := envs.State(place{envs.NewHistory(envs.Task{})})

	for turn, want := range []string{"a", "b", "c", "c"} {
		next, err := env.Step(t.Context(), state, "")
		if err != nil || next.Turn.Observation != want {
			t.Errorf("turn %d meets %q (%v), want %q", turn, next.Turn.Observation, err, want)
		}

		state = place{state.History().Append(next.Turn)}
	}

	if env := drift.Changing(nil, named("c")); env != named("c") {
		t.Errorf("nothing changes in %v", env)
	}
}

// named is an environment that answers with its name.
type named string

// Reset implements [envs.Environment].
func (n named) Reset(_ context.Context, t envs.Task) (envs.State, error) {
	return place{envs.NewHistory(t)}, nil
}

// Step implements [envs.Environment].
func (n named) Step(_ context.Context, s envs.State, _ envs.Action) (envs.Transition, error) {
	return envs.Transition{State: s, Turn: envs.Turn{Observation: string(n)}}, nil
}

type place struct{ history envs.History }

func (p place) History() envs.History { return p.history }
func (p place) Status() envs.Status   { return envs.Running }

// A question's version depends on the seed and the question; all versions are met, each about as
// often.
func TestFamily(t *testing.T) {
	t.Parallel()

	f := drift.Family{Name: "f", Versions: []string{"a", "b", "c"}}
	met, other := map[string]int{}, 0

	for i := range 3000 {
		question := fmt.Sprintf("easy-coffee-train-%04d", i)
		met[f.Of(1, question)]++

		if f.Of(1, question) != f.Of(2, question) {
			other++
		}
	}

	for _, version := range f.Versions {
		if met[version] < 900 || met[version] > 1100 {
			t.Errorf("%s is met %d times in 3000", version, met[version])
		}
	}

	if other < 1900 || other > 2100 {
		t.Errorf("another seed changes %d of 3000", other)
	}
}
