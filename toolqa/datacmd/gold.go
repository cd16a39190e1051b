package datacmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"toolevo/envs/console"
	"toolevo/envs/score"
	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
)

func goldCommand() suite.Command {
	var c chosen
	return suite.Command{
		Use: "data gold", Help: helpTexts, Document: Gold{},
		Options: append(c.options(), c.difficultyOption()),
		Run: func(ctx context.Context, call *suite.Call) error {
			var done Gold

			for _, ds := range c.chosenDatasets() {
				r, err := checkGold(ctx, c.data, ds, c.difficulties())
				// Unless datasets are named, those that exist are meant.
				if errors.Is(err, fs.ErrNotExist) && !c.named() {
					continue
				}

				if err != nil {
					return err
				}

				done.Gold = append(done.Gold, r...)
			}

			if len(done.Gold) == 0 {
				return fmt.Errorf("no test questions in %s: run `toolevo data build` or `toolevo data "+
					"import`, then `toolevo data questions`", c.data)
			}

			// Answers that agree with no rule are printed, and still an error.
			return call.Result(done, done.print, done.verdict())
		},
	}
}

// goldReport is a GoldReport and what it is about.
type goldReport struct {
	Dataset    string `json:"dataset"`    // e.g. "coffee"
	Difficulty string `json:"difficulty"` // "easy" or "hard"
	Source     string `json:"source"`     // "generated" or "published"
	questions.GoldReport
}

// unexplained counts the answers that neither rule gives.
func (r goldReport) unexplained() int {
	n := len(r.Unrecognised)
	for _, d := range r.Disagreements {
		if !d.OfficialAgrees {
			n++
		}
	}

	return n
}

func checkGold(ctx context.Context, dir string, ds toolqa.Dataset, difficulties []toolqa.Difficulty) ([]goldReport,
	error) {
	opened, err := corpus.Open(ctx, dir, ds)
	if err != nil {
		return nil, err
	}
	defer opened.Close()

	rows, err := questions.Load(ctx, opened)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var reports []goldReport

	for _, d := range difficulties {
		// The questions may be of one difficulty only: that is an error only if there are none at
		// all.
		qs, err := questions.ReadAbout(dir, opened.Info(), d, toolqa.Test)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			return nil, err
		}

		r, err := questions.CheckGold(qs, rows, score.Official)
		if err != nil {
			return nil, err
		}

		report := goldReport{Dataset: string(ds), Difficulty: string(d), GoldReport: r}
		// A file never mixes published questions with generated ones.
		if len(qs) > 0 {
			report.Source = string(qs[0].Source)
		}

		reports = append(reports, report)
	}

	// It wraps fs.ErrNotExist, so that the command can pass over a dataset that nobody named.
	if len(reports) == 0 {
		return nil, fmt.Errorf("no test questions of %s in %s: run `toolevo data import` or `toolevo data "+
			"questions`: %w", ds, dir, fs.ErrNotExist)
	}

	return reports, nil
}

// verdict returns an error if any answers agree with no rule.
func (g Gold) verdict() error {
	unexplained := 0
	for _, r := range g.Gold {
		unexplained += r.unexplained()
	}

	if unexplained > 0 {
		return console.Bad("%d answers agree with no rule", unexplained)
	}
	return nil
}

func (g Gold) print(w io.Writer) {
	for _, r := range g.Gold {
		fmt.Fprintf(w, "%s-%s (%s): %d of %d answers agree with the right rule, %d with the published rule\n",
			r.Dataset, r.Difficulty, r.Source, r.Right, r.Questions, r.Official)

		for _, d := range r.Disagreements {
			fmt.Fprintf(w, "  %s: answer %q, the rule gives %q  %s%s\n", d.ID, d.Answer, d.Right, d.Question, d.Problem)
		}

		for _, id := range r.Unrecognised {
			fmt.Fprintf(w, "  %s: fits no template\n", id)
		}
	}
}

// Gold is what `data gold --json` prints.
type Gold struct {
	Gold []goldReport `json:"gold"` // by question file
}
