package bench_test

import (
	"slices"
	"testing"

	"toolevo/envs"
	"toolevo/envs/dynamic"
	"toolevo/envs/silent"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
	"toolevo/toolqa"
	"toolevo/toolqa/bench"
)

// changesOf are silent changes of one tool each, by the dataset that it serves.
var changesOf = map[toolqa.Dataset]map[string]silent.Change{
	toolqa.DBLP: {
		"scaled edge":         {Tools: []string{"EdgeCheck"}, Scaled: scaled(fields("n_citation"))},
		"scaled node":         {Tools: []string{"NodeCheck"}, Scaled: scaled(fields("page_start"))},
		"quoted edge":         {Tools: []string{"EdgeCheck"}, Quoted: &silent.Quoted{Where: fields("n_citation")}},
		"quoted node":         {Tools: []string{"NodeCheck"}, Quoted: &silent.Quoted{Where: fields("page_end")}},
		"renamed edge":        {Tools: []string{"EdgeCheck"}, Renamed: &silent.Renamed{Field: "papers", As: "titles"}},
		"renamed node":        {Tools: []string{"NodeCheck"}, Renamed: &silent.Renamed{Field: "org", As: "place"}},
		"moved edge":          {Tools: []string{"EdgeCheck"}, Moved: &silent.Moved{Field: "papers", Into: "details"}},
		"moved node":          {Tools: []string{"NodeCheck"}, Moved: &silent.Moved{Field: "venue", Into: "details"}},
		"reversed neighbours": {Tools: []string{"NeighbourCheck"}, Reversed: reversed},
		"paged neighbours":    {Tools: []string{"NeighbourCheck"}, Paged: paged},
	},
	toolqa.Coffee: {
		"scaled query":   {Tools: []string{"SQLInterpreter"}, Scaled: scaled(columns("High"))},
		"dated query":    {Tools: []string{"SQLInterpreter"}, Dated: &silent.Dated{Where: columns("Date")}},
		"reversed query": {Tools: []string{"SQLInterpreter"}, Reversed: reversed},
		"paged query":    {Tools: []string{"SQLInterpreter"}, Paged: paged},
	},
}

var (
	reversed = &silent.Reversed{Parameter: "order", Value: "ascending"}
	paged    = &silent.Paged{Parameter: "limit", Size: 1, Value: 1000}
)

func scaled(w silent.Where) *silent.Scaled { return &silent.Scaled{Where: w, Zeros: 2} }

func fields(name string) silent.Where { return silent.Where{Fields: []string{name}} }

func columns(name string) silent.Where { return silent.Where{Fields: []string{name}, SQL: "SQL"} }

// changedBy is p_c but for a silent change, with the parameter of a view.
func changedBy(t *testing.T, catalog *toolapi.Catalog, name string, c silent.Change) *toolapi.Catalog {
	t.Helper()

	base, err := catalog.Spec("p_c")
	if err != nil {
		t.Fatal(err)
	}

	s := *base
	s.Version, s.Base, s.Messages, s.Silent = name, false, toolapi.Messages{}, silent.Changes{c}
	s.APIs = slices.Clone(s.APIs)

	for i := range s.APIs {
		a := &s.APIs[i]
		a.Answer, a.Conditions, a.SQL, a.Of = "", "", "", ""

		view := map[bool]string{c.Reversed != nil: "order", c.Paged != nil: "limit"}[true]
		if a.Name == c.Tools[0] && view != "" {
			a.Parameters.All = append(slices.Clip(a.Parameters.All), toolapi.Parameter{Name: view, Optional: true})
		}
	}

	if catalog, err = catalog.With(&s); err != nil {
		t.Fatal(err)
	}
	return catalog
}

// Of each change that a tool of graphs, or that of queries, has there is a question that who trusts
// every answer gets wrong, and none that who reads the notes, or knows, gets wrong.
func TestSilentDriftOfGraphsAndQueries(t *testing.T) {
	t.Parallel()

	for ds, changes := range changesOf {
		t.Run(string(ds), func(t *testing.T) {
			t.Parallel()

			catalog, err := (bench.ToolQA{}).Versions("")
			if err != nil {
				t.Fatal(err)
			}

			for name, c := range changes {
				catalog = changedBy(t, catalog, name, c)
			}

			noted := func(c *suite.Choice) { c.Environment.Hint = dynamic.HintAnswer }
			s, memory := open(t, ds, catalog, noted), &memory{}

			for name := range changes {
				env, err := s.Environment(name, memory)
				if err != nil {
					t.Fatal(err)
				}

				misled := 0

				for _, task := range s.Tasks() {
					if !solves(t, s, env, "stale", task) {
						misled++
					}

					for _, aware := range []string{"careful", "oracle"} {
						if !solves(t, s, env, aware, task) {
							t.Errorf("%s: %s does not solve %s: %s", name, aware, task.ID, task.Question)
						}
					}
				}

				if misled == 0 {
					t.Errorf("%s misleads nobody in %d questions", name, len(s.Tasks()))
				}
			}
		})
	}
}

// solves reports whether a scripted policy solves a task.
func solves(t *testing.T, s suite.Suite, env envs.Environment, profile string, task envs.Task) bool {
	t.Helper()

	p, err := scripted.ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}

	policy := scripted.New(p, suite.Plans(s)).In(env)

	state, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	for range 60 {
		proposed, err := policy.Propose(t.Context(), mcts.Request{History: state.History(), N: 1, Greedy: true})
		if err != nil {
			t.Fatal(err)
		}

		next, err := env.Step(t.Context(), state, envs.Action(proposed[0].Text))
		if err != nil {
			t.Fatal(err)
		}

		if next.State.Status() != envs.Running {
			return next.Reward == 1
		}

		state = next.State
	}
	return false
}
