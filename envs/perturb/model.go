package perturb

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"toolevo/envs/kept"
)

//go:embed instructions.txt
var instructions string

// prompt tells a model to rephrase questions.
var prompt = kept.NewPrompt("paraphrase", instructions)

// Paraphraser has a model rephrase questions. It asks the same for equal questions, so that the
// model's texts can be kept, see package envs/kept.
type Paraphraser struct {
	Writer   kept.Writer
	Faithful bool // values may be lost
	Seed     uint64
	Workers  int // questions at a time, at least 1
	Prompts  kept.Prompts

	// Done, if set, is called after each question.
	Done func(done, total int)
}

// Question is a question with the ID of its task.
type Question struct{ ID, Text string }

// Paraphrased holds the questions in other words.
type Paraphrased struct {
	Texts map[string]string // by ID
	Kept  int               // questions that keep their texts, because no answer was acceptable
}

// mostTries is how often a model is asked for an acceptable paraphrase of a question.
const mostTries = 3

// Paraphrase returns the questions in other words.
func (p *Paraphraser) Paraphrase(ctx context.Context, questions []Question) (Paraphrased, error) {
	texts, err := kept.All(ctx, len(questions), p.Workers, p.Done, func(ctx context.Context, i int) (string, error) {
		text, err := p.paraphrase(ctx, questions[i])
		if err != nil {
			err = fmt.Errorf("paraphrase %s: %w", questions[i].ID, err)
		}
		return text, err
	})
	if err != nil {
		return Paraphrased{}, err
	}

	made := Paraphrased{Texts: make(map[string]string, len(questions))}

	for i, q := range questions {
		if texts[i] == "" {
			texts[i] = q.Text
			made.Kept++
		}

		made.Texts[q.ID] = texts[i]
	}
	return made, nil
}

// paraphrase asks until an answer is acceptable; "" if none is.
func (p *Paraphraser) paraphrase(ctx context.Context, q Question) (string, error) {
	request := q.Text

	needed := values().FindAllString(q.Text, -1)
	if len(needed) > 0 && !p.Faithful {
		request += "\n\nThese parts have to stand in it, letter by letter:\n" + strings.Join(needed, "\n")
	}

	told, request := p.Prompts.Asked(prompt, request)

	text, _, err := kept.Ask(ctx, p.Writer, kept.Asking{
		Instructions: told, Request: request, Tries: mostTries,
		Seed: Perturbation{Kind: Paraphrase, Seed: p.Seed}.random(q.ID).Uint64(),
	}, func(reply string) (string, error) { return p.read(reply, q.Text, needed) })
	return text, err
}

// read returns the paraphrase in a reply, which must be the question and nothing else, with the
// values that it needs, each no more often than the question has it.
func (p *Paraphraser) read(reply, question string, needed []string) (string, error) {
	text, err := kept.Prose(reply)
	if err != nil {
		return "", err
	}

	more := func(part string) bool {
		return strings.Count(text, part) > strings.Count(question, part)
	}
	behind := text[strings.LastIndexByte(text, '?')+1:]

	// Models like to announce a paraphrase, to explain it, or to answer it.
	switch {
	case more("\n"):
		return "", errors.New("it has more lines than the request")
	case more(": "):
		return "", errors.New("it has a colon that the request does not have")
	case more("?") && strings.Count(text, "?") > 1:
		return "", errors.New("it asks more than the request does")
	case behind != text && strings.HasSuffix(question, "?") &&
		strings.ContainsFunc(behind, unicode.IsLetter):
		return "", errors.New("something stands behind its question")
	case p.Faithful:
		return text, nil
	}

	// A lost value makes the question unanswerable, and an added one makes it another question.
	for _, value := range needed {
		if !strings.Contains(text, value) {
			return "", fmt.Errorf("it lacks %s", value)
		}
	}

	for _, value := range values().FindAllString(text, -1) {
		if more(value) {
			return "", fmt.Errorf("it has %s more often than the request does", value)
		}
	}

	return text, nil
}
