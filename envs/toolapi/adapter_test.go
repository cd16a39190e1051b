package toolapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

const (
	command  = "There is something wrong with your command you send. Please modify it."
	filters  = "There is something wrong with the arguments you send for filtering. Please modify it."
	values   = "There is something wrong with the arguments you send for getting value. Please modify it."
	edges    = "There is something wrong with the arguments you send for edge checking. Please modify it."
	params   = "There is something wrong with the params you send. Please modify it."
	sqlArgs  = "There is something wrong with the arguments you send for SQL. Please modify it."
	sqlText  = "There is something wrong with the SQL command you send. Please modify it."
	pyArgs   = "There is something wrong with the arguments you send for python. Please modify it."
	pyText   = "There is something wrong with the Python command you send. Please modify it."
	badTypes = "expected string or bytes-like object, got "
)

func TestLower(t *testing.T) {
	tests := []struct {
		version, tool, deployed string
		want                    string // the tool's arguments as JSON, or the text of the error after "!"
	}{
		{"p_c", "LoadDB", `{"DBName": "coffee"}`, `{"DBName": "coffee"}`},
		{"p_c", "LoadDB", `{"DBName": 3}`, `{"DBName": 3}`},
		{"p_c", "LoadDB", `{"LoadDBName": "coffee"}`, "!"},
		{"p_c", "LoadDB", `{"DBName": "coffee", "x": 1}`, "!"},
		{"p_c", "EdgeCheck", `{"Node2": "b", "GraphName": "g", "Node1": "a"}`,
			`{"GraphName": "g", "Node1": "a", "Node2": "b"}`},

		{"p_s_in", "RetrieveAgenda", `{"return_num": "any", "Query": "q"}`, `{"keyword": "q"}`},
		{"p_s_in", "RetrieveAgenda", `{"Query": "q"}`, "!" + command},
		{"p_s_in", "RetrieveAgenda", `{"keyword": "q", "return_num": 3}`, "!" + command},
		{"p_s_in", "Finish", `{"answer": [1, null]}`, `{"answer": [1, null]}`},
		{"p_s_in", "Finish", `{"result": 1}`, "!" + command},
		{"p_s_in", "UpdateTool", `{ }`, "!" + command},

		{"p_s_in", "FilterDB", `{"condition1": "a=1", "condition2": "b=2"}`, `{"condition": "a=1, b=2"}`},
		{"p_s_in", "FilterDB", `{"condition2": "a=1", "condition1": "b=2"}`, "!" + filters},
		{"p_s_in", "FilterDB", `{"condition1": "a=1", "condition3": "b=2"}`, "!" + filters},
		{"p_s_in", "FilterDB", `{"condition01": "a=1"}`, "!" + filters},
		{"p_s_in", "FilterDB", `{"condition": "a=1, b=2"}`, `{"condition": "a=1, b=2"}`},
		{"p_s_in", "FilterDB", `{"condition": "a=1", "condition2": "b=2"}`, "!" + filters},
		{"p_s_in", "FilterDB", `{ }`, `{"condition": ""}`},
		{"p_s_in", "FilterDB", `{"condition1": ["a=1"], "condition2": 2.50, "condition3": null}`,
			`{"condition": "['a=1'], 2.5, None"}`},
		{"p_s_ood", "FilterDB", `{"filterCriteria1": "a=1"}`, `{"condition": "a=1"}`},
		{"p_s_ood", "FilterDB", `{"condition1": "a=1"}`, "!" + filters},

		{"p_s_in", "GetValue", `{"column1": "a", "column2": "b", "ReturnResult": "True"}`, `{"column_name": "a, b"}`},
		{"p_s_in", "GetValue", `{"column1": "a"}`, `{"column_name": "a"}`},
		{"p_s_in", "GetValue", `{"column": "a, b", "ReturnResult": true}`, `{"column_name": "a, b"}`},
		{"p_s_in", "GetValue", `{"ReturnResult": "true", "column": "a"}`, `{"column_name": "a"}`},
		{"p_s_in", "GetValue", `{"column": "a"}`, "!" + values},
		{"p_s_in", "GetValue", `{"ReturnResult": "True", "column1": "a"}`, "!" + values},
		{"p_s_in", "GetValue", `{"ReturnResult": "True", "column2": "a"}`, `{"column_name": "a"}`},
		{"p_s_in", "GetValue", `{"column1": "a", "ReturnResult": "yes"}`, "!" + values},
		{"p_s_in", "GetValue", `{"column1": "a", "ReturnResult": 1}`, `{"column_name": "a"}`},
		{"p_s_in", "GetValue", `{"column1": "a", "ReturnResult": 0}`, "!" + values},
		{"p_s_in", "GetValue", `{"column1": "a", "limit": 3}`, "!" + values},
		{"p_s_ood", "GetValue", `{"fieldName1": "a", "ReturnValue": 1.0}`, `{"column_name": "a"}`},

		{"p_s_in", "NeighbourCheck", `{"Graph_Name": "AuthorNet", "graphNode": "A", "ReturnResult": "True"}`,
			`{"GraphName": "AuthorNet", "Node": "A"}`},
		{"p_s_in", "NeighbourCheck", `{"Graph_Name": "AuthorNet", "graphNode": "A", "ReturnResult": "False"}`,
			"!" + params},
		{"p_s_in", "NeighbourCheck", `{"Graph_Name": "AuthorNet", "graphNode": "A"}`, "!" + command},

		{"p_s_in", "EdgeCheck", `{"Graph_Name": "g", "NodeInfos": "FirstNode [a b] , SecondNode[c] and more"}`,
			`{"GraphName": "g", "Node1": "a b", "Node2": "c"}`},
		{"p_s_in", "EdgeCheck", `{"Graph_Name": "g", "NodeInfos": "FirstNode[a], SecondNode [c]"}`, "!" + edges},
		{"p_s_in", "EdgeCheck", `{"Graph_Name": "g", "NodeInfos": "FirstNode[a], SecondNode[c]]"}`,
			`{"GraphName": "g", "Node1": "a", "Node2": "c"}`},
		{"p_s_in", "EdgeCheck", `{"Graph_Name": "g", "NodeInfos": "FirstNode[a\nb], SecondNode[c]"}`, "!" + edges},
		{"p_s_in", "EdgeCheck", `{"Graph_Name": "g", "NodeInfos": "FirstNode[ Peter ], SecondNode[Weihong Lin]"}`,
			`{"GraphName": "g", "Node1": "Peter", "Node2": "Weihong Lin"}`},
		{"p_s_in", "EdgeCheck", `{"Graph_Name": "g", "NodeInfos": "FirstNode[a] [b]], SecondNode[ c d] ]"}`,
			`{"GraphName": "g", "Node1": "a] [b]", "Node2": "c d"}`},
		{"p_s_ood", "EdgeCheck", `{"CheckInfos": "Graph[g ], Vertex1[x]], Vertex2[y]]"}`,
			`{"GraphName": "g", "Node1": "x]", "Node2": "y"}`},
		{"p_s_in", "EdgeCheck", `{"Graph_Name": "g", "NodeInfos": {"FirstNode": "a"}}`, "!" + badTypes + "'dict'"},
		{"p_s_in", "EdgeCheck", `{"Graph_Name": "g", "NodeInfos": null}`, "!" + badTypes + "'NoneType'"},
		{"p_s_in", "EdgeCheck", `{"GraphName": "g", "NodeInfos": "FirstNode[a], SecondNode[c]"}`, "!" + edges},
		{"p_s_ood", "EdgeCheck", `{"CheckInfos": "Graph [g],\u3000Vertex1 [x]\n,Vertex2[y]"}`,
			`{"GraphName": "g", "Node1": "x", "Node2": "y"}`},
		{"p_s_ood", "EdgeCheck", `{"CheckInfos": "Vertex1[x], Vertex2[y]"}`, "!" + edges},

		{"p_s_in", "SQLInterpreter", `{"SQLCommand": "The SQL code is as follows: SELECT 1 "}`,
			`{"SQL": " SELECT 1 "}`},
		{"p_s_in", "SQLInterpreter", `{"SQLCommand": "SELECT 1"}`, "!" + sqlText},
		{"p_s_in", "SQLInterpreter", `{"SQLCommand": 1}`, "!" + sqlText},
		{"p_s_in", "SQLInterpreter", `{"SQL": "SELECT 1"}`, "!" + sqlArgs},
		{"p_s_ood", "SQLInterpreter", `{"SQL_Query": "This is the SQL code:"}`, `{"SQL": ""}`},
		{"p_s_in", "PythonInterpreter", `{"PythonCode": "The Python code is as follows: \nprint(1)\n"}`,
			`{"Python": "print(1)"}`},
		{"p_s_in", "PythonInterpreter", `{"PythonCode": "print(1)"}`, "!" + pyText},
		{"p_s_in", "PythonInterpreter", `{"PythonCode": null}`, "!" + pyText},
		{"p_s_in", "PythonInterpreter", `{"code": "print(1)"}`, "!" + pyArgs},
		{"p_s_ood", "PythonInterpreter", `{"python_execute_Code": "This is the Python code:print(1)"}`,
			`{"Python": "print(1)"}`},
	}
	for _, tt := range tests {
		a, ok := version(t, tt.version).ForTool(tt.tool)
		if !ok {
			t.Fatalf("no %s in %s", tt.tool, tt.version)
		}

		deployed := object(t, tt.deployed)
		before := string(pytext.AppendJSON(nil, deployed))
		args, wrong := a.Lower(deployed)

		got := string(pytext.AppendJSON(nil, args))
		if wrong != nil {
			got = "!" + wrong.Text
		}

		if got != tt.want {
			t.Errorf("%s %s.Lower(%s) = %s, want %s", tt.version, tt.tool, tt.deployed, got, tt.want)
		}

		if after := string(pytext.AppendJSON(nil, deployed)); after != before {
			t.Errorf("%s %s.Lower changed its argument to %s", tt.version, tt.tool, after)
		}
	}
}

