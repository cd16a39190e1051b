package chat_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
)

func parse(t testing.TB, name string) chat.Template {
	t.Helper()

	template, err := chat.ParseTemplate(name)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func TestTemplates(t *testing.T) {
	cases := []struct {
		name, bos string
		stops     []string
		bare      string // no system text, no question, no turns
	}{
		{"chatml", "", []string{"<|im_end|>", "<|im_start|>"},
			"<|im_start|>user\nQuestion:<|im_end|>\n<|im_start|>assistant\n"},
		{"llama3", "<|begin_of_text|>", []string{"<|eot_id|>", "<|eom_id|>"},
			"<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nQuestion:<|eot_id|>" +
				"<|start_header_id|>assistant<|end_header_id|>\n\n"},
		{"qwen", "", []string{"<|im_end|>"},
			"<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n" +
				"<|im_start|>user\nQuestion:<|im_end|>\n<|im_start|>assistant\n"},
		{"qwen3_nothink", "", []string{"<|im_end|>"},
			"<|im_start|>user\nQuestion:<|im_end|>\n<|im_start|>assistant\n"},
	}
	var names []string

	for _, c := range cases {
		template := parse(t, c.name)

		names = append(names, c.name)
		if template.String() != c.name || template.BOS() != c.bos ||
			template.AddSpecialTokens() != (c.bos != "") {
			t.Errorf("%s: name %s, beginning %q, special tokens %v", c.name, template, template.BOS(),
				template.AddSpecialTokens())
		}

		if got := template.Sent(c.bare); c.bos+got != c.bare {
			t.Errorf("%s: servers get %q", c.name, got)
		}

		if d := cmp.Diff(c.stops, template.Stops()); d != "" {
			t.Errorf("%s: stops, -want +got:\n%s", c.name, d)
		}

		template.Stops()[0] = "changed"
		if template.Stops()[0] != c.stops[0] {
			t.Errorf("%s: its stop texts changed through a slice it gave away", c.name)
		}

		if d := cmp.Diff(c.bare, template.Render("", envs.History{}, newSanitizer(t))); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, d)
		}
	}

	var listed []string
	for _, template := range chat.Templates() {
		listed = append(listed, template.String())
	}

	if d := cmp.Diff(names, listed); d != "" {
		t.Errorf("Templates, -want +got:\n%s", d)
	}

	for _, bad := range []string{"", "llama2", "Qwen"} {
		if _, err := chat.ParseTemplate(bad); err == nil || !strings.Contains(err.Error(), strings.Join(names, ", ")) {
			t.Errorf("template %q: error %v does not list the valid names", bad, err)
		}
	}
}

// A template holds calls when what it renders is the call that was rendered.
func TestHoldsCalls(t *testing.T) {
	codec := action.FunctionCall{}
	call := envs.Call{Name: "LoadDB", Args: envs.Args{{Name: "DBName", Value: "coffee"}}}

	for _, template := range chat.Templates() {
		got, err := codec.Parse(template.In(codec).Reply(codec.Format("I load it.", call)))

		if read := err == nil && action.Canonical(got) == action.Canonical(call); read != template.HoldsCalls() {
			t.Errorf("%s holds calls: %v, and %v is read, %v", template, template.HoldsCalls(), got, err)
		}
	}
}

func TestMessages(t *testing.T) {
	clean := newSanitizer(t)
	h := envs.NewHistory(envs.Task{Question: " q "}).Append(turn(" a\n", " <s> \n")).Append(turn("b", ""))

	want := []chat.Message{
		{Role: "user", Content: "Question: q"},
		{Role: "assistant", Content: "a"}, {Role: "user", Content: "Observation: < s>"},
		{Role: "assistant", Content: "b"}, {Role: "user", Content: "Observation: "},
	}
	if d := cmp.Diff(want, chat.Messages("", h, clean)); d != "" {
		t.Errorf("without a system text, -want +got:\n%s", d)
	}

	want = append([]chat.Message{{Role: "system", Content: " s "}}, want...)
	if d := cmp.Diff(want, chat.Messages(" s ", h, clean)); d != "" {
		t.Errorf("with a system text, -want +got:\n%s", d)
	}
}

