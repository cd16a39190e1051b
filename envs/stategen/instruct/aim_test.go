package instruct

import (
	"regexp"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// A goal names what is done whatever a branch tests, and what only one of its ends does. What leads
// to other things is said where there is nothing else.
func TestGoals(t *testing.T) {
	v := stategen.Var
	tool := func(name string) stategen.Stmt { return call("", name) }
	add, update := tool("add_session"), tool("update_session")
	remove, list := tool("delete_session"), tool("list_sessions")
	each := stategen.Stmt{Each: &stategen.Each{Item: "item", In: v("r_1"), Do: *remove.Call}}
	all := func(s ...stategen.Stmt) []stategen.Stmt { return s }

	const (
		file      = "(file a new session|add a session to the server)"
		fileMore  = "(file new sessions|add sessions to the server)"
		bring     = "(update a session on the server|bring a session up to date)"
		delete1   = "(delete|remove) a session from the server"
		deleteAll = "(delete|remove) sessions from the server"
		decides   = "\\. (A check|The outcome of a check) decides whether "
	)

	for name, c := range map[string]struct {
		main, one, other []stategen.Stmt // one and other nil: no branch
		want             string          // a pattern
	}{
		"once":            {all(list, add), nil, nil, file},
		"twice":           {all(add, list, add, update), nil, nil, fileMore + " and " + bring},
		"of each element": {all(list, each), nil, nil, deleteAll},
		"only reads":      {all(list, list), nil, nil, "get sessions from the server"},
		"before a branch": {all(add), all(list), all(list), file},
		"at both ends":    {all(list), all(add, add), all(add), file},
		"before and at both ends, one of which does more": {all(add), all(add), all(add, remove),
			fileMore + decides + "also to " + delete1},
		"at either end": {all(list), all(add), all(update, remove),
			"either " + file + ", or " + bring + " and " + delete1 + ", depending on (a check|the outcome of a check)"},
		"always, and then either": {all(add), all(add, update), all(remove),
			file + decides + "to " + bring + " or to " + delete1},
		"reads, and writes at one end": {all(list), all(list), all(remove),
			"get sessions from the server" + decides + "also to " + delete1},
		"nothing": {nil, nil, nil, ""},
	} {
		p := &stategen.Program{Main: c.main}
		if c.one != nil {
			p.Branch = &stategen.Branch{If: stategen.Path{Stmts: c.one}, Else: stategen.Path{Stmts: c.other}}
		}

		for seed := range uint64(10) {
			r := &renderer{lexicon: words().domains["session"], frame: &words().frame,
				random: envs.Random(seed, ""), orders: map[string][]int{}}
			pattern := regexp.MustCompile("^[A-Z][a-z ]+ " + c.want + "\\. $")

			if got := r.aim(p); !pattern.MatchString(got) && c.want+got != "" {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// A speech is presented "in its own voice", and what was one of a list of which some may be deleted
// keeps its place.
func TestNaturalWords(t *testing.T) {
	v := stategen.Var
	each := &stategen.Each{
		Item: "item", In: v("r_1"), Where: stategen.Test{Left: v("item", "data", "title"), Right: v("b")},
		Do: stategen.Call{Tool: "delete_session", Args: []stategen.Named{arg("id", v("item", "id"))}},
	}

	for _, c := range []struct {
		domain, want string
		all          []stategen.Stmt
	}{
		{"voice", "its own voice", []stategen.Stmt{
			call("r_1", "isolate_audio", arg("input_speech", v("a"))),
			call("", "make_outbound_call", arg("input_speech", v("r_1")), arg("voice_name", v("r_1", "voice_name"))),
		}},
		{"voice", "the voice `b`", []stategen.Stmt{
			call("r_1", "isolate_audio", arg("input_speech", v("a"))),
			call("", "make_outbound_call", arg("input_speech", v("r_1")), arg("voice_name", v("b"))),
		}},
		{"session", "the session that was third in `listed`", []stategen.Stmt{
			call("r_1", "list_sessions", arg("source", v("a", "source")), arg("type", v("a", "type"))),
			{Each: each}, {Edit: &stategen.Edit{Var: "r_1", Path: []string{"2", "data", "title"}, To: v("b")}},
		}},
	} {
		p := &stategen.Program{Domain: c.domain, Main: c.all, Result: &stategen.Expr{Var: "b"}}

		for seed := range uint64(20) {
			made, err := render(words().domains[c.domain], &words().frame, p, envs.Random(seed, ""))
			if err != nil || !strings.Contains(made.Text, c.want) {
				t.Fatalf("%v, want %q in\n%s", err, c.want, made.Text)
			}
		}
	}
}

// No wording is drawn twice running, also where all the others were drawn.
func TestPickIsNeverTwiceTheSame(t *testing.T) {
	r := &renderer{random: envs.Random(1, ""), orders: map[string][]int{}}
	last := ""

	for range 300 {
		drawn := r.pick("some", []string{"a", "b", "c"})
		if drawn == last {
			t.Fatalf("%s twice running", drawn)
		}

		last = drawn
	}
}

// A sentence that goes on from another one names its result in brackets, and never twice running in
// the same way: one way would be drawn for ever.
func TestSeveralNamesInBrackets(t *testing.T) {
	n := 0
	for _, keep := range words().frame.Keep {
		if strings.HasPrefix(keep, " (") {
			n++
		}
	}

	if n < 2 {
		t.Errorf("%d ways", n)
	}
}
