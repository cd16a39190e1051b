package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/session"
	"toolevo/envs/toolapi"
)

// object reads a JSON object.
func object(t testing.TB, text string) envs.Args {
	t.Helper()

	args, rest, err := pytext.DecodeObject(text)
	if err != nil || rest != "" {
		t.Fatalf("%s: %v, and then %q", text, err, rest)
	}
	return args
}

// caller calls the tools of an empty service, one after the other, with arguments as JSON.
func caller(t testing.TB) (call func(tool, args string) (string, error), state func() stategen.State) {
	t.Helper()

	d := session.New()

	s, err := d.Begin(&stategen.Program{}, nil)
	if err != nil {
		t.Fatal(err)
	}

	call = func(tool, args string) (string, error) {
		next, v, err := d.Call(s, tool, object(t, args))
		if err == nil {
			s = next
		}
		return string(pytext.AppendJSON(nil, v)), err
	}
	return call, func() stategen.State { return s }
}

func TestService(t *testing.T) {
	t.Parallel()

	call, state := caller(t)
	must := func(tool, args string) string {
		t.Helper()

		answer, err := call(tool, args)
		if err != nil {
			t.Fatalf("%s(%s): %v", tool, args, err)
		}
		return answer
	}

	const at = `"source": "lab", "type": "group"`

	first := must(session.Add, `{`+at+`, "data": {"title": "A", "members": "1"}}`)
	again := must(session.Add, `{`+at+`, "data": {"members": "1", "title": "A"}}`)
	second := must(session.Add, `{`+at+`, "data": {"title": "B", "members": "1"}}`)
	other := must(session.Add, `{"source": "lab", "type": "settings", "data": {"title": "A", "members": "1"}}`)

	if first != again || first == second || first == other {
		t.Errorf("the ids are %s, again %s, %s and %s", first, again, second, other)
	}

	id, _ := object(t, first).Text("id")
	if got := object(t, first).Names(); !slices.Equal(got, []string{"id"}) || len(id) != 24 {
		t.Errorf("add answers %s", first)
	}

	before := state()

	for _, tt := range []struct{ tool, args, want string }{
		{session.List, `{` + at + `}`, `A B`},
		{session.List, `{"source": "lab", "type": "custom_data"}`, ``},
		{session.Query, `{` + at + `, "field": "data.members", "value": "1"}`, `A B`},
		{session.Query, `{` + at + `, "field": "data.title", "value": "B"}`, `B`},
		{session.Query, `{` + at + `, "field": "data.title", "value": "b"}`, ``},
		{session.Query, `{` + at + `, "field": "data.absent", "value": "B"}`, ``},
		{session.Get, `{` + at + `, "id": "` + id + `"}`, `A`},
		{session.Update, `{` + at + `, "id": "` + id + `", "data": {"title": "C"}}`, `null`},
		{session.List, `{` + at + `}`, `C B`},
		{session.Delete, `{` + at + `, "id": "` + id + `"}`, `null`},
		{session.List, `{` + at + `}`, `B`},
	} {
		if got := must(tt.tool, tt.args); titles(t, got) != tt.want {
			t.Errorf("%s(%s) answers %s, want %q", tt.tool, tt.args, got, tt.want)
		}
	}

	// An id is given once.
	if third := must(session.Add, `{`+at+`, "data": {"title": "A", "members": "1"}}`); third == first {
		t.Errorf("the id %s was given to two sessions", third)
	}

	// What was before is still there.
	_, list, err := session.New().Call(before, session.List, object(t, `{`+at+`}`))
	if got := string(pytext.AppendJSON(nil, list)); err != nil || titles(t, got) != "A B" {
		t.Errorf("an older state lists %s, %v", got, err)
	}
}

// titles returns the titles of a session or a list of them.
func titles(t *testing.T, text string) string {
	t.Helper()

	v, err := pytext.Decode(text)
	if err != nil {
		t.Fatal(err)
	}

	all, isList := v.([]any)
	if !isList {
		all = []any{v}
	}

	var found []string

	for _, one := range all {
		object, ok := one.(envs.Args)
		if !ok {
			return text
		}

		data, _ := object.Get("data")
		title, _ := data.(envs.Args).Text("title")
		found = append(found, title)
	}
	return strings.Join(found, " ")
}

