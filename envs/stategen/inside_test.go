package stategen

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

func read(t testing.TB, text string) any {
	t.Helper()

	v, err := pytext.DecodeStrict(text)
	if err != nil {
		t.Fatal(text, err)
	}
	return v
}

func written(v any) string { return string(pytext.AppendJSON(nil, v)) }

func programOf(t testing.TB, text string) *Program {
	t.Helper()

	var p Program
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

// A flipped value is another one of its kind.
func TestFlip(t *testing.T) {
	t.Parallel()

	for from, want := range map[string]string{
		`"9"`: `"10"`, `"-1"`: `"0"`, `"1.5"`: `"2.5"`, `"a"`: `"a_other"`, `""`: `"_other"`, `7`: `8`, `0.5`: `1.5`,
		`true`: `false`, `false`: `true`, `[1, "9"]`: `[1, "10"]`, `[3]`: `[4]`, `[]`: `null`, `null`: `null`,
		`[[1], [2, 3]]`: `[[1], [2, 4]]`,
	} {
		v := read(t, from)
		if got := written(flip(v, nil)); got != want || written(v) != from {
			t.Errorf("%s is flipped to %s, want %s; it is %s now", from, got, want, written(v))
		}
	}

	for from, want := range map[string]string{`"a"`: `"b"`, `"b"`: `"a"`, `"c"`: `"a"`, `"9"`: `"10"`, `7`: `8`} {
		if got := written(flip(read(t, from), []string{"a", "b"})); got != want {
			t.Errorf("of a stock, %s is flipped to %s, want %s", from, got, want)
		}
	}
}

// A program that tests nothing is no task.
func TestTests(t *testing.T) {
	t.Parallel()

	const made = `"main":[{"call":{"tool":"t","args":[]}},{"call":{"assign":"r","tool":"t","args":[]}}]`
	const branch = `"branch":{"test":{"left":{"var":"LEFT"},"right":{"var":"c"}},"if":{"stmts":[{"call":{"assign":"s",
		"tool":"t","args":[]}}],"result":{"var":"IF"}},"else":{"stmts":[{"edit":{"var":"u","path":[],"to":{}}}],
		"result":{"list":[{"var":"r"},{"var":"ELSE"}]}}}`

	branched := func(left, yes, no string) string {
		return "{" + made + "," + strings.NewReplacer("LEFT", left, "IF", yes, "ELSE",
			no).Replace(branch) + "}"
	}

	for text, want := range map[string]error{
		"{" + made + `,"result":{"var":"r","path":["a"]}}`:             nil,
		"{" + made + `,"result":{"list":[{"var":"r"},{"var":"r"}]}}`:   nil,
		"{" + made + `,"result":{"value":1}}`:                          errUntouched,
		"{" + made + `,"result":{"var":"u"}}`:                          errUntouched,
		"{" + made + `,"result":{"list":[{"var":"r"},{"var":"u"}]}}`:   errUntouched,
		"{" + made + `,"result":{"list":[{"var":"r"},{"value":"r"}]}}`: nil,
		branched("r", "s", "r"):                                        nil,
		branched("r", "r", "r"):                                        nil,
		branched("u", "s", "r"):                                        errConstants,
		branched("", "s", "r"):                                         errConstants,
		branched("s", "s",
			"r"): errConstants, // made on one path alone
		branched("r", "u", "r"): errUntouched,
		branched("r", "s", "s"): errUntouched,
		branched("r", "s", "u"): errUntouched,
	} {
		if got := checkTests(programOf(t, text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// everything is a program with a statement and an expression of each kind.
const everything = `{"domain":"toy","init":[
	{"name":"a","role":"user","type":"","value":"1"},{"name":"b","role":"user","type":"","value":"2"},
	{"name":"c","role":"user","type":"","value":"3"},{"name":"d","role":"user","type":"","value":"4"},
	{"name":"k","role":"constant","type":"","value":"5"},{"name":"unused","role":"user","type":"","value":"6"}],
	"main":[
		{"call":{"assign":"r","tool":"find","args":[{"name":"x","expr":{"object":[{"name":"y","expr":{"var":"a"}}]}}]}},
		{"edit":{"var":"b","path":["p","q"],"to":{"list":[{"var":"r"}]}}},
		{"each":{"item":"i","in":{"var":"r"},"where":{"left":{"var":"i"},"right":{"var":"c"}},
			"do":{"tool":"delete","args":[{"name":"x","expr":{"var":"i"}},{"name":"y","expr":{"value":"all"}}]}}}],
	"branch":{"test":{"left":{"var":"r"},"any":["n"],"right":{"var":"k"}},
		"if":{"stmts":[{"call":{"assign":"s","tool":"make","args":[{"name":"w","expr":{"value":"lost"}},
			{"name":"v","expr":{"value":"text"}},{"name":"x","expr":{"value":3}},{"name":"y","expr":{"var":"d"}}]}},
			{"call":{"assign":"unread","tool":"make","args":[{"name":"w","expr":{"value":"unread"}}]}}],
			"result":{"list":[{"var":"s"},{"var":"r"}]}},
		"else":{"stmts":[{"edit":{"var":"b","path":["z"],"to":{"value":"n"}}},{"edit":{"var":"b","path":[],"to":{"var":"b"}}},
			{"call":{"tool":"keep","args":[]}}],"result":{"var":"r"}}}}`

// Exprs are all expressions of a program, and what no expression has is dropped.
func TestExprs(t *testing.T) {
	t.Parallel()

	p := programOf(t, everything)
	before := written(read(t, string(must(json.Marshal(p)))))

	var names []string
	for _, e := range p.Exprs() {
		if e.Var != "" {
			names = append(names, e.Var)
		}
	}

	want := []string{"a", "b", "r", "r", "i", "c", "i", "r", "k", "d", "s", "r", "b", "b", "b", "r"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}

	if after := written(read(t, string(must(json.Marshal(p))))); after != before {
		t.Errorf("looking at the program has changed it to\n%s", after)
	}

	plain := programOf(t, `{"main":[],"result":{"var":"r"}}`)
	if got := plain.Exprs(); len(got) != 1 || got[0].Var != "r" {
		t.Errorf("the expressions of a result are %v", got)
	}

	p.dropUnused()

	names = nil
	for _, v := range p.Init {
		names = append(names, v.Name)
	}

	if want := []string{"a", "b", "c", "d", "k"}; !slices.Equal(names, want) {
		t.Errorf("the variables are %v, want %v", names, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Each mutant is the program with one mistake, on the path of its case.
func TestMutants(t *testing.T) {
	t.Parallel()

	compact := func(v any) string { return string(must(json.Marshal(v))) }
	task := Task{Program: *programOf(t, everything), Cases: []Case{{Path: "if"}, {Path: "else"}}}
	whole := compact(task.Program)

	type mistake struct{ kind, path, from, to string }

	yes, no := compact(task.Program.Branch.If), compact(task.Program.Branch.Else)
	want := []mistake{
		{NoResult, "if", `"result":{"list":[{"var":"s"},{"var":"r"}]}`, `"result":{"value":null}`},
		{EmptyResult, "if", `"result":{"list":[{"var":"s"},{"var":"r"}]}`, `"result":{"value":{}}`},
		{WrongText, "if", `"value":"text"`, `"value":"text_other"`},
		{UnknownTool, "if", `"assign":"unread","tool":"make"`,
			`"assign":"unread","tool":"make_all"`},
		{Swapped, "if", `"if":` + yes + `,"else":` + no, `"if":` + no + `,"else":` + yes},
		{NoResult, "else", `"result":{"var":"r"}`, `"result":{"value":null}`},
		{EmptyResult, "else", `"result":{"var":"r"}`, `"result":{"value":{}}`},
		{Dropped, "else", `,{"call":{"tool":"keep","args":[]}}`, ``},
		{WrongField, "else", `"path":["z"]`, `"path":["z_other"]`},
		{UnknownTool, "else", `"tool":"keep"`, `"tool":"keep_all"`},
		{Swapped, "else", `"if":` + yes + `,"else":` + no, `"if":` + no + `,"else":` + yes},
	}

	got := Mutants(task)
	for i, m := range got {
		if i >= len(want) || m.Kind != want[i].kind || m.Case.Path != want[i].path {
			t.Fatalf("mutant %d is %s of %s", i, m.Kind, m.Case.Path)
		}

		if w := want[i]; strings.Count(whole, w.from) != 1 {
			t.Errorf("%s is not in the program once", w.from)
		} else if text := strings.Replace(whole, w.from, w.to, 1); compact(m.Program) != text {
			t.Errorf("%s of %s is\n%s\nwant\n%s", w.kind, w.path, compact(m.Program), text)
		}
	}

	if len(got) != len(want) || compact(task.Program) != whole {
		t.Errorf("%d mutants of the program, which is now\n%s", len(got), compact(task.Program))
	}

	// Without a branch the mistakes are in all that there is.
	text := `{"domain":"toy","init":null,"server":null,"main":[{"each":{"item":"i","in":{"var":"l"},"where":{"left":{"var":` +
		`"i"},"right":{"var":"c"}},"do":{"tool":"delete","args":[{"name":"y","expr":{"value":"all"}}]}}},` +
		`{"edit":{"var":"b","path":["p","q"],"to":{"var":"b"}}}],"result":{"var":"r"}}`
	want = []mistake{
		{kind: NoResult, from: `"result":{"var":"r"}`, to: `"result":{"value":null}`},
		{kind: EmptyResult, from: `"result":{"var":"r"}`, to: `"result":{"value":{}}`},
		{kind: Dropped, from: text[strings.Index(text, `{"each"`):strings.Index(text, `{"edit"`)],
			to: ``},
		{kind: WrongText, from: `"value":"all"`, to: `"value":"all_other"`},
		{kind: WrongField, from: `"path":["p","q"]`, to: `"path":["p","q_other"]`},
		{kind: UnknownTool, from: `"delete"`, to: `"delete_all"`},
	}

	got = Mutants(Task{Program: *programOf(t, text), Cases: []Case{{Path: "main"}}})
	for i, w := range want {
		if i >= len(got) || got[i].Kind != w.kind ||
			compact(got[i].Program) != strings.Replace(text, w.from, w.to, 1) {
			t.Errorf("%s is not the mutant %d of %+v", w.kind, i, got)
		}
	}
}

// The variables of the second branch get names that are free, and what both branches took from the
// same start stays one variable.
func TestTake(t *testing.T) {
	t.Parallel()

	variable := func(name string, role Role, kind, value string) Variable {
		return Variable{Name: name, Role: role, Type: kind, Value: Value{read(t, value)}}
	}

	first := []Variable{
		variable("v_1", User, "a text", `"x"`), variable("v_2", User, "a text", `"x"`),
		variable("t_3", Loaded, "a tensor", `{"tensor": "t_3", "n": 1}`),
	}
	p := &Program{Init: append([]Variable{variable("v_0", User, "a text", `"x"`)}, first...),
		Branch: &Branch{
			Else: Path{Result: Expr{List: []Expr{
				Var("v_0"), Var("v_1"), Var("v_2"), Var("v_3"), Var("v_4"), Var("t_5"), Var("t_3"),
				Var("v_7"), Var("r"),
			}}},
		}}

	p.addElse([]Variable{
		variable("v_1", User, "a text",
			`"y"`), // another value: a name of its own
		variable("v_2", User, "a text", `"x"`),                           // v_1 of the first branch
		variable("v_3", User, "a text", `"x"`),                           // v_2 of the first branch
		variable("v_4", User, "a text", `"x"`),                           // there is no third one
		variable("t_5", Loaded, "a tensor", `{"tensor": "t_5", "n": 1}`), // t_3, by another name
		variable("t_3", Loaded, "a tensor",
			`{"tensor": "t_3", "n": 2}`), // the handle follows the name
		variable("v_7", Constant, "a text", `"x"`), // another role
	}, first)

	var names []string
	for _, e := range p.Branch.Else.Result.List {
		names = append(names, e.Var)
	}

	if want := []string{"v_0", "v_3", "v_1", "v_2", "v_4", "t_3", "t_0", "v_7",
		"r"}; !slices.Equal(names, want) {
		t.Errorf("the second branch has %v, want %v", names, want)
	}

	var taken []string
	for _, v := range p.Init[4:] {
		taken = append(taken, v.Name+" "+written(v.Value.Any))
	}

	if want := []string{`v_3 "y"`, `v_4 "x"`, `t_0 {"tensor": "t_0", "n": 2}`,
		`v_7 "x"`}; !slices.Equal(taken, want) {
		t.Errorf("taken are %v, want %v", taken, want)
	}

	of := variable("v", User, "a text", `"x"`)
	for other, want := range map[*Variable]bool{
		{Name: "w", Role: User, Type: "a text", Value: of.Value}:                true,
		{Name: "v", Role: Constant, Type: "a text", Value: of.Value}:            false,
		{Name: "v", Role: User, Type: "a voice", Value: of.Value}:               false,
		{Name: "v", Role: User, Type: "a text", Value: Value{envs.Number("1")}}: false,
	} {
		if of.same(*other) != want {
			t.Errorf("%+v is the same: %v", other, !want)
		}
	}
}

// A weight is a probability in proportion; what has none is never drawn.
func TestDraw(t *testing.T) {
	t.Parallel()

	rng := rand.New(rand.NewPCG(1, 1))

	for _, weights := range [][]float64{{1, 0, 3, 0}, {0, 2}, {0, 0, 5, 0}, {1, 1, 1, 1},
		{0.25, 0.5, 0.25}} {
		total := 0.0
		for _, w := range weights {
			total += w
		}

		const n = 4000

		counts := make([]int, len(weights))
		for range n {
			counts[draw(rng, weights)]++
		}

		for i, c := range counts {
			if w := weights[i] / total; w == 0 && c > 0 || math.Abs(float64(c)/n-w) > 0.04 {
				t.Errorf("%v: %d of %d are number %d", weights, c, n, i)
			}
		}
	}
}

// Numbers are written as people write them, and very large ones with an exponent.
func TestNumber(t *testing.T) {
	t.Parallel()

	for f, want := range map[float64]string{
		0: "0", -0.5: "-0.5", 3: "3", 1e14: "100000000000000", 999999999999999: "999999999999999", 1e15: "1e+15",
		-1e15: "-1e+15", 0.1: "0.1", 1e-7: "0.0000001", 1.0 / 3: "0.3333333333333333",
	} {
		if got := Number(f); string(got) != want {
			t.Errorf("%v is written as %s, want %s", f, got, want)
		}

		if got, ok := number(Number(f)); !ok || got != f {
			t.Errorf("%v is read again as %v", f, got)
		}
	}
}

// Comparisons beyond Equal: what is near, what may be in any order, what a domain says.
func TestComparison(t *testing.T) {
	t.Parallel()

	near := Comparison{Near: func(got, want float64) bool { return math.Abs(got-want) < 1 }}
	loose := Comparison{Loose: func(member string) bool { return member != "strict" }}
	own := Comparison{Own: func(got, want any) (same, ok bool) { return got == "any", want == "handle" }}

	for _, tt := range []struct {
		by        Comparison
		got, want string
		same      bool
	}{
		{near, `1`, `1.5`, true}, {near, `1`, `2`, false},
		{near, `[1, {"a": 2}]`, `[1.5, {"a": 2.5}]`, true}, {near, `"1"`, `1`, false},
		{near, `0`, `"0"`, false}, {near, `NaN`, `NaN`, false}, {near, `null`, `0`, false},
		{loose, `[1, 2, 2]`, `[2, 1, 2]`, true}, {loose, `[1, 2, 2]`, `[1, 1, 2]`, false},
		{loose, `[1, 1, 2]`, `[1, 2, 2]`, false}, {loose, `[1, 2]`, `[1]`, false},
		{loose, `[1]`, `[1, 2]`, false}, {loose, `{"a": [1, 2]}`, `{"a": [2, 1]}`, true},
		{loose, `{"strict": [1, 2]}`, `{"strict": [2, 1]}`, false},
		{loose, `[[1, 2], [3]]`, `[[3], [2, 1]]`, true}, {loose, `3`, `[3]`, false},
		{loose, `{"a": 1}`, `[1]`, false}, {own, `"any"`, `"handle"`, true},
		{own, `"handle"`, `"handle"`, false}, {own, `"a"`, `"a"`, true},
		{own, `["any"]`, `["handle"]`, true}, {own, `["other"]`, `["handle"]`, false},
		{Comparison{}, `{"a": 1, "b": 2}`, `{"a": 1, "c": 2}`, false},
		{Comparison{}, `[1]`, `{"a": 1}`, false}, {Comparison{}, `{"a": 1}`, `{"a": 2}`, false},
		{Comparison{}, `[]`, `{}`, false}, {Comparison{}, `null`, `[]`, false},
		{Comparison{}, `{}`, `{}`, true}, {Comparison{}, `[]`, `[]`, true},
		{Comparison{}, `true`, `true`, true},
	} {
		if got := tt.by.Same(read(t, tt.got), read(t, tt.want)); got != tt.same {
			t.Errorf("%s is %s: %v", tt.got, tt.want, got)
		}
	}

	// Numbers that only JSON of others can write are the same where their texts are.
	if n := envs.Number("many"); !Equal(n, n) || Equal(n, envs.Number("few")) ||
		Equal(envs.Number("0"), n) {
		t.Error("numbers that are none are compared as if they were")
	}
}

// Map replaces every part, the whole first, and leaves alone what is final.
func TestMap(t *testing.T) {
	t.Parallel()

	const text = `{"a": [1, "x", {"b": "x"}], "keep": {"b": "x"}, "c": "x"}`

	v := read(t, text)
	got := envs.Map(v, func(part any) (any, bool) {
		object, _ := part.(envs.Args)
		_, isKept := object.Get("keep")

		switch {
		case part == "x":
			return []any{"y"}, false // whose parts are replaced in turn
		case part == "y":
			return "z", false
		case len(object) == 1:
			return part, !isKept
		}

		return part, false
	})

	const want = `{"a": [1, ["z"], {"b": "x"}], "keep": {"b": "x"}, "c": ["z"]}`
	if written(got) != want || written(v) != text {
		t.Errorf("it is %s, want %s; what was given is %s", written(got), want, written(v))
	}

	for text, want := range map[string]string{`"t_1"`: "t_1", `{"tensor": "t_2"}`: "t_2",
		`{"other": "t"}`: "", `3`: "",
		`["t_1"]`: "", `{"tensor": 3}`: ""} {
		if got := Handle(read(t, text), "tensor"); got != want {
			t.Errorf("the handle of %s is %q, want %q", text, got, want)
		}
	}

	var value Value
	if err := json.Unmarshal([]byte(`1e`), &value); err == nil {
		t.Error("a number that ends early is read")
	}

	if err := value.UnmarshalJSON([]byte(`{"a": }`)); err == nil {
		t.Error("an object that ends early is read")
	}
}

// counter is a service that counts its calls.
type counter struct{ Service }

func (counter) Call(s State, tool string, args envs.Args) (State, any, error) {
	if tool == "fail" {
		return nil, nil, Refuse("no")
	}

	n := s.(int) + 1
	return n, append(slices.Clone(args), envs.Arg{Name: "n", Value: Number(float64(n))}), nil
}

// A program that grows knows its service and its variables; a copy goes its own way.
func TestGrowing(t *testing.T) {
	t.Parallel()

	g := NewGrowing("toy", "start")
	g.State = 0

	if name := g.NextVariable("user_variable", 0) + " " + g.NextVariable("u",
		2) + " " + g.NextResult(); name !=
		"user_variable_0 u_2 r_1" {
		t.Errorf("the next names are %s", name)
	}

	g.Declare(Variable{Name: "u_0", Value: Value{"a"}}, Variable{Name: "u_1", Value: Value{"b"}})

	call := Call{Assign: g.NextResult(), Tool: "t", Args: []Named{{"x", Var("u_1")}}}
	if got := written(g.Run(counter{}, Stmt{Call: &call})); got != `{"x": "b", "n": 1}` ||
		g.State != 1 ||
		written(g.Values["r_1"]) != got {
		t.Errorf("the call is answered with %s, the state is %v, and the values are %v", got,
			g.State, g.Values)
	}

	g.Add(Stmt{Edit: &Edit{Var: "u_0", To: Literal("c")}})
	g.Add(Stmt{Call: &Call{Tool: "quiet"}})

	if g.NextResult() != "r_2" || g.NextVariable("u", 0) != "u_2" {
		t.Errorf("the next names are %s and %s", g.NextResult(), g.NextVariable("u", 0))
	}

	other := g.Clone()
	other.Declare(Variable{Name: "u_2", Value: Value{"d"}})
	other.Run(counter{}, Stmt{Call: &Call{Assign: "r_2", Tool: "t"}})

	p, q := g.Program(), other.Program()
	if len(p.Init) != 2 || len(p.Main) != 3 || p.Domain != "toy" || p.Server.Any != "start" ||
		g.State != 1 ||
		g.Values["r_2"] != nil || g.Values["u_2"] != nil {
		t.Errorf("what was copied is %+v, in the state %v with %v", p, g.State, g.Values)
	}

	if len(q.Init) != 3 || len(q.Main) != 4 || other.State != 2 || other.NextResult() != "r_3" {
		t.Errorf("the copy is %+v, in the state %v", q, other.State)
	}

	p.Init[0].Name, p.Main[0] = "z", Stmt{} // a caller's program is its own
	if again := g.Program(); again.Init[0].Name != "u_0" || again.Main[0].Call == nil {
		t.Errorf("the program is %+v", again)
	}

	defer func() {
		if recover() == nil {
			t.Error("a candidate that cannot be done is passed over")
		}
	}()

	g.Run(counter{}, Stmt{Call: &Call{Tool: "fail"}})
}

func TestPairs(t *testing.T) {
	t.Parallel()

	want := []Pair{{"NONE", "c"}, {"a", "c"}, {"b", "c"}}
	if got := Pairs("c", "", "a", "a", "NONE", "b"); !slices.Equal(got, want) {
		t.Errorf("the pairs are %v, want %v", got, want)
	}

	for n, want := range []string{"{}", `{"var":"a"}`, `{"list":[{"var":"a"},{"var":"a"}]}`} {
		e, ok := OneOrAll(slices.Repeat([]Expr{Var("a")}, n))
		if text := string(must(json.Marshal(e))); text != want || ok != (n > 0) {
			t.Errorf("of %d it is %s (%v)", n, text, ok)
		}
	}

	test, constant, ok := Compared("a text", Var("r"), "n", "m")
	if !ok || test.Left.Var != "r" || test.Right.Var != constant.Name ||
		!slices.Equal(test.Any, []string{"n", "m"}) ||
		constant.Type != "a text" || constant.Role != Constant || constant.Value.Any != nil {
		t.Errorf("%+v %+v %v", test, constant, ok)
	}

	book := &Book{}
	book.add(want, 2)
	book.add(want[:2], -1)
	book.add(want[:1], -1)

	if !slices.Equal(book.Pairs(), want[1:]) || book.Count(want[1]) != 1 ||
		book.Count(want[2]) != 2 {
		t.Errorf("the book has %v", book.Pairs())
	}
}

// A mistake in a file of tools is one of ours.
func TestTools(t *testing.T) {
	t.Parallel()

	const text = "version: v\nbase: true\napis:\n  - {name: A, description: which acts., parameters: [x]}\n"
	if all := Tools("v.yaml", text); len(all) != 1 || all[0].Name != "A" {
		t.Errorf("the tools are %+v", all)
	}

	defer func() {
		if recover() == nil {
			t.Error("a wrong file is read")
		}
	}()

	Tools("v.yaml", "version: [")
}
