package adaptation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/toolapi"
	"toolevo/finetune/adaptation"
	"toolevo/trajectories"
)

func version(t *testing.T, name string) *toolapi.Version {
	t.Helper()

	catalog, err := toolapi.Load(apis.FS())
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version(name)
	if err != nil {
		t.Fatal(err)
	}

	return v
}

func TestJudge(t *testing.T) {
	v := version(t, "p_s_in")

	for description, want := range map[string]adaptation.Truth{
		"InitializeDatabase[DatabaseName], which is an updated version of LoadDB and takes its place.": adaptation.True,
		`(14) Apply_Database_Filters[condition1, condition2, condition3], e.g. LoadDB[DBName].`:        adaptation.True,
		`FetchValue_ByKey[column, ReturnResult], {"column1": "price"}`:                                 adaptation.True,
		`FetchValue_ByKey[column1, column2, ...], which`:                                               adaptation.True,
		"ExecuteSQLQuery(SQLCommand: str): runs a query":                                               adaptation.True,
		"Use InitializeDatabase in place of LoadDB.":                                                   adaptation.True,
		"InitializeGraphData[<Graph_Name>]":                                                            adaptation.True,

		"InitializeDatabase[DBName], which loads a database.":   adaptation.UnknownParameter,
		"Verify_NeighbourNodes[Graph_Name, graphNode, Result]":  adaptation.UnknownParameter,
		"Init_DB[databaseIdentifier], which loads a database.":  adaptation.UnknownTool, // of another version
		"LoadDB[DBName], which loads a database.":               adaptation.UnknownTool, // the old one
		"OpenDB[DatabaseName], like InitializeDatabase[DBName]": adaptation.UnknownTool,
		"Finish[answer], which ends the task.":                  adaptation.UnknownTool, // nothing new
		"The tool has changed.":                                 adaptation.UnknownTool,
		"":                                                      adaptation.UnknownTool,
	} {
		if got := adaptation.Judge(description, v); got != want {
			t.Errorf("%q is %s, want %s", description, got, want)
		}
	}
}

// Turns as they are in episodes under p_s_in.
var (
	oldLoad    = trajectories.Turn{Tool: "LoadDB", API: "LoadDB", Key: "LoadDB {}", Outcome: envs.Deprecated}
	oldFilter  = trajectories.Turn{Tool: "FilterDB", API: "FilterDB", Key: "FilterDB {}", Outcome: envs.Deprecated}
	newLoad    = trajectories.Turn{Tool: "LoadDB", API: "InitializeDatabase", Outcome: envs.OK}
	wrongLoad  = trajectories.Turn{Tool: "LoadDB", API: "InitializeDatabase", Outcome: envs.InvocationError}
	newFilter  = trajectories.Turn{Tool: "FilterDB", API: "Apply_Database_Filters", Outcome: envs.OK}
	vainFilter = trajectories.Turn{Tool: "FilterDB", API: "Apply_Database_Filters", Outcome: envs.ToolError}
	invented   = trajectories.Turn{API: "SearchTheWeb", Outcome: envs.InvalidAction}
	unreadable = trajectories.Turn{Outcome: envs.Malformed}
	noJSON     = trajectories.Turn{Outcome: envs.InvocationError}
	finish     = trajectories.Turn{Tool: envs.FinishTool, API: envs.FinishTool, Outcome: envs.Correct}
	plainLoad  = trajectories.Turn{Tool: "LoadDB", API: "LoadDB", Outcome: envs.OK}
)

func told(description string) trajectories.Turn {
	return trajectories.Turn{
		Tool: envs.UpdateTool, API: envs.UpdateTool, Outcome: envs.OK,
		Key: `UpdateTool {"newtool_desc": "` + description + `"}`,
	}
}

func sample(v *toolapi.Version, question string, tokens int, turns ...trajectories.Turn) adaptation.Sample {
	e := &trajectories.Episode{}
	e.Policy, e.QuestionID, e.PromptAPI, e.DeployedAPI, e.Turns = "p", question, "p_c", v.Name, turns

	e.Tokens = tokens

	return adaptation.Sample{Episode: e, API: v.Name, Version: v}
}