func object(t testing.TB, text string) envs.Args {
	t.Helper()

	v, err := pytext.Decode(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.(envs.Args)
}

// A parameter beside a list that has another name is refused under the one of before.
func TestRenamedBesideAList(t *testing.T) {
	c, err := typed(t, `
version: old
base: true
messages: {deprecated: "{{.Old.Name}} is {{.Signature}} {{.Example}}.", invalid: "No."}
apis:
  - {name: Get, parameters: [columns], description: which gets.}
`+systemTools, `
version: new
deprecates: [old]
apis:
  - name: Fetch
    tool: Get
    parameters: [column, sure]
    adapters:
      - rename: {sure: confirm}
      - numbered: {item: column, to: columns, beside: [confirm]}
      - flag: {parameter: confirm, optional: true}
    errors: {arguments: Wrong arguments.}
    notice: {example: '{"column1": "a", "sure": "True"}'}
`+systemTools)
	if err != nil {
		t.Fatal(err)
	}

	v, err := c.Version("new")
	if err != nil {
		t.Fatal(err)
	}

	a, _ := v.ForTool("Get")
	for call, want := range map[string]string{
		`{"column1": "a", "sure": "True"}`:    "",
		`{"column1": "a", "column2": "b"}`:    "",
		`{"column1": "a", "confirm": "True"}`: `Wrong arguments.: parameter "confirm" is not known`,
	} {
		got := ""
		if _, wrong := a.Lower(object(t, call)); wrong != nil {
			got = wrong.Text + ": " + wrong.Reason
		}

		if got != want {
			t.Errorf("%s is answered with %q, want %q", call, got, want)
		}
	}
}

// TestLowerLift is the property that makes a version usable: what it can express comes back as it
// was.
func TestLowerLift(t *testing.T) {
	c := load(t)

	prompt := version(t, "p_c")
	for _, name := range c.Names() {
		v := version(t, name)
		for _, tool := range prompt.APIs {
			t.Run(name+"/"+tool.Name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					call := make(envs.Args, len(tool.Parameters))
					for i, p := range tool.Parameters {
						text := rapid.OneOf(rapid.String(),
							rapid.StringMatching(`[a-z]=[0-9](, ?[A-Z ]*){0,3}\[?`)).Draw(t, p.Name)

						switch tool.Name {
						case "EdgeCheck":
							text = pytext.Strip(strings.NewReplacer("]", "", "\n", "").Replace(text))
						case "PythonInterpreter":
							text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
						}

						call[i] = envs.Arg{Name: p.Name, Value: text}
					}

					_, deployed, err := v.Lift(tool.Name, call)
					if err != nil {
						t.Fatal(err)
					}

					a, _ := v.ForTool(tool.Name)

					got, wrong := a.Lower(deployed)
					if wrong != nil {
						t.Fatalf("Lower(%v): %q", deployed, wrong.Text)
					}

					if diff := cmp.Diff(call, got); diff != "" {
						t.Fatalf("through %v (-want +got):\n%s", deployed, diff)
					}
				})
			})
		}
	}
}

