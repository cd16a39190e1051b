package toolapi_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const shipped = "../../configs/apis"

// loadShipped loads the shipped versions once for all tests: nothing changes a catalog.
var loadShipped = sync.OnceValues(func() (*toolapi.Catalog, error) { return toolapi.Load(os.DirFS(shipped)) })

func load(t testing.TB) *toolapi.Catalog {
	t.Helper()

	c, err := loadShipped()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func version(t testing.TB, name string) *toolapi.Version {
	t.Helper()

	v, err := load(t).Version(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVersions compares the shipped versions with the published matrix of names and parameters.
func TestVersions(t *testing.T) {
	want := map[string]string{
		"p_c": `RetrieveAgenda[keyword] RetrieveScirex[keyword] LoadDB[DBName] FilterDB[condition] GetValue[column_name] LoadGraph[GraphName]
NeighbourCheck[GraphName, Node] NodeCheck[GraphName, Node] EdgeCheck[GraphName, Node1, Node2] SQLInterpreter[SQL] PythonInterpreter[Python]`,
		"p_s_in": `Fetch_Agenda_Data[Query, return_num] FetchScirexData[QueryText] InitializeDatabase[DatabaseName] Apply_Database_Filters[condition1]
FetchValue_ByKey[column, ReturnResult] InitializeGraphData[Graph_Name] Verify_NeighbourNodes[Graph_Name, graphNode, ReturnResult]
ValidateGraphNode[Graph_Name, graphNode] ValidateGraphEdge[Graph_Name, NodeInfos] ExecuteSQLQuery[SQLCommand] Execute_Python_Script[PythonCode]`,
		"p_s_ood": `Call_Retrieve_On_Agenda[searchTerm, passage_num] CallRetrieveOnScirex[queryKeyword] Init_DB[databaseIdentifier]
DoFilter_OnDatabase[filterCriteria1] Extract_Value[fieldName, ReturnValue] Import_Graph[Graph] Get_NeighbourList[Graph, Vertex, ReturnValue]
Inspect_TheNodes[Graph, Vertex] Inspect_TheEdges[CheckInfos] ProcessSQLQuery[SQL_Query] Process_Python_Code[python_execute_Code]`,
		"p_s_ood_proprietary": `CallRetrieveOnAgenda[searchTerm, passage_num] Call_Retrieve_OnScirex[queryKeyword] Init_LocalDB[databaseIdentifier]
DoFilter_OnDatabase[filterCriteria1] ExtractValue_fromDB[fieldName, ReturnValue] ImportGraph[Graph] Get_Neighbour_List[Graph, Vertex, ReturnValue]
Inspect_TheNodes[Graph, Vertex] Inspect_TheEdges[CheckInfos] ProcessSQLQuery[SQL_Query] Process_Python_Code[python_execute_Code]`,
		"b2_names_text": `FetchAgenda[keyword] FetchScirex[keyword] LoadDatabase[DBName] FilterDatabase[condition] RetrieveValue[column_name]
ImportGraph[GraphName] NeighborVerification[GraphName, Node] NodeVerification[GraphName, Node] EdgeVerification[GraphName, Node1, Node2]
SQLProcessor[SQL] PythonProcessor[Python]`,
		"b2_names_character": `Retrieve_Agenda[keyword] Retrieve-Scirex[keyword] Load@DB[DBName] Filter.DB[condition] Get@Value[column_name]
Load#Graph[GraphName] Neighbour_Check[GraphName, Node] Node%Check[GraphName, Node] Edge#Check[GraphName, Node1, Node2]
SQL.Interpreter[SQL] Python-Interpreter[Python]`,
		"b2_parameters_text": `RetrieveAgenda[SearchQuery] RetrieveScirex[SearchQuery] LoadDB[TheDBName] FilterDB[FilterCondition] GetValue[SelectedColumn]
LoadGraph[GraphIdentifier] NeighbourCheck[GraphIdentifier, NodeIdentifier] NodeCheck[GraphIdentifier, NodeIdentifier]
EdgeCheck[GraphIdentifier, NodeIdentifier1, NodeIdentifier2] SQLInterpreter[DatabaseQuery] PythonInterpreter[ScriptCode]`,
		"b2_parameters_character": `RetrieveAgenda[keyword?] RetrieveScirex[keyword?] LoadDB[DB@Name] FilterDB[#condition] GetValue[column&name]
LoadGraph[Graph@Name] NeighbourCheck[Graph@Name, .Node] NodeCheck[Graph@Name, .Node] EdgeCheck[Graph@Name, .Node1, .Node2]
SQLInterpreter[SQL%] PythonInterpreter[%Python]`,
	}
	want["b2_response"] = want["p_c"]

	c := load(t)
	if got := c.Names(); len(got) != len(want) {
		t.Fatalf("versions %v", got)
	}

	tools := version(t, "p_c").APIs
	for name, signatures := range want {
		v := version(t, name)

		var got []string
		for i, a := range v.APIs {
			got = append(got, a.Signature())
			if a.Tool != tools[i].Tool {
				t.Errorf("%s: API %d is of %s, p_c has %s there", name, i+1, a.Tool, tools[i].Tool)
			}
		}

		all := strings.ReplaceAll(signatures, "\n", " ") + " Finish[answer] UpdateTool[newtool_desc]"
		if diff := cmp.Diff(all, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}

		wantDeprecated := 11
		if v.APIs[0].Name == "RetrieveAgenda" { // the names are those of p_c
			wantDeprecated = 0
		}

		if d := v.Deprecated(); len(d) != wantDeprecated {
			t.Errorf("%s deprecates %v", name, d)
		}
	}
}

func invalid(t *testing.T, v *toolapi.Version, without ...string) string {
	t.Helper()

	text, err := v.InvalidAction(without...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestMessages compares every message of every version with its golden file.
func TestMessages(t *testing.T) {
	for _, name := range load(t).Names() {
		v := version(t, name)
		var b strings.Builder
		b.WriteString("# Tool list\n" + toolList(v) + "\n\n# Invalid action\n" +
			invalid(t, v) + "\n")
		b.WriteString("\n# Invalid action, without UpdateTool\n" + invalid(t, v, envs.UpdateTool) + "\n")

		for _, a := range version(t, "p_c").APIs {
			d, ok := v.Deprecation(a.Name)
			if !ok {
				continue
			}

			b.WriteString("\n# " + a.Name + "\n" + d.Notice() + "\n")

			if published := d.PublishedNotice(); published != d.Notice() {
				b.WriteString("published: " + published + "\n")
			}
		}

		golden := filepath.Join("testdata", "messages_"+name+".txt")
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}

		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
}

// TestPublishedDefects names the three notices that differ from the published ones.
func TestPublishedDefects(t *testing.T) {
	want := map[string]string{
		"p_s_in RetrieveAgenda": "Error: RetrieveAgenda[keyword] is deprecated and will be removed in future " +
			"releases. Use Fetch_Agenda_Data[Query, return_num], param example:  instead.",
		"p_s_in EdgeCheck":       `Error: EdgeCheck[GraphName, Node1, Node2] is deprecated and will be removed in future releases. Use ValidateGraphEdge[GraphName, NodeInfos], param example: {"Graph_Name": "AuthorNet", "NodeInfos": "FirstNode[Chao Zhang], SecondNode[Weihong Lin]"} instead.`,
		"p_s_ood RetrieveScirex": `Error: RetrieveScirex[keyword] is deprecated and will be removed in future releases. Use [queryKeyword], param example: {"queryKeyword": "F-Measure score of the EAST method"} instead.`,
	}
	got := make(map[string]string)

	for _, name := range load(t).Names() {
		v := version(t, name)
		for _, old := range v.Deprecated() {
			if d, _ := v.Deprecation(old); d.Notice() != d.PublishedNotice() {
				got[name+" "+old] = d.PublishedNotice()
			}
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// toolList are the APIs of a version as a prompt lists them, without documents.
func toolList(v *toolapi.Version) string {
	lines := make([]string, len(v.APIs))
	for i, a := range v.APIs {
		lines[i] = fmt.Sprintf("(%d) %s, %s", i+1, a.Signature(), a.Description)
	}
	return strings.Join(lines, "\n")
}
