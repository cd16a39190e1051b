package export_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/trajectories/export"
)

func newLinter(t testing.TB) *export.Linter {
	t.Helper()

	l, err := export.NewLinter(nil, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func loadTokenizer(t testing.TB, name string) *export.Tokenizer {
	t.Helper()

	tok, err := export.LoadTokenizer("../internal/bpe/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// conversation returns a sample of messages "from: value".
func conversation(messages ...string) *export.Sample {
	s := &export.Sample{System: "tools"}

	for _, m := range messages {
		from, value, _ := strings.Cut(m, ":")
		s.Conversations = append(s.Conversations, export.Message{From: from, Value: value})
	}
	return s
}

func TestLint(t *testing.T) {
	tok := loadTokenizer(t, "llama3")

	long, err := export.NewLinter(tok, "llama3", 40)
	if err != nil {
		t.Fatal(err)
	}

	blankSystem := conversation("human:q", "gpt:a")
	blankSystem.System = " "
	noSystem := conversation("human:q", "gpt:a")
	noSystem.System = ""
	type rules []export.Rule

	cases := []struct {
		name   string
		linter *export.Linter
		sample *export.Sample
		want   rules
	}{
		{"good", newLinter(t), conversation("human:q", "gpt:a", "observation:o", "gpt:b"), nil},
		{"no messages", newLinter(t), conversation(), rules{export.Parity}},
		{"odd", newLinter(t), conversation("human:q", "gpt:a", "observation:o"), rules{export.Parity}},
		{"question twice", newLinter(t), conversation("human:q", "gpt:a", "human:o", "gpt:b"),
			rules{export.RoleOrder}},
		{"begins with an observation", newLinter(t), conversation("observation:q", "gpt:a"),
			rules{export.RoleOrder}},
		{"function call", newLinter(t), conversation("human:q", `function_call:{"name": "A", "arguments": {}}`), nil},
		{"function call with a thought", newLinter(t), conversation("human:q",
			"function_call:<think>\na\n</think>\n\n"+`{"name": "A", "arguments": {"x": "\n"}}`), nil},
		{"function call for an observation", newLinter(t), conversation("human:q", "gpt:a",
			`function_call:{"name": "A", "arguments": {}}`, "gpt:b"), rules{export.RoleOrder}},
		{"text for a function call", newLinter(t), conversation("human:q", "function_call:a"),
			rules{export.NoCall}},
		{"text after a function call", newLinter(t), conversation("human:q",
			`function_call:{"name": "A", "arguments": {}}.`), rules{export.NoCall}},
		{"token in a function call", newLinter(t), conversation("human:q",
			`function_call:{"name": "A", "arguments": {"x": "<think>"}}`), rules{export.ControlToken}},
		{"blank turn", newLinter(t), conversation("human:q", "gpt: \n\t"), rules{export.EmptyTurn}},
		{"blank observation", newLinter(t), conversation("human:q", "gpt:a", "observation:", "gpt:b"),
			rules{export.EmptyTurn}},
		{"blank system text", newLinter(t), blankSystem, rules{export.EmptyTurn}},
		{"no system text", newLinter(t), noSystem, nil},
		{"token observed", newLinter(t), conversation("human:q", "gpt:a", "observation:<|eot_id|>", "gpt:b"),
			rules{export.ControlToken}},
		{"token trained", newLinter(t), conversation("human:q", "gpt:</s>"), rules{export.ControlToken}},
		{"a thought of the model's own", newLinter(t), conversation("human:q", "gpt:<think>\na\n</think>\n\nb"), nil},
		{"a thought without an end", newLinter(t), conversation("human:q", "gpt: <think>a"), nil},
		{"a thought and nothing", newLinter(t), conversation("human:q", "gpt:<think>\n</think>"),
			rules{export.EmptyTurn}},
		{"token in a thought", newLinter(t), conversation("human:q", "gpt:<think><|a|></think>b"),
			rules{export.ControlToken}},
		{"a thought in between", newLinter(t), conversation("human:q", "gpt:a<think>b</think>"),
			rules{export.ControlToken}},
		{"a thought after another", newLinter(t), conversation("human:q", "gpt:<think>a</think><think>b</think>c"),
			nil},
		{"a thought observed", newLinter(t), conversation("human:q", "gpt:a", "observation:<think>b</think>", "gpt:c"),
			rules{export.ControlToken}},
		{"an observation of the model's own", newLinter(t), conversation("human:q",
			"gpt:Observation: 7\nThought: t\nAction: Finish\nAction Input: {}"), rules{export.ForgedTurn}},
		{"an observation behind a thought", newLinter(t), conversation("human:q",
			"gpt:Thought: t\n **Observation:** 7"), rules{export.ForgedTurn}},
		{"another question", newLinter(t), conversation("human:q", "gpt:a\nQuestion: b"), rules{export.ForgedTurn}},
		{"an observation in a call's thought", newLinter(t), conversation("human:q",
			"function_call:<think>\na\nObservation: 7\n</think>\n\n"+`{"name": "A", "arguments": {}}`),
			rules{export.ForgedTurn}},
		{"a word in a sentence", newLinter(t), conversation("human:q",
			"gpt:My Observation: it is 7, no Question: b"), nil},
		{"a word in an argument", newLinter(t), conversation("human:q",
			`function_call:{"name": "A", "arguments": {"x": "\nObservation: 7"}}`), nil},
		{"markers of those who say it", newLinter(t), conversation("human:Question: q", "gpt:a",
			"observation:Observation: o", "gpt:b"), nil},
		{"slot asked", newLinter(t), conversation("human:{{idx}}", "gpt:a"), rules{export.FormatterSlot}},
		{"slot trained is harmless", newLinter(t), conversation("human:q", "gpt:{{idx}}"), nil},
		{"token and slot", newLinter(t), conversation("human:<|a|>{{idx}}", "gpt:a"),
			rules{export.ControlToken, export.FormatterSlot}},
		{"broken text trained", newLinter(t), conversation("human:q", "gpt:\uFFFD"), rules{export.BrokenText}},
		{"broken text observed", newLinter(t), conversation("human:q", "gpt:a", "observation:\uFFFD", "gpt:b"), nil},
		{"not UTF-8", newLinter(t), conversation("human:\xff", "gpt:a"), rules{export.BrokenText}},
		{"NUL trained", newLinter(t), conversation("human:q", "gpt:a\x00b"), rules{export.ControlCharacter}},
		{"ESC trained", newLinter(t), conversation("human:q", "gpt:\x1b[2Ja"), rules{export.ControlCharacter}},
		{"ESC observed", newLinter(t), conversation("human:q", "gpt:a", "observation:\x1b[2Jo", "gpt:b"),
			rules{export.ControlCharacter}},
		{"CSI as one character", newLinter(t), conversation("human:q", "gpt:a\u009b2J"),
			rules{export.ControlCharacter}},
		{"DEL and BEL", newLinter(t), conversation("human:q\x7f", "gpt:a\a"),
			rules{export.ControlCharacter, export.ControlCharacter}},
		{"white space", newLinter(t), conversation("human:q\r\n\tq", "gpt:a\n\tb"), nil},
		{"short enough", long, conversation("human:q", "gpt:a"), nil},
		{"too long", long, conversation("human:q", "gpt:"+strings.Repeat("zq", 40)), rules{export.TooLong}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got rules
			for _, f := range c.linter.Lint(export.SFTTrajectory, c.sample) {
				got = append(got, f.Rule)
			}

			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// Of a tree what every other sample is checked for is checked at each node.
func TestLintTrees(t *testing.T) {
	reply, answer := export.Message{From: export.GPT, Value: "a"}, export.Message{From: export.Observation, Value: "o"}
	tree := func(all ...export.Message) *export.Sample {
		s := conversation("human:q")
		for _, m := range all {
			s.Nodes = append(s.Nodes, export.Node{Messages: []export.Message{m}})
		}
		return s
	}
	token := export.Message{From: export.Observation, Value: "<|eot_id|>"}

	for want, s := range map[export.Rule]*export.Sample{
		"":                  tree(reply, answer, reply, reply, answer),
		export.Parity:       tree(),
		export.RoleOrder:    tree(reply, answer, answer),
		export.ControlToken: tree(reply, token, reply),
	} {
		found := newLinter(t).Lint(export.Tree, s)
		if want == "" && found != nil || want != "" && (len(found) != 1 || found[0].Rule != want) {
			t.Errorf("want %q, found %v", want, found)
		}
	}
}

func TestNewLinterRefuses(t *testing.T) {
	tok := loadTokenizer(t, "qwen2")

	cases := []struct {
		tok      *export.Tokenizer
		template string
		cutoff   int
		want     string
	}{
		{nil, "llama3", 100, "needs a tokenizer"},
		{tok, "llama2", 100, "chatml, llama3, qwen, qwen3_nothink"},
		{tok, "qwen", -1, "below 0"},
	}
	for _, c := range cases {
		if _, err := export.NewLinter(c.tok, c.template, c.cutoff); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

func TestLintPairs(t *testing.T) {
	tok := loadTokenizer(t, "llama3")

	short, err := export.NewLinter(tok, "llama3", 60)
	if err != nil {
		t.Fatal(err)
	}

	pair := func(chosen, rejected string, messages ...string) *export.Sample {
		s := conversation(messages...)
		s.Chosen, s.Rejected = export.Message{From: "gpt", Value: chosen}, export.Message{From: "gpt", Value: rejected}
		return s
	}
	stranger := pair("a", "b", "human:q")
	stranger.Rejected.From = "human"

	for name, c := range map[string]struct {
		sample *export.Sample
		want   []export.Rule
	}{
		"good":              {pair("a", "b", "human:q"), nil},
		"good, later":       {pair("a", "b", "human:q", "gpt:a", "observation:o"), nil},
		"ends with a reply": {pair("a", "b", "human:q", "gpt:a"), []export.Rule{export.Parity}},
		"one reply twice":   {pair("a", "a", "human:q"), []export.Rule{export.SameReply}},
		"no rejected":       {pair("a", " ", "human:q"), []export.Rule{export.EmptyTurn}},
		"a token":           {pair("a", "</s>", "human:q"), []export.Rule{export.ControlToken}},
		"a reply of no one": {stranger, []export.Rule{export.RoleOrder}},
		"a long one":        {pair("a", strings.Repeat("zq", 60), "human:q"), []export.Rule{export.TooLong}},
	} {
		var got []export.Rule
		for _, f := range short.Lint(export.DPO, c.sample) {
			got = append(got, f.Rule)
		}

		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: -want +got:\n%s", name, d)
		}
	}
}

// The pieces of a sample are what is counted, and the ones that carry loss are those of its format.
func TestPieces(t *testing.T) {
	linter, err := export.NewLinter(loadTokenizer(t, "llama3"), "llama3", 0)
	if err != nil {
		t.Fatal(err)
	}

	s := conversation("human:q", "gpt:a", "observation:o", "gpt:b")

	for _, c := range []struct {
		format export.Format
		want   string
	}{
		{export.SFTTrajectory, "ab"},
		{export.SFTStep, "b"},
		{export.KTO, "b"},
		{export.DPO, "cr"},
	} {
		sample := *s
		if c.format == export.DPO {
			sample.Conversations = sample.Conversations[:3]
			sample.Chosen = export.Message{From: "gpt", Value: "c"}
			sample.Rejected = export.Message{From: "gpt", Value: "r"}
		}

		trained, tokens, longest := "", 0, 0

		for _, p := range linter.Pieces(c.format, &sample) {
			n := linter.Tokens(p)
			tokens += n

			if p.Trained {
				trained += strings.TrimSuffix(p.Text, "<|eot_id|>")
				longest = max(longest, n)
			}
		}

		if trained != c.want {
			t.Errorf("%s: %q carries loss, want %q", c.format, trained, c.want)
		}

		if c.format == export.DPO { // of which the longer reply counts
			tokens -= longest
		}

		if _, length := linter.Length(c.format, &sample); length != tokens {
			t.Errorf("%s: the pieces have %d tokens, the sample %d", c.format, tokens, length)
		}
	}
}
