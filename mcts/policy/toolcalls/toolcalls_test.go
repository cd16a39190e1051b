package toolcalls_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts/policy/internal/golden"
	"toolevo/mcts/policy/toolcalls"
)

// sample is a text of testdata/corpus.yaml.
type sample struct {
	Parser  toolcalls.Parser `yaml:"parser"`
	Name    string           `yaml:"name"`
	Text    string           `yaml:"text"`
	Differs string           `yaml:"differs"` // why vLLM reads it in another way
}

func (s sample) key() string { return fmt.Sprintf("%s: %s", s.Parser, s.Name) }

func (s sample) read(tools []envs.Args) toolcalls.Reading { return s.Parser.Read(s.Text, tools) }

func corpus(t testing.TB) (samples []sample, tools []envs.Args) {
	t.Helper()

	text, err := os.ReadFile(filepath.Join("testdata", "corpus.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	var file struct {
		Tools []any    `yaml:"tools"`
		Cases []sample `yaml:"cases"`
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}

	for _, tool := range file.Tools {
		object, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}

		args, _, err := pytext.DecodeObject(string(object))
		if err != nil {
			t.Fatal(err)
		}

		tools = append(tools, args)
	}
	return file.Cases, tools
}

// What is read of each text: kept, so that a change of it is seen.
func TestReadings(t *testing.T) {
	samples, tools := corpus(t)

	var b strings.Builder

	for _, s := range samples {
		r := s.read(tools)
		fmt.Fprintf(&b, "%s\n\tcontent %q\n", s.key(), r.Message.Content)

		for _, c := range r.Message.Calls {
			fmt.Fprintf(&b, "\t%s %s\n", c.Name, strings.ReplaceAll(c.Arguments, "\n", "\n\t"))
		}

		fmt.Fprintf(&b, "\tbehind %q\n", s.Text[r.End:])
	}

	golden.Check(t, "readings.txt", b.String())
}

// theirs is what vLLM reads of a text.
type theirs struct {
	Parser  toolcalls.Parser `json:"parser"`
	Name    string           `json:"name"`
	Content string           `json:"content"`
	Calls   []struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"calls"`
}

// vLLM's own parsers read the corpus in the same way, but for what it says. White space around the
// content is no difference, and neither is how numbers and strings of arguments are spelled, which
// vLLM changes.
func TestReadsAsVLLM(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "vllm.json"))
	if err != nil {
		t.Fatal(err)
	}

	var file struct {
		VLLM  string   `json:"vllm"`
		Cases []theirs `json:"cases"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}

	said := map[string]theirs{}
	for _, c := range file.Cases {
		said[sample{Parser: c.Parser, Name: c.Name}.key()] = c
	}

	samples, tools := corpus(t)
	compared := 0

	for _, s := range samples {
		c, ok := said[s.key()]
		if !ok {
			if s.Parser != toolcalls.Qwen25Coder && s.Parser != toolcalls.Generic {
				t.Errorf("%s: vllm.json has none: run read_with_vllm.py", s.key())
			}

			continue
		}
		compared++

		var want action.Message

		want.Content = strings.TrimSpace(c.Content)
		for _, call := range c.Calls {
			want.Calls = append(want.Calls, action.ToolCall(call))
		}

		got := s.read(tools).Message
		got.Content = strings.TrimSpace(got.Content)

		switch diff := cmp.Diff(plain(want), plain(got)); {
		case diff != "" && s.Differs == "":
			t.Errorf("%s, -vLLM %s +ours:\n%s", s.key(), file.VLLM, diff)
		case diff == "" && s.Differs != "":
			t.Errorf("%s: it does not differ", s.key())
		}
	}

	if compared != len(said) || compared < 60 {
		t.Errorf("%d texts are compared, vllm.json has %d", compared, len(said))
	}
}

// plain returns a message whose arguments are values, numbers those that they denote.
func plain(m action.Message) []any {
	values := []any{m.Content}

	for _, c := range m.Calls {
		var arguments any
		if json.Unmarshal([]byte(c.Arguments), &arguments) != nil {
			arguments = "unreadable: " + c.Arguments
		}

		values = append(values, c.Name, arguments)
	}
	return values
}

