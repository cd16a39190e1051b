package questions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Verification is what Verify found in the question files of one dataset.
type Verification struct {
	Questions  int      `json:"questions"`          // in all splits
	FromFiles  int      `json:"from_files"`         // of those, published ones, whose answers are not recomputed
	Recomputed int      `json:"recomputed"`         // generated ones whose answer the rule finds again
	Templates  int      `json:"templates"`          // that occur
	Missing    []string `json:"missing,omitempty"`  // templates without a question
	Problems   []string `json:"problems,omitempty"` // what makes a file useless for training or for evaluating
	// what is wrong with the published questions, which are kept as they are
	Published []string `json:"published,omitempty"`
}

// Verify recomputes the answers of all generated questions below dir over the corpus they are
// about, by each template's rule, and compares by match. It looks for questions that occur twice or
// in two splits, for questions no template fits, and for templates without a question. The error is
// one of reading.
func Verify(ctx context.Context, dir string, c *corpus.Corpus, match func(gold, answer string) bool,
	progress func(done, total int)) (_ Verification, err error) {
	rows, err := Load(ctx, c)
	if err != nil {
		return Verification{}, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()

	v := &verifier{corpus: rows, match: match, seen: map[string]toolqa.Question{}, templates: map[string]bool{}}

	qs, err := v.readAll(dir, c.Info())
	if err != nil {
		return Verification{}, err
	}

	for i, q := range qs {
		if err := v.check(q); err != nil {
			return Verification{}, err
		}

		// Rules run without ctx, so it is checked after each question.
		if err := ctx.Err(); err != nil {
			return Verification{}, err
		}

		progress(i+1, len(qs))
	}

	// Missing templates are no problem: a small share of the questions need not have all.
	v.Questions, v.Templates = len(qs), len(v.templates)
	for _, d := range toolqa.Difficulties() {
		for _, t := range Templates(c.Dataset(), d) {
			if !v.templates[t.Name] {
				v.Missing = append(v.Missing, t.Name)
			}
		}
	}

	return v.Verification, nil
}

// readAll reads the questions of a dataset, the test split first. Files that were never written are
// left out, and those that are not as they were written are reported.
func (v *verifier) readAll(dir string, info corpus.Info) ([]toolqa.Question, error) {
	known, err := readSums(dir)
	if err != nil && !errors.Is(err, corpus.ErrDamaged) {
		return nil, err
	}

	var all []toolqa.Question

	for _, d := range toolqa.Difficulties() {
		for _, s := range slices.Backward(toolqa.Splits()) {
			qs, err := ReadAbout(dir, info, d, s)

			name, _ := sumsKey(dir, Path(dir, info.Dataset, d, s))
			if errors.Is(err, fs.ErrNotExist) && known[name] == "" {
				continue
			}

			if err != nil {
				v.Problems = append(v.Problems, err.Error())
			}

			all = append(all, qs...)
		}
	}
	return all, nil
}

type verifier struct {
	Verification
	corpus    *Corpus
	match     func(gold, answer string) bool
	seen      map[string]toolqa.Question // by key
	templates map[string]bool
}

// check checks one question.
func (v *verifier) check(q toolqa.Question) error {
	// What is wrong with published questions is no problem of the files: they stay as published.
	report := func(format string, args ...any) {
		to := &v.Problems
		if q.Source == toolqa.Published {
			to = &v.Published
		}

		*to = append(*to, q.ID+": "+fmt.Sprintf(format, args...))
	}

	if q.Source == toolqa.Published {
		v.FromFiles++
	}

	key := envs.QuestionKey(q.Text)
	if first, ok := v.seen[key]; ok {
		report("asks what %s (%s) asks", first.ID, first.Split)
	}

	v.seen[key] = q

	m, ok := recognise(q.Text)
	if !ok || m.template.dataset != q.Dataset || m.template.difficulty != q.Difficulty {
		report("fits no template")
		return nil
	}

	v.templates[m.template.Name] = true

	if q.Source == toolqa.Published {
		return nil
	}

	// Only generated questions get here: CheckGold judges the published answers.
	answer, err := rightAnswer(m, v.corpus)
	switch {
	case isNoAnswer(err):
		report("the template's rule finds no answer, the file has %q", q.Answer)
	case err != nil:
		return err
	case !v.match(q.Answer, answer):
		report("the template's rule finds %q, the file has %q", answer, q.Answer)
	default:
		v.Recomputed++
	}

	return nil
}
