package instruct

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

var update = flag.Bool("update", false, "write the golden files")

// The golden files are for reading: what the templates make of a program of each domain, three
// times.
func TestInstructions(t *testing.T) {
	for _, task := range allTasks() {
		t.Run(task.Program.Domain, func(t *testing.T) {
			var b strings.Builder

			for seed := range uint64(3) {
				made, err := Instruct(task, seed)
				if err != nil {
					t.Fatal(err)
				}

				if made.Writer != ByTemplate {
					t.Errorf("written by %q", made.Writer)
				}

				fmt.Fprintf(&b, "=== seed %d\n%s\n\n%s\n\n", seed, made.Variables, made.Text)
			}

			path := filepath.Join("testdata", task.Program.Domain+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}

			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}

			if b.String() != string(want) {
				t.Errorf("run with -update and read the difference:\n%s", b.String())
			}
		})
	}
}

func TestSameSeedSameInstruction(t *testing.T) {
	for _, task := range allTasks() {
		texts := map[string]bool{}

		for seed := range uint64(60) {
			first, err := Instruct(task, seed)
			if err != nil {
				t.Fatal(err)
			}

			again, _ := Instruct(task, seed)
			if first.Text != again.Text || first.Variables != again.Variables {
				t.Errorf("seed %d gives two instructions", seed)
			}

			texts[first.Text] = true
		}

		if len(texts) < 58 {
			t.Errorf("%s: %d texts of 60 seeds", task.Program.Domain, len(texts))
		}
	}
}

// Names that are left over, functions that are not there and arguments without a value show in what
// is written.
var broken = regexp.MustCompile(`<nil>|<no value>|\{\{|PART|ITEM|LEFT|RIGHT|LIST|VALUE|CONDITION|NAME|INDEX` +
	`|  | [,.;]|\.\.`)

func TestNothingIsLeftOver(t *testing.T) {
	for _, task := range allTasks() {
		for seed := range uint64(200) {
			made, err := Instruct(task, seed)
			if err != nil {
				t.Fatal(err)
			}

			if bad := broken.FindString(made.Variables + made.Text); bad != "" {
				t.Fatalf("seed %d: %q in\n%s", seed, bad, made.Text)
			}

			if strings.ContainsFunc(made.Text, func(r rune) bool { return r >= firstMark }) {
				t.Fatalf("seed %d: a mark in\n%s", seed, made.Text)
			}
		}
	}
}

// Every wording of a call says every argument: calls that differ in one argument are told apart by
// each.
func TestEveryWordingSaysEveryArgument(t *testing.T) {
	// What a call may leave out, and what no argument of a program is.
	calls := map[string][]string{
		"list_sessions":        {"source", "type"},
		"query_sessions":       {"source", "type", "field", "value"},
		"get_session":          {"source", "type", "id"},
		"add_session":          {"source", "type", "data"},
		"update_session":       {"source", "type", "id", "data"},
		"delete_session":       {"source", "type", "id"},
		"permute":              {"input", "dims"},
		"transpose":            {"input", "dim0", "dim1"},
		"split":                {"input", "split_size_or_sections", "dim"},
		"cat":                  {"tensors", "dim"},
		"linear":               {"input", "weight"},
		"conv2d":               {"input", "weight", "stride", "padding", "dilation"},
		"text_to_speech":       {"text", "voice_name", "stability", "similarity_boost", "style"},
		"speech_to_speech":     {"input_speech", "voice_name"},
		"speech_to_text":       {"input_speech"},
		"isolate_audio":        {"input_speech"},
		"make_outbound_call":   {"input_speech", "voice_name"},
		"search_voice_library": {"search_category", "search_gender"},
	}

	for domain, x := range words().domains {
		for _, tool := range slices.Sorted(maps.Keys(x.Tools)) {
			parameters, known := calls[tool]
			if !known {
				t.Errorf("%s: words for %s, which is no tool", domain, tool)
			}

			delete(calls, tool)

			for _, wording := range x.Tools[tool].Say {
				r := &renderer{lexicon: x, frame: &words().frame, scope: scope{}}

				var args []stategen.Named
				for i, name := range parameters {
					args = append(args, arg(name, stategen.Var(fmt.Sprintf("argument_%d", i))))
				}

				text, err := r.say(wording, r.arguments(x.Tools[tool], args))
				if err != nil {
					t.Fatal(err)
				}

				text = r.unmark(text)
				for i, name := range parameters {
					if !strings.Contains(text, fmt.Sprintf("`argument_%d`", i)) {
						t.Errorf("%s: %q does not say %s", tool, text, name)
					}
				}
			}
		}
	}

	for tool := range calls {
		t.Errorf("there are no words for %s", tool)
	}
}

