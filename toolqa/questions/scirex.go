package questions

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
)

// drawRelation draws the values of the slots from a random relation.
func drawRelation(t *Template, _ string) attempt {
	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		if len(s.relations) == 0 {
			return nil, false, fmt.Errorf("a corpus without relations has no questions")
		}

		relation := s.relations[r.IntN(len(s.relations))]
		names := map[string]string{
			"task":     relation.Task,
			"method":   relation.Method,
			"material": relation.Material,
			"metric":   relation.Metric,
		}

		values := make([]string, len(t.slots))
		for i, slot := range t.slots {
			values[i] = names[slot.name]
		}

		return values, true, nil
	}
}

// cleanScore returns a score without blanks around it and the byte-order mark that some published ones begin with.
func cleanScore(score string) string { return pytext.Strip(strings.ReplaceAll(score, "\ufeff", "")) }

// scoreNumber returns the number that a score stands for: of "380k" and "1.7m" in full, of "71.6%" as it is printed, of
// "81.5±0.3" the middle. A comma before three digits groups thousands, any other is a decimal point.
func scoreNumber(score string) (float64, bool) {
	text, _, _ := strings.Cut(cleanScore(score), "±")
	text = strings.TrimSuffix(strings.TrimSpace(text), "%")
	unit := 1.0

	for suffix, factor := range map[string]float64{"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "B": 1e9} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = number, factor
		}
	}

	if before, after, ok := strings.Cut(text, ","); ok {
		if whole, _, _ := strings.Cut(after, "."); len(whole) == 3 {
			text = before + after
		} else {
			text = before + "." + after
		}
	}

	if text = strings.TrimSpace(text); !isNumber(text) {
		return 0, false
	}

	f, err := strconv.ParseFloat(text, 64)

	return f * unit, err == nil
}

// publishedScore returns what the published rule compares: a number, or for scores that are no plain numbers, a text.
// Every comma is a decimal point. It is NULL where the rule fails.
func publishedScore(score, kind string) any {
	score = strings.ReplaceAll(strings.ReplaceAll(score, "\ufeff", ""), ",", ".")
	if kind != "number" && (strings.ContainsAny(score, "±/%mMkKB") || score == "-" || score == "---") {
		return score
	}

	if f, ok := pytext.ParseFloat(score); ok {
		return f
	}

	return nil
}
