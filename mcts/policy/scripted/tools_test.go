package scripted

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// kv makes arguments of strings: name, value, name, value, …
func kv(pairs ...string) envs.Args {
	var args envs.Args
	for i := 0; i < len(pairs); i += 2 {
		args = append(args, envs.Arg{Name: pairs[i], Value: pairs[i+1]})
	}
	return args
}

// A drifted tool: the notice as an environment phrases it, a call of the prompt version, and what a
// caller that knows the new version would send.
type drifted struct {
	version, notice string
	old             envs.Args
	name            string
	want            string
}

func deprecated(old, successor string) string {
	return "Error: " + old + " is deprecated and will be removed in future releases. Use " + successor + " instead."
}

const sqlQuery = "SELECT MAX(High) FROM coffee.coffee_data WHERE Date >= '2000-01-14'"

// driftedTools are the eleven tools that change, in both drifted versions, with the notices of
// ToolQA-D.
func driftedTools() []drifted {
	const in, ood = "p_s_in", "p_s_ood"
	agenda, scirex := kv("keyword", "Ann Lee 2022/03/04"), kv("keyword", "F1 of BERT: base")
	filter := kv("condition", "Date>=2000-01-03, Date<=2000-02-01, Open>3")
	columns := kv("column_name", "Open, Close")
	edge := kv("GraphName", "AuthorNet", "Node1", "Ann Lee", "Node2", "Bo Xu")
	node := kv("GraphName", "PaperNet", "Node", "Deep learning for tools: A survey")
	code := kv("Python", "a = 189.35\nprint(round(a, 2))")

	return []drifted{
		{in, deprecated("RetrieveAgenda[keyword]",
			`Fetch_Agenda_Data[Query, return_num], param example: {"Query": "Amelia Breakfast Meeting 2022/01/16", "return_num": 3}`),
			agenda, "Fetch_Agenda_Data", `{"Query": "Ann Lee 2022/03/04", "return_num": 3}`},
		{ood, deprecated("RetrieveAgenda[keyword]",
			`Call_Retrieve_On_Agenda[searchTerm, passage_num], param example: {"searchTerm": "Amelia Breakfast Meeting 2022/01/16", "passage_num": 3}`),
			agenda, "Call_Retrieve_On_Agenda", `{"searchTerm": "Ann Lee 2022/03/04", "passage_num": 3}`},
		{in, deprecated("RetrieveScirex[keyword]",
			`FetchScirexData[QueryText], param example: {"QueryText": "Mean_IoU score of the FRRN method"}`),
			scirex, "FetchScirexData", `{"QueryText": "F1 of BERT: base"}`},
		{ood, deprecated("RetrieveScirex[keyword]",
			`CallRetrieveOnScirex[queryKeyword], param example: {"queryKeyword": "F-Measure score of the EAST method"}`),
			scirex, "CallRetrieveOnScirex", `{"queryKeyword": "F1 of BERT: base"}`},
		{in, deprecated("LoadDB[DBName]",
			`InitializeDatabase[DatabaseName], param example: {"DatabaseName": "flights"}`),
			kv("DBName", "coffee"), "InitializeDatabase", `{"DatabaseName": "coffee"}`},
		{ood, deprecated("LoadDB[DBName]",
			`Init_DB[databaseIdentifier], param example: {"databaseIdentifier": "flights"}`),
			kv("DBName", "coffee"), "Init_DB", `{"databaseIdentifier": "coffee"}`},
		{in, deprecated("FilterDB[condition]",
			`Apply_Database_Filters[condition1], param example: {"condition1": "NAME=Chao Zhang", "condition2": "Date<=2004-01-16"}`),
			filter, "Apply_Database_Filters",
			`{"condition1": "Date>=2000-01-03", "condition2": "Date<=2000-02-01", "condition3": "Open>3"}`},
		{ood, deprecated("FilterDB[condition]",
			`DoFilter_OnDatabase[filterCriteria1], param example: {"filterCriteria1": "NAME=K. John", "filterCriteria2": "Date<=2008-02-16"}`),
			filter, "DoFilter_OnDatabase",
			`{"filterCriteria1": "Date>=2000-01-03", "filterCriteria2": "Date<=2000-02-01", "filterCriteria3": "Open>3"}`},
		{in, deprecated("GetValue[column_name]",
			`FetchValue_ByKey[column, ReturnResult], param example: {"column1": "price", "column2": "service fee", "ReturnResult": "True"}`),
			columns, "FetchValue_ByKey", `{"column1": "Open", "column2": "Close", "ReturnResult": "True"}`},
		{ood, deprecated("GetValue[column_name]",
			`Extract_Value[fieldName, ReturnValue], param example: {"fieldName1": "price", "fieldName2": "service fee", "ReturnValue": "True"}`),
			columns, "Extract_Value", `{"fieldName1": "Open", "fieldName2": "Close", "ReturnValue": "True"}`},
		{in, deprecated("LoadGraph[GraphName]",
			`InitializeGraphData[Graph_Name], param example: {"Graph_Name": "dblp"}`),
			kv("GraphName", "dblp"), "InitializeGraphData", `{"Graph_Name": "dblp"}`},
		{ood, deprecated("LoadGraph[GraphName]", `Import_Graph[Graph], param example: {"Graph": "dblp"}`),
			kv("GraphName", "dblp"), "Import_Graph", `{"Graph": "dblp"}`},
		{in, deprecated("NeighbourCheck[GraphName, Node]",
			`Verify_NeighbourNodes[Graph_Name, graphNode, ReturnResult], param example: {"Graph_Name": "AuthorNet", "graphNode": "Chao Zhang", "ReturnResult": "True"}`),
			node, "Verify_NeighbourNodes",
			`{"Graph_Name": "PaperNet", "graphNode": "Deep learning for tools: A survey", "ReturnResult": "True"}`},
		{ood, deprecated("NeighbourCheck[GraphName, Node]",
			`Get_NeighbourList[Graph, Vertex, ReturnValue], param example: {"Graph": "AuthorNet", "Vertex": "K. John", "ReturnValue": "True"}`),
			node, "Get_NeighbourList", `{"Graph": "PaperNet", "Vertex": "Deep learning for tools: A survey", "ReturnValue": "True"}`},
		{in, deprecated("NodeCheck[GraphName, Node]",
			`ValidateGraphNode[Graph_Name, graphNode], param example: {"Graph_Name": "AuthorNet", "graphNode": "Chao Zhang"}`),
			node, "ValidateGraphNode", `{"Graph_Name": "PaperNet", "graphNode": "Deep learning for tools: A survey"}`},
		{ood, deprecated("NodeCheck[GraphName, Node]",
			`Inspect_TheNodes[Graph, Vertex], param example: {"Graph": "AuthorNet", "Vertex": "K. John"}`),
			node, "Inspect_TheNodes", `{"Graph": "PaperNet", "Vertex": "Deep learning for tools: A survey"}`},
		{in, deprecated("EdgeCheck[GraphName, Node1, Node2]",
			`ValidateGraphEdge[GraphName, NodeInfos], param example: {"Graph_Name": "AuthorNet", "NodeInfos": "FirstNode[Chao Zhang], SecondNode[Weihong Lin]"}`),
			edge, "ValidateGraphEdge", `{"Graph_Name": "AuthorNet", "NodeInfos": "FirstNode[Ann Lee], SecondNode[Bo Xu]"}`},
		{ood, deprecated("EdgeCheck[GraphName, Node1, Node2]",
			`Inspect_TheEdges[CheckInfos], param example: {"CheckInfos": "Graph[AuthorNet], Vertex1[K. John], Vertex2[Peter]"}`),
			edge, "Inspect_TheEdges", `{"CheckInfos": "Graph[AuthorNet], Vertex1[Ann Lee], Vertex2[Bo Xu]"}`},
		{in, deprecated("SQLInterpreter[SQL]",
			`ExecuteSQLQuery[SQLCommand], param example: {"SQLCommand": "The SQL code is as follows: SELECT Volume FROM coffee.coffee_data WHERE Date = '2000-01-14'"}`),
			kv("SQL", sqlQuery), "ExecuteSQLQuery", `{"SQLCommand": "The SQL code is as follows: ` + sqlQuery + `"}`},
		{ood, deprecated("SQLInterpreter[SQL]",
			`ProcessSQLQuery[SQL_Query], param example: {"SQL_Query": "This is the SQL code: SELECT Volume FROM coffee.coffee_data WHERE Date = '2000-01-14'"}`),
			kv("SQL", sqlQuery), "ProcessSQLQuery", `{"SQL_Query": "This is the SQL code: ` + sqlQuery + `"}`},
		// The newlines in these two examples are newlines in the published notices, too, and not
		// JSON escapes.
		{in, deprecated("PythonInterpreter[Python]", "Execute_Python_Script[PythonCode], param example: "+
			"{\"PythonCode\": \"The Python code is as follows: \nimport numpy as np\nprint(np.mean([247.0, 253.0, "+
			"230.0]))\"}"),
			code, "Execute_Python_Script",
			`{"PythonCode": "The Python code is as follows: \na = 189.35\nprint(round(a, 2))"}`},
		{ood, deprecated("PythonInterpreter[Python]",
			`Process_Python_Code[python_execute_Code], param example: {"python_execute_Code": "This is the Python code: \nimport numpy as np\nprint(np.mean([247.0, 253.0, 230.0]))"}`),
			code, "Process_Python_Code", `{"python_execute_Code": "This is the Python code: \na = 189.35\nprint(round(a, 2))"}`},
	}
}

