package instruct

import (
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// An aim is true of its program: goals that speak of one step after another need a flow, and a part
// that is corrected is one that the same call writes.
func TestAimsAreTrue(t *testing.T) {
	v := stategen.Var
	cat := call("r_1", "cat", arg("tensors", exprs(v("a"), v("b"))))
	project := func(of stategen.Expr) stategen.Stmt {
		return call("r_2", "linear", arg("input", of), arg("weight", v("w")))
	}
	edit := func(object string, path ...string) stategen.Stmt {
		return stategen.Stmt{Edit: &stategen.Edit{Var: object, Path: path, To: v("text")}}
	}
	update := func(id stategen.Expr) stategen.Stmt {
		return call("", "update_session", arg("id", id), arg("data", v("r_1", "0", "data")))
	}

	for name, c := range map[string]struct {
		domain string
		all    []stategen.Stmt
		from   int
		part   string
		goal   string // one of the goals of the aim
	}{
		"joined, then projected": {"tensor", []stategen.Stmt{cat, project(v("r_1", "tensor"))}, 0, "",
			"apply a linear layer to a joined tensor"},
		"a size of what was joined": {"tensor", []stategen.Stmt{cat, project(v("r_1", "shape", "0"))}, 0, "",
			"compute a linear projection"},
		"projected, then joined": {"tensor", []stategen.Stmt{project(v("a")), cat}, 0, "",
			"compute a linear projection"},
		"projected in the end": {"tensor", []stategen.Stmt{cat, project(v("r_1", "tensor"))}, 1, "",
			"apply a linear layer to a joined tensor"},
		"projected before the end": {"tensor", []stategen.Stmt{project(v("a")), cat}, 1, "",
			"put tensors together"},
		"corrected": {"session", []stategen.Stmt{edit("r_1", "0", "data", "title"),
			edit("r_1", "0", "data", "members"), update(v("r_1", "0", "id"))}, 0,
			"title and the number of members", "correct the PART of a session"},
		"another one corrected": {"session", []stategen.Stmt{edit("r_1", "1", "data", "title"),
			update(v("r_1", "0", "id"))}, 0, "", "overwrite data on the session server"},
		"written over another one": {"session", []stategen.Stmt{edit("r_1", "0", "data", "title"),
			update(v("r_2", "id"))}, 0, "", "overwrite data on the session server"},
	} {
		r := &renderer{lexicon: words().domains[c.domain], frame: &words().frame, scope: scope{}}

		a := r.lexicon.Aims[r.aimOf(c.from, c.all)]
		if part := r.partIn(a, c.all, c.from); part != c.part || !strings.Contains(strings.Join(a.Goals, "|"), c.goal) {
			t.Errorf("%s: %q of %q", name, part, a.Goals)
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
