package perturb

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"toolevo/envs/kept"
)

//go:embed instructions.txt
var instructions string

// Paraphraser has a model say questions in other words. It asks the same for equal questions, so that the model's texts
// can be kept, see package envs/kept.
type Paraphraser struct {
	Writer   kept.Writer
	Faithful bool // values may be lost
	Seed     uint64
	Workers  int // questions at a time, at least 1

	// Done, if set, is called after each question.
	Done func(done, total int)
}

// Question is a question by the ID of its task.
type Question struct{ ID, Text string }

// Paraphrased is what came of questions.
type Paraphrased struct {
	Texts map[string]string // by ID
	Kept  int               // of them, those that are as they were, because no answer would do
}

// mostTries is how often a model is asked for the paraphrase of a question that will do.
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

// paraphrase asks until an answer will do; "" is none.
func (p *Paraphraser) paraphrase(ctx context.Context, q Question) (string, error) {
	request := q.Text

	needed := values.FindAllString(q.Text, -1)
	if len(needed) > 0 && !p.Faithful {
		request += "\n\nThese parts have to stand in it, letter by letter:\n" + strings.Join(needed, "\n")
	}

	random := Perturbation{Kind: Paraphrase, Seed: p.Seed}.random(q.ID)

	for range mostTries {
		if err := ctx.Err(); err != nil {
			return "", err
		}

		text, err := p.Writer.Write(ctx, instructions, request, random.Uint64()>>1) // servers take 63 bits
		if err != nil {
			return "", err
		}

		if text = strings.TrimSpace(text); text != "" && (p.Faithful || hasAll(text, needed)) {
			return text, nil
		}
	}

	return "", nil
}

func hasAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}

	return true
}
