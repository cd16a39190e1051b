package datacmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
	"toolevo/toolqa/score"
)

func newGold(p *console.Program) *cobra.Command {
	cmd := console.Command("gold", helpTexts)
	dir, datasets, difficulties := p.DataFlag(cmd), datasetsFlag(cmd), difficultyFlag(cmd)
	asJSON := console.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, named, err := datasets()
		if err != nil {
			return err
		}

		chosen, err := difficulties()
		if err != nil {
			return err
		}
		var reports []goldReport

		for _, ds := range all {
			r, err := checkGold(cmd.Context(), *dir, ds, chosen)
			if errors.Is(err, fs.ErrNotExist) && !named {
				continue
			}

			if err != nil {
				return err
			}

			reports = append(reports, r...)
		}

		if len(reports) == 0 {
			return fmt.Errorf("no test questions in %s: run `toolevo data build` or `toolevo data import`, then "+
				"`toolevo data questions`", *dir)
		}

		return printGold(p, *asJSON, reports)
	}

	return cmd
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
		qs, err := questions.Read(dir, ds, d, toolqa.Test)
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
		if len(qs) > 0 {
			report.Source = string(qs[0].Source)
		}

		reports = append(reports, report)
	}

	if len(reports) == 0 {
		return nil, fmt.Errorf("no test questions of %s in %s: run `toolevo data import` or `toolevo data "+
			"questions`: %w", ds, dir, fs.ErrNotExist)
	}

	return reports, nil
}

func printGold(p *console.Program, asJSON bool, reports []goldReport) error {
	unexplained := 0
	for _, r := range reports {
		unexplained += r.unexplained()
	}

	err := p.Show(asJSON, Gold{reports}, func() {
		for _, r := range reports {
			fmt.Fprintf(p.Out, "%s-%s (%s): %d of %d answers agree with the right rule, %d with the published rule\n",
				r.Dataset, r.Difficulty, r.Source, r.Right, r.Questions, r.Official)

			for _, d := range r.Disagreements {
				fmt.Fprintf(p.Out, "  %s: answer %q, the rule gives %q  %s%s\n", d.ID, d.Answer, d.Right, d.Question,
					d.Problem)
			}

			for _, id := range r.Unrecognised {
				fmt.Fprintf(p.Out, "  %s: fits no template\n", id)
			}
		}
	})
	if err == nil && unexplained > 0 {
		return console.Bad("%d answers agree with no rule", unexplained)
	}

	return err
}

// Gold is what `data gold --json` prints.
type Gold struct {
	Gold []goldReport `json:"gold"` // by question file
}
