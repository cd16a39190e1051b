package questions

import (
	"strconv"
	"strings"

	"toolevo/envs/pytext"
)

// cleanScore returns a score without blanks around it and the byte-order mark that some published
// ones begin with.
func cleanScore(score string) string { return pytext.Strip(strings.ReplaceAll(score, "\ufeff", "")) }

// units are what the last letter of a score multiplies it by.
var units = map[byte]float64{'k': 1e3, 'K': 1e3, 'm': 1e6, 'M': 1e6, 'B': 1e9}

// scoreNumber returns the number that a score means: of "380k" and "1.7m" in full, of "71.6%"
// as it is printed, of "81.5±0.3" the middle. A comma before three digits groups thousands, any
// other is a decimal point.
func scoreNumber(score string) (float64, bool) {
	text, _, _ := strings.Cut(cleanScore(score), "±")
	text = strings.TrimSuffix(strings.TrimSpace(text), "%")
	unit := 1.0

	// One letter alone: "5.3MB" is no number of either unit.
	if n := len(text); n > 0 && units[text[n-1]] > 0 {
		text, unit = text[:n-1], units[text[n-1]]
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

// publishedScore returns what the published rule compares: a number, or for scores that are not
// plain numbers, a text. Every comma is a decimal point. It is NULL where the rule fails.
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