func TestUsageOfEveryNotice(t *testing.T) {
	for _, c := range driftedTools() {
		t.Run(c.version+"/"+c.name, func(t *testing.T) {
			u, ok := parseNotice(c.notice)
			if !ok {
				t.Fatalf("notice not understood: %s", c.notice)
			}

			if u.name != c.name {
				t.Errorf("name = %q, want %q", u.name, c.name)
			}

			sent := u.apply(c.old, false)
			if got := string(pytext.AppendJSON(nil, sent)); got != c.want {
				t.Errorf("call\n got %s\nwant %s", got, c.want)
			}

			// What the policy writes about the new tool teaches the same usage again.
			learned, ok := parseLearned(u.describe(sent), len(c.old))
			if !ok {
				t.Fatalf("description not understood: %s", u.describe(sent))
			}

			if learned.old != u.old || learned.name != u.name {
				t.Errorf("learned %s -> %s, want %s -> %s", learned.old, learned.name, u.old, u.name)
			}

			if got := string(pytext.AppendJSON(nil, learned.apply(c.old, false))); got != c.want {
				t.Errorf("call after learning\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestUsageVariants(t *testing.T) {
	edge := kv("GraphName", "AuthorNet", "Node1", "A", "Node2", "B")
	for _, c := range []struct {
		name, notice string
		old          envs.Args
		want         string
	}{
		{"one condition", deprecated("FilterDB[condition]", `F[c1], param example: {"c1": "a=1", "c2": "b=2"}`),
			kv("condition", "Date=2000-01-03"), `{"c1": "Date=2000-01-03"}`},
		{"flag first", deprecated("GetValue[column_name]",
			`G[flag, c], param example: {"flag": true, "c1": "price", "c2": "fee"}`),
			kv("column_name", "Open, Low, High"), `{"flag": true, "c1": "Open", "c2": "Low", "c3": "High"}`},
		{"numbered names that are no family",
			deprecated("EdgeCheck[GraphName, Node1, Node2]",
				`E[G, V1, V2], param example: {"G": "AuthorNet", "V1": "x", "V2": "y"}`),
			edge, `{"G": "AuthorNet", "V1": "A", "V2": "B"}`},
		{"arguments in another order",
			deprecated("EdgeCheck[GraphName, Node1, Node2]",
				`E[I], param example: {"I": "G[AuthorNet], V1[x], V2[y]"}`),
			kv("Node2", "B", "GraphName", "AuthorNet", "Node1", "A"), `{"I": "G[AuthorNet], V1[A], V2[B]"}`},
		{"no example", deprecated("RetrieveAgenda[keyword]", `Fetch_Agenda_Data[Query, return_num], param example: `),
			kv("keyword", "x"), `{"Query": "x", "return_num": 3}`},
		{"a switch in a sentence", deprecated("SQLInterpreter[SQL]",
			`Q[x], param example: {"x": "This is the SQL code: SELECT 1"}`),
			envs.Args{{Name: "SQL", Value: true}}, `{"x": "This is the SQL code: True"}`},
		{"NaN in an example", deprecated("T[a]", `U[x, n], param example: {"x": "y", "n": NaN}`),
			kv("a", "1"), `{"x": "1", "n": NaN}`},
		{"the wording of appendix A.2",
			`Error: LoadDB[DBName] is deprecated. Please use InitDB[Name], param example: {"Name": "flights"} instead.`,
			kv("DBName", "coffee"), `{"Name": "coffee"}`},
		{"no parameters", deprecated("Health[]", `CheckHealth[], param example: {}`), nil, `{}`},
		{"a number beside another", deprecated("T[limit, skip]", `U[most, from], param example: {"most": 1, "from": 2}`),
			envs.Object("limit", envs.Number("7"), "skip", envs.Number("8")), `{"most": 7, "from": 8}`},
		{"what the call leaves out", deprecated("T[a, b, c]", `U[x, y, z], param example: {"x": "1", "y": "2", "z": "3"}`),
			kv("c", "7"), `{"z": "7"}`},
		{"null for what it leaves out", deprecated("T[a, b]", `U[x, y], param example: {"x": "1", "y": null}`),
			kv("a", "7"), `{"x": "7", "y": null}`},
		{"a text for a number", deprecated("T[a, b]", `U[x, y], param example: {"x": "1", "y": "true"}`),
			envs.Object("a", envs.Number("7"), "b", false), `{"x": "7", "y": "false"}`},
		{"a list", deprecated("T[a, b]", `U[x1, x2, y], param example: {"x1": "p", "y": 1}`),
			envs.Object("a", []any{"q", "r"}, "b", envs.Number("2")), `{"x1": "q", "x2": "r", "y": 2}`},
		{"an object of some", deprecated("T[lat, limit, lng]",
			`U[spot, limit], param example: {"limit": 1, "spot": {"lat_in": "a", "lng_in": "b"}}`),
			kv("lat", "7", "limit", "8", "lng", "9"), `{"spot": {"lat_in": "7", "lng_in": "9"}, "limit": "8"}`},
		{"an object that was there", deprecated("T[data, id]", `U[record, show], param example: {"record": {"a": 1}, "show": "x"}`),
			envs.Object("data", envs.Object("b", "2"), "id", "7"), `{"record": {"b": "2"}, "show": "7"}`},
		{"more arguments than the example has", deprecated("T[a, b]", `U[x], param example: {"x": "y"}`),
			kv("a", "1", "b", "2"), `{"x": "1", "b": "2"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, ok := parseNotice(c.notice)
			if !ok {
				t.Fatal("notice not understood")
			}

			if diff := cmp.Diff(c.want, string(pytext.AppendJSON(nil, u.apply(c.old, false)))); diff != "" {
				t.Error(diff)
			}

			learned, ok := parseLearned(u.describe(u.apply(c.old, false)), len(c.old))
			if !ok || learned.name != u.name {
				t.Errorf("the description %q teaches %+v", u.describe(u.apply(c.old, false)), learned)
			}
		})
	}
}

func TestNoticesWithoutSuccessor(t *testing.T) {
	for _, notice := range []string{
		"", "Error", "x is deprecated", "LoadDB is deprecated. Use  instead.",
		deprecated("RetrieveScirex[keyword]", `[queryKeyword], param example: {"queryKeyword": "F"}`),
		deprecated("LoadDB[DBName", `X[a], param example: {"a": "b"}`),
		deprecated("LoadDB[DBName]", `X, param example: {"a`),
		deprecated("LoadDB[DBName]", `X[], param example: {"a`),
	} {
		if u, ok := parseNotice(notice); ok {
			t.Errorf("%q understood as %+v", notice, u)
		}
	}
}

func TestTitlesAreNoPrefixes(t *testing.T) {
	for text, want := range map[string]string{
		"This is the SQL code: SELECT 1":            "This is the SQL code: ",
		"The Python code is as follows: \nprint(1)": "The Python code is as follows: \n",
		"Deep learning for tools: A survey":         "",
		"Amelia Breakfast 9:00":                     "",
		"code: x":                                   "",
	} {
		if got := requiredPrefix(text); got != want {
			t.Errorf("requiredPrefix(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzParseNotice(f *testing.F) {
	for _, c := range driftedTools() {
		f.Add(c.notice)

		if u, ok := parseNotice(c.notice); ok {
			f.Add(u.describe(u.apply(c.old, false)))
		}
	}

	f.Add(`Error: A[] is deprecated. Use B[], param example: {"a1": "[", "a2": {"b": [1, {"c": null}]}} instead.`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (*usage, bool){
			parseNotice, func(s string) (*usage, bool) { return parseLearned(s, 2) },
		} {
			u, ok := parse(text)
			if !ok {
				continue
			}

			if u.name == "" || u.old == "" || len(u.slots) == 0 {
				t.Fatalf("%q: half a usage: %+v", text, u)
			}

			written := string(pytext.AppendJSON(nil, u.apply(kv("a", "x, y", "b", text), false)))
			if _, _, err := pytext.DecodeObject(written); err != nil {
				t.Fatalf("%q: call %s: %v", text, written, err)
			}
		}
	})
}
