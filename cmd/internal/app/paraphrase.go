package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"toolevo/envs/console"
	"toolevo/envs/kept"
	"toolevo/envs/perturb"
	"toolevo/envs/suite"
)

// ParaphrasesFile is the file of the data folder that keeps what models made of questions.
const ParaphrasesFile = "paraphrases.jsonl"

// inputParaphrases names who paraphrased the questions in a lineage. It is one of the names about
// questions, which may be more when the run is extended.
const inputParaphrases = inputQuestions + " paraphrased"

// How a model paraphrases: not greedily, so that a rejected answer is followed by another one.
const (
	paraphraseTemperature = 0.7
	paraphraseTokens      = 1024
	paraphrasesAtATime    = 16 // the limit on sequences in flight may let fewer through
)

// rephrase has a model paraphrase the questions of a choice, and returns the new words of each.
func (b *Bench) rephrase(ctx context.Context, c suite.Choice) (
	func(id, query string) string, error) {
	questions, err := b.chosenQuestions(ctx, c)
	if err != nil {
		return nil, err
	}

	made, err := b.paraphrase(ctx, c, questions)
	if err != nil {
		return nil, err
	}

	b.Lineage[inputParaphrases] = fmt.Sprintf("%s, %d of %d questions as they were",
		b.Config.ParaphrasedBy(), made.Kept, len(questions))
	b.unparaphrased = made.Kept
	return func(id, query string) string {
		if text, ok := made.Texts[id]; ok {
			return text
		}
		return query // not chosen
	}, nil
}

// paraphrase asks the model, if it may be asked, for what the file does not have.
func (b *Bench) paraphrase(ctx context.Context, c suite.Choice, questions []perturb.Question) (
	made perturb.Paraphrased, err error) {
	model, file := b.Config.ParaphrasedBy(), filepath.Join(c.Data, ParaphrasesFile)
	p := &perturb.Paraphraser{
		Faithful: b.Config.PerturbValues, Seed: b.Config.Seed, Workers: paraphrasesAtATime,
		Prompts: c.Prompts,
	}

	// What only looks at a run must not pay for texts: it takes those that the run wrote.
	if !b.asks {
		texts, err := kept.Read(file)
		if err != nil {
			return made, err
		}

		p.Writer = texts.Writer(model, nil)

		if made, err = p.Paraphrase(ctx, questions); errors.Is(err, kept.ErrNotKept) {
			err = console.Usage("%w: a run asks for paraphrases, this command and a dry run do not",
				err)
		}
		return made, err
	}

	w, err := b.Writer(model, suite.WriterOptions{Temperature: paraphraseTemperature, MaxTokens: paraphraseTokens})
	if err != nil {
		return made, console.Usage("paraphraser: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()

	texts, err := kept.Open(file)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, texts.Close()) }()

	set, stop := b.watch("Paraphrasing questions")
	defer stop()

	// A text that the file has is not asked for again.
	p.Writer, p.Done = texts.Writer(model, w), set

	made, err = p.Paraphrase(ctx, questions)
	return made, console.GaveUp(err)
}

// chosenQuestions returns the questions that a choice selects, as users asked them.
func (b *Bench) chosenQuestions(ctx context.Context, c suite.Choice) (
	questions []perturb.Question, err error) {
	texts := map[string]string{}
	c.Rephrase = func(id, query string) string {
		texts[id] = query
		return query
	}

	// A copy opens the suite to learn which questions are chosen: the bench must not note them yet.
	first := *b
	first.Lineage = map[string]string{}

	if first.Suite, err = b.Benchmark.Open(ctx, c); err != nil {
		return nil, err
	}

	err = errors.Join(first.readTasks(), first.Suite.Close())

	for _, t := range first.Tasks {
		text, ok := texts[t.ID]
		if !ok {
			return nil, fmt.Errorf("the suite %s cannot ask %s in other words", b.Config.Suite,
				t.ID)
		}

		questions = append(questions, perturb.Question{ID: t.ID, Text: text})
	}
	return questions, err
}