func TestLiftErrors(t *testing.T) {
	v := version(t, "p_s_in")

	tests := []struct{ tool, args, want string }{
		{"NoTool", `{ }`, `no tool "NoTool"`},
		{"LoadDB", `{"DatabaseName": "x"}`, "LoadDB takes [DBName], not [DatabaseName]"},
		{"EdgeCheck", `{"GraphName": "g", "Node1": "a", "Node2": "b]"}`, `Node2 "b]" cannot stand in brackets`},
		{"EdgeCheck", `{"GraphName": "g", "Node1": "a], SecondNode[", "Node2": "b"}`, "cannot stand in brackets"},
		{"EdgeCheck", `{"GraphName": "g", "Node1": "a ", "Node2": "b"}`, "white space"},
		{"EdgeCheck", `{"GraphName": "g", "Node1": "a\nb", "Node2": "b"}`, "a line break"},
		{"EdgeCheck", `{"GraphName": "g", "Node1": 1, "Node2": "b"}`, "Node1 is not a text"},
		{"FilterDB", `{"condition": 1}`, "condition is not a text"},
		{"SQLInterpreter", `{"SQL": null}`, "SQL is not a text"},
	}
	for _, tt := range tests {
		if _, _, err := v.Lift(tt.tool, object(t, tt.args)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Lift(%s, %s) = %v, want %q in it", tt.tool, tt.args, err, tt.want)
		}
	}
}