// Where the first call ends is told of the whole text, reasoning included.
func TestEnd(t *testing.T) {
	const call = "<tool_call>\n{\"name\": \"x\", \"arguments\": {\"a\": 2.50}}\n</tool_call>"

	for _, before := range []string{
		"", "Content. ", "<think>\n" + call + "\n</think>\n\n", "<think>a</think> <think>b</think> Content.\n",
		call + " was in the prompt's reasoning\n</think>\n\nContent.\n",
	} {
		for _, behind := range []string{
			"", "\n", "\n<tool_response>\n1\n</tool_response>\n" + call, " text", "<tool_call>",
		} {
			text := before + call + behind

			for _, p := range []toolcalls.Parser{toolcalls.Hermes, toolcalls.Qwen25Coder, toolcalls.Generic} {
				want := action.ToolCall{Name: "x", Arguments: `{"a": 2.50}`}

				r := p.Read(text, nil)
				if r.End != len(before+call) || len(r.Message.Calls) == 0 || r.Message.Calls[0] != want {
					t.Errorf("%s: %q is %+v", p, text, r)
				}
			}
		}
	}
}

// Reasoning that does not end has no calls, and neither has a text where a call may stand in
// reasoning.
func TestCallsInReasoning(t *testing.T) {
	const call = `{"name": "x", "arguments": {}}`

	texts := map[toolcalls.Parser]string{
		toolcalls.Hermes:      "<tool_call>" + call + "</tool_call>",
		toolcalls.Qwen3Coder:  "<tool_call><function=x></function></tool_call>",
		toolcalls.Llama3JSON:  call,
		toolcalls.Mistral:     "[TOOL_CALLS]x[ARGS]{}",
		toolcalls.Qwen25Coder: call,
		toolcalls.Generic:     call,
	}

	for _, p := range toolcalls.Parsers() {
		text := texts[p]
		if n := len(p.Read(text, nil).Message.Calls); n != 1 {
			t.Errorf("%s: %q has %d calls", p, text, n)
		}

		for _, reasoning := range []string{
			"<think>" + text, "<think>" + text + "</think>", text + "</think>", "Content <think>" + text,
			"[THINK]" + text + "[/THINK]", "<think>a</think><think>" + text, "Content <think>" + text + "</think>",
		} {
			if r := p.Read(reasoning, nil); len(r.Message.Calls) > 0 || r.End != len(reasoning) {
				t.Errorf("%s: %q is %+v", p, reasoning, r)
			}
		}
	}
}

// A text that grows says nothing, and then has its first call, which stays as it is.
func TestCutTextsHaveNoOtherCalls(t *testing.T) {
	samples, tools := corpus(t)
	for _, s := range samples {
		whole := s.read(tools).Message
		if action.MentionsReasoning(s.Text) {
			continue
		}

		for n := range len(s.Text) {
			cut := s.Parser.Read(s.Text[:n], tools).Message
			if len(cut.Calls) == 0 {
				if cut.Content != s.Text[:n] {
					t.Errorf("%s: of %q is left %q", s.key(), s.Text[:n], cut.Content)
				}

				continue
			}

			if len(whole.Calls) == 0 || cut.Calls[0] != whole.Calls[0] || cut.Content != whole.Content {
				t.Errorf("%s: %q says %v, and the whole says %v", s.key(), s.Text[:n], cut, whole)
			}
		}
	}
}

