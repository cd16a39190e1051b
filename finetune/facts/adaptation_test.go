package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/toolapi"
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

func TestTruth(t *testing.T) {
	v := version(t, "p_s_in")

	for description, want := range map[string]truth{
		"InitializeDatabase[DatabaseName], which is an updated version of LoadDB and takes its place.": isTrue,
		`(14) Apply_Database_Filters[condition1, condition2, condition3], e.g. LoadDB[DBName].`:        isTrue,
		`FetchValue_ByKey[column, ReturnResult], {"column1": "price"}`:                                 isTrue,
		`FetchValue_ByKey[column1, column2, ...], which`:                                               isTrue,
		"ExecuteSQLQuery(SQLCommand: str): runs a query":                                               isTrue,
		"Use InitializeDatabase in place of LoadDB.":                                                   isTrue,
		"InitializeGraphData[<Graph_Name>]":                                                            isTrue,

		"InitializeDatabase[DBName], which loads a database.":   unknownParameter,
		"Verify_NeighbourNodes[Graph_Name, graphNode, Result]":  unknownParameter,
		"Init_DB[databaseIdentifier], which loads a database.":  unknownTool, // of another version
		"LoadDB[DBName], which loads a database.":               unknownTool, // the old one
		"OpenDB[DatabaseName], like InitializeDatabase[DBName]": unknownTool,
		"Finish[answer], which ends the task.":                  unknownTool, // nothing new
		"The tool has changed.":                                 unknownTool,
		"":                                                      unknownTool,
	} {
		if got := truthOf(description, v); got != want {
			t.Errorf("%q is %s, want %s", description, got, want)
		}
	}
}

// Names may have other characters than letters, digits and underscores.
func TestTruthOfOtherNames(t *testing.T) {
	v, others := version(t, "b2_names_character"), 0

	for _, a := range v.APIs {
		if envs.IsSystem(a.Tool) {
			continue
		}

		if strings.ContainsAny(a.Name, "@.-#%") {
			others++
		}

		for _, description := range []string{
			a.Signature() + ", which is an update.", "Use " + a.Name + ".", "*" + a.Signature(),
		} {
			if got := truthOf(description, v); got != isTrue {
				t.Errorf("%q is %s", description, got)
			}
		}
	}

	if others == 0 {
		t.Error("all names are of letters, digits and underscores")
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

// sampled is an episode and the version that it met.
type sampled struct {
	*trajectories.Episode
	version *toolapi.Version
}

func (b *Board) add(all ...sampled) {
	for _, s := range all {
		b.Add(s.Episode, s.version.Name, s.version)
	}
}

func sample(v *toolapi.Version, question string, tokens int, turns ...trajectories.Turn) sampled {
	e := &trajectories.Episode{}
	e.Policy, e.QuestionID, e.PromptAPI, e.DeployedAPI, e.Turns = "p", question, "p_c", v.Name, turns

	e.Tokens = tokens
	return sampled{e, v}
}

// Each call of a turn counts, up to the one that failed; one of them may be what recovers its tool.
func TestCallsOfATurn(t *testing.T) {
	const (
		load   = `InitializeDatabase {"DatabaseName": "coffee"}`
		filter = `Apply_Database_Filters {"condition": "a=1"}`
	)

	several := func(last trajectories.Turn, key string, results ...string) trajectories.Turn {
		last.Key, last.Observation = key, action.JoinResults(results)
		return last
	}

	wrong := newFilter
	wrong.Outcome = envs.InvocationError

	var b Board
	b.add(sample(version(t, "p_s_in"), "a", 0, oldLoad,
		several(newFilter, load+"\n"+filter, "loaded", "done"),
		several(wrong, load+"\n"+filter+"\n"+load, "loaded", "which?", action.NotRun)))

	f := b.Facts[0]
	if f.Calls != 5 || f.Valid != 3 || f.Turns != 3 || f.OK != 1 || !f.Adapted ||
		f.RecoveryTurns != 1 {
		t.Errorf("%+v", f)
	}

	var got []string
	for _, c := range b.Calls {
		got = append(got, fmt.Sprintf("%d %s %s", c.Turn, c.Tool, c.Outcome))
	}

	want := []string{
		"1 LoadDB deprecated", "2 LoadDB ok", "2 FilterDB ok", "3 LoadDB ok",
		"3 FilterDB invocation-error",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// All figures by hand.
func TestRows(t *testing.T) {
	plain, drifted := version(t, "p_c"), version(t, "p_s_in")

	lost := sample(drifted, "d", 0)
	lost.Lost = "the server is down"

	var b Board
	for _, s := range []sampled{
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
		b.add(s)
	}

	want := []AdaptationRow{
		{
			Contender: Contender{"p", "p_s_in"}, N: 3, Measured: 3, Lost: 1,
			Met: 2, MetShare: 2.0 / 3, Adapted: 1,
			ToolsMet: 4, ToolsRecovered: 3, RecoveryTurns: 5.0 / 3,
			Recovery:      []Recovery{{Turns: 1, Tools: 2}, {Turns: 3, Tools: 1}},
			RepeatedTurns: 3, RepeatedShare: 3.0 / 19, Hallucinated: 1,
			NewTools: []NewTool{
				{API: "Apply_Database_Filters", Tool: "FilterDB", Calls: 2},
				{API: "InitializeDatabase", Tool: "LoadDB", Calls: 3, Errors: 1},
			},
			Updates: Updates{Calls: 3, True: 1, UnknownTool: 1, UnknownParameter: 1},
			Turns:   19.0 / 3, Tokens: 190.0 / 3,
			Cost: &Cost{N: 2, Turns: 6, Tokens: 60}, // (9-3 + 8-2)/2 and (90-30 + 80-20)/2
		},
		{
			Contender: Contender{"p", "p_c"}, N: 2, Measured: 2, Recovery: []Recovery{},
			NewTools: []NewTool{}, Turns: 2.5, Tokens: 25,
		},
	}

	if diff := cmp.Diff(want, b.Adaptation().Rows, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// Tokens that were not counted under one of the versions are no saving.
func TestCostWithoutTokens(t *testing.T) {
	plain, drifted := version(t, "p_c"), version(t, "p_s_in")

	var b Board
	b.add(sample(drifted, "a", 0, oldLoad, newLoad, finish))
	b.add(sample(plain, "a", 30, plainLoad, finish))
	b.add(sample(plain, "a", 10, finish)) // the mean of both: 1.5 turns

	if diff := cmp.Diff(&Cost{N: 1, Turns: 1.5}, b.Adaptation().Rows[0].Cost); diff != "" {
		t.Errorf("cost (-want +got):\n%s", diff)
	}

	if got := b.Adaptation().Rows[1].Cost; got != nil {
		t.Errorf("the prompt's own version costs %+v", got)
	}
}

func TestNoSamples(t *testing.T) {
	var b Board
	if rows := b.Adaptation().Rows; len(rows) != 0 {
		t.Errorf("rows of nothing: %+v", rows)
	}
}

func FuzzTruth(f *testing.F) {
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
		switch got := truthOf(description, v); got {
		case isTrue, unknownTool, unknownParameter:
		default:
			t.Errorf("%q is %q", description, got)
		}
	})
}
