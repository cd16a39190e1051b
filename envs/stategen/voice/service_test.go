package voice_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/voice"
	"toolevo/envs/toolapi"
)

// library has two categories only, so that the rules are seen.
const library = `[
	{"voice_name": "Zora", "category": "news", "gender": "female"},
	{"voice_name": "Amir", "category": "news", "gender": "male"},
	{"voice_name": "Iris", "category": "meditation", "gender": "female"},
	{"voice_name": "Omar", "category": "meditation", "gender": "male"}
]`

// recording is a speech that is there from the start.
const recording = `{"speech": "user_variable_0", "text": "One two. Three four five.", "voice_name": null, ` +
	`"stability": 0.5, "similarity_boost": 0.75, "style": 0, "duration": 2, "history": ["recorded"]}`

func value(t testing.TB, text string) any {
	t.Helper()

	v, err := pytext.DecodeStrict(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func text(v any) string { return string(pytext.AppendJSON(nil, v)) }

// client calls the service.
type client struct {
	t     testing.TB
	state stategen.State
}

func begin(t testing.TB) *client {
	t.Helper()

	p := &stategen.Program{
		Init: []stategen.Variable{{
			Name: "user_variable_0", Role: stategen.Loaded, Value: stategen.Value{Any: value(t, recording)},
		}},
		Server: stategen.Value{Any: value(t, library)},
	}

	s, err := voice.Domain{}.Begin(p, p.Values(stategen.Case{}))
	if err != nil {
		t.Fatal(err)
	}
	return &client{t, s}
}

// call makes a call that has to succeed and returns its result as JSON.
func (c *client) call(tool, args string) string {
	c.t.Helper()

	next, result, err := voice.Domain{}.Call(c.state, tool, value(c.t, args).(envs.Args))
	if err != nil {
		c.t.Fatalf("%s %s: %v", tool, args, err)
	}

	c.state = next
	return text(result)
}

// content returns what a handle stands for, as JSON.
func (c *client) content(handle string) string { return text(voice.Domain{}.Content(c.state, handle)) }

func TestTools(t *testing.T) {
	c := begin(t)

	for _, step := range []struct{ tool, args, want string }{
		{
			"text_to_speech", `{"text": "One two three."}`,
			`{"speech": "speech_1", "text": "One two three.", "voice_name": null, "stability": 0.5, ` +
				`"similarity_boost": 0.75, "style": 0, "duration": 1.2, "history": ["spoken"]}`,
		},
		{
			"text_to_speech", `{"text": "One", "voice_name": "Zora", "stability": 1, "style": 0.25}`,
			`{"speech": "speech_2", "text": "One", "voice_name": "Zora", "stability": 1, ` +
				`"similarity_boost": 0.75, "style": 0.25, "duration": 0.4, "history": ["spoken by Zora"]}`,
		},
		{
			"isolate_audio", `{"input_speech": "speech_2"}`,
			`{"speech": "speech_3", "text": "One", "voice_name": "Zora", "stability": 1, ` +
				`"similarity_boost": 0.75, "style": 0.25, "duration": 0.2, "history": ["spoken by Zora", "isolated"]}`,
		},
		{"speech_to_text", `{"input_speech": "speech_3"}`, `"One"`},
		{
			"speech_to_speech", `{"input_speech": "speech_3", "voice_name": "Omar"}`,
			`{"speech": "speech_4", "text": "One", "voice_name": "Omar", "stability": 1, ` +
				`"similarity_boost": 0.75, "style": 0.25, "duration": 0.2, ` +
				`"history": ["spoken by Zora", "isolated", "transcribed", "spoken again by Omar"]}`,
		},
		{"make_outbound_call", `{"input_speech": "speech_4", "voice_name": "Iris"}`, `null`},
		{
			"search_voice_library", `{"search_category": "news", "search_gender": "male"}`,
			`[{"voice_name": "Amir", "category": "news", "gender": "male"}]`,
		},
		{
			"search_voice_library", `{"search_category": "any", "search_gender": "female"}`,
			`[{"voice_name": "Iris", "category": "meditation", "gender": "female"}, ` +
				`{"voice_name": "Zora", "category": "news", "gender": "female"}]`,
		},
		{"search_voice_library", `{"search_category": "sport", "search_gender": "any"}`, `[]`},
	} {
		if diff := cmp.Diff(step.want, c.call(step.tool, step.args)); diff != "" {
			t.Errorf("%s %s:\n%s", step.tool, step.args, diff)
		}
	}
}

// A transcription is in the history of the speech that was transcribed, under its handle, and of
// none that was made before.
func TestTranscriptionStays(t *testing.T) {
	c := begin(t)
	c.call("isolate_audio", `{"input_speech": "user_variable_0"}`)
	before := c.state
	c.call("speech_to_text", `{"input_speech": "user_variable_0"}`)

	if got := c.content("user_variable_0"); !strings.Contains(got, `["recorded", "transcribed"]`) {
		t.Errorf("the recording is %s", got)
	}

	if got := c.content("speech_1"); !strings.Contains(got, `["recorded", "isolated"]`) {
		t.Errorf("the isolated speech is %s", got)
	}

	if c.state = before; strings.Contains(c.content("user_variable_0"), "transcribed") {
		t.Error("the state before the call has changed")
	}
}

// The recorder has the speeches as they were when the calls were made.
func TestEffects(t *testing.T) {
	c := begin(t)
	if got := text(voice.Domain{}.Effects(c.state)); got != "[]" {
		t.Errorf("nobody has called, and there are calls: %s", got)
	}

	c.call("make_outbound_call", `{"input_speech": "user_variable_0", "voice_name": "Amir"}`)
	c.call("speech_to_text", `{"input_speech": "user_variable_0"}`)

	want := `[{"speech": {"text": "One two. Three four five.", "voice_name": null, "stability": 0.5, ` +
		`"similarity_boost": 0.75, "style": 0, "duration": 2, "history": ["recorded"]}, "voice_name": "Amir"}]`
	if diff := cmp.Diff(want, text(voice.Domain{}.Effects(c.state))); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals(t *testing.T) {
	for _, step := range []struct{ tool, args, want string }{
		{"text_to_speech", `{}`, "text is missing"},
		{"text_to_speech", `{"text": 3}`, "text is missing"},
		{"text_to_speech", `{"text": "a", "speed": 2}`, `no parameter "speed"`},
		{"text_to_speech", `{"text": " "}`, "empty"},
		{"text_to_speech", `{"text": "` + strings.Repeat("a", 5001) + `"}`, "at most 5000"},
		{"text_to_speech", `{"text": "a", "voice_name": "Nobody"}`, `no voice "Nobody"`},
		{"text_to_speech", `{"text": "a", "voice_name": 1}`, "voice_name"},
		{"text_to_speech", `{"text": "a", "style": 1.5}`, "style is not"},
		{"text_to_speech", `{"text": "a", "stability": "high"}`, "stability is not"},
		{"text_to_speech", `{"text": "a", "similarity_boost": NaN}`, "similarity_boost is not"},
		{"speech_to_speech", `{"input_speech": "speech_9", "voice_name": "Amir"}`, `no speech "speech_9"`},
		{"speech_to_speech", `{"input_speech": "user_variable_0"}`, "voice_name is missing"},
		{"speech_to_text", `{"input_speech": {"speech": "user_variable_0"}}`, "handle"},
		{"isolate_audio", `{}`, "input_speech is missing"},
		{"isolate_audio", `{"input_speech": "speech_1"}`, "isolated already"},
		{"make_outbound_call", `{"input_speech": "user_variable_0", "voice_name": "Nobody"}`, "no voice"},
		{"search_voice_library", `{"search_category": "news"}`, "search_gender"},
	} {
		c := begin(t)
		c.call("isolate_audio", `{"input_speech": "user_variable_0"}`)
		c.call("speech_to_text", `{"input_speech": "speech_1"}`)

		next, _, err := voice.Domain{}.Call(c.state, step.tool, value(t, step.args).(envs.Args))

		var refusal *stategen.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Text, step.want) {
			t.Errorf("%s %.60s: %v, want a refusal with %q", step.tool, step.args, err, step.want)
		}

		if next != c.state {
			t.Errorf("%s %.60s: what is refused changes the service", step.tool, step.args)
		}
	}
}

// Whoever calls for ever is refused at some time.
func TestServiceIsBounded(t *testing.T) {
	c := begin(t)
	for range 1000 {
		c.call("speech_to_text", `{"input_speech": "user_variable_0"}`)
	}

	_, _, err := voice.Domain{}.Call(c.state, "speech_to_text", value(t, `{"input_speech": "user_variable_0"}`).(envs.Args))

	var refusal *stategen.Refusal
	if !errors.As(err, &refusal) {
		t.Errorf("the service goes on: %v", err)
	}
}

func TestBeginRefuses(t *testing.T) {
	speech := func(v string) []stategen.Variable {
		return []stategen.Variable{{
			Name: "user_variable_0", Role: stategen.Loaded, Value: stategen.Value{Any: value(t, v)},
		}}
	}

	whole := stategen.Value{Any: value(t, library)}

	for name, p := range map[string]*stategen.Program{
		"no library":     {},
		"no voice":       {Server: stategen.Value{Any: value(t, `[{"voice_name": "Amir"}]`)}},
		"no speech":      {Server: whole, Init: speech(`"a text"`)},
		"another handle": {Server: whole, Init: speech(strings.Replace(recording, "_0", "_1", 1))},
	} {
		if s, err := (voice.Domain{}).Begin(p, p.Values(stategen.Case{})); err == nil {
			t.Errorf("%s: it begins with %v", name, s)
		}
	}
}

func TestSame(t *testing.T) {
	speech := strings.Replace(recording, `"speech": "user_variable_0", `, "", 1)
	transcribed := strings.Replace(speech, `["recorded"]`, `["recorded", "transcribed"]`, 1)

	for _, test := range []struct {
		name, got, want string
		same            bool
	}{
		{"a speech", speech, speech, true},
		{"a handle", `"user_variable_0"`, speech, true},
		{"a speech with its handle", recording, speech, true},
		{"members in another order", `{"history": ["recorded"], "duration": 2.0, "style": 0, "similarity_boost": 0.75,
			"stability": 0.5, "voice_name": null, "text": "One two. Three four five."}`, speech, true},
		{"a number that is close", strings.Replace(speech, ": 2,", ": 2.0000005,", 1), speech, true},
		{"a number that is not", strings.Replace(speech, ": 2,", ": 2.00001,", 1), speech, false},
		{"no number", strings.Replace(speech, ": 2,", `: "2",`, 1), speech, false},
		{"infinity", strings.Replace(speech, ": 2,", ": Infinity,", 1), speech, false},
		{"another history", transcribed, speech, false},
		{"history in another order", strings.Replace(transcribed, `"recorded", "transcribed"`,
			`"transcribed", "recorded"`, 1), transcribed, false},
		{"another voice", strings.Replace(speech, "null", `"Amir"`, 1), speech, false},
		{"nothing", "null", speech, false},
		{"an empty object", "{}", speech, false},
		{"an empty list", "[]", speech, false},
		{"a text", `"One two. Three four five."`, speech, false},
		{"a list of it", "[" + speech + "]", speech, false},
		{"a list in another order", `["b", "user_variable_0", "a"]`, `["a", "b", ` + speech + `]`, true},
		{"a list with one twice", `["a", "a", "b"]`, `["a", "b", "b"]`, false},
		{"a longer list", `["a", "b", "b"]`, `["a", "b"]`, false},
		{"a text for a number", `"3"`, "3", false},
		{"a truth value for a number", "true", "1", false},
		{"null", "null", "null", true},
		{"something for null", "0", "null", false},
	} {
		c := begin(t)

		got := voice.Domain{}.Content(c.state, value(t, test.got))
		if same := (voice.Domain{}).Same(got, value(t, test.want)); same != test.same {
			t.Errorf("%s: %v", test.name, same)
		}
	}
}

// The documents are those of a version, and say enough to call the tools.
func TestDocuments(t *testing.T) {
	var counted []string

	for _, a := range (voice.Domain{}).APIs() {
		counted = append(counted, a.Name)

		if a.Description == "" {
			t.Errorf("%s has no description", a.Name)
		}

		for _, p := range a.Parameters.All {
			if p.Description() == "" {
				t.Errorf("%s: the parameter %s has no description", a.Name, p.Name)
			}
		}
	}

	if diff := cmp.Diff((voice.Domain{}).Counted(), counted); diff != "" {
		t.Error(diff)
	}
}

// Whatever it is called with, the service answers, refuses, or does not know the tool; and
// comparing never fails.
func FuzzCall(f *testing.F) {
	f.Add(`{"input_speech": "user_variable_0", "voice_name": "Amir"}`)
	f.Add(`{"text": "a", "stability": 1e999, "style": -0.0}`)
	f.Add(`{"search_category": ["any"], "search_gender": {"speech": "user_variable_0"}}`)
	f.Add(`[{"history": [[], 1]}, null, "speech_1"]`)

	f.Fuzz(func(t *testing.T, input string) {
		v, err := pytext.DecodeStrict(input)
		if err != nil {
			return
		}

		c := begin(t)
		want := voice.Domain{}.Content(c.state, "user_variable_0")

		for _, got := range []any{v, []any{v}, voice.Domain{}.Content(c.state, v)} {
			_ = voice.Domain{}.Same(got, want)
			_ = voice.Domain{}.Same(want, got)
		}

		args, _ := v.(envs.Args)

		for _, a := range (voice.Domain{}).APIs() {
			next, result, err := voice.Domain{}.Call(c.state, a.Name, args)

			var refusal *stategen.Refusal
			if err != nil && !errors.As(err, &refusal) {
				t.Fatalf("%s: %v", a.Name, err)
			}

			if err == nil && a.Name == "text_to_speech" && !(voice.Domain{}).Same(
				voice.Domain{}.Content(next, result), voice.Domain{}.Content(next, "speech_1")) {
				t.Errorf("what it gives is not what it keeps: %s", text(result))
			}
		}
	})
}

// A tool that fits its document is not refused for what the document does not say.
func TestDocumentsFitTheService(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))

	for _, a := range (voice.Domain{}).APIs() {
		for range 50 {
			c := begin(t)

			if _, _, err := (voice.Domain{}).Call(c.state, a.Name, fitting(rng, a)); err != nil {
				t.Errorf("%s: %v", a.Name, err)
			}
		}
	}
}

// fitting returns arguments that fit a document.
func fitting(rng *rand.Rand, a toolapi.APISpec) (args envs.Args) {
	known := map[string][]any{
		"input_speech": {"user_variable_0"}, "voice_name": {"Amir", "Iris"}, "text": {"One.", "Two, three!"},
	}

	for _, p := range a.Parameters.All {
		if p.Optional && rng.IntN(2) == 0 {
			continue
		}

		from := known[p.Name]
		if list, ok := p.Schema.Get("enum"); ok {
			from = list.([]any)
		} else if from == nil {
			from = []any{envs.Number("0"), envs.Number("0.35"), envs.Number("1")}
		}

		args = append(args, envs.Arg{Name: p.Name, Value: from[rng.IntN(len(from))]})
	}
	return args
}

func BenchmarkCall(b *testing.B) {
	c := begin(b)
	args := value(b, `{"input_speech": "user_variable_0", "voice_name": "Omar"}`).(envs.Args)

	b.ReportAllocs()

	for b.Loop() {
		_, result, err := voice.Domain{}.Call(c.state, "speech_to_speech", args)
		if err != nil {
			b.Fatal(err)
		}

		_ = text(result)
	}
}