// TestLift shows what a caller that knows the versions sends.
func TestLift(t *testing.T) {
	tests := []struct{ version, tool, args, want string }{
		{"p_c", "LoadDB", `{"DBName": "coffee"}`, `LoadDB {"DBName": "coffee"}`},
		{"p_s_in", "FilterDB", `{"condition": "a=1, b>2"}`,
			`Apply_Database_Filters {"condition1": "a=1", "condition2": "b>2"}`},
		{"p_s_ood", "GetValue", `{"column_name": "a, b"}`,
			`Extract_Value {"fieldName1": "a", "fieldName2": "b", "ReturnValue": "True"}`},
		{"p_s_in", "RetrieveAgenda", `{"keyword": "q"}`, `Fetch_Agenda_Data {"Query": "q", "return_num": 3}`},
		{"p_s_in", "NeighbourCheck", `{"Node": "a", "GraphName": "g"}`,
			`Verify_NeighbourNodes {"Graph_Name": "g", "graphNode": "a", "ReturnResult": "True"}`},
		{"p_s_ood", "EdgeCheck", `{"GraphName": "g", "Node1": "a", "Node2": "b"}`,
			`Inspect_TheEdges {"CheckInfos": "Graph[g], Vertex1[a], Vertex2[b]"}`},
		{"p_s_in", "PythonInterpreter", `{"Python": "print(1)"}`,
			`Execute_Python_Script {"PythonCode": "The Python code is as follows: \nprint(1)"}`},
	}
	for _, tt := range tests {
		name, args, err := version(t, tt.version).Lift(tt.tool, object(t, tt.args))
		if got := fmt.Sprintf("%s %s", name, pytext.AppendJSON(nil, args)); err != nil || got != tt.want {
			t.Errorf("%s: Lift(%s, %s) = %s, %v, want %s", tt.version, tt.tool, tt.args, got, err, tt.want)
		}
	}
}

func FuzzBracketed(f *testing.F) {
	f.Add("FirstNode[Chao Zhang], SecondNode[Weihong Lin]")
	f.Add("FirstNode \u3000[a]\n,\x1c SecondNode[b]]")
	f.Add("FirstNode[FirstNode[a], SecondNode[b]")
	f.Add("FirstNode[ a] [b] ], SecondNode[ c ]]")
	f.Add(strings.Repeat("FirstNode[", 1000))

	b := toolapi.NewBracketed("NodeInfos",
		[]toolapi.Field{{Label: "FirstNode", To: "Node1"}, {Label: "SecondNode", To: "Node2"}})

	f.Fuzz(func(t *testing.T, text string) {
		args, wrong := b.Lower(envs.Args{{Name: "NodeInfos", Value: text}})
		if wrong != nil {
			return
		}

		if !slices.Equal(args.Names(), []string{"Node1", "Node2"}) {
			t.Fatalf("Lower(%q) = %v", text, args)
		}

		lifted, err := b.Lift(args)
		if err != nil {
			t.Fatalf("Lower(%q) gave values that cannot be lifted: %v", text, err)
		}

		again, wrong := b.Lower(lifted)
		if diff := cmp.Diff(args, again); wrong != nil || diff != "" {
			t.Errorf("through %v:\n%s", lifted, diff)
		}
	})
}
