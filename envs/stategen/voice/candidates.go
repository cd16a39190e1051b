package voice

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
)

// move is a call that a schema can make.
type move struct {
	tool string
	args []argument
}

// argument is a thing, or a part of one, that a call is given.
type argument struct {
	name string
	of   int // the thing
	path []string
}

// Candidates implements [stategen.Schema]. It returns one of the calls that differ only in their
// voice, for each transition that a voice can come from.
func (s *schema) Candidates(rng *rand.Rand, want stategen.Want) []stategen.Candidate {
	all := s.moves(rng)
	if !slices.ContainsFunc(all, s.fresh) {
		// Everything was used, e.g. by a phone call: there is one more text to speak.
		s.offer(rng, aText, 1)
		all = s.moves(rng)
	}

	all = slices.DeleteFunc(all, func(m move) bool {
		return !s.fresh(m) || want.Left == 1 && s.leavesNothing(m)
	})

	candidates := make([]stategen.Candidate, len(all))
	for i, m := range all {
		candidates[i] = stategen.Candidate{
			Transition: m.tool, Key: s.key(m), Pairs: s.pairs(m), Counts: true, Params: m,
		}
	}

	return candidates
}

// moves returns the calls that are valid and not silly.
func (s *schema) moves(rng *rand.Rand) []move {
	var all []move

	for i, t := range s.things {
		switch t.kind {
		case aText:
			if s.echoes(t) {
				continue
			}

			text := argument{"text", i, nil}
			// A program that has searched for voices takes one of them, not the default.
			if !s.searched() {
				all = append(all, move{textToSpeech, append([]argument{text}, s.settings(rng)...)})
			}

			for _, voice := range s.voices(rng, "") {
				args := append([]argument{text, voice}, s.settings(rng)...)
				all = append(all, move{textToSpeech, args})
			}
		// The service refuses only a second isolation; the other conditions drop needless calls.
		case aSpeech:
			input := argument{"input_speech", i, []string{"speech"}}
			if !s.transcribed(t.speech.text) {
				all = append(all, move{speechToText, []argument{input}})
			}

			if !t.speech.isIsolated() {
				all = append(all, move{isolateAudio, []argument{input}})
			}

			if !t.isJustVoiced() {
				for _, voice := range s.voices(rng, t.speech.voice) {
					all = append(all, move{speechToSpeech, []argument{input, voice}})
				}
			}

			for _, voice := range s.voices(rng, "") {
				all = append(all, move{outboundCall, []argument{input, voice}})
			}
		case aSearch:
			all = append(all, move{searchVoices, []argument{
				{"search_category", i, []string{"search_category"}},
				{"search_gender", i, []string{"search_gender"}},
			}})
		}
	}

	return all
}

// isJustVoiced reports whether nothing has used a speech since it got its voice: a program that
// wants another voice should have taken that one.
func (t thing) isJustVoiced() bool {
	return t.speech.voice != "" && !t.consumed && t.producer != speechToText
}

// echoes reports whether a thing is the transcript of a text that the user gave: to speak that, a
// program needs no transcript.
func (s *schema) echoes(t thing) bool {
	return t.result && slices.ContainsFunc(s.things, func(g thing) bool {
		return g.kind == aText && !g.result && g.value == t.value
	})
}

// transcribed reports whether a call has returned a text, which nobody needs to transcribe again.
func (s *schema) transcribed(text string) bool {
	return slices.ContainsFunc(s.things, func(t thing) bool {
		return t.kind == aText && t.result && t.value == text
	})
}

