package dynamic

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
)

var updateGolden = flag.Bool("update", false, "rewrite the golden files")

// scripts show every message of the environment once: those that all versions share under p_c, the
// texts of the deployed APIs under the others.
var scripts = map[string][]envs.Action{
	"p_c": {
		"I do not know what to do.",
		react("LoadDB", `{}`),
		react("LoadDB", `{'DBName': 'coffee'}`),
		react("LoadDB", `{"a": `+strings.Repeat("[", 10_000)+`}`),
		react("OpenDB", `{"DBName": "coffee"}`),
		react("LoadDB", `{"LoadDBName": "coffee"}`),
		react("LoadDB", `{"DBName": "tea"}`),
		react("LoadDB", `{"DBName": "coffee"}`),
		react("GetValue", `{"column_name": "Open"}`),
		react("UpdateTool", `{"newtool_desc": ["no", "text"]}`),
		react("UpdateTool", `{"newtool_desc": " GetValue[column_name], which reads the loaded rows. "}`),
		react("Finish", `{"answer": 65.15}`),
	},
	"p_s_in": {
		react("LoadDB", `{"anything": "goes"}`),
		react("InitializeDatabase", `{"DBName": "coffee"}`),
		react("InitializeDatabase", `{"DatabaseName": "coffee"}`),
		react("Apply_Database_Filters", `{"condition2": "Date=2000-01-14"}`),
		react("Apply_Database_Filters", `{"condition1": "Date=2000-01-14", "condition2": "Open>60"}`),
		react("FetchValue_ByKey", `{"column1": "Open", "ReturnResult": "No"}`),
		react("FetchValue_ByKey", `{"column1": "Open", "ReturnResult": "True"}`),
		react("Verify_NeighbourNodes", `{"Graph_Name": "AuthorNet", "graphNode": "K. John", "ReturnResult": "No"}`),
		react("ValidateGraphEdge", `{"Graph_Name": "AuthorNet", "NodeInfos": "K. John, Peter"}`),
		react("ValidateGraphEdge", `{"Graph_Name": "AuthorNet", "NodeInfos": ["K. John", "Peter"]}`),
		react("ExecuteSQLQuery", `{"SQL": "SELECT 1"}`),
		react("ExecuteSQLQuery", `{"SQLCommand": "SELECT 1"}`),
		react("Execute_Python_Script", `{"Python": "print(1)"}`),
		react("Execute_Python_Script", `{"PythonCode": "print(1)"}`),
		react("Execute_Python_Script", "{\"PythonCode\": \"The Python code is as follows: \nprint(1)\"}"),
		react("Init_DB", `{"databaseIdentifier": "coffee"}`),
		react("UpdateTool", `{"newtool_desc": "InitializeDatabase[DatabaseName], which loads a database."}`),
		react("Finish", `{"answer": "I do not know"}`),
	},
	"p_s_ood": {
		react("LoadDB", `{"DBName": "coffee"}`),
		react("Init_DB", `{"databaseIdentifier": "coffee"}`),
		react("EdgeCheck", `{"GraphName": "AuthorNet", "Node1": "K. John", "Node2": "Peter"}`),
		react("Inspect_TheEdges", `{"CheckInfos": "Graph[AuthorNet], Vertex1[K. John], Vertex2[Peter]"}`),
		react("Extract_Value", `{"fieldName": "Open, Close", "ReturnValue": true}`),
		react("InitializeDatabase", `{"DatabaseName": "coffee"}`),
		react("Finish", `{"answer": "65.15"}`),
	},
}

// TestPlaythrough compares a readable transcript of each script with its golden file.
func TestPlaythrough(t *testing.T) {
	for deployed, actions := range scripts {
		env := newEnv(t, deployed, Options{})

		s, err := env.Reset(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "Question: %s\n", s.History().Task().Question)

		for i, a := range actions {
			next, err := env.Step(t.Context(), s, a)
			if err != nil {
				t.Fatal(err)
			}

			s = next.State

			text := string(a)
			if len(text) > 1000 {
				text = text[:100] + " …"
			}

			fmt.Fprintf(&b, "\n--- %d: %s", i+1, next.Turn.Outcome)

			if next.Turn.Call.Tool != "" {
				fmt.Fprintf(&b, ", %s", next.Turn.Call.Tool)
			}

			if next.Reward != 0 {
				fmt.Fprintf(&b, ", reward %+v, %s", next.Reward, s.Status())
			}

			fmt.Fprintf(&b, "\n%s\n\nObservation: %s\n", text, next.Turn.Observation)
		}

		fmt.Fprintf(&b, "\nLearned: %q\n", s.History().Learned())
		compareGolden(t, "playthrough_"+deployed+".txt", b.String())
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()

	golden := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}
