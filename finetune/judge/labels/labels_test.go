package labels

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/kept"
	"toolevo/finetune/judge"
	"toolevo/trajectories/export"
)

func write(t *testing.T, name, text string) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Labels are words, truth values, or replies of judges, as lines of JSON or as the published
// evaluator's CSV.
func TestRead(t *testing.T) {
	t.Parallel()

	lines := write(t, "mine.jsonl", `{"query": "q", "answer": "a", "label": "Solved", "labeller": "m", "reason": "so"}
{"query": "q", "answer": "b", "label": false}
{"query": "q", "answer": "c", "label": 1, "labeller": "n", "other": null}
{"query": "q", "answer": "d", "label": "who knows"}
`)
	want := []Label{
		{"q", "a", "m", true, "so"}, {"q", "b", "mine", false, ""}, {"q", "c", "n", true, ""},
	}

	if got, unread, err := Read(lines); err != nil || unread != 1 || !cmp.Equal(got, want) {
		t.Errorf("%v, %d unread: %s", err, unread, cmp.Diff(want, got))
	}

	table := write(t, "gpt-4o.csv", `query,final_answer,evaluation,prompt
q,"It is, ""4"".","Answer Status
Unsolved
Reason
The rest
is missing.",p
q,final_answer was not properly loaded,"Answer Status: 
Unsolved
Reason: Parsing error",an error has occured
`)
	want = []Label{{"q", `It is, "4".`, "gpt-4o", false, "The rest\nis missing."}}

	if got, unread, err := Read(table); err != nil || unread != 1 || !cmp.Equal(got, want) {
		t.Errorf("%v, %d unread: %s", err, unread, cmp.Diff(want, got))
	}

	for text, says := range map[string]string{
		`{"query": "q", "label": true}`: "label 1: want query, answer and label", "[]": "no JSON object",
	} {
		if _, _, err := Read(write(t, "x.jsonl", text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", text, err, says)
		}
	}
}

// labelled by two: both say yes of 4, no of 3, and one of each of 2 and 1. p = 7/10, e = 6/10*5/10
// + 4/10*5/10 = 1/2, kappa = (0.7-0.5)/(1-0.5) = 0.4.
func TestAgree(t *testing.T) {
	t.Parallel()

	var cases []*labelled

	for said, n := range map[[2]bool]int{
		{true, true}: 4, {false, false}: 3, {true, false}: 2, {false, true}: 1,
	} {
		for range n {
			by := map[string]*Label{"x": {Solved: said[0]}, "y": {Solved: said[1]}}
			cases = append(cases, &labelled{by: by})
		}
	}

	cases = append(cases, &labelled{by: map[string]*Label{"x": {}}})

	got := agree(cases, "x", "y")
	if got.Both != 10 || math.Abs(got.Agree-0.7) > 1e-12 || got.Kappa == nil ||
		math.Abs(*got.Kappa-0.4) > 1e-12 {
		t.Errorf("%+v, kappa %v", got, got.Kappa)
	}

	if got := agree(cases[10:], "x", "y"); got.Both != 0 || got.Kappa != nil {
		t.Errorf("of nothing: %+v", got)
	}

	same := []*labelled{{by: map[string]*Label{"x": {Solved: true}, "y": {Solved: true}}}}
	if got := agree(same, "x", "y"); got.Agree != 1 || got.Kappa != nil {
		t.Errorf("of one thing: %+v", got)
	}
}

// labels are of three models about two answers to each of ten queries: large says that the first is
// complete and the second is not, and gives reasons; medium does, too; small says yes to
// everything.
func modelLabels() (all []Label) {
	for _, q := range strings.Split("abcdefghij", "") {
		for answer, solved := range map[string]bool{"yes": true, "no": false} {
			all = append(all, Label{q, answer, "small", true, ""},
				Label{q, answer, "large", solved, "see " + answer}, Label{q, answer, "medium", solved, ""})
		}
	}

	return all
}

const prompt = "\nother-tag\n\nIs {answer} for {query}?\n\nAnswer Status\nxxx\nReason\nxxx\n"

func (p *Plan) written(t *testing.T, all []Label) (*Report, string) {
	t.Helper()

	dir := filepath.Join(t.TempDir(), "fac")

	r, err := p.Write(dir, all, 2, "test")
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func samples(t *testing.T, dir, name string) (all []export.Instruction) {
	t.Helper()

	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(string(text)) {
		var s export.Instruction
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}

		all = append(all, s)
	}
	return all
}

// What most models say is trained, with the expert's reason; whole queries are held out.
func TestPlain(t *testing.T) {
	t.Parallel()

	p := Plan{HeldOut: 20, Prompt: prompt, Seed: 1}
	r, dir := p.written(t, append(modelLabels(), Label{"a", "yes", "small", false, ""}))

	want := []Dataset{{"train_fac", 16, 8, 0.5}, {"test_fac", 4, 2, 0.5}}
	if diff := cmp.Diff(want, r.Datasets); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff(map[string]int{Unread: 2, contradicts: 1}, r.Dropped); diff != "" {
		t.Error(diff)
	}

	if r.Expert != "large" || len(r.Agreements) != 3 || r.Cases != 20 || r.Queries != 10 || r.Labels != 63 {
		t.Errorf("%+v", r)
	}

	train := samples(t, dir, "train_fac.jsonl")
	for _, s := range train {
		solved := strings.Contains(s.Output, "Answer Status\nSolved\nReason\nsee yes")
		if strings.Contains(s.Instruction, "Is yes") != solved {
			t.Errorf("%q is trained for %q", s.Output, s.Instruction)
		}
	}

	for _, s := range samples(t, dir, "test_fac.jsonl") {
		query := s.Instruction[strings.Index(s.Instruction, " for "):]
		for _, other := range train {
			if strings.HasSuffix(other.Instruction, query) {
				t.Errorf("trained on and held out: %s", query)
			}
		}
	}

	asked, err := os.ReadFile(filepath.Join(dir, "fac.txt"))
	if err != nil || string(asked) != prompt {
		t.Errorf("%v, the judge is asked %q", err, asked)
	}
}

// Each label of a model is trained under its name, whose weight OpenChat's trainer gets, and the
// judge is asked under the expert's. Queries that people labelled are held out, and answered as
// they did.
func TestReinforced(t *testing.T) {
	t.Parallel()

	all := append(modelLabels(), Label{"c", "no", "Ann", true, ""}, Label{"c", "yes", "Ann", true, ""},
		Label{"d", "yes", "Bob", false, "late"})
	p := Plan{People: []string{"Ann", "Bob"}, Reinforced: true, HeldOut: 20, Prompt: prompt}
	r, dir := p.written(t, all)

	// Ann and small agree about both; so do large and medium about one. Nobody agrees with Bob.
	if r.Expert != "small" || r.Labellers[2].Weight != 1 || r.Labellers[0].Weight != 0.1 ||
		r.Labellers[3].Weight != 0 {
		t.Errorf("%s of %+v", r.Expert, r.Labellers)
	}

	want := []Dataset{{"train_fac", 8 * 2 * 3, 8, 4. / 6}, {"test_fac", 4, 2, 0.5}}
	if diff := cmp.Diff(want, r.Datasets); diff != "" {
		t.Error(diff)
	}

	first := export.Instruction{
		Instruction: "large\n\nIs no for a?\n\nAnswer Status\nxxx\nReason\nxxx",
		Output:      "Answer Status\nUnsolved\nReason\nsee no",
	}
	if diff := cmp.Diff(first, samples(t, dir, "train_fac.jsonl")[0]); diff != "" {
		t.Error(diff)
	}

	held := samples(t, dir, "test_fac.jsonl")
	tested := export.Instruction{
		Instruction: "small\n\nIs yes for d?\n\nAnswer Status\nxxx\nReason\nxxx",
		Output:      "Answer Status\nUnsolved\nReason\nlate",
	}

	if diff := cmp.Diff(tested, held[3]); diff != "" {
		t.Error(diff)
	}

	text, err := os.ReadFile(filepath.Join(dir, "train_ochat.jsonl"))
	if err != nil {
		t.Fatal(err)
	}

	line, _, _ := strings.Cut(string(text), "\n")
	if want := `{"items":[{"role":"user","content":"large\n\nIs no for a?\n\nAnswer Status\nxxx\nReason\nxxx",` +
		`"weight":0},{"role":"assistant","content":"Answer Status\nUnsolved\nReason\nsee no","weight":0.1}],` +
		`"condition":"large","system":""}`; line != want {
		t.Errorf("OpenChat gets %s", line)
	}

	linter, err := export.NewLinter(nil, "", 0)
	if err != nil {
		t.Fatal(err)
	}

	if checked, err := export.Lint(dir, linter, nil); err != nil || len(checked.Problems) > 0 {
		t.Errorf("%v: %+v", err, checked)
	}
}

// The order of labels does not matter, and a model that is not there is no expert.
func TestOrder(t *testing.T) {
	t.Parallel()

	all := modelLabels()
	p := Plan{HeldOut: 20, Prompt: judge.OwnCompletePrompt(kept.Prompts{})}
	_, first := p.written(t, all)

	for i := range all[:len(all)/2] {
		all[i], all[len(all)-1-i] = all[len(all)-1-i], all[i]
	}

	_, second := p.written(t, all)
	train := samples(t, first, "train_fac.jsonl")
	if diff := cmp.Diff(train, samples(t, second, "train_fac.jsonl")); diff != "" {
		t.Error(diff)
	}

	if got := samples(t, first, "test_fac.jsonl")[0].Output; got != "Unsolved\nsee no" {
		t.Errorf("the judge that is asked in our words writes %q", got)
	}

	p.Expert = "none"
	if _, err := p.Write(t.TempDir(), all, 0, "test"); !errors.Is(err, ErrExpert) {
		t.Errorf("error %v", err)
	}

	p = Plan{People: []string{"small", "large", "medium"}}
	if _, err := p.Write(t.TempDir(), all, 0, "test"); err != ErrNoLabels {
		t.Errorf("error %v", err)
	}
}

// Of equal labels one with a reason stays, in whatever order they come.
func TestReasonsStay(t *testing.T) {
	t.Parallel()

	label := func(reason string) Label {
		return Label{Query: "q", Answer: "a", By: "m", Solved: true, Reason: reason}
	}

	for _, all := range [][]Label{{label(""), label("b"), label("a")}, {label("a"), label("b"), label("")}} {
		cases := gather(all, &Report{Dropped: map[string]int{}})
		if len(cases) != 1 || cases[0].by["m"].Reason != "a" {
			t.Errorf("of %v: %v", all, cases[0].by["m"])
		}
	}
}