// voices returns a voice that a search found, or else one from the start, and the voice of a speech
// that a call made, if there are any other than but. It prefers those that nothing has consumed.
func (s *schema) voices(rng *rand.Rand, but string) []argument {
	var all []argument

	// One of each kind, because the kind decides which transition the call is bound to.
	for _, k := range []kind{aVoice, foundVoices, aSpeech} {
		var unused, used []argument

		// A program that has searched for voices takes one of them, not one from the start.
		for i, t := range s.things {
			if t.kind != k || k == aVoice && s.searched() {
				continue
			}

			for _, path := range paths(t) {
				// A speech in the default voice has no name.
				switch a := (argument{"voice_name", i, path}); {
				case s.value(a) == but || s.value(a) == nil:
				case t.consumed:
					used = append(used, a)
				default:
					unused = append(unused, a)
				}
			}
		}

		if len(unused) == 0 {
			unused = used
		}

		if len(unused) > 0 {
			all = append(all, stategen.Pick(rng, unused))
		}
	}
	return all
}

// searched reports whether the program has searched for voices.
func (s *schema) searched() bool {
	return slices.ContainsFunc(s.things, func(t thing) bool { return t.kind == foundVoices })
}

// paths returns where the names of voices are in a thing.
func paths(t thing) [][]string {
	found, ok := t.value.([]any)

	switch {
	case t.kind == aSpeech && t.result:
		return [][]string{{"voice_name"}}
	case t.kind == aSpeech:
		return nil
	case !ok:
		return [][]string{nil}
	}

	all := make([][]string, len(found))
	for i := range found {
		all[i] = []string{strconv.Itoa(i), "voice_name"}
	}
	return all
}

// settings returns, by a coin, settings from the start, or those of an earlier speech that differ
// from the defaults.
func (s *schema) settings(rng *rand.Rand) (all []argument) {
	if rng.IntN(2) == 0 {
		return nil
	}

	var from []int

	for i, t := range s.things {
		if t.kind == someSettings || t.result && t.kind == aSpeech && t.speech.settings != defaultSettings {
			from = append(from, i)
		}
	}

	i := stategen.Pick(rng, from)

	for k, name := range settingNames {
		if v := s.value(argument{name, i, []string{name}}); v != nil && v != defaultSettings[k] {
			all = append(all, argument{name, i, []string{name}})
		}
	}

	return all
}

// fresh reports whether a call consumes something that no call has. Voices and settings from the
// start do not count, only what the call is about.
func (s *schema) fresh(m move) bool {
	return slices.ContainsFunc(m.args, func(a argument) bool {
		t := s.things[a.of]
		return !t.consumed && t.kind != aVoice && t.kind != someSettings && t.uses(a)
	})
}

// uses reports whether a call with a part of a thing uses up the thing: a speech is more than its
// voice and its settings.
func (t thing) uses(a argument) bool { return t.kind != aSpeech || a.name == "input_speech" }

// leavesNothing reports whether a call would leave no result.
func (s *schema) leavesNothing(m move) bool {
	if m.tool != outboundCall {
		return false
	}

	for i, t := range s.things {
		uses := func(a argument) bool { return a.of == i && t.uses(a) }
		if t.result && !t.consumed && !slices.ContainsFunc(m.args, uses) {
			return false
		}
	}

	return true
}

// pairs returns what a call covers.
func (s *schema) pairs(m move) []stategen.Pair {
	producers := make([]string, len(m.args))
	for i, a := range m.args {
		producers[i] = s.things[a.of].producer
	}
	return stategen.Pairs(m.tool, producers...)
}

// value returns the value of an argument that is not a speech.
func (s *schema) value(a argument) any {
	v, _ := stategen.At(s.things[a.of].value, a.path) // paths always exist
	return v
}

// key returns the arguments of a call as a text: values, or how a speech was made.
func (s *schema) key(m move) string {
	var key []byte

	for _, a := range m.args {
		key = append(append(key, a.name...), '=')

		if id := s.things[a.of].identity; id != "" && a.name == "input_speech" {
			key = append(key, id...)
		} else {
			key = pytext.AppendJSON(key, s.value(a))
		}

		key = append(key, ' ')
	}
	return strings.TrimSuffix(string(key), " ")
}

// identity returns a short name for the speech that a call with a key makes.
func identity(transition, key string) string {
	return strconv.FormatUint(xxh3.HashString(transition+" "+key), 16)
}
