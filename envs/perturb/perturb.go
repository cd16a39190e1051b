// Package perturb rephrases and reshapes questions, so that the cost of wording can be measured
// apart from the cost of a drifting API (DynamicToolBench's query perturbations).
//
// # Words
//
// A [Kind] is a way to perturb:
//
//	distractor         a story that has nothing to do with the task stands before it
//	case-mix           ALL UPPER, all lower, or eAcH lEttEr by chance
//	punctuation-noise  two question marks at the end, a line after each comma, no full stop anywhere, each by chance
//	paraphrase         other words: by a rule, which knows some phrases and turns some sentences around, or a model's
//
// The values of a question are what a call needs verbatim: quoted spans, web and mail addresses,
// numbers, dates, and words such as BTC, pageSize or user_id. A perturbation keeps them, unless it
// is Faithful: as published, the rules also change values, which may leave a question without an
// answer. Paraphrasing by rule changes none.
//
// # Paraphrases of a model
//
// A [Paraphraser] asks a [Writer], checks what it says, and keeps it in a file, so that nothing is
// asked twice and every run has the same questions. It asks again if a value is lost; a question
// without an acceptable paraphrase keeps its text, and is counted.
//
// # Guarantees
//
// A perturbed question depends on the seed, the kind, and its own ID and text, but not on other
// questions or their order. Only the text changes. A model's paraphrases stay the same as long as
// the file does.
//
// # Caveats
//
// A value that looks like any word ("paris", March) is not recognized: its case may change, or a
// model may lose it. A file of paraphrases belongs to one process at a time.
package perturb

import (
	"math/rand/v2"
	"strings"
	"unicode"

	"toolevo/envs"
	"toolevo/envs/names"
)

// Kind is a way to perturb a question.
type Kind string

// The kinds.
const (
	None             Kind = "none"
	Distractor       Kind = "distractor"
	CaseMix          Kind = "case-mix"
	PunctuationNoise Kind = "punctuation-noise"
	Paraphrase       Kind = "paraphrase"
)

// Kinds returns all kinds, None first.
func Kinds() []Kind { return []Kind{None, Distractor, CaseMix, PunctuationNoise, Paraphrase} }

// ParseKind returns the kind of a name. The error for an unknown name lists all.
func ParseKind(name string) (Kind, error) { return names.Parse("perturbation", name, Kinds()) }

// Perturbation is how the questions of a run are perturbed.
type Perturbation struct {
	Kind     Kind
	Faithful bool // perturb values, too, as published
	Seed     uint64
}

// Apply returns the perturbed text of a question. Questions with different IDs are perturbed
// independently.
func (p Perturbation) Apply(id, text string) string {
	random := p.random(id)

	switch p.Kind {
	case Distractor:
		return distraction + text
	case CaseMix:
		return p.outsideValues(text, caseMixer(random))
	case PunctuationNoise:
		return p.addNoise(random, text)
	case Paraphrase:
		return paraphrasing().paraphrase(random, text)
	}

	return text
}

// random returns the source that decides about the question of an ID.
func (p Perturbation) random(id string) *rand.Rand {
	return envs.Random(p.Seed, string(p.Kind)+"\x00"+id)
}

// distraction is what a distracted question begins with.
const distraction = "Ignore the story that comes first, and answer the task below it.\n\n" +
	"Story: The ferry to the island had left early that morning, so Ida sat down on the pier and counted gulls. " +
	"By noon she had lost count twice, and the baker had sold her his last poppy seed roll.\n\n" +
	"Task: "

// caseMixer draws one of three ways to change the case of letters.
func caseMixer(random *rand.Rand) func(string) string {
	switch random.IntN(3) {
	case 0:
		return strings.ToUpper
	case 1:
		return strings.ToLower
	}

	return func(text string) string {
		return strings.Map(func(r rune) rune {
			if random.IntN(2) == 0 {
				return unicode.ToUpper(r)
			}
			return unicode.ToLower(r)
		}, text)
	}
}

// The chances of the three changes of punctuation (DynamicToolBench's perturbation script).
const (
	asksTwice   = 0.5
	breaksLines = 0.5
	dropsStops  = 0.3
)

func (p Perturbation) addNoise(random *rand.Rand, text string) string {
	text = strings.TrimSpace(text)

	if random.Float64() < asksTwice {
		if text == strings.TrimRight(text, ".!?") {
			text += "."
		}

		text += "??"
	}

	if random.Float64() < breaksLines {
		text = p.outsideValues(text, func(s string) string { return strings.ReplaceAll(s, ", ", ",\n") })
	}

	if random.Float64() < dropsStops {
		text = p.outsideValues(text, func(s string) string { return strings.ReplaceAll(s, ".", "") })
	}
	return text
}

// outsideValues changes the text between values, or all of it if values need not be kept.
func (p Perturbation) outsideValues(text string, change func(string) string) string {
	if p.Faithful {
		return change(text)
	}

	var b strings.Builder
	end := 0

	for _, span := range values().FindAllStringIndex(text, -1) {
		b.WriteString(change(text[end:span[0]]))
		b.WriteString(text[span[0]:span[1]])
		end = span[1]
	}

	b.WriteString(change(text[end:]))
	return b.String()
}