func TestServiceRefuses(t *testing.T) {
	t.Parallel()

	call, _ := caller(t)

	const at = `"source": "lab", "type": "group"`

	for _, tt := range []struct {
		tool, args, want string
		missing          bool
	}{
		{session.List, `{"source": "ab", "type": "group"}`, "at least 3 characters", false},
		{session.List, `{"source": "lab", "type": "groups"}`, "main_session, virtual_study, group", false},
		{session.Add, `{"source": "ab", "type": "group", "data": {}}`, "at least 3 characters", false},
		{session.Add, `{` + at + `, "data": [1]}`, "JSON object, not a list", false},
		{session.Query, `{` + at + `, "field": "title", "value": "A"}`, "data.title", false},
		{session.Query, `{` + at + `, "field": "data.", "value": "A"}`, "data.title", false},
		{session.Query, `{` + at + `, "field": "data.title", "value": 1}`, "is a text", false},
		{session.Get, `{` + at + `, "id": "none"}`, `"none"`, true},
		{session.Update, `{` + at + `, "id": "none", "data": {}}`, `"none"`, true},
		{session.Delete, `{` + at + `, "id": "none"}`, `"none"`, true},
	} {
		_, err := call(tt.tool, tt.args)

		refusal, _ := errors.AsType[*stategen.Refusal](err)
		if refusal == nil || !strings.Contains(refusal.Text, tt.want) {
			t.Errorf("%s(%s): %v, want a refusal that says %q", tt.tool, tt.args, err, tt.want)
		}

		if _, missing := errors.AsType[session.Missing](err); missing != tt.missing {
			t.Errorf("%s(%s): missing is %v", tt.tool, tt.args, missing)
		}
	}
}

// titled is the arguments that add a session.
func titled(title string) string {
	return `{"source": "lab", "type": "group", "data": {"title": "` + title + `"}}`
}

func TestOneSessionIsNotAnother(t *testing.T) {
	t.Parallel()

	call, state := caller(t)
	for _, title := range []string{"A", "B"} {
		if _, err := call(session.Add, titled(title)); err != nil {
			t.Fatal(err)
		}
	}

	d := session.New()
	effects := d.Effects(state())

	for _, tt := range []struct {
		got, want string
		same      bool
	}{
		{`{}`, `{"title": "A"}`, false},
		{`{}`, `{}`, false}, // what is left of an id
		{`null`, `{"title": "A"}`, false},
		{`{"title": "A"}`, `{"title": "A", "members": "1"}`, false},
		{`{"title": "A", "members": "1"}`, `{"title": "A"}`, false},
		{`{"members": "1", "title": "A"}`, `{"title": "A", "members": "1"}`, true},
		{`[{"title": "A"}, {"title": "A"}]`, `[{"title": "A"}, {"title": "B"}]`, false},
		{`[{"id": "1", "data": {"id": "x", "n": 1}}]`, `[{"id": "2", "checksum": "y", "data": {"n": 1.0}}]`, true},
	} {
		got, _ := pytext.Decode(tt.got)
		want, _ := pytext.Decode(tt.want)

		if d.Same(d.Content(state(), got), d.Content(state(), want)) != tt.same {
			t.Errorf("%s is the same as %s: want %v", tt.got, tt.want, tt.same)
		}
	}

	// A session of a service matches one of the other, whatever the order in which they came.
	alike := func(titles ...string) bool {
		other, otherState := caller(t)
		for _, title := range titles {
			if _, err := other(session.Add, titled(title)); err != nil {
				t.Fatal(err)
			}
		}

		return d.Same(d.Effects(otherState()), effects)
	}

	if !alike("B", "A") || alike("A") || alike("A", "C") || alike("A", "B", "C") {
		t.Error("effects are compared wrongly")
	}
}

// The tools make a version, and the examples of their notices are calls.
func TestToolsAreAVersion(t *testing.T) {
	t.Parallel()

	catalog, err := toolapi.NewCatalog(base())
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}

	for _, tool := range append(session.New().Counted(), session.Get) {
		api, ok := v.ForTool(tool)
		at := slices.IndexFunc(session.Routes(), func(r session.Route) bool { return r.Tool == tool })
		r := session.Routes()[at]

		if !ok || !strings.HasPrefix(api.URL, r.Method+" {BASE_URL}"+r.Path) {
			t.Errorf("the document of %s does not say where it is", tool)
		}

		// Agents that call tools by their names have nothing to do with HTTP.
		if strings.Contains(api.Description, "HTTP") || strings.Contains(api.Description, "{") {
			t.Errorf("the document of %s is about requests: %s", tool, api.Description)
		}
	}
}

