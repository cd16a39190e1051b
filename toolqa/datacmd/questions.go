package datacmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
)

// examplesOfTemplate is how many questions of a template there are to choose demonstrations from.
const examplesOfTemplate = 3

// generation says which questions to generate.
type generation struct {
	chosen
	seed   uint64
	scale  float64
	faulty bool
}

func questionsCommand() suite.Command {
	g := generation{seed: 1, scale: 1}
	return suite.Command{
		Use: "data questions", Help: helpTexts, Progress: true, Demonstrates: true, Document: Splits{},
		Options: append(g.options(),
			g.difficultyOption(), suite.SeedOption(&g.seed),
			suite.Option{Name: "scale", Value: &g.scale,
				Usage: "scale all to this `SHARE` of the published numbers, 0..1"},
			suite.Option{Name: "faulty", Value: &g.faulty,
				Usage: "also train on templates whose published answers are wrong"}),
		Run: g.run,
	}
}

// run generates the questions of all datasets, and writes them.
func (g *generation) run(ctx context.Context, call *suite.Call) error {
	// Negated as a whole, so that NaN is refused, too.
	if !(g.scale > 0 && g.scale <= 1) {
		return console.Option("scale", "it is %v, want more than 0 and at most 1", g.scale)
	}

	var made Splits
	var generated []toolqa.Question
	var nothing error // says which corpus, the last one, has nothing to ask about

	all := g.chosenDatasets()

	for i, ds := range all {
		call.Progress.Step("questions about "+string(ds))(i, len(all))

		qs, reports, err := g.dataset(ctx, ds)
		// Unless datasets are named, those whose corpora exist are meant.
		if errors.Is(err, fs.ErrNotExist) && !g.named() {
			continue
		}

		// Published passages alone may be imported, say, of which no template asks.
		if errors.Is(err, questions.ErrNothing) && !g.named() {
			call.Say("Passed over %s: %v", ds, err)
			nothing = err
			continue
		}

		if err != nil {
			return err
		}

		generated, made.Splits = append(generated, qs...), append(made.Splits, reports...)
	}

	if len(made.Splits) == 0 {
		return cmp.Or(nothing, fmt.Errorf("no corpus in %s: run `toolevo data build` or "+
			"`toolevo data import`", g.data))
	}

	// All at once: a command that ends before has left the files as they were.
	return call.Result(made, func(w io.Writer) {
		printSplits(w, g.data, made.Splits)
	}, questions.Write(g.data, generated))
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
func printSplits(w io.Writer, dir string, made []splitReport) {
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

		fmt.Fprint(w, text, end)
	}

	fmt.Fprintf(w, "in %s\n", filepath.Join(dir, "questions"))
}

// dataset returns the questions of a dataset and a report on each file.
func (g *generation) dataset(ctx context.Context, ds toolqa.Dataset) (all []toolqa.Question, reports []splitReport,
	err error) {
	opened, err := corpus.Open(ctx, g.data, ds)
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
		if !slices.Contains(g.difficulties(), d) {
			continue
		}

		counts := questions.PaperCounts(ds, d).Scale(g.scale)
		var published []toolqa.Question

		for s, n := range map[toolqa.Split]*int{toolqa.Train: &counts.Train, toolqa.Dev: &counts.Dev,
			toolqa.Test: &counts.Test} {
			there, err := questions.Published(g.data, ds, d, s)
			if err != nil {
				return nil, nil, err
			}

			// Published questions are never mixed with generated ones in one split.
			if len(there) > 0 {
				*n = 0
			}

			published = append(published, there...)
		}

		// Each difficulty has its own random numbers: what is made for one does not depend on
		// whether the other was chosen.
		made, err := questions.Generate(rand.New(rand.NewPCG(g.seed, uint64(i))), rows, d,
			questions.Options{Counts: counts, Examples: examplesOfTemplate, Exclude: published, Faulty: g.faulty})
		if err != nil {
			return nil, nil, err
		}

		for i := range made {
			made[i].Corpus = opened.Info().ContentSHA256
		}

		all = append(all, made...)
		reports = append(reports, splitReports(g.data, ds, d, append(made, published...))...)
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