// Texts of a quarter of a megabyte that ask for much work. None of them takes long: a parser that
// begins anew at each brace or tag does not end within the time of a test. The parsers left out
// read objects as the generic one does.
func TestHugeTexts(t *testing.T) {
	const huge, large = 1 << 18, 1 << 15

	call := `{"name": "x", "arguments": {}}`
	parsers := []toolcalls.Parser{toolcalls.Hermes, toolcalls.Qwen3Coder, toolcalls.Mistral, toolcalls.Generic}

	for _, part := range []string{
		"{", "[", `{"`, `{"a":`, `{"a":{},`, `{"a":[`, `{ `, " ", "\n", `\`, `"`, `{"\`, `{"":"`, `{":":",`, "<",
		"```json\n{",
		"<tool_call>", "<tool_call>{", `<tool_call>{"a":`, `<tool_call>{"a":"</tool_call>","`, "<tool_call>" + call,
		"<tool_call>" + call + " ", "</tool_call>", "<function=", "<function=f>", "<function=f><parameter=",
		"<function=f><parameter=p>", "<function=f><parameter=p></parameter>", "<function=f></function>",
		"<function=f></function> ", "<function=f>x</function>", "<parameter=p>x</parameter>", "[TOOL_CALLS]",
		"[TOOL_CALLS] ", "[TOOL_CALLS][", "[TOOL_CALLS]n", "[TOOL_CALLS]n{", "[TOOL_CALLS]n[ARGS]",
		"[TOOL_CALLS][" + call + ",", call, call + ";", "[TOOL_CALLS]n" + call, "{" + call + "}",
		"<think>a</think>", "<think>", "</think>",
	} {
		for _, p := range parsers {
			p.Read(strings.Repeat(part, huge/len(part))+call, nil)

			for _, before := range []string{
				`{"name": "x", "arguments": {"a": `, "<function=f>", "{{{{" + call, `<tool_call>{"name": "x", "arguments": [`,
			} {
				p.Read(before+strings.Repeat(part, large/len(part)), nil)
			}
		}
	}
}

// A value that stands behind much white space is read once.
func TestWideTexts(t *testing.T) {
	const n = 1 << 18

	blanks := strings.Repeat(" ", n)
	value := "[" + strings.Repeat("1, ", n) + "1]"

	for _, text := range []string{
		`{"name": "x", "arguments":` + blanks + `{"a":` + blanks + value + blanks + "}" + blanks + "}",
		`{"name": "x", "arguments":` + blanks + value + blanks + "}",
	} {
		if r := toolcalls.Generic.Read(text, nil); len(r.Message.Calls) != 1 || r.End != len(text) {
			t.Errorf("%d calls, the first up to %d of %d", len(r.Message.Calls), r.End, len(text))
		}
	}
}

// Objects that nest as deep as our decoder reads are calls, and deeper ones are not.
func TestNesting(t *testing.T) {
	for depth, want := range map[int]int{pytext.MaxDepth - 2: 1, pytext.MaxDepth: 0, 100_000: 0} {
		text := `{"name": "x", "arguments": {"a": ` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}}"
		if got := toolcalls.Generic.Read(text, nil); len(got.Message.Calls) != want {
			t.Errorf("depth %d: %d calls, want %d", depth, len(got.Message.Calls), want)
		}
	}
}

// writers are how models write a call with one argument, note.
var writers = map[toolcalls.Parser][]func(note string) string{
	toolcalls.Hermes:      {tagged},
	toolcalls.Qwen3Coder:  {function},
	toolcalls.Llama3JSON:  {object("parameters"), object("arguments")},
	toolcalls.Mistral:     {list, named},
	toolcalls.Qwen25Coder: {object("arguments"), tagged, fenced},
	toolcalls.Generic:     {object("arguments"), object("parameters"), tagged, fenced, function, list, named},
}

func object(arguments string) func(note string) string {
	return func(note string) string {
		return fmt.Sprintf(`{"name": "order", "%s": {"note": %s}}`, arguments, pytext.JSON(note))
	}
}

func tagged(note string) string {
	return "<tool_call>\n" + object("arguments")(note) + "\n</tool_call>"
}
func fenced(note string) string { return "```json\n{" + object("arguments")(note) + "}\n```" }
func list(note string) string   { return "[TOOL_CALLS][" + object("arguments")(note) + "]" }
func named(note string) string {
	return fmt.Sprintf(`[TOOL_CALLS]order[ARGS]{"note": %s}`, pytext.JSON(note))
}

func function(note string) string {
	return "<tool_call>\n<function=order>\n<parameter=note>\n" + note + "\n</parameter>\n</function>\n</tool_call>"
}

