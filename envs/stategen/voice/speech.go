package voice

import (
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// voice is a voice of a library.
type voice struct{ name, category, gender string }

// value returns a voice as tools return it.
func (v voice) value() envs.Args {
	return envs.Object(
		"voice_name", v.name,
		"category", v.category,
		"gender", v.gender,
	)
}

// readVoice reads what value returns.
func readVoice(v any) (voice, bool) {
	object, _ := v.(envs.Args)
	name, _ := object.Text("voice_name")
	category, _ := object.Text("category")
	gender, _ := object.Text("gender")
	return voice{name, category, gender}, name != "" && category != "" && gender != ""
}

// settings say how a text is spoken, each a number from 0 to 1, in the order of settingNames.
type settings [3]envs.Number

var (
	settingNames    = [3]string{"stability", "similarity_boost", "style"}
	defaultSettings = settings{"0.5", "0.75", "0"}
)

// isSetting reports whether a value is a number from 0 to 1.
func isSetting(v any) (envs.Number, bool) {
	n, ok := v.(envs.Number)
	f, err := strconv.ParseFloat(string(n), 64)
	return n, ok && err == nil && f >= 0 && f <= 1
}

// speech is a speech of the service. It is immutable.
type speech struct {
	text     string
	voice    string // its name; "" is the default, which the library does not have
	settings settings
	seconds  float64
	history  []string // what was done, in words
}

// The words for what was done, followed by "by" and a voice's name, if a voice did it.
const (
	recorded    = "recorded" // by the user
	spoken      = "spoken"
	spokenAgain = "spoken again"
	isolated    = "isolated"
	transcribed = "transcribed"
)

// speak returns a text as a voice speaks it. Every voice speaks at the same pace.
func speak(text, voice string, s settings) *speech {
	words := len(strings.Fields(text))
	return (&speech{text: text, settings: s, seconds: float64(words) * 2 / 5}).inVoice(voice, spoken)
}

// recording returns what the user says.
func recording(text string) *speech {
	s := speak(text, "", defaultSettings)
	s.history = []string{recorded}
	return s
}

// inVoice returns a speech in a voice.
func (s *speech) inVoice(voice, done string) *speech {
	if voice != "" {
		done += " by " + voice
	}

	next := s.after(done)
	next.voice = voice
	return next
}

// isolate returns a speech without silence and noise.
func (s *speech) isolate() *speech {
	next := s.after(isolated)
	next.seconds /= 2
	return next
}

// after returns a copy with one more entry in its history.
func (s *speech) after(done string) *speech {
	next := *s
	next.history = append(slices.Clip(s.history), done)
	return &next
}

// isIsolated reports whether a speech was isolated since a voice spoke it.
func (s *speech) isIsolated() bool {
	for _, done := range slices.Backward(s.history) {
		if done != transcribed {
			return done == isolated
		}
	}

	return false
}

// content returns what a speech is, without its handle.
func (s *speech) content() envs.Args {
	var name any
	if s.voice != "" {
		name = s.voice
	}

	return envs.Object(
		"text", s.text,
		"voice_name", name,
		settingNames[0], s.settings[0],
		settingNames[1], s.settings[1],
		settingNames[2], s.settings[2],
		"duration", stategen.Number(s.seconds),
		"history", envs.Listed(s.history),
	)
}

// value returns a speech as tools return it.
func (s *speech) value(handle string) envs.Args {
	return append(envs.Object("speech", handle), s.content()...)
}

// readSpeech reads what value returns.
func readSpeech(v any) (handle string, s *speech, ok bool) {
	object, _ := v.(envs.Args)
	s = new(speech)

	handle, isHandle := object.Text("speech")
	text, isText := object.Text("text")
	// The name of the default voice is null, so that a missing text is no mistake.
	s.text, s.voice = text, textOf(object, "voice_name")

	for i, name := range settingNames {
		member, _ := object.Get(name)
		if s.settings[i], ok = isSetting(member); !ok {
			return "", nil, false
		}
	}

	duration, _ := object.Get("duration")
	n, _ := duration.(envs.Number)
	seconds, err := strconv.ParseFloat(string(n), 64)
	s.seconds = seconds

	// All parts are read before any is judged: a missing one is a zero value.
	history, _ := object.Get("history")
	entries, isList := history.([]any)

	for _, entry := range entries {
		done, isText := entry.(string)
		isList = isList && isText
		s.history = append(s.history, done)
	}

	return handle, s, isHandle && isText && err == nil && isList
}

func textOf(args envs.Args, name string) string {
	text, _ := args.Text(name)
	return text
}