// base returns the base version with the tools of the domain.
func base() *toolapi.Spec {
	spec := &toolapi.Spec{
		Version: "p_c", Base: true, APIs: slices.Clone(session.New().APIs()),
		Messages: toolapi.Messages{Deprecated: "Use {{.Signature}}, e.g. {{.Example}}.", Invalid: "No such API."},
	}

	for tool, parameter := range map[string]string{envs.FinishTool: "answer", envs.UpdateTool: "newtool_desc"} {
		spec.APIs = append(spec.APIs, toolapi.APISpec{
			Name: tool, Description: "which belongs to the protocol",
			Parameters: toolapi.Parameters{All: []toolapi.Parameter{{Name: parameter}}},
		})
	}

	return spec
}

// Random walks of any length: every candidate that is applied runs, none is missing, and a path
// ends with a result. [schema.Apply] panics where the service refuses a call.
func TestWalks(t *testing.T) {
	t.Parallel()

	d := session.New()

	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + int(seed%9)
		s := d.Init(rng)

		walk(t, s, rng, n, int(seed%3))

		result, ok := s.Result()
		if !ok {
			t.Fatalf("seed %d: no result", seed)
		}

		program := s.Program()
		program.Result = &result

		calls := 0

		o, err := stategen.Replay(d, &program, stategen.Case{}, func(string, envs.Args) { calls++ })
		if err != nil || calls != n {
			t.Fatalf("seed %d: %d calls and %v, want %d", seed, calls, err, n)
		}

		if list, _ := o.Result.([]any); len(list) == 0 {
			t.Fatalf("seed %d: the result is %v", seed, o.Result)
		}

		if _, _, ok := s.Condition(rng); !ok {
			t.Fatalf("seed %d: nothing to compare", seed)
		}
	}
}

// walk adds n calls to a schema, none of them twice, as if others would follow.
func walk(t testing.TB, s stategen.Schema, rng *rand.Rand, n, after int) {
	t.Helper()

	seen := map[string]bool{}

	for left, edits := n, 0; left > 0; {
		all := slices.DeleteFunc(s.Candidates(rng, stategen.Want{Left: left, After: after}),
			func(c stategen.Candidate) bool { return seen[c.Transition+c.Key] || !c.Counts && edits > 3*n })
		if len(all) == 0 {
			t.Fatalf("no candidate with %d calls left after %v", left, s.Program().Main)
		}

		c := all[rng.IntN(len(all))]
		seen[c.Transition+c.Key] = true
		s.Apply(c)

		if c.Counts {
			left--
		} else {
			edits++
		}
	}
}

func TestSameSeedSameWalk(t *testing.T) {
	t.Parallel()

	for seed := range uint64(50) {
		var texts [2][]byte

		for i := range texts {
			rng := rand.New(rand.NewPCG(seed, 2))
			s := session.New().Init(rng)
			walk(t, s, rng, 6, 0)

			var err error
			if texts[i], err = json.Marshal(s.Program()); err != nil {
				t.Fatal(err)
			}
		}

		if !bytes.Equal(texts[0], texts[1]) {
			t.Fatalf("seed %d: two programs:\n%s\n%s", seed, texts[0], texts[1])
		}
	}
}

// What becomes of a copy of a schema does not change what becomes of the schema.
func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()

	for seed := range uint64(300) {
		var texts [2][]byte

		for i := range texts {
			rng := rand.New(rand.NewPCG(seed, 3))
			s := session.New().Init(rng)
			walk(t, s, rng, 3, 3)

			if i == 1 {
				walk(t, s.Clone(), rand.New(rand.NewPCG(seed, 4)), 4, 0)
			}

			walk(t, s, rng, 3, 0)

			var err error
			if texts[i], err = json.Marshal(s.Program()); err != nil {
				t.Fatal(err)
			}
		}

		if !bytes.Equal(texts[0], texts[1]) {
			t.Fatalf("seed %d: the clone changed the program:\n%s\n%s", seed, texts[0], texts[1])
		}
	}
}

// No path leaves an edit behind, wherever it branched.
func TestPathsWriteWhatTheyEdit(t *testing.T) {
	t.Parallel()

	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := session.New().Init(rng)
		walk(t, s, rng, 3, 2)
		walk(t, s, rng, 2, 0)

		var edited []string

		for _, stmt := range s.Program().Main {
			switch {
			case stmt.Edit != nil:
				edited = append(edited, stmt.Edit.Var+part(stmt.Edit.Path))
			case stmt.Call != nil && (stmt.Call.Tool == session.Add || stmt.Call.Tool == session.Update):
				data := stmt.Call.Args[len(stmt.Call.Args)-1].Expr
				edited = slices.DeleteFunc(edited, func(e string) bool { return e == data.Var+part(data.Path) })
			}
		}

		if len(edited) > 0 {
			t.Fatalf("seed %d: edits of %v are not written", seed, edited)
		}
	}
}

