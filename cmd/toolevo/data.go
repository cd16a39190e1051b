package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

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
	cmd.AddCommand(a.dataBuildCommand(), a.dataImportCommand(), a.dataQuestionsCommand(), a.dataGoldCommand())
	return group(cmd)
}

// datasetsFlag adds --dataset for commands that have no configuration.
func datasetsFlag(cmd *cobra.Command) func() ([]toolqa.Dataset, error) {
	names := cmd.Flags().StringSlice("dataset", nil, "`NAMES` of datasets, separated by commas (default: all)")
	return func() ([]toolqa.Dataset, error) {
		if len(*names) == 0 {
			return toolqa.Datasets(), nil
		}
		var all []toolqa.Dataset
		for _, name := range *names {
			ds, err := toolqa.ParseDataset(name)
			if err != nil {
				return nil, err
			}
			all = append(all, ds)
		}
		return all, nil
	}
}

func jsonFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("json", false, "print the result as one JSON document")
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// corpusReport is what a command that wrote a corpus says about it.
type corpusReport struct {
	Dataset string `json:"dataset"`
	Source  string `json:"source"`
	Rows    int    `json:"rows"`
	Content string `json:"content_sha256"`
	Path    string `json:"path"`
}

func newCorpusReport(dir string, info corpus.Info) corpusReport {
	return corpusReport{string(info.Dataset), string(info.Source), info.Rows, info.ContentSHA256, corpus.Path(dir, info.Dataset)}
}

func (r corpusReport) String() string {
	return fmt.Sprintf("%s: %d rows (%s) in %s", r.Dataset, r.Rows, r.Source, r.Path)
}

func (a *app) dataBuildCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build synthetic corpora from a seed",
		Long: `Builds a corpus with the columns, order and formats of the published one and
invented values. It replaces the corpus that was there.`,
		Example: "  toolevo data build --data data --seed 1",
		Args:    positional(0, 0),
	}
	dir, datasets, asJSON := a.dataFlag(cmd), datasetsFlag(cmd), jsonFlag(cmd)
	seed := cmd.Flags().Uint64("seed", 1, "`N` is the seed: the same seed and size give the same rows")
	rows := cmd.Flags().Int("rows", 0, "`N` rows of each corpus (0: as many as the published one)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := datasets()
		if err != nil {
			return err
		}
		var reports []corpusReport
		for _, ds := range all {
			info, err := corpus.Build(cmd.Context(), *dir, ds, *seed, *rows, "toolevo "+software())
			if err != nil {
				return err
			}
			reports = append(reports, newCorpusReport(*dir, info))
			a.sayStale(*dir, info)
		}
		if err := a.printReports(*asJSON, reports); err != nil {
			return err
		}
		a.say("Next: toolevo %s", shell("data", "questions", "--data", *dir))
		return nil
	}
	return cmd
}

// sayStale warns of the question files that a new corpus made useless.
func (a *app) sayStale(dir string, info corpus.Info) {
	for _, err := range questions.Stale(dir, info) {
		a.say("Stale: %v", err)
	}
}

func (a *app) printReports(asJSON bool, reports []corpusReport) error {
	if asJSON {
		return a.printJSON(map[string]any{"corpora": reports})
	}
	for _, r := range reports {
		fmt.Fprintln(a.out, r)
	}
	return nil
}

func (a *app) dataImportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Import the published ToolQA corpora and questions",
		Long: `Reads the published files, e.g. CORPUS/coffee/coffee_price.csv and
QUESTIONS/easy/coffee-easy.jsonl. Published questions become the test split and
keep their published answers; generated files that ask one of them are removed.`,
		Example: "  toolevo data import --corpus toolqa/corpus --questions toolqa/questions",
		Args:    positional(0, 0),
	}
	dir, datasets, asJSON := a.dataFlag(cmd), datasetsFlag(cmd), jsonFlag(cmd)
	from := cmd.Flags().String("corpus", "", "folder `DIR` with the published corpora, or with one")
	asked := cmd.Flags().String("questions", "", "folder `DIR` with the published question files")
	short := cmd.Flags().Bool("allow-short", false, "import a corpus file with fewer rows than the published one has")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *from == "" && *asked == "" {
			return usage("nothing to import: give --corpus DIR, --questions DIR, or both")
		}
		all, err := datasets()
		if err != nil {
			return err
		}
		var allow []corpus.Allowance
		if *short {
			allow = append(allow, corpus.AllowShort)
		}
		return a.importAll(cmd.Context(), *dir, all, *from, *asked, *asJSON, allow...)
	}
	return cmd
}

// importedFile is what `data import` says about a question file.
type importedFile struct {
	Path         string   `json:"path"`
	Dataset      string   `json:"dataset,omitempty"`
	Difficulty   string   `json:"difficulty,omitempty"`
	Questions    int      `json:"questions"`
	Unrecognised []string `json:"unrecognised,omitempty"`
	Duplicates   int      `json:"duplicates,omitempty"`
	Skipped      string   `json:"skipped,omitempty"`
}