// All figures by hand.
func TestRows(t *testing.T) {
	plain, drifted := version(t, "p_c"), version(t, "p_s_in")

	lost := sample(drifted, "d", 0)
	lost.Lost = "the server is down"

	var m adaptation.Measures
	for _, s := range []adaptation.Sample{
		// LoadDB recovers after 3 turns and FilterDB after 1; 9 turns, the third repeats a failure.
		sample(drifted, "a", 90, oldLoad, wrongLoad, oldLoad, newLoad, told("InitializeDatabase[DatabaseName]"),
			oldFilter, newFilter, told("Apply_Database_Filters[which]"), finish),
		// LoadDB recovers after 1 turn, FilterDB never; 8 turns, two of which repeat a failure.
		sample(drifted, "b", 80, oldLoad, newLoad, told("Open[x]"), oldFilter, vainFilter, oldFilter, oldFilter,
			invented),
		// No deprecation; 2 turns.
		sample(drifted, "c", 20, unreadable, noJSON),
		lost,
		sample(plain, "a", 30, plainLoad, plainLoad, finish),
		sample(plain, "b", 20, plainLoad, finish),
	} {
		m.Add(s)
	}

	want := []adaptation.Row{
		{
			Policy: "p", API: "p_s_in", N: 3, Lost: 1,
			Met: 2, MetShare: 2.0 / 3, Adapted: 1,
			ToolsMet: 4, ToolsRecovered: 3, RecoveryTurns: 5.0 / 3,
			Recovery:      []adaptation.Recovery{{Turns: 1, Tools: 2}, {Turns: 3, Tools: 1}},
			RepeatedTurns: 3, RepeatedShare: 3.0 / 19, Hallucinated: 1,
			NewTools: []adaptation.NewTool{
				{API: "Apply_Database_Filters", Tool: "FilterDB", Calls: 2},
				{API: "InitializeDatabase", Tool: "LoadDB", Calls: 3, Errors: 1},
			},
			Updates: adaptation.Updates{Calls: 3, True: 1, UnknownTool: 1, UnknownParameter: 1},
			Turns:   19.0 / 3, Tokens: 190.0 / 3,
			Cost: &adaptation.Cost{N: 2, Turns: 6, Tokens: 60}, // (9-3 + 8-2)/2 and (90-30 + 80-20)/2
		},
		{
			Policy: "p", API: "p_c", N: 2, Recovery: []adaptation.Recovery{}, NewTools: []adaptation.NewTool{},
			Turns: 2.5, Tokens: 25,
		},
	}

	if diff := cmp.Diff(want, m.Rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// Tokens that were not counted under one of the versions are no saving.
func TestCostWithoutTokens(t *testing.T) {
	plain, drifted := version(t, "p_c"), version(t, "p_s_in")

	var m adaptation.Measures
	m.Add(sample(drifted, "a", 0, oldLoad, newLoad, finish))
	m.Add(sample(plain, "a", 30, plainLoad, finish))
	m.Add(sample(plain, "a", 10, finish)) // the mean of both: 1.5 turns

	if diff := cmp.Diff(&adaptation.Cost{N: 1, Turns: 1.5}, m.Rows()[0].Cost); diff != "" {
		t.Errorf("cost (-want +got):\n%s", diff)
	}

	if got := m.Rows()[1].Cost; got != nil {
		t.Errorf("the prompt's own version costs %+v", got)
	}
}

func TestNoSamples(t *testing.T) {
	var m adaptation.Measures
	if rows := m.Rows(); len(rows) != 0 {
		t.Errorf("rows of nothing: %+v", rows)
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("InitializeDatabase[DatabaseName], which")
	f.Add("((((a[b(c]")

	catalog, err := toolapi.Load(apis.FS())
	if err != nil {
		f.Fatal(err)
	}

	v, err := catalog.Version("p_s_in")
	if err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, description string) {
		switch got := adaptation.Judge(description, v); got {
		case adaptation.True, adaptation.UnknownTool, adaptation.UnknownParameter:
		default:
			t.Errorf("%q is %q", description, got)
		}
	})
}