// Nothing is read in vain: what no statement uses is a result, and what a statement changes is
// none.
func TestPathsReturnWhatTheyDoNotUse(t *testing.T) {
	t.Parallel()

	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 6))
		s := session.New().Init(rng)
		walk(t, s, rng, 5, 0)

		used, changed := map[string]bool{}, map[string]bool{}

		for _, stmt := range s.Program().Main {
			switch {
			case stmt.Edit != nil:
				changed[stmt.Edit.Var], used[stmt.Edit.To.Var] = true, true
			case stmt.Each != nil:
				changed[stmt.Each.In.Var] = true
			default:
				for _, a := range stmt.Call.Args {
					used[a.Expr.Var] = used[a.Expr.Var] || a.Name == "value"
					changed[a.Expr.Var] = changed[a.Expr.Var] || a.Name == "id"
				}
			}
		}

		result, _ := s.Result()
		returned := result.Variables()

		for _, stmt := range s.Program().Main {
			if stmt.Call == nil || stmt.Call.Tool != session.List && stmt.Call.Tool != session.Query {
				continue
			}

			name := stmt.Call.Assign
			is := slices.Contains(returned, name)

			if is && changed[name] || !is && !changed[name] && !used[name] {
				t.Fatalf("seed %d: %s is returned: %v, changed: %v, in %v", seed, name, is, changed[name], returned)
			}
		}
	}
}

// part is where a session is in its variable.
func part(path []string) string {
	i := slices.Index(path, "data")
	return fmt.Sprint(path[:i])
}

func TestGenerate(t *testing.T) {
	t.Parallel()

	for selector, n := range map[stategen.Selector]int{
		stategen.Argmax: 1000, stategen.K2: 300, stategen.Uniform: 300,
	} {
		var book stategen.Book

		o := stategen.Options{Calls: stategen.DefaultCalls, Selector: selector, Seed: 11, Workers: 2}
		branches, second := 0, 0

		report, err := stategen.Generate(t.Context(), session.New(), o, &book, n, func(task stategen.Task) error {
			if task.Program.Branch != nil {
				branches++
				second += len(task.Cases) - 1
			}
			return checkVariables(&task.Program)
		})
		if err != nil {
			t.Fatalf("%s: %v", selector, err)
		}

		alike := report.Rejected["both branches answer the same"]
		delete(report.Rejected, "both branches answer the same")
		delete(report.Failed, "both branches answer the same") // and another end was grown

		if len(report.Failed)+len(report.Rejected) > 0 || alike > n/100 {
			t.Errorf("%s: %+v", selector, report)
		}

		deviation := math.Sqrt(float64(n)) / 2
		if math.Abs(float64(branches)-float64(n)/2) > 3*deviation || second != branches {
			t.Errorf("%s: %d of %d programs have a branch, %d of them a second case", selector, branches, n, second)
		}
	}
}

// checkVariables returns an error for a variable that nothing in a program reads, and for a session
// that has two.
func checkVariables(p *stategen.Program) error {
	text, err := json.Marshal(struct{ Main, Branch any }{p.Main, p.Branch})
	if err != nil {
		return err
	}

	for i, v := range p.Init {
		if _, isSession := v.Value.Any.(envs.Args); isSession && slices.ContainsFunc(p.Init[:i],
			func(before stategen.Variable) bool { return stategen.Equal(before.Value.Any, v.Value.Any) }) {
			return fmt.Errorf("%s is another variable, too", v.Name)
		}

		if !bytes.Contains(text, []byte(`"`+v.Name+`"`)) {
			return fmt.Errorf("%s is not used in %s", v.Name, text)
		}
	}
	return nil
}

// Coverage guidance finds more pairs in the first five programs than chance does (StateGen, III-C).
func TestGuidanceCovers(t *testing.T) {
	t.Parallel()

	pairs := map[stategen.Selector]int{}

	for _, selector := range []stategen.Selector{stategen.Argmax, stategen.Uniform} {
		for seed := range uint64(10) {
			var book stategen.Book

			o := stategen.Options{Calls: stategen.DefaultCalls, Selector: selector, Seed: seed}
			if _, err := stategen.Generate(t.Context(), session.New(), o, &book, 5, func(stategen.Task) error {
				return nil
			}); err != nil {
				t.Fatal(err)
			}

			pairs[selector] += len(book.Pairs())
		}
	}

	if pairs[stategen.Argmax] < pairs[stategen.Uniform]+40 {
		t.Errorf("pairs after 5 programs, over 10 seeds: %v", pairs)
	}
}
