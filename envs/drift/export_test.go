package drift

import "math/rand/v2"

// NewDraws are draws for an API by itself.
func NewDraws(seed uint64) *Draws {
	return &Draws{Rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, words: words()}
}

// Choosable are the operators that a model may choose of parameters, or of answers, and what it is
// told of them.
func Choosable(answers bool) (all map[string]bool, told string) {
	if answers {
		return choosable[answers], answerInstructions
	}
	return choosable[answers], parameterInstructions
}
