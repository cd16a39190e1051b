package voice

import (
	"math/rand/v2"
	"slices"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// offer adds inputs of a kind that calls may use, no two of them equal.
func (s *schema) offer(rng *rand.Rand, k kind, n int) {
	for offered := 0; offered < n; {
		t := s.draw(rng, k)

		if !slices.ContainsFunc(s.things, t.same) {
			s.things = append(s.things, t)
			offered++
		}
	}
}

// draw returns an input of a kind.
func (s *schema) draw(rng *rand.Rand, k kind) thing {
	t := thing{kind: k, producer: stategen.None}

	switch k {
	case aText:
		t.value = parts().draw(rng)
	case aSpeech:
		t.speech = recording(parts().draw(rng))
		t.identity = identity(recorded, t.speech.text)
	case aSearch:
		t.value = drawSearch(rng)
	case aVoice:
		t.value = stategen.Pick(rng, s.service().library).name
	case someSettings:
		t.value = drawSettings(rng)
	}

	return t
}

// same reports whether two inputs are equal.
func (t thing) same(other thing) bool {
	return t.kind == other.kind && t.identity == other.identity && stategen.Equal(t.value, other.value)
}

func drawSearch(rng *rand.Rand) envs.Args {
	category, gender := stategen.Pick(rng, voiceNames().Categories), stategen.Pick(rng, []string{"female", "male"})

	switch rng.IntN(4) {
	case 0:
		category = anything
	case 1:
		gender = anything
	}

	return envs.Object("search_category", category, "search_gender", gender)
}

// drawSettings returns one to three settings in steps of 0.05, none of which is the default.
func drawSettings(rng *rand.Rand) envs.Args {
	which := rng.Perm(len(settingNames))[:1+rng.IntN(len(settingNames))]
	slices.Sort(which)

	var chosen envs.Args
	for _, i := range which {
		drawn := defaultSettings[i]
		for drawn == defaultSettings[i] {
			drawn = stategen.Number(float64(rng.IntN(21)) / 20)
		}

		chosen = chosen.With(settingNames[i], drawn)
	}
	return chosen
}

// voiceWords is the type of a variable that holds the name of a voice.
const voiceWords = "the name of a voice"

// Stock returns the texts that a variable may have, by its type in words: the names of voices, or
// nil.
func (Domain) Stock(words string) []string {
	if words != voiceWords {
		return nil
	}
	return slices.Concat(voiceNames().Female, voiceNames().Male)
}

// words returns the type of an input in words.
func (t thing) words() string {
	switch t.kind {
	case aSpeech:
		return "a speech"
	case aSearch:
		return "an object with the criteria of a search for voices"
	case aVoice:
		return voiceWords
	case someSettings:
		return "an object of voice settings"
	}

	return "a text"
}
