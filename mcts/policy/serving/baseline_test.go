package serving

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/mcts"
)

func TestBeside(t *testing.T) {
	t.Parallel()

	got, err := Beside([]string{"openai:a+b", "toy:m", "toy:m+retry"}, []string{Documents, Retry})
	want := []string{
		"openai:a+b", "openai:a+b+documents", "openai:a+b+retry", "toy:m", "toy:m+documents", "toy:m+retry",
	}

	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}

	if again, err := Beside(got, []string{Documents, Retry}); err != nil || !slices.Equal(again, got) {
		t.Errorf("what has its baselines gets others: %q, %v", again, err)
	}

	_, err = Beside(want, []string{"docs"})
	if err == nil || !strings.Contains(err.Error(), "documents, retry, rules") {
		t.Errorf("an unknown baseline: %v", err)
	}
}

// A script reads no prompt, but its calls can be repeated; a model named like a baseline is a
// model.
func TestPoliciesWithBaselines(t *testing.T) {
	t.Parallel()

	m := toyModels(t, "TOY_HOST=http://127.0.0.1:1")

	for name, wrong := range map[string]string{
		"scripted:reader+retry": "", "scripted:reader+rules": "a script reads no prompt",
		"scripted:reader+documents": "a script reads no prompt", "scripted:reader+docs": "reader+docs",
		"toy:m+documents": "", "toy:m+rules": "", "toy:documents": "", "toy:+rules": "names no model",
	} {
		err := CheckPolicy(m.Config, name)
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v, want %q", name, err, wrong)
		}
	}

	if !IsKnowing("scripted:oracle+retry") {
		t.Error("the oracle with a baseline is told nothing")
	}

	if b := BaselineOf("toy:documents"); b != "" {
		t.Errorf("the model documents has the baseline %s", b)
	}
}

// Prompts show the documents of the version that a question meets, or the rules, and nothing else
// differs.
func TestPromptsOfBaselines(t *testing.T) {
	var texts []string

	m := toyModels(t, "TOY_HOST="+serveToy(t, func(asked toyText) { texts = append(texts, asked.Text) }))
	m.Config.Policy = []string{"toy:m", "toy:m+documents"}
	meets := func(question string) string { return map[string]string{"1": "new", "2": "old"}[question] }

	ask := func(policy, question string) string {
		t.Helper()

		p, err := m.PolicyIn(policy, nil, meets)
		if err != nil {
			t.Fatal(err)
		}

		p, end := mcts.Converse(p)
		defer end()

		texts = nil
		h := envs.NewHistory(envs.Task{ID: question, Question: "What do 3 pieces of pear cost?"})

		_, err = p.Propose(t.Context(), mcts.Request{History: h, N: 1, Greedy: true})
		if err != nil || len(texts) != 1 {
			t.Fatal(err, texts)
		}
		return texts[0]
	}

	plain := ask("toy:m", "1")
	if strings.Contains(plain, "Quote") || strings.Contains(plain, "Tools change") {
		t.Fatalf("the plain prompt says what a baseline does:\n%s", plain)
	}

	system, rest, _ := strings.Cut(plain, "\n\nQuestion: What do 3")
	added := func(text string) string {
		t.Helper()

		between, ok := strings.CutPrefix(text, system)
		between, found := strings.CutSuffix(between, "\n\nQuestion: What do 3"+rest)

		if !ok || !found {
			t.Fatalf("more than an addition to the system text:\n%s", text)
		}
		return between
	}

	documents := added(ask("toy:m+documents", "1"))
	if !strings.Contains(documents, "(1) Quote[article], which returns the price of one piece.") ||
		strings.Contains(documents, "Price[") || strings.Contains(documents, "Finish[") {
		t.Errorf("the new documents are not those of what changed:\n%s", documents)
	}

	if same := added(ask("toy:m+documents", "2")); same != "" {
		t.Errorf("where nothing changed there are documents:\n%s", same)
	}

	for policy, want := range map[string]string{"toy:m+rules": "Tools change", "toy:m+retry": ""} {
		if got := added(ask(policy, "1")); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s adds %q", policy, got)
		}
	}
}

// With native calls the list that is sent is the deployed version's.
func TestDocumentsOfNativeCalls(t *testing.T) {
	m := toyModels(t, "TOY_HOST=http://127.0.0.1:1")
	c := *m.Config
	c.Environment.Codec, c.Server.Form, c.Server.Shots = "tools", configs.FormChat, 0
	c.Policy = []string{"openai:m+documents"}
	m = m.Under(&c)

	sent, err := m.Sent()
	if err != nil {
		t.Fatal(err)
	}

	h := envs.NewHistory(envs.Task{Question: "?"})
	text := sent.Shown(m.Told("openai:m+documents", h, "new"))
	if !strings.Contains(text, `"Quote"`) || strings.Contains(text, `"Price"`) ||
		strings.Contains(text, "tools have changed") {
		t.Errorf("the list under another version:\n%s", text)
	}

	if text := sent.Shown(m.Told("openai:m+documents", h, "old")); !strings.Contains(text, `"Price"`) {
		t.Errorf("the list where nothing changed:\n%s", text)
	}
}

// A call that gave an error is made once more before the policy is asked, and only that.
func TestRetryBaseline(t *testing.T) {
	asked := 0
	m := toyModels(t, "TOY_HOST="+serveToy(t, func(toyText) { asked++ }))

	p, err := m.PolicyIn("toy:m+retry", nil, func(string) string { return "new" })
	if err != nil {
		t.Fatal(err)
	}

	turn := func(action string, o envs.Outcome) envs.Turn {
		call := envs.Call{Name: action}
		if o == envs.Malformed {
			call.Name = ""
		}
		return envs.Turn{Action: envs.Action(action), Call: call, Observation: "x", Outcome: o}
	}

	for name, test := range map[string]struct {
		turns []envs.Turn
		first int
		again string
	}{
		"at the beginning":    {nil, 0, ""},
		"after an answer":     {[]envs.Turn{turn("a", envs.OK)}, 0, ""},
		"after an error":      {[]envs.Turn{turn("a", envs.OK), turn("b", envs.ToolError)}, 0, "b"},
		"after a fault":       {[]envs.Turn{turn("a", envs.Unavailable)}, 0, "a"},
		"after a notice":      {[]envs.Turn{turn("a", envs.Deprecated)}, 0, "a"},
		"after a repetition":  {[]envs.Turn{turn("a", envs.ToolError), turn("a", envs.ToolError)}, 0, ""},
		"after another error": {[]envs.Turn{turn("a", envs.InvalidAction), turn("b", envs.InvocationError)}, 0, "b"},
		"after no call":       {[]envs.Turn{turn("a", envs.Malformed)}, 0, ""},
		"a second sample":     {[]envs.Turn{turn("a", envs.ToolError)}, 1, ""},
	} {
		h := envs.NewHistory(envs.Task{ID: "1", Question: "?"})
		for _, turn := range test.turns {
			h = h.Append(turn)
		}

		asked = 0

		got, err := p.Propose(context.Background(), mcts.Request{History: h, First: test.first, N: 1})
		if err != nil || len(got) != 1 || test.again != "" && (got[0].Text != test.again || asked != 0) ||
			test.again == "" && asked != 1 {
			t.Errorf("%s: %+v, %v; the model is asked %d times", name, got, err, asked)
		}
	}
}