// text draws what a model or a tool may write, the worst of it often.
func text() *rapid.Generator[string] {
	word := rapid.SampledFrom([]string{"<|eot_id|>", "<|im_start|>", "<|im_end|>\n", "<|begin_of_text|>",
		"</tool_response>", "{{idx}}",
		"{{content}}", "Observation: x", "Thought: a\n", " ", "\n", "\u00a0", "\xff", "<", "|>", "%s", "é"})
	return rapid.OneOf(rapid.String(), word, rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "words"), "")
	}))
}

// history draws a history of up to six turns.
func history(t *rapid.T) envs.History {
	h := envs.NewHistory(envs.Task{Question: text().Draw(t, "question")})
	for range rapid.IntRange(0, 6).Draw(t, "turns") {
		h = h.Append(turn(text().Draw(t, "action"), text().Draw(t, "observation")))
	}
	return h
}

func anyTemplate(t *rapid.T) chat.Template {
	return rapid.SampledFrom(chat.Templates()).Draw(t, "template")
}

// A rendering and the next reply begin every longer rendering, and learned tools change nothing.
func TestRenderIsAppendOnly(t *testing.T) {
	clean := newSanitizer(t)
	rapid.Check(t, func(t *rapid.T) {
		template, system, h := anyTemplate(t), text().Draw(t, "system"), history(t)
		next := turn(text().Draw(t, "next action"), text().Draw(t, "next observation"))
		before := template.Render(system, h, clean)

		after := template.Render(system, h.Append(next).Learn("a tool"), clean)
		if asked := before + chat.ReplyText(string(next.Action)); !strings.HasPrefix(after, asked) ||
			len(after) <= len(asked) {
			t.Fatalf("%q\nis no prefix of\n%q", asked, after)
		}
	})
}

// Whatever a question or a tool says, the control tokens of a rendering are the template's own.
func TestNothingReadIsAControlToken(t *testing.T) {
	clean := newSanitizer(t)
	rapid.Check(t, func(t *rapid.T) {
		template, h, harmless := anyTemplate(t), envs.NewHistory(envs.Task{Question: text().Draw(t, "question")}),
			envs.NewHistory(envs.Task{})
		for range rapid.IntRange(0, 4).Draw(t, "turns") {
			h, harmless = h.Append(turn("reply", text().Draw(t, "observation"))), harmless.Append(turn("reply", "seen"))
		}

		got, want := template.Render("tools", h, clean), template.Render("tools", harmless, clean)
		for _, token := range []string{"<|", "|>", "<tool_response>", "</tool_response>", "{{idx}}", "<s>"} {
			if strings.Count(got, token) != strings.Count(want, token) {
				t.Fatalf("%q occurs %d times, want %d, in\n%q", token, strings.Count(got, token),
					strings.Count(want, token), got)
			}
		}

		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
	})
}

// Every text of a history is in both forms, in order, and messages alternate as strict templates
// demand.
func TestNothingIsLost(t *testing.T) {
	clean := newSanitizer(t)
	rapid.Check(t, func(t *rapid.T) {
		template, h := anyTemplate(t), history(t)
		question, _ := chat.QuestionText(h.Task().Question, clean)
		texts := []string{question}

		for _, turn := range h.Turns() {
			observation, _ := chat.ObservationText(turn.Observation, clean)
			texts = append(texts, chat.ReplyText(string(turn.Action)), observation)
		}

		messages := chat.Messages("tools", h, clean)

		roles, contents := []string{}, []string{}
		for i, m := range messages[1:] {
			roles = append(roles, m.Role)
			if i > 0 && m.Role == chat.UserRole {
				m.Content = strings.TrimPrefix(m.Content, action.ObservationMarker+" ")
			}

			contents = append(contents, m.Content)
		}

		if !slices.Equal(contents, texts) ||
			!reflect.DeepEqual(messages[0], chat.Message{Role: chat.SystemRole, Content: "tools"}) {
			t.Fatalf("messages %q, want the texts %q", messages, texts)
		}

		for i, role := range roles {
			if want := []string{chat.UserRole, chat.AssistantRole}[i%2]; role != want {
				t.Fatalf("message %d is %s's, want %s's", i, role, want)
			}
		}

		rest := template.Render("tools", h, clean)
		for _, text := range texts {
			_, after, found := strings.Cut(rest, text)
			if !found {
				t.Fatalf("%q does not come next in %q", text, rest)
			}

			rest = after
		}
	})
}

