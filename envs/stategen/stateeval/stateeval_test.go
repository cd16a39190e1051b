package stateeval_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/stateeval"
	"toolevo/envs/stategen/tensor"
	"toolevo/envs/toolapi"
)

// The rows of these tests are of our own making, in the published form: none was published.

// published is a row as the benchmark has them: its variables are a text, an object and a number,
// its result an object.
const published = `{"example_id": 3, "prompt": "Write a program.", "metadata_json": "{\"task\": \"session\"}", ` +
	`"agent_data_json": "{}", "evaluator_json": "{\"test_cases\": [{\"result\": {\"source\": \"abc\"}, ` +
	`\"state_oracle\": {\"abc||settings\": []}, \"program_info\": {\"init_local_str\": \"user_variable_0 = 'x'\\n\", ` +
	`\"init_local_info\": [[\"user_variable_0\", \"x\"], [\"user_constant_0\", 2.50]], ` +
	`\"init_implicit_dict\": {\"1\": {\"source\": \"abc\"}, \"2\": {\"source\": \"abc\"}}, ` +
	`\"end_implict_list\": []}, \"program\": \"r = requests.get(x)\\nRESULT = r\\n\"}], \"config\": {}}"}`

func read(t *testing.T, text string) []stateeval.Row {
	t.Helper()

	var rows []stateeval.Row

	err := stateeval.Read(strings.NewReader(text), func(r stateeval.Row) error {
		rows = append(rows, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return rows
}

func TestDescribe(t *testing.T) {
	rows := read(t, published+"\n\n"+strings.Replace(published, `"example_id": 3`, `"example_id": 4`, 1))
	if len(rows) != 2 || rows[1].ExampleID != 4 || rows[0].AgentData != "{}" {
		t.Fatalf("rows are %+v", rows)
	}

	got, err := stateeval.Describe(rows[0])
	if err != nil {
		t.Fatal(err)
	}

	want := stateeval.Description{
		ID: 3, Domain: "session", Cases: 1, Variables: []string{"user_variable_0", "user_constant_0"},
		Loaded: []string{}, Sessions: 2, Lines: 2, Prompt: 16,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	if _, ours, err := rows[0].Task(); ours || err != nil {
		t.Errorf("a published row holds a task of ours, or: %v", err)
	}
}

// The programs of the benchmark read evaluator_N.json, which is a row without its number and
// prompt.
func TestReadEvaluator(t *testing.T) {
	evaluator := read(t, published)[0].Evaluator

	rows := read(t, evaluator)
	if len(rows) != 1 || rows[0].Evaluator != evaluator {
		t.Fatalf("rows are %+v", rows)
	}

	cases, err := rows[0].Cases()
	if err != nil || len(cases) != 1 || cases[0].Info.InitLocalInfo[1].Value.Any != envs.Number("2.50") {
		t.Errorf("error %v, cases %+v", err, cases)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":        "{",
		"no evaluator":   `{"example_id": 1}`,
		"no cases":       `{"example_id": 1, "evaluator_json": "{\"test_cases\": []}"}`,
		"no program":     `{"test_cases": [{"result": 1}]}`,
		"a lone name":    `{"test_cases": [{"program": "x", "program_info": {"init_local_info": [["a"]]}}]}`,
		"another format": "a,b\n1,2",
	} {
		err := stateeval.Read(strings.NewReader(published+"\n"+text), func(stateeval.Row) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "line 2 ") {
			t.Errorf("%s: error %v, want one of line 2", name, err)
		}
	}

	stop := errors.New("enough")
	if err := stateeval.Read(strings.NewReader(published), func(stateeval.Row) error { return stop }); err != stop {
		t.Errorf("error %v, want that of yield", err)
	}
}

// service is a domain whose only tool takes what it is given away. Its name and contents are as a
// test needs them.
type service struct {
	stategen.Domain
	name     string
	contents map[string]any
	effects  any
}

func (s *service) Name() string { return s.name }

func (s *service) APIs() []toolapi.APISpec { return []toolapi.APISpec{{Name: "take"}} }

func (s *service) Begin(*stategen.Program, map[string]any) (stategen.State, error) { return nil, nil }

func (s *service) Call(_ stategen.State, _ string, args envs.Args) (stategen.State, any, error) {
	return nil, args[0].Value, nil
}

func (s *service) Content(_ stategen.State, v any) any {
	return envs.Map(v, func(part any) (any, bool) {
		if name, ok := part.(string); ok && s.contents[name] != nil {
			return s.contents[name], true
		}
		return part, false
	})
}

func (s *service) Effects(stategen.State) any { return s.effects }

// task takes what variable holds, and answers with it; with a second case in which a constant is
// another.
func task(variable stategen.Variable) *stategen.Task {
	result := stategen.Var("r_1")
	return &stategen.Task{
		ID: "x-1-00001", Instruction: stategen.Instruction{Variables: "`x` is a thing.", Text: "Take it."},
		Program: stategen.Program{
			Init: []stategen.Variable{
				variable, {Name: "user_constant_0", Role: stategen.Constant, Value: text("it's")},
			},
			Server: stategen.Value{Any: []any{
				envs.Args{{Name: "source", Value: "abc"}, {Name: "type", Value: "group"}},
			}},
			Main: []stategen.Stmt{{Call: &stategen.Call{
				Assign: "r_1", Tool: "take", Args: []stategen.Named{{Name: "x", Expr: stategen.Var(variable.Name)}},
			}}},
			Result: &result,
		},
		Cases: []stategen.Case{{Path: "main"}, {Path: "main", Set: map[string]stategen.Value{
			"user_constant_0": text("other"),
		}}},
	}
}

func text(s string) stategen.Value { return stategen.Value{Any: s} }

// exported is what a task becomes: its cases, and the row.
func exported(t *testing.T, d stategen.Domain, task *stategen.Task) ([]stateeval.TestCase, stateeval.Row) {
	t.Helper()
	return exportedAs(t, stateeval.December, d, task)
}

func exportedAs(t *testing.T, form stateeval.Form, d stategen.Domain, task *stategen.Task) (
	[]stateeval.TestCase, stateeval.Row) {
	t.Helper()

	base := &toolapi.Spec{
		Version: "p_c", Base: true,
		Messages: toolapi.Messages{Deprecated: "It is gone.", Invalid: "There is no such API."},
	}
	for name, parameter := range map[string]string{"take": "x", "Finish": "answer", "UpdateTool": "newtool_desc"} {
		base.APIs = append(base.APIs, toolapi.APISpec{
			Name: name, Description: "which takes what it is given.",
			Parameters: toolapi.Parameters{All: []toolapi.Parameter{{Name: parameter}}},
		})
	}

	catalog, err := toolapi.NewCatalog(base)
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}

	row, err := stateeval.Export(&code.Surface{Domain: d, Base: v, Deployed: v}, task, task, 7, form)
	if err != nil {
		t.Fatal(err)
	}

	cases, err := row.Cases()
	if err != nil {
		t.Fatal(err)
	}
	return cases, row
}

func TestExportTensors(t *testing.T) {
	d := &service{name: "tensor", contents: map[string]any{
		"user_tensor_0": &tensor.Tensor{Shape: []int{1, 2}, Data: []float32{1, 2.5}},
	}}

	cases, row := exported(t, d, task(stategen.Variable{
		Name: "user_tensor_0", Role: stategen.Loaded, Type: "a tensor", Value: text("user_tensor_0"),
	}))

	got, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}

	info := func(constant string) string {
		return `"state_oracle":null,"program_info":{"init_local_str":"user_constant_0 = ` + constant + `\n",` +
			`"init_local_info":[["user_constant_0",` + strings.ReplaceAll(constant, `\"`, `"`) + `]],` +
			`"init_implicit_dict":null,"end_implict_list":null,"init_load_str":"user_tensor_0 = a tensor\n",` +
			`"init_load_info":[["user_tensor_0",[[1,2.5]]]]},"program":"r_1 = torch.take(user_tensor_0)\nRESULT = r_1\n"}`
	}
	want := `[{"result":[[1,2.5]],` + info(`\"it's\"`) + `,{"result":[[1,2.5]],` +
		strings.Replace(info(`\"other\"`), `\"other\"`, `'other'`, 1) + `]`

	if d := cmp.Diff(want, string(compact(t, got))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	if row.ExampleID != 7 {
		t.Errorf("the row is number %d", row.ExampleID)
	}

	for _, want := range []string{"torch.take(", "which takes what it is given.", "`x` is a thing.", "Take it."} {
		if !strings.Contains(row.Prompt, want) {
			t.Errorf("%q is not in the prompt:\n%s", want, row.Prompt)
		}
	}
}

func compact(t *testing.T, text []byte) []byte {
	t.Helper()

	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestExportSessions(t *testing.T) {
	session := func(kind string) any {
		return envs.Args{{Name: "source", Value: "abc"}, {Name: "type", Value: kind}}
	}
	d := &service{name: "session", effects: []any{session("group"), session("settings"), session("group")}}

	cases, row := exported(t, d, task(stategen.Variable{
		Name: "user_variable_0", Role: stategen.User, Value: text("x"),
	}))

	oracle := cases[0].StateOracle.Any.(envs.Args)
	if got := oracle.Names(); !slices.Equal(got, []string{"abc||group", "abc||settings"}) {
		t.Errorf("pairs are %q", got)
	}

	if got, _ := oracle.Get("abc||group"); len(got.([]any)) != 2 {
		t.Errorf("of one pair there are %v", got)
	}

	if got := cases[0].Info.InitImplicitDict.Any.(envs.Args); len(got) != 1 || cases[0].Info.InitLoadInfo != nil {
		t.Errorf("the service begins with %v, loaded is %v", got, cases[0].Info.InitLoadInfo)
	}

	if !strings.Contains(row.Evaluator, `"config":{"base_url":`) {
		t.Error("the published evaluator needs a base_url")
	}
}

func TestExportSpeeches(t *testing.T) {
	speech := envs.Args{{Name: "text", Value: "Hi."}, {Name: "transitions", Value: []any{}}}
	d := &service{
		name: "voice", contents: map[string]any{"user_speech_0": speech},
		effects: []any{envs.Args{{Name: "speech", Value: speech}, {Name: "voice_name", Value: "Emma"}}},
	}

	cases, _ := exported(t, d, task(stategen.Variable{
		Name: "user_speech_0", Role: stategen.Loaded, Value: text("user_speech_0"),
	}))

	written := `{"text": "Hi.", "transitions": [], "is_speech": true}`
	for name, got := range map[string]stategen.Value{
		written:                       cases[0].Result,
		`[[` + written + `, "Emma"]]`: cases[0].StateOracle,
	} {
		text, err := got.MarshalJSON()
		if err != nil || string(text) != name {
			t.Errorf("error %v, %s, want %s", err, text, name)
		}
	}
}

// A row of ours is read back as the task that it was made from.
func TestTaskOfRow(t *testing.T) {
	want := task(stategen.Variable{Name: "user_variable_0", Role: stategen.User, Value: text("x")})
	_, row := exported(t, &service{name: "voice"}, want)

	line, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}

	got, ours, err := read(t, string(line))[0].Task()
	if err != nil || !ours {
		t.Fatalf("a task: %t, error %v", ours, err)
	}

	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// RESULT of April's form is encoded: 1.5 and -2 are 3fc00000 and c0000000 in hexadecimal, the last
// byte first. A list of tensors is one, and the program and the prompt say so.
func TestExportTensorsOfApril(t *testing.T) {
	one := &tensor.Tensor{Shape: []int{1, 2}, Data: []float32{1.5, -2}}
	d := &service{name: "tensor", contents: map[string]any{"user_tensor_0": one}}

	made := task(stategen.Variable{Name: "user_tensor_0", Role: stategen.Loaded, Value: text("user_tensor_0")})
	encoded := func(shape string, data string) string {
		return `{"__tensor__": true, "shape": ` + shape + `, "dtype": "<f4", "data_b64": "` + data + `"}`
	}

	cases, row := exportedAs(t, stateeval.April, d, made)
	if got, _ := cases[0].Result.MarshalJSON(); string(got) != encoded("[1, 2]", "AADAPwAAAMA=") {
		t.Errorf("RESULT is %s", got)
	}

	if strings.Contains(row.Prompt, "one dimension") || strings.Contains(cases[0].Program, "isinstance") {
		t.Errorf("the program is changed:\n%s", cases[0].Program)
	}

	both := stategen.Expr{List: []stategen.Expr{*made.Program.Result, *made.Program.Result}}
	made.Program.Result = &both
	made.Cases[0].Result.Any = []any{"two", "digests"}

	cases, row = exportedAs(t, stateeval.April, d, made)
	if got, _ := cases[0].Result.MarshalJSON(); string(got) != encoded("[4]", "AADAPwAAAMAAAMA/AAAAwA==") {
		t.Errorf("RESULT is %s", got)
	}

	if !strings.Contains(row.Prompt, "one dimension") ||
		!strings.Contains(cases[0].Program, "if isinstance(RESULT, list):") {
		t.Errorf("nothing joins the tensors:\n%s\n%s", cases[0].Program, row.Prompt)
	}
}

// December's evaluator compares identifiers, so that RESULT has none.
func TestExportSessionsOfDecember(t *testing.T) {
	for form, want := range map[stateeval.Form]bool{stateeval.April: false, stateeval.December: true} {
		cases, row := exportedAs(t, form, &service{name: "session"}, task(stategen.Variable{
			Name: "user_variable_0", Role: stategen.User, Value: text("x"),
		}))

		if got := strings.Contains(cases[0].Program, "RESULT = without_ids(RESULT)"); got != want {
			t.Errorf("%s: identifiers are left out: %t", form, got)
		}

		if got := strings.Contains(row.Prompt, "Leave the members id and checksum out"); got != want {
			t.Errorf("%s: the prompt says so: %t", form, got)
		}
	}
}

// Rows may stand on several lines each, or in a list.
func TestReadIndented(t *testing.T) {
	evaluator := read(t, published)[0].Evaluator

	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(evaluator), "", "  "); err != nil {
		t.Fatal(err)
	}

	for name, text := range map[string]string{
		"indented": indented.String() + "\n" + indented.String(), "a list": "[" + published + ",\n" + published + "]",
	} {
		rows := read(t, text)
		if len(rows) != 2 {
			t.Errorf("%s: %d rows", name, len(rows))
			continue
		}

		if cases, err := rows[1].Cases(); err != nil || len(cases) != 1 {
			t.Errorf("%s: %d cases, error %v", name, len(cases), err)
		}
	}

	for path, want := range map[string]int{"a/evaluator_12.json": 12, "evaluator_0.json": 0, "evaluator_1.jsonl": -1} {
		if n, ok := stateeval.Number(path); ok != (want >= 0) || ok && n != want {
			t.Errorf("%s has the number %d, %t", path, n, ok)
		}
	}
}

// A voice task for the paper's service: its voice is the benchmark's of the same category and
// gender, any gender is none, a transcript is a member, and the speech takes 16 seconds, whatever
// it says.
func TestAdapt(t *testing.T) {
	program := `{"domain": "voice", "server": [{"voice_name": "Ada", "category": "news", "gender": "female"}],
		"init": [{"name": "user_variable_0", "role": "user", "type": "", "value": "Good morning."},
			{"name": "user_variable_1", "role": "user", "type": "", "value": {"search_category": "news", "search_gender": "any"}},
			{"name": "user_constant_0", "role": "constant", "type": "", "value": 0.8}],
		"main": [{"call": {"assign": "r_1", "tool": "text_to_speech", "args": [
				{"name": "text", "expr": {"var": "user_variable_0"}}, {"name": "voice_name", "expr": {"value": "Ada"}}]}},
			{"call": {"assign": "r_2", "tool": "search_voice_library", "args": [
				{"name": "search_category", "expr": {"var": "user_variable_1", "path": ["search_category"]}},
				{"name": "search_gender", "expr": {"var": "user_variable_1", "path": ["search_gender"]}}]}}],
		"branch": {"test": {"left": {"var": "r_1", "path": ["duration"]}, "right": {"var": "user_constant_0"}},
			"if": {"stmts": [{"call": {"assign": "r_3", "tool": "speech_to_text", "args": [
				{"name": "input_speech", "expr": {"var": "r_1", "path": ["speech"]}}]}}],
				"result": {"list": [{"var": "r_3"}, {"var": "r_2"}]}},
			"else": {"stmts": [{"call": {"assign": "r_3", "tool": "isolate_audio", "args": [
				{"name": "input_speech", "expr": {"var": "r_1", "path": ["speech"]}}]}}],
				"result": {"var": "r_3"}}}}`

	own := &stategen.Task{ID: "voice-1"}
	if err := json.Unmarshal([]byte(program), &own.Program); err != nil {
		t.Fatal(err)
	}

	got, err := stateeval.Adapt(own)
	if err != nil {
		t.Fatal(err)
	}

	results, err := json.Marshal([]any{got.Program.Init[2].Value, got.Cases[0].Result, got.Cases[1].Result})
	if err != nil {
		t.Fatal(err)
	}

	want := `[16.0,["Good morning.",[{"category":"old","gender":"masculine","voice_name":"Alexander"},` +
		`{"category":"old","gender":"feminine","voice_name":"Isabella"}]],` +
		`{"text":"Good morning.","voice_name":"Isabella","stability":null,"similarity_boost":null,"style":null,` +
		`"duration":8,"transitions":[["text_to_speech",{"voice_name":"Isabella","stability":null,` +
		`"similarity_boost":null,"style":null}],["isolate_audio",{}]]}]`
	if d := cmp.Diff(want, string(compact(t, results))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	again, err := stateeval.Adapt(got)
	if err != nil || again != got {
		t.Errorf("a task for the paper's APIs is adapted again, error %v", err)
	}
}