// Programs that do different things have different instructions.
func TestMutantsReadOtherwise(t *testing.T) {
	for _, task := range allTasks() {
		task.Cases = []stategen.Case{{Path: "main"}}
		if task.Program.Branch != nil {
			task.Cases = []stategen.Case{{Path: "if"}, {Path: "else"}}
		}

		for _, m := range stategen.Mutants(*task) {
			if m.Kind == stategen.UnknownTool {
				continue // of which nothing can be said
			}

			for seed := range uint64(20) {
				first, err := Instruct(task, seed)
				if err != nil {
					t.Fatal(err)
				}

				other := *task
				other.Program = m.Program

				second, err := Instruct(&other, seed)
				if err != nil {
					continue // it does without a variable that the program needs
				}

				if first.Text == second.Text {
					t.Errorf("%s of %s reads alike:\n%s", m.Kind, task.ID, first.Text)
				}
			}
		}
	}
}

func TestInstructRefuses(t *testing.T) {
	unknown := tensorTask()
	unknown.Program.Domain = "weather"

	tool := tensorTask()
	tool.Program.Main[0].Call.Tool = "flip"

	none := sessionTask()
	none.Program.Result = nil

	for want, task := range map[string]*stategen.Task{
		"no words for the domain": unknown, "no words for the tool flip": tool, "has no result": none,
	} {
		if _, err := Instruct(task, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestWholeThings(t *testing.T) {
	v := stategen.Var

	for _, c := range []struct {
		given map[string]stategen.Expr
		want  string
	}{
		{map[string]stategen.Expr{"source": v("a", "source"), "type": v("a", "type")}, "a"},
		{map[string]stategen.Expr{"source": v("a", "0", "source"), "type": v("a", "0", "type")}, "a 0"},
		{map[string]stategen.Expr{"source": v("a", "source"), "type": v("b", "type")}, ""},
		{map[string]stategen.Expr{"source": v("a", "0", "source"), "type": v("a", "1", "type")}, ""},
		{map[string]stategen.Expr{"source": v("a", "type"), "type": v("a", "source")}, ""},
		{map[string]stategen.Expr{"source": v("a", "source"), "type": stategen.Literal("group")}, ""},
		{map[string]stategen.Expr{"source": v("a", "source")}, ""},
		{map[string]stategen.Expr{"source": v("a"), "type": v("a")}, ""},
	} {
		whole, ok := together(c.given, []string{"source", "type"})
		if got := strings.TrimSpace(whole.Var + " " + strings.Join(whole.Path, " ")); ok != (c.want != "") || ok &&
			got != c.want {
			t.Errorf("%v: %q, %v", c.given, got, ok)
		}
	}
}

func TestPhrases(t *testing.T) {
	v, lit := stategen.Var, stategen.Literal
	list := &result{words: toolWords{Item: "piece"}, name: "pieces"}
	last := &result{just: "the result"}

	for _, c := range []struct {
		expr stategen.Expr
		want string
	}{
		{v("user_tensor_0"), "`user_tensor_0`"},
		{v("r_2", "tensor"), "the result"},
		{v("r_2", "shape", "3"), "the length of dimension 3 of the result"},
		{v("r_1", "1", "shape"), "the shape of the second piece in `pieces`"},
		{v("r_1", "20", "tensor"), "the 21st piece in `pieces`"},
		{v("user_variable_0", "color"), "the `color` of `user_variable_0`"},
		{lit("same"), `"same"`},
		{lit(nil), "nothing"},
		{lit(true), "true"},
		{numbers("2", "0"), "(2, 0)"},
		{lit(envs.Args{{Name: "a", Value: "b"}}), `{"a": "b"}`},
		{exprs(v("a"), v("b"), v("c")), "`a`, `b` and `c`"},
		{exprs(v("a"), v("a")), "two copies of `a`"},
		{exprs(v("r_1", "0", "tensor"), v("r_1", "2", "tensor"), v("a")),
			"the first and third pieces in `pieces`, and `a`"},
		{exprs(v("r_1", "0", "tensor"), v("r_1", "0", "tensor")), "two copies of the first piece in `pieces`"},
		{stategen.Expr{Func: stategen.Length, List: []stategen.Expr{v("r_1")}}, "the number of pieces in `pieces`"},
		{stategen.Expr{Func: stategen.Sentences, List: []stategen.Expr{v("r_2")}},
			`the number of sentences in the result (each ends with ".", "!" or "?")`},
		{stategen.Expr{Object: []stategen.Named{arg("a", v("b")), arg("c", number("1"))}},
			"an object with `a` set to `b` and `c` set to 1"},
	} {
		r := &renderer{
			lexicon: words().domains["tensor"], frame: &words().frame, scope: scope{"r_1": list, "r_2": last},
		}

		if got := r.phrase(c.expr); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func BenchmarkInstruct(b *testing.B) {
	for _, task := range allTasks() {
		b.Run(task.Program.Domain, func(b *testing.B) {
			b.ReportAllocs()

			for i := range b.N {
				if _, err := Instruct(task, uint64(i)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