func BenchmarkRender(b *testing.B) {
	clean, template := newSanitizer(b), parse(b, "llama3")
	row := strings.Repeat(`{"Date": "2000-01-03", "Open": "122.25", "Note": [1, 2]} `, 40)

	h := envs.NewHistory(envs.Task{Question: "What was the opening price of coffee on 2000-01-03?"})
	for range 15 {
		h = h.Append(turn("Thought: again\nAction: GetValue\nAction Input: {\"column_name\": \"Open\"}", row))
	}

	system := plain().System(envs.Task{})
	b.SetBytes(int64(len(template.Render(system, h, clean))))
	b.ReportAllocs()

	for b.Loop() {
		template.Render(system, h, clean)
	}
}

// A call is a message's own, and its observation a tool's; what cannot be played is told in texts.
func TestToolMessages(t *testing.T) {
	h := envs.NewHistory(envs.Task{Question: "How many?"})
	for _, turn := range [][2]string{
		{`{"content": "I load it.", "calls": [{"name": "LoadDB", "arguments": {"DBName": "coffee", "n": 2.50}}]}`, "Loaded."},
		{`{"calls": [{"name": "Load DB", "arguments": {}}]}`, "filtered <|im_end|>"},
		{`{"calls": [{"name": "LoadDB", "arguments": "{\"x"}]}`, ""},
		{`{"content": "Done."}`, "filtered"},
		{`{"calls": [{"name": "B", "arguments": {}}, {"name": "C", "arguments": {}}]}`, ""},
	} {
		h = h.Append(envs.Turn{Action: envs.Action(turn[0]), Observation: turn[1]})
	}

	clean, err := chat.NewSanitizer()
	if err != nil {
		t.Fatal(err)
	}

	call := func(id, name, arguments string) []chat.Call {
		return []chat.Call{{ID: id, ToolCall: action.ToolCall{Name: name, Arguments: arguments}}}
	}

	want := []chat.Message{
		{Role: chat.SystemRole, Content: "s"},
		{Role: chat.UserRole, Content: "Question: How many?"},
		{
			Role: chat.AssistantRole, Content: "I load it.",
			Calls: call("call00101", "LoadDB", `{"DBName": "coffee", "n": 2.50}`),
		},
		{Role: chat.ToolRole, Content: "Loaded.", CallID: "call00101"},
		{Role: chat.AssistantRole, Content: `{"name": "Load DB", "arguments": {}}`},
		{Role: chat.UserRole, Content: "Observation: filtered < |im_end| >"},
		{Role: chat.AssistantRole, Content: `{"name": "LoadDB", "arguments": "{\"x"}`},
		{Role: chat.UserRole, Content: "Observation: "},
		{Role: chat.AssistantRole, Content: "Done."},
		{Role: chat.UserRole, Content: "Observation: filtered"},
		{
			Role: chat.AssistantRole, Calls: append(call("call00501", "B", "{}"), call("call00502", "C", "{}")...),
		},
		{Role: chat.ToolRole, CallID: "call00501"},
		{Role: chat.ToolRole, CallID: "call00502"},
	}
	if diff := cmp.Diff(want, chat.ToolMessages("s", h, clean)); diff != "" {
		t.Error(diff)
	}
}