// fragments are what texts of models are made of, and more.
var fragments = []string{
	"text", " ", "\n", "{", "}", "[", "]", `"`, `\`, ":", ",", ";", "2.50", "é", "\xff", "<", ">", "</", "```",
	"```json\n",
	"<tool_call>", "</tool_call>", "<tool_response>", "<function=f>", "</function>", "<parameter=p>", "</parameter>",
	"[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "<|python_tag|>", "<think>", "</think>", `"name": "f"`, `"arguments": {}`,
	`{"name": "f", "arguments": {}}`, "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>",
	"<function=f></function>", "[TOOL_CALLS]f{}",
}

func someText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 12).Draw(t, "text"), "")
}

// Whatever an argument says is the argument, and no call.
func TestArgumentsHoldAnyText(t *testing.T) {
	_, tools := corpus(t)

	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(toolcalls.Parsers()).Draw(t, "parser")
		write := rapid.SampledFrom(writers[p]).Draw(t, "writer")

		note := strings.ToValidUTF8(someText(t), "")
		if action.MentionsReasoning(note) {
			t.Skip("reasoning is parted before calls are read")
		}

		if p == toolcalls.Qwen3Coder || p == toolcalls.Generic {
			note = strings.NewReplacer("</function>", "", "<parameter=", "", "</parameter>", "").Replace(note)
		}

		text := write(note)

		r := p.Read("Content.\n"+text+" behind", tools)
		if len(r.Message.Calls) != 1 || r.Message.Content != "Content." || r.End != len("Content.\n"+text) {
			t.Fatalf("%s: %q is %+v", p, text, r)
		}

		args, _, err := pytext.DecodeObject(r.Message.Calls[0].Arguments)
		if got, _ := args.Text("note"); err != nil || got != note || r.Message.Calls[0].Name != "order" {
			t.Fatalf("%s: %q calls %+v: %v", p, text, r.Message.Calls, err)
		}
	})
}

func TestAnyText(t *testing.T) {
	_, tools := corpus(t)

	rapid.Check(t, func(r *rapid.T) {
		text := someText(r)
		for _, p := range toolcalls.Parsers() {
			check(t, p, text, tools)
		}
	})
}

func FuzzRead(f *testing.F) {
	samples, tools := corpus(f)
	for _, s := range samples {
		f.Add(s.Text)
	}

	for _, text := range []string{"<think>", "</think>", "[TOOL_CALLS]\x00[", "{\xff", "<function=\n>", "``````{{"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range toolcalls.Parsers() {
			check(t, p, text, tools)
		}
	})
}

// check holds a parser to what the package promises of any text.
func check(t *testing.T, p toolcalls.Parser, text string, tools []envs.Args) {
	t.Helper()

	r := p.Read(text, tools)
	if r.End < 0 || r.End > len(text) {
		t.Fatalf("%s: the first call of %q ends at %d", p, text, r.End)
	}

	if len(r.Message.Calls) == 0 {
		if r.End != len(text) || !strings.HasSuffix(text, r.Message.Content) {
			t.Fatalf("%s: without a call, %q is %+v", p, text, r)
		}
		return
	}

	if !strings.Contains(text[:r.End], r.Message.Content) {
		t.Fatalf("%s: %q has the content %q", p, text, r.Message.Content)
	}

	rest := text

	for _, c := range r.Message.Calls {
		if _, err := pytext.Decode(c.Arguments); err != nil || c.Name == "" {
			t.Fatalf("%s: %q calls %+v: %v", p, text, c, err)
		}

		at := strings.Index(rest, c.Arguments)
		if at < 0 && !strings.Contains(text, "<function=") {
			t.Fatalf("%s: the arguments %s are not in %q", p, c.Arguments, text)
		}
		rest = rest[max(at, 0):]
	}

	kept := p.Read(text[:r.End], tools)
	r.Message.Calls = r.Message.Calls[:1]

	if diff := cmp.Diff(r, kept); diff != "" {
		t.Fatalf("%s: %q, up to its first call, -want +got:\n%s", p, text, diff)
	}
}
