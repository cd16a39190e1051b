package fidelity

import (
	"context"
	_ "embed"
	"regexp"
	"strconv"
	"strings"

	"toolevo/envs/kept"
)

//go:embed prompts/judge.txt
var judgePrompt string

// JudgeTries is how often a judge is asked for one rating.
const JudgeTries = 3

// judge returns the rating of a case, and whether the judge gave one that can be read.
func judge(ctx context.Context, w kept.Writer, c *Case, seed uint64) (rating float64, ok bool, err error) {
	request := "[Question]\n" + c.Instruction + "\n\n[Reference answer]\n" + compared(c.Real) +
		"\n[End of the reference answer]\n\n[The program's answer]\n" + compared(c.Simulated) +
		"\n[End of the program's answer]"

	for try := range uint64(JudgeTries) {
		text, err := w.Write(ctx, strings.TrimSpace(judgePrompt), request, seed+try)
		if err != nil {
			return 0, false, err
		}

		if rating, ok = parseRating(text); ok {
			return rating, true, nil
		}
	}

	return 0, false, nil
}

var bracketed = regexp.MustCompile(`\[\[\s*(\d+(?:\.\d+)?)\s*(?:/\s*10\s*)?\]\]`)

// parseRating reads the rating that a judgement ends with. Judges quote the form before they use it.
func parseRating(text string) (float64, bool) {
	all := bracketed.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return 0, false
	}

	rating, err := strconv.ParseFloat(all[len(all)-1][1], 64)

	return rating, err == nil && rating >= 1 && rating <= 10
}
