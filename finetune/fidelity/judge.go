package fidelity

import (
	"context"
	"embed"
	"errors"
	"regexp"
	"strconv"

	"toolevo/envs/kept"
)

//go:embed prompts
var promptFiles embed.FS

// judgePrompt is the instruction of a judge of answers.
var judgePrompt = kept.EmbeddedPrompt(promptFiles, "rating")

// JudgeTries is how often a judge is asked for one rating.
const JudgeTries = 3

// judge returns the rating of a case, and whether it could be read.
func (o *Options) judge(ctx context.Context, c *Case) (rating float64, ok bool, err error) {
	request := "[Question]\n" + c.Instruction + "\n\n[Reference answer]\n" + compared(c.Real) +
		"\n[End of the reference answer]\n\n[The program's answer]\n" + compared(c.Simulated) +
		"\n[End of the program's answer]"

	instructions, request := o.Prompts.Asked(judgePrompt, request)

	rating, lost, err := kept.Ask(ctx, o.Judge, kept.Asking{
		Instructions: instructions, Request: request, Seed: o.Seed, Tries: JudgeTries,
		Expendable: true,
	}, parseRating)
	return rating, lost == nil && err == nil, err
}

var bracketed = regexp.MustCompile(`\[\[\s*(\d+(?:\.\d+)?)\s*(?:/\s*10\s*)?\]\]`)

// errRating says why a judgement cannot be read.
var errRating = errors.New(`it has no rating from 1 to 10 in the form "[[rating]]", or several that differ`)

// parseRating reads the rating of a judgement. Two that differ leave a doubt about which is meant.
func parseRating(text string) (rating float64, err error) {
	for i, match := range bracketed.FindAllStringSubmatch(text, -1) {
		r, err := strconv.ParseFloat(match[1], 64)
		if err != nil || i > 0 && r != rating {
			return 0, errRating
		}

		rating = r
	}

	if rating < 1 || rating > 10 {
		return 0, errRating
	}
	return rating, nil
}