func (a *app) importAll(ctx context.Context, dir string, all []toolqa.Dataset, from, asked string, asJSON bool, allow ...corpus.Allowance) error {
	var reports []corpusReport
	var files []importedFile
	var infos []corpus.Info
	if from != "" {
		for _, ds := range all {
			info, err := corpus.Import(ctx, dir, ds, from, "toolevo "+software(), allow...)
			if err != nil {
				return err
			}
			reports = append(reports, newCorpusReport(dir, info))
			infos = append(infos, info)
		}
	}
	if asked != "" {
		imported, err := questions.Import(asked)
		if err != nil {
			return err
		}
		removed, err := questions.RemoveShared(dir, imported.Questions)
		for _, path := range removed {
			a.say("Removed %s: it asked published test questions; run `toolevo data questions` again", path)
		}
		if err != nil {
			return err
		}
		if err := questions.Write(dir, imported.Questions); err != nil {
			return err
		}
		for _, f := range imported.Files {
			files = append(files, importedFile{f.Path, string(f.Dataset), string(f.Difficulty), f.Questions, f.Unrecognised, len(f.Duplicates), f.Skipped})
		}
	}
	for _, info := range infos {
		a.sayStale(dir, info)
	}
	if asJSON {
		if err := a.printJSON(map[string]any{"corpora": reports, "questions": files}); err != nil {
			return err
		}
	} else {
		if err := a.printReports(false, reports); err != nil {
			return err
		}
		a.printImported(files)
	}
	a.say("Next: toolevo %s", shell("data", "questions", "--data", dir))
	return nil
}

func (a *app) printImported(files []importedFile) {
	skipped := 0
	for _, f := range files {
		if f.Skipped != "" {
			skipped++
			continue
		}
		fmt.Fprintf(a.out, "%s: %d %s questions from %s", f.Dataset, f.Questions, f.Difficulty, f.Path)
		if n := len(f.Unrecognised); n > 0 {
			fmt.Fprintf(a.out, ", %d fit no template (%s)", n, strings.Join(f.Unrecognised[:min(n, 5)], ", "))
		}
		if f.Duplicates > 0 {
			fmt.Fprintf(a.out, ", %d asked twice", f.Duplicates)
		}
		fmt.Fprintln(a.out)
	}
	if skipped > 0 {
		a.say("%d question files of datasets that are not supported were left out", skipped)
	}
}

func (a *app) dataQuestionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "questions",
		Short: "Generate questions for train, dev and test from the corpora",
		Long: `Generates the splits in the paper's numbers (Table 6), distinct within and
across splits. Where a published test split was imported it is kept, and none of
its questions is generated for another split.`,
		Example: "  toolevo data questions --data data --seed 1 --scale 0.1",
		Args:    positional(0, 0),
	}
	dir, datasets, asJSON := a.dataFlag(cmd), datasetsFlag(cmd), jsonFlag(cmd)
	seed := cmd.Flags().Uint64("seed", 1, "`N` is the seed: the same seed and corpora give the same questions")
	scale := cmd.Flags().Float64("scale", 1, "`SHARE` of the paper's numbers, 0..1")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := datasets()
		if err != nil {
			return err
		}
		if !(*scale > 0 && *scale <= 1) {
			return usage("--scale %v: want more than 0 and at most 1", *scale)
		}
		var made []splitReport
		for _, ds := range all {
			reports, err := generateQuestions(cmd.Context(), *dir, ds, *seed, *scale)
			if err != nil {
				return err
			}
			made = append(made, reports...)
		}
		if *asJSON {
			return a.printJSON(map[string]any{"splits": made})
		}
		for _, m := range made {
			fmt.Fprintln(a.out, m)
		}
		return nil
	}
	return cmd
}

// splitReport is what `data questions` says about one file.
type splitReport struct {
	Dataset    string `json:"dataset"`
	Difficulty string `json:"difficulty"`
	Split      string `json:"split"`
	Questions  int    `json:"questions"`
	Source     string `json:"source"`
	Path       string `json:"path"`
}

func (r splitReport) String() string {
	return fmt.Sprintf("%s-%s %s: %d questions (%s) in %s", r.Dataset, r.Difficulty, r.Split, r.Questions, r.Source, r.Path)
}

func generateQuestions(ctx context.Context, dir string, ds toolqa.Dataset, seed uint64, scale float64) ([]splitReport, error) {
	opened, err := corpus.Open(ctx, dir, ds)
	if err != nil {
		return nil, err
	}
	rows, err := questions.Load(opened)
	if err != nil {
		return nil, err
	}
	var reports []splitReport
	for i, d := range toolqa.Difficulties() {
		counts := questions.PaperCounts(ds, d).Scale(scale)
		published, err := questions.Published(dir, ds, d)
		if err != nil {
			return nil, err
		}
		if len(published) > 0 {
			counts.Test = 0
		}
		made, err := questions.Generate(rand.New(rand.NewPCG(seed, uint64(i))), rows, d, counts, published)
		if err != nil {
			return nil, err
		}
		for i := range made {
			made[i].Corpus = opened.Info().ContentSHA256
		}
		if err := questions.Write(dir, made); err != nil {
			return nil, err
		}
		reports = append(reports, splitReports(dir, ds, d, append(made, published...))...)
	}
	return reports, nil
}

func splitReports(dir string, ds toolqa.Dataset, d toolqa.Difficulty, all []toolqa.Question) []splitReport {
	var reports []splitReport
	for _, s := range toolqa.Splits() {
		r := splitReport{Dataset: string(ds), Difficulty: string(d), Split: string(s), Path: questions.Path(dir, ds, d, s)}
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
