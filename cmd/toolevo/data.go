package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
)

func (a *app) dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Fill the data folder: corpora and questions",
		Long: `The data folder holds one read-only corpus for each dataset and the questions of
each split.

Either build it, from a seed, with nothing downloaded:
  toolevo data build && toolevo data questions
or import the published ToolQA files and generate what is not published:
  toolevo data import --corpus DIR --questions DIR && toolevo data questions`,
	}
	cmd.AddCommand(a.dataBuildCommand(), a.dataImportCommand(), a.dataQuestionsCommand(), a.dataVerifyCommand(),
		a.dataGoldCommand())

	return console.Group(cmd)
}

// datasetsFlag adds --dataset to a command that has no configuration. The function it returns also reports whether
// datasets were named, so that one that is not there is an error.
func datasetsFlag(cmd *cobra.Command) func() (all []toolqa.Dataset, named bool, err error) {
	value := plainSetting(cmd, "dataset")

	return func() ([]toolqa.Dataset, bool, error) {
		c := configs.Config{Dataset: strings.Split(*value, ",")}
		all, err := c.Datasets()
		return all, !c.AllDatasets(), err
	}
}

// difficultyFlag adds --difficulty to a command that has no configuration.
func difficultyFlag(cmd *cobra.Command) func() ([]toolqa.Difficulty, error) {
	value := plainSetting(cmd, "difficulty")

	return func() ([]toolqa.Difficulty, error) {
		c := configs.Config{Difficulty: *value}
		return c.Difficulties()
	}
}

// corpusReport is what a command that wrote a corpus says about it.
type corpusReport struct {
	Dataset string `json:"dataset"`        // e.g. "coffee"
	Source  string `json:"source"`         // "synthetic" or "published"
	Rows    int    `json:"rows"`           // rows, papers or passages
	Content string `json:"content_sha256"` // SHA-256 of the rows
	Path    string `json:"path"`           // the file
}

func newCorpusReport(dir string, info corpus.Info) corpusReport {
	return corpusReport{string(info.Dataset), string(info.Source), info.Rows, info.ContentSHA256,
		corpus.Path(dir, info.Dataset)}
}

func (r corpusReport) String() string {
	return fmt.Sprintf("%s: %s (%s) in %s", r.Dataset, r.size(), r.Source, r.Path)
}

// size is how many of what a corpus has.
func (r corpusReport) size() string {
	unit := map[string]string{string(toolqa.DBLP): "papers", string(toolqa.SciREX): "passages"}[r.Dataset]
	return fmt.Sprintf("%d %s", r.Rows, cmp.Or(unit, "rows"))
}

func (a *app) dataBuildCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build synthetic corpora from a seed",
		Long: `Builds corpora with the columns, order and formats of the published ones and
invented values. They replace those that were there. At full scale, the
published sizes, flights has four million rows: minutes, and gigabytes.`,
		Example: `  toolevo data build --data data
  toolevo data build --data data --scale full
  toolevo data build --data data --dataset flights --rows 100000 --seed 2`,
		Args: console.Positional(0, 0),
	}
	dir, datasets, asJSON := a.DataFlag(cmd), datasetsFlag(cmd), console.JSONFlag(cmd)
	seed := cmd.Flags().Uint64("seed", 1, "`N` is the seed: the same seed and size give the same rows")
	scale := cmd.Flags().String("scale", string(corpus.Demo), "`SIZE` of all: demo, some thousands of rows each, "+
		"or full, as published")
	rows := cmd.Flags().Int("rows", 0, "`N` rows, papers or passages of each corpus (0: as --scale says)")
	watch := a.Watched(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, _, err := datasets()
		if err != nil {
			return err
		}

		if _, err := names.Parse("scale", *scale, corpus.Scales()); err != nil {
			return console.Usage("--scale: %w", err)
		}

		progress, stop, err := watch()
		if err != nil {
			return err
		}
		defer stop()
		var reports []corpusReport

		for _, ds := range all {
			info, err := corpus.Build(cmd.Context(), *dir, ds, corpus.BuildOptions{
				Seed:     *seed,
				Rows:     *rows,
				Scale:    corpus.Scale(*scale),
				Tool:     "toolevo " + software(),
				Progress: progress.Step("build " + string(ds)),
			})
			if err != nil {
				return err
			}

			if err := indexPassages(cmd.Context(), *dir, ds, progress); err != nil {
				return err
			}

			reports = append(reports, newCorpusReport(*dir, info))
			a.sayStale(*dir, info)
		}

		if err := a.printReports(*asJSON, reports); err != nil {
			return err
		}

		a.Say("Next: toolevo %s", console.Shell("data", "questions", "--data", *dir))

		return nil
	}

	return cmd
}

