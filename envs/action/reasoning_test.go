package action

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolevo/envs"
)

func TestPart(t *testing.T) {
	for text, want := range map[string][2]string{
		"":                                  {"", ""},
		" Thought: x ":                      {"", " Thought: x "},
		"<think>\na\n</think>\n\nb\n":       {"a", "b\n"},
		"\n <think>a</think>b":              {"a", "b"},
		"<think>\n\n</think>\n\nb":          {"", "b"},
		"<think>a</think><think>c</think>b": {"a\n\nc", "b"},
		"<think>a</think>":                  {"a", ""},
		"<think>never ends":                 {"never ends", ""},
		"<seed:think>a</seed:think>b":       {"a", "b"},
		"[THINK]a[/THINK]b":                 {"a", "b"},
		"<|channel>thought\na\n<channel|>b": {"a", "b"},
		"b <think>a</think>":                {"", "b <think>a</think>"},
		"a</think>b":                        {"", "a</think>b"},
		"<think>a [/THINK]</think>b":        {"a [/THINK]", "b"},
	} {
		if reasoning, content := Part(text); reasoning != want[0] || content != want[1] {
			t.Errorf("Part(%q) = %q, %q; want %q", text, reasoning, content, want)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, test := range []struct{ reasoning, content, want string }{
		{"", "b", "b"},
		{"", " <think>a</think> b", " <think>a</think> b"},
		{"\na\n", "\n\nb", "<think>\na\n</think>\n\nb"},
		{"a", "", "<think>\na\n</think>\n\n"},
		{"a", "<think>\na\n</think>\n\nb", "<think>\na\n</think>\n\nb"}, // sent twice
		{"a", "<think>c</think>b", "<think>\na\n\nc\n</think>\n\nb"},    // a draft of the server's, and another
		{"", "a\n</think>\n\nb", "<think>\na\n</think>\n\nb"},           // begun in the prompt
		{"", "a <think>c</think>b", "a <think>c</think>b"},              // of the content
		{"a </think> c", "b", "<think>\na  c\n</think>\n\nb"},           // no reasoning ends another
		{"", `{"answer": "<think> and </think>"}`, `{"answer": "<think> and </think>"}`},
	} {
		if got := Join(test.reasoning, test.content); got != test.want {
			t.Errorf("Join(%q, %q) = %q, want %q", test.reasoning, test.content, got, test.want)
		}
	}
}

// What is sent apart is parted again, whatever it is.
func TestPartOfJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]string{"a", " ", "\n", "<think>", "Action: A", "[/THINK]", "{", "é"})
		reasoning := strings.Join(rapid.SliceOf(words).Draw(t, "reasoning"), "")
		content := strings.TrimSpace(strings.Join(rapid.SliceOf(words).Draw(t, "content"), ""))

		if _, rest := Part(content); rest != content {
			t.Skip("content with reasoning of its own")
		}

		got, rest := Part(Join(reasoning, content))
		if got != strings.TrimSpace(reasoning) || rest != content {
			t.Fatalf("%q and %q are joined and parted into %q and %q", reasoning, content, got, rest)
		}
	})
}

// Reasoning changes neither what is called nor the key, and what is called in it is not the action.
func TestCallsInReasoning(t *testing.T) {
	for _, codec := range Codecs() {
		call, decoy := call(envs.FinishTool, "answer", "right"), call(envs.FinishTool, "answer", "wrong")
		content := codec.Format("I know.", call)

		for _, reasoning := range []string{"", "I wonder.", codec.Format("", decoy)} {
			text := Join(reasoning, content)

			got, err := codec.Parse(text)
			if err != nil || Canonical(got) != Canonical(call) || Key(codec, text) != Key(codec, content) {
				t.Errorf("%s: %q is read as %v, %v with the key %s", codec, text, got, err, Key(codec, text))
			}

			if codec == (Tools{}) {
				continue // nothing can stand behind a message
			}

			if got := codec.Trim(text + "\nAnd so on."); got != text {
				t.Errorf("%s: %q is what is left of %q", codec, got, text)
			}
		}

		if codec == (FunctionCall{}) {
			continue // in which a tag without an end is passed over
		}

		if got, err := codec.Parse("<think>" + codec.Format("", decoy)); err == nil {
			t.Errorf("%s: the call %v in reasoning that does not end", codec, got)
		}
	}
}

func TestReasoningShown(t *testing.T) {
	h := envs.NewHistory(envs.Task{ID: "q", Question: "?"}).
		Append(envs.Turn{Action: "<think>a</think>b", Observation: "seen"}).Learn("a tool").
		Append(envs.Turn{Action: "c"})

	for mode, want := range map[Reasoning]envs.Action{Show: "<think>a</think>b", Once: "b", Drop: "b", Refuse: "b"} {
		got := mode.Shown(h)
		turns := got.Turns()

		if len(turns) != 2 || turns[0].Action != want || turns[0].Observation != "seen" || turns[1].Action != "c" ||
			len(got.Learned()) != 1 || got.Task().Question != "?" {
			t.Errorf("%s: %v", mode, turns)
		}

		if parsed, err := ParseReasoning(string(mode)); parsed != mode || err != nil {
			t.Errorf("ParseReasoning(%s) = %s, %v", mode, parsed, err)
		}
	}
}
