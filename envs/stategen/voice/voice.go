package voice

import (
	"math/rand/v2"
	"slices"

	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// Domain is the domain. It implements [stategen.Domain].
type Domain struct{}

// Name implements [stategen.Domain].
func (Domain) Name() string { return "voice" }

// The tools.
const (
	textToSpeech   = "text_to_speech"
	speechToSpeech = "speech_to_speech"
	speechToText   = "speech_to_text"
	isolateAudio   = "isolate_audio"
	outboundCall   = "make_outbound_call"
	searchVoices   = "search_voice_library"
)

// APIs implements [stategen.Domain].
func (Domain) APIs() []toolapi.APISpec { return slices.Clone(tools()) }

// Counted implements [stategen.Domain]: all tools.
func (Domain) Counted() []string {
	return []string{textToSpeech, speechToSpeech, speechToText, isolateAudio, outboundCall, searchVoices}
}

// Splits implements [stategen.Domain]: a program may branch anywhere after its first call.
func (Domain) Splits(n int) []int {
	splits := []int{max(n-1, 0)}
	for after := 1; after < n-1; after++ {
		splits = append(splits, after)
	}
	return splits
}

// Init implements [stategen.Domain].
func (Domain) Init(rng *rand.Rand) stategen.Schema {
	library := voiceNames().draw(rng)

	server := make([]any, len(library))
	for i, v := range library {
		server[i] = v.value()
	}

	s := &schema{Growing: stategen.NewGrowing(Domain{}.Name(), server)}
	s.State = &state{library: library}

	s.offer(rng, aText, 1+rng.IntN(2))
	s.offer(rng, aSearch, 1+rng.IntN(2))
	s.offer(rng, aSpeech, rng.IntN(2))
	s.offer(rng, aVoice, 2)
	s.offer(rng, someSettings, 1)

	return s
}
