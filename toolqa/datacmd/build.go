package datacmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"toolevo/envs/durable"
	"toolevo/toolqa/corpus/synth"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
	"toolevo/toolqa/retrieve"
)

func newBuild(p *console.Program) *cobra.Command {
	cmd := console.Command("build", helpTexts)
	dir, datasets, asJSON := p.DataFlag(cmd), datasetsFlag(cmd), console.JSONFlag(cmd)
	seed := cmd.Flags().Uint64("seed", 1, "`N` is the seed: the same seed and size give the same rows")
	scale := cmd.Flags().String("scale", string(synth.Demo), "`SIZE` of all: demo, some thousands of rows each, "+
		"or full, as published")
	rows := cmd.Flags().Int("rows", 0, "`N` rows, papers or passages of each corpus (0: as --scale says)")
	watch := p.Watched(cmd)
	console.Complete(cmd, "scale", console.Offered(synth.Scales()))

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, _, err := datasets()
		if err != nil {
			return err
		}

		if _, err := names.Parse("scale", *scale, synth.Scales()); err != nil {
			return console.Usage("--scale: %w", err)
		}

		options := synth.Options{Seed: *seed, Rows: *rows, Scale: synth.Scale(*scale), Tool: madeBy(cmd)}
		for _, ds := range all {
			if _, err := synth.Rows(ds, options); err != nil {
				return err
			}
		}

		progress, stop := watch()
		defer stop()

		var infos []corpus.Info

		err = replaceCorpora(*dir, func(data string) (err error) {
			infos, err = buildCorpora(cmd.Context(), data, all, options, progress)
			return err
		})
		if err != nil {
			return err
		}

		var reports []corpusReport

		for _, info := range infos {
			reports = append(reports, newCorpusReport(*dir, info))
			warnStale(p, *dir, info)
		}

		if err := printReports(p, *asJSON, reports); err != nil {
			return err
		}

		p.Say("Next: toolevo %s", console.Shell("data", "questions", "--data", *dir))

		return nil
	}

	return cmd
}

// buildCorpora builds the corpora of datasets, with the indices of their passages.
func buildCorpora(ctx context.Context, data string, datasets []toolqa.Dataset, o synth.Options,
	progress *console.Steps) (infos []corpus.Info, err error) {
	for _, ds := range datasets {
		o.Progress = progress.Step("build " + string(ds))

		info, err := synth.Build(ctx, data, ds, o)
		if err != nil {
			return nil, err
		}

		if err := indexPassages(ctx, data, ds, progress.Step); err != nil {
			return nil, err
		}

		infos = append(infos, info)
	}

	return infos, nil
}

// replaceCorpora has corpora of a data folder written, which then take the place of those before all at
// once. The folder that write gets has them as they are, and nothing else of the data folder.
func replaceCorpora(dir string, write func(data string) error) error {
	corpora := filepath.Dir(corpus.Path(dir, ""))

	return durable.ReplaceFolder(corpora, func(work string) (err error) {
		data, err := os.MkdirTemp("", "toolevo-data-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(data)) }()

		if work, err = filepath.Abs(work); err != nil {
			return err
		}

		if err := os.Symlink(work, filepath.Join(data, filepath.Base(corpora))); err != nil {
			return err
		}

		return write(data)
	})
}

// warnStale warns about question files that no longer fit their new corpus.
func warnStale(p *console.Program, dir string, info corpus.Info) {
	for _, err := range questions.Stale(dir, info) {
		p.Say("Stale: %v", err)
	}
}

func printReports(p *console.Program, asJSON bool, reports []corpusReport) error {
	return p.Show(asJSON, Built{reports}, func() {
		for _, r := range reports {
			fmt.Fprintln(p.Out, r)
		}
	})
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

// indexPassages makes the index of a dataset's passages, so that no run has to.
func indexPassages(ctx context.Context, dir string, ds toolqa.Dataset, begin func(string) func(int, int)) error {
	c, err := corpus.Open(ctx, dir, ds)
	if err != nil {
		return err
	}

	if c.DocumentCount() > 0 {
		step := begin("index the passages of " + string(ds))
		err = console.GaveUp(retrieve.Prepare(ctx, c, step)) // a full disk
	}

	return errors.Join(err, c.Close())
}

// Built is what `data build --json` prints.
type Built struct {
	Corpora []corpusReport `json:"corpora"` // those that were written
}