// sayStale warns of the question files that a new corpus made useless.
func (a *app) sayStale(dir string, info corpus.Info) {
	for _, err := range questions.Stale(dir, info) {
		a.Say("Stale: %v", err)
	}
}

func (a *app) printReports(asJSON bool, reports []corpusReport) error {
	if asJSON {
		return a.PrintJSON(builtDocument{reports})
	}

	for _, r := range reports {
		fmt.Fprintln(a.Out, r)
	}

	return nil
}

func (a *app) dataImportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Import the published ToolQA corpora and questions",
		Long: `Reads the published files, e.g. CORPUS/coffee/coffee_price.csv and
QUESTIONS/easy/coffee-easy.jsonl, or those of ToolQA's corrected release, as
QUESTIONS/toolqa_easy/coffee-easy.jsonl. Published questions keep their
published answers; generated files of other splits that ask one of them are
removed. What published training questions share with published test questions
is reported: runs may ask it, and export refuses it.

Without --dataset, all datasets whose files are there are imported. A corpus
that was imported from the same files before is left as it is, so that an import
that was interrupted goes on where it was.`,
		Example: `  toolevo data import --corpus toolqa/corpus --questions toolqa/questions
  toolevo data import --questions toolqa-d/train --split train`,
		Args: console.Positional(0, 0),
	}
	dir, datasets, asJSON := a.DataFlag(cmd), datasetsFlag(cmd), console.JSONFlag(cmd)
	from := cmd.Flags().String("corpus", "", "folder `DIR` with the published corpora, or with one")
	asked := cmd.Flags().String("questions", "", "folder `DIR` with the published question files")
	split := cmd.Flags().String("split", string(toolqa.Test), "the split `NAME` that the questions are: train, "+
		"dev or test")
	short := cmd.Flags().Bool("allow-short", false, "import what there is of a corpus: fewer rows than published, "+
		"or not all of its files")
	skip := cmd.Flags().Int("skip-bad", 0, "leave out up to `N` broken rows of each dataset, and count them")
	watch := a.Watched(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *from == "" && *asked == "" {
			return console.Usage("nothing to import: give --corpus DIR, --questions DIR, or both")
		}

		of, err := toolqa.ParseSplit(*split)
		if err != nil {
			return console.Usage("--split: %v", err)
		}

		all, named, err := datasets()
		if err != nil {
			return err
		}

		progress, stop, err := watch()
		if err != nil {
			return err
		}
		defer stop()

		i := importer{
			app: a, dir: *dir, named: named, progress: progress, split: of,
			options: corpus.ImportOptions{AllowShort: *short, SkipBad: *skip, Tool: "toolevo " + software()},
		}
		if *from != "" {
			if err := i.corpora(cmd.Context(), all, *from); err != nil {
				return err
			}
		}

		if *asked != "" {
			if err := i.questions(*asked, all); err != nil {
				return err
			}
		}

		return i.report(*asJSON)
	}

	return cmd
}

func (a *app) dataQuestionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "questions",
		Short: "Generate questions for train, dev and test from the corpora",
		Long: `Generates the splits in the paper's numbers (Table 6), distinct within and
across splits. Where a published split was imported it is kept, and none of its
questions is generated for another split. Without --dataset, all datasets
that have a corpus are asked about.

Templates to which the benchmark's own test answers are wrong are asked in dev
and test, with the right answer, and not in train.`,
		Example: "  toolevo data questions --data data --seed 1 --scale 0.1",
		Args:    console.Positional(0, 0),
	}
	dir, datasets, difficulties := a.DataFlag(cmd), datasetsFlag(cmd), difficultyFlag(cmd)
	asJSON, watch := console.JSONFlag(cmd), a.Watched(cmd)
	seed := cmd.Flags().Uint64("seed", 1, "`N` is the seed: the same seed and corpora give the same questions")
	scale := cmd.Flags().Float64("scale", 1, "`SHARE` of the paper's numbers, 0..1")
	faulty := cmd.Flags().Bool("faulty", false, "train on templates, too, to which the benchmark's own answers "+
		"are wrong")
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

		progress, stop, err := watch()
		if err != nil {
			return err
		}
		defer stop()

		var made []splitReport
		var generated []toolqa.Question

		for i, ds := range all {
			progress.Step("questions about "+string(ds))(i, len(all))

			qs, reports, err := generateQuestions(cmd.Context(), *dir, ds, chosen, *seed, *scale, *faulty)
			if isMissing(err) && !named {
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

		if *asJSON {
			return a.PrintJSON(splitsDocument{made})
		}

		a.printSplits(*dir, made)

		return nil
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
func (a *app) printSplits(dir string, made []splitReport) {
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

		fmt.Fprint(a.Out, text, end)
	}

	fmt.Fprintf(a.Out, "in %s\n", filepath.Join(dir, "questions"))
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

	rows, err := questions.Load(opened)
	if err != nil {
		return nil, nil, err
	}

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
