package trajectories_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/trajectories"
)

func newLinter(t testing.TB) *trajectories.Linter {
	t.Helper()

	l, err := trajectories.NewLinter(nil, "", 0)
	if err != nil {
		t.Fatal(err)
	}

	return l
}

func loadTokenizer(t testing.TB, name string) *trajectories.Tokenizer {
	t.Helper()

	tok, err := trajectories.LoadTokenizer("internal/bpe/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}

	return tok
}

// conversation returns a sample of messages "from: value".
func conversation(messages ...string) *trajectories.Sample {
	s := &trajectories.Sample{System: "tools"}

	for _, m := range messages {
		from, value, _ := strings.Cut(m, ":")
		s.Conversations = append(s.Conversations, trajectories.Message{From: from, Value: value})
	}

	return s
}

func TestLint(t *testing.T) {
	tok := loadTokenizer(t, "llama3")

	long, err := trajectories.NewLinter(tok, "llama3", 40)
	if err != nil {
		t.Fatal(err)
	}

	noSystem := conversation("human:q", "gpt:a")
	noSystem.System = ""
	type rules []trajectories.Rule

	cases := []struct {
		name   string
		linter *trajectories.Linter
		sample *trajectories.Sample
		want   rules
	}{
		{"good", newLinter(t), conversation("human:q", "gpt:a", "observation:o", "gpt:b"), nil},
		{"no messages", newLinter(t), conversation(), rules{trajectories.Parity}},
		{"odd", newLinter(t), conversation("human:q", "gpt:a", "observation:o"), rules{trajectories.Parity}},
		{"question twice", newLinter(t), conversation("human:q", "gpt:a", "human:o", "gpt:b"),
			rules{trajectories.RoleOrder}},
		{"begins with an observation", newLinter(t), conversation("observation:q", "gpt:a"),
			rules{trajectories.RoleOrder}},
		{"function call", newLinter(t), conversation("human:q", `function_call:{"name": "A", "arguments": {}}`), nil},
		{"function call with a thought", newLinter(t), conversation("human:q",
			"function_call:<think>\na\n</think>\n\n"+`{"name": "A", "arguments": {"x": "\n"}}`), nil},
		{"function call for an observation", newLinter(t), conversation("human:q", "gpt:a",
			`function_call:{"name": "A", "arguments": {}}`, "gpt:b"), rules{trajectories.RoleOrder}},
		{"text for a function call", newLinter(t), conversation("human:q", "function_call:a"),
			rules{trajectories.NoCall}},
		{"text after a function call", newLinter(t), conversation("human:q",
			`function_call:{"name": "A", "arguments": {}}.`), rules{trajectories.NoCall}},
		{"token in a function call", newLinter(t), conversation("human:q",
			`function_call:{"name": "A", "arguments": {"x": "<think>"}}`), rules{trajectories.ControlToken}},
		{"blank turn", newLinter(t), conversation("human:q", "gpt: \n\t"), rules{trajectories.EmptyTurn}},
		{"blank observation", newLinter(t), conversation("human:q", "gpt:a", "observation:", "gpt:b"),
			rules{trajectories.EmptyTurn}},
		{"no system text", newLinter(t), noSystem, rules{trajectories.EmptyTurn}},
		{"token observed", newLinter(t), conversation("human:q", "gpt:a", "observation:<|eot_id|>", "gpt:b"),
			rules{trajectories.ControlToken}},
		{"token trained", newLinter(t), conversation("human:q", "gpt:</s>"), rules{trajectories.ControlToken}},
		{"slot asked", newLinter(t), conversation("human:{{idx}}", "gpt:a"), rules{trajectories.FormatterSlot}},
		{"slot trained is harmless", newLinter(t), conversation("human:q", "gpt:{{idx}}"), nil},
		{"token and slot", newLinter(t), conversation("human:<|a|>{{idx}}", "gpt:a"),
			rules{trajectories.ControlToken, trajectories.FormatterSlot}},
		{"broken text trained", newLinter(t), conversation("human:q", "gpt:\uFFFD"), rules{trajectories.BrokenText}},
		{"broken text observed", newLinter(t), conversation("human:q", "gpt:a", "observation:\uFFFD", "gpt:b"), nil},
		{"not UTF-8", newLinter(t), conversation("human:\xff", "gpt:a"), rules{trajectories.BrokenText}},
		{"NUL trained", newLinter(t), conversation("human:q", "gpt:a\x00b"), rules{trajectories.ControlCharacter}},
		{"ESC trained", newLinter(t), conversation("human:q", "gpt:\x1b[2Ja"), rules{trajectories.ControlCharacter}},
		{"ESC observed", newLinter(t), conversation("human:q", "gpt:a", "observation:\x1b[2Jo", "gpt:b"),
			rules{trajectories.ControlCharacter}},
		{"CSI as one character", newLinter(t), conversation("human:q", "gpt:a\u009b2J"),
			rules{trajectories.ControlCharacter}},
		{"DEL and BEL", newLinter(t), conversation("human:q\x7f", "gpt:a\a"),
			rules{trajectories.ControlCharacter, trajectories.ControlCharacter}},
		{"white space", newLinter(t), conversation("human:q\r\n\tq", "gpt:a\n\tb"), nil},
		{"short enough", long, conversation("human:q", "gpt:a"), nil},
		{"too long", long, conversation("human:q", "gpt:"+strings.Repeat("zq", 40)), rules{trajectories.TooLong}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got rules
			for _, f := range c.linter.Lint(c.sample) {
				got = append(got, f.Rule)
			}

			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestNewLinterRefuses(t *testing.T) {
	tok := loadTokenizer(t, "qwen2")

	cases := []struct {
		tok      *trajectories.Tokenizer
		template string
		cutoff   int
		want     string
	}{
		{nil, "llama3", 100, "needs a tokenizer"},
		{tok, "llama2", 100, "chatml, llama3, qwen, qwen3_nothink"},
		{tok, "qwen", -1, "below 0"},
	}
	for _, c := range cases {
		if _, err := trajectories.NewLinter(c.tok, c.template, c.cutoff); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
