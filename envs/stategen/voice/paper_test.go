package voice_test

import (
	"errors"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/voice"
)

// The paper's service: calls one after the other, and what each gives; "" is a refusal.
func TestPaper(t *testing.T) {
	d := voice.Paper{}
	hello := voice.Recording("user_voice_0_load", "Hello.")

	s, err := d.Begin(&stategen.Program{
		Init: []stategen.Variable{{Name: "user_voice_0_load", Role: stategen.Loaded}},
	}, map[string]any{"user_voice_0_load": hello})
	if err != nil {
		t.Fatal(err)
	}

	spoken := `"voice_name": "nobody", "stability": null, "similarity_boost": null, "style": 0.5`

	for _, tt := range []struct{ tool, args, want string }{
		{"search_voice_library", `{"search_name": "Emma", "search_gender": "masculine"}`,
			`[{"category": "conversational", "gender": "feminine", "voice_name": "Emma"}]`},
		{"search_voice_library", `{"search_name": "nobody"}`, "null"},
		{"search_voice_library", `{"search_category": "old", "search_gender": null}`,
			`[{"category": "old", "gender": "masculine", "voice_name": "Alexander"}, ` +
				`{"category": "old", "gender": "feminine", "voice_name": "Isabella"}]`},
		{"search_voice_library", `{"search_category": "loud"}`, "[]"},
		{"search_voice_library", `{}`, ""},
		{"text_to_speech", `{"text": "Hi.", "voice_name": "nobody", "style": 0.5}`,
			`{"speech": "speech_1", "text": "Hi.", ` + spoken + `, "duration": 16.0, ` +
				`"transitions": [["text_to_speech", {` + spoken + `}]]}`},
		{"speech_to_speech", `{"input_speech": "speech_1", "voice_name": "nobody"}`, ""},
		{"speech_to_text", `{"input_speech": "user_voice_0_load"}`, `{"text": "Hello.", "diarize": false}`},
		{"isolate_audio", `{"input_speech": "user_voice_0_load"}`,
			`{"speech": "speech_2", "text": "Hello.", "voice_name": "user_voice", "stability": null, ` +
				`"similarity_boost": null, "style": null, "duration": 8, ` +
				`"transitions": [["speech_to_text", {"diarize": false}], ["isolate_audio", {}]]}`},
		{"make_outbound_call", `{"input_speech": "speech_2", "voice_name": "Emma"}`, "true"},
		{"make_outbound_call", `{"input_speech": "speech_3", "voice_name": "Emma"}`, ""},
		{"speech_to_text", `{"input_speech": "speech_2", "diarize": true}`, `{"text": "Hello.", "diarize": true}`},
	} {
		args, _, err := pytext.DecodeObject(tt.args)
		if err != nil {
			t.Fatal(err)
		}

		next, value, err := d.Call(s, tt.tool, args)
		if refused := errors.As(err, new(*stategen.Refusal)); refused != (tt.want == "") || err != nil && !refused {
			t.Errorf("%s %s: error %v", tt.tool, tt.args, err)
		}

		if err != nil {
			continue
		}

		s = next
		if got := pytext.JSON(value); got != tt.want {
			t.Errorf("%s %s gives\n%s, want\n%s", tt.tool, tt.args, got, tt.want)
		}
	}

	// A call presents the speech itself, which was transcribed after it.
	calls := d.Effects(s).([]any)
	if speech := calls[0].(envs.Args).Object("speech"); len(calls) != 1 || len(speech.List("transitions")) != 3 {
		t.Errorf("the calls are %s", pytext.JSON(calls))
	}
}
