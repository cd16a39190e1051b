package envs

import (
	"testing"
)

func TestQuestionKey(t *testing.T) {
	const question = "Where is the Fête on Weststraße 12?"

	for name, equal := range map[string]string{
		"case":          "where is the FÊTE on WESTSTRASSE 12?",
		"white space":   " Where is\tthe  Fête on\nWeststraße\u00a012? ",
		"decomposed":    "Where is the Fe\u0302te on Weststraße 12?",
		"compatibility": "Ｗhere is the Fête on Weststraße １２？",
	} {
		if QuestionKey(equal) != QuestionKey(question) {
			t.Errorf("%s: %q is another question", name, equal)
		}
	}

	for name, other := range map[string]string{
		"accent":      "Where is the Fete on Weststraße 12?",
		"punctuation": "Where is the Fête on Weststraße 12",
		"words":       "Where is the Fête on Weststraße 1 2?",
	} {
		if QuestionKey(other) == QuestionKey(question) {
			t.Errorf("%s: %q is the same question", name, other)
		}
	}
}
