package datacmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
)

func newQuestions(p *console.Program) *cobra.Command {
	cmd := console.Command("questions", helpTexts)
	dir, datasets, difficulties := p.DataFlag(cmd), datasetsFlag(cmd), difficultyFlag(cmd)
	asJSON, watch := console.JSONFlag(cmd), p.Watched(cmd)
	seed := cmd.Flags().Uint64("seed", 1, "`N` is the seed: the same seed and corpora give the same questions")
	scale := cmd.Flags().Float64("scale", 1, "`SHARE` of the paper's numbers, 0..1")
	faulty := cmd.Flags().Bool("faulty", false, "also train on templates whose published answers are wrong")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, named, err := datasets()
		if err != nil {
			return err
		}

		chosen, err := difficulties()
		if err != nil {
			return err
		}

		if !(*scale > 0 && *scale <= 1) {
			return console.Usage("--scale %v: want more than 0 and at most 1", *scale)
		}

		progress, stop := watch()
		defer stop()

		var made []splitReport
		var generated []toolqa.Question

		for i, ds := range all {
			progress.Step("questions about "+string(ds))(i, len(all))

			qs, reports, err := generateQuestions(cmd.Context(), *dir, ds, chosen, *seed, *scale, *faulty)
			if errors.Is(err, fs.ErrNotExist) && !named {
				continue
			}

			if err != nil {
				return err
			}

			generated, made = append(generated, qs...), append(made, reports...)
		}

		if len(made) == 0 {
			return fmt.Errorf("no corpus in %s: run `toolevo data build` or `toolevo data import`", *dir)
		}

		// All at once: what ends the command before leaves the files as they were.
		if err := questions.Write(*dir, generated); err != nil {
			return err
		}

		return p.Show(*asJSON, Splits{made}, func() { printSplits(p, *dir, made) })
	}

	return cmd
}

// splitReport is what `data questions` says about one file.
type splitReport struct {
	Dataset    string `json:"dataset"`    // e.g. "coffee"
	Difficulty string `json:"difficulty"` // "easy" or "hard"
	Split      string `json:"split"`      // "train", "dev" or "test"
	Questions  int    `json:"questions"`  // in the file
	Source     string `json:"source"`     // "generated" or "published"
	Path       string `json:"path"`       // the file
}

// printSplits writes a line for each dataset and difficulty.
func printSplits(p *console.Program, dir string, made []splitReport) {
	for i, m := range made {
		text := fmt.Sprintf("%s %d", m.Split, m.Questions)
		if m.Source == string(toolqa.Published) {
			text += " (published)"
		}

		if i == 0 || made[i-1].Dataset != m.Dataset || made[i-1].Difficulty != m.Difficulty {
			text = fmt.Sprintf("%-13s %s", m.Dataset+"-"+m.Difficulty, text)
		}

		end := "  "
		if i == len(made)-1 || made[i+1].Dataset != m.Dataset || made[i+1].Difficulty != m.Difficulty {
			end = "\n"
		}

		fmt.Fprint(p.Out, text, end)
	}

	fmt.Fprintf(p.Out, "in %s\n", filepath.Join(dir, "questions"))
}

// generateQuestions returns the questions of a dataset, and what there is to say about each file.
func generateQuestions(ctx context.Context, dir string, ds toolqa.Dataset, chosen []toolqa.Difficulty, seed uint64,
	scale float64,
	faulty bool) (all []toolqa.Question, reports []splitReport, err error) {
	opened, err := corpus.Open(ctx, dir, ds)
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()

	rows, err := questions.Load(ctx, opened)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()

	for i, d := range toolqa.Difficulties() {
		if !slices.Contains(chosen, d) {
			continue
		}

		counts := questions.PaperCounts(ds, d).Scale(scale)
		var published []toolqa.Question

		for s, n := range map[toolqa.Split]*int{toolqa.Train: &counts.Train, toolqa.Dev: &counts.Dev,
			toolqa.Test: &counts.Test} {
			there, err := questions.Published(dir, ds, d, s)
			if err != nil {
				return nil, nil, err
			}

			if len(there) > 0 {
				*n = 0
			}

			published = append(published, there...)
		}

		made, err := questions.Generate(rand.New(rand.NewPCG(seed, uint64(i))), rows, d,
			questions.Options{Counts: counts, Exclude: published, Faulty: faulty})
		if err != nil {
			return nil, nil, err
		}

		for i := range made {
			made[i].Corpus = opened.Info().ContentSHA256
		}

		all = append(all, made...)
		reports = append(reports, splitReports(dir, ds, d, append(made, published...))...)
	}

	return all, reports, nil
}

func splitReports(dir string, ds toolqa.Dataset, d toolqa.Difficulty, all []toolqa.Question) []splitReport {
	var reports []splitReport

	for _, s := range toolqa.Splits() {
		r := splitReport{
			Dataset:    string(ds),
			Difficulty: string(d),
			Split:      string(s),
			Path:       questions.Path(dir, ds, d, s),
		}
		for _, q := range all {
			if q.Split == s {
				r.Questions++
				r.Source = string(q.Source)
			}
		}

		reports = append(reports, r)
	}

	return reports
}

// Splits is what `data questions --json` prints.
type Splits struct {
	Splits []splitReport `json:"splits"` // the question files that were written
}
