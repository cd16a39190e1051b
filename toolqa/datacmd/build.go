package datacmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/synth"
	"toolevo/toolqa/questions"
	"toolevo/toolqa/retrieve"
)

func buildCommand() suite.Command {
	var c chosen

	o := synth.Options{Seed: 1}
	scale := string(synth.Demo)
	return suite.Command{
		Use: "data build", Help: helpTexts, Progress: true, Document: Built{},
		Options: append(c.options(),
			suite.SeedOption(&o.Seed),
			suite.Option{Name: "scale", Value: &scale, Names: names.Texts(synth.Scales),
				Usage: "scale all to `SIZE`: demo, some thousands of rows each, or full, as published"},
			suite.Option{Name: "rows", Value: &o.Rows,
				Usage: "`N` rows, papers or passages of each corpus (0: as the scale says)"}),
		Run: func(ctx context.Context, call *suite.Call) error {
			o.Scale, o.Tool = synth.Scale(scale), madeBy(call)
			return build(ctx, call, &c, o)
		},
	}
}

// build makes the corpora that were chosen.
func build(ctx context.Context, call *suite.Call, c *chosen, o synth.Options) error {
	for _, ds := range c.chosenDatasets() {
		// Making a corpus takes a while, so an impossible size is refused before the first.
		if _, err := synth.Rows(ds, o); err != nil {
			return err
		}
	}

	claim, err := corpus.Claim(c.data, c.chosenDatasets()...)
	if err != nil {
		return err
	}
	defer claim.Close()

	var infos []corpus.Info

	// All or none: corpora of two seeds or sizes must not end up side by side.
	err = replaceCorpora(c.data, func(data string) (err error) {
		infos, err = buildCorpora(ctx, data, c.chosenDatasets(), o, call.Progress)
		return err
	})
	if err != nil {
		return err
	}

	var done Built

	// Questions that no longer fit are only reported: making them again is another command.
	for _, info := range infos {
		done.Corpora = append(done.Corpora, newCorpusReport(c.data, info))
		warnStale(call.Program, c.data, info)
	}
	return call.Result(done, func(w io.Writer) {
		for _, r := range done.Corpora {
			fmt.Fprintln(w, r)
		}

		call.Say("Next: toolevo %s", console.Shell("data", "questions", "--data", c.data))
	}, nil)
}

// madeBy names the program and its version in the files that it writes.
func madeBy(c *suite.Call) string { return "toolevo " + c.Version }

// buildCorpora builds the corpora of datasets, with the indices of their passages.
func buildCorpora(ctx context.Context, data string, datasets []toolqa.Dataset, o synth.Options,
	progress *console.Steps) (infos []corpus.Info, err error) {
	for _, ds := range datasets {
		o.Progress = progress.Step("build " + string(ds))

		info, err := synth.Build(ctx, data, ds, o)
		if err != nil {
			return nil, err
		}

		if err := indexPassages(ctx, data, ds, progress); err != nil {
			return nil, err
		}

		infos = append(infos, info)
	}
	return infos, nil
}

// replaceCorpora calls write to make corpora, which then replace the former ones of a data folder
// all at once. The folder that write gets has the former corpora and nothing else of the data
// folder.
func replaceCorpora(dir string, write func(data string) error) error {
	corpora := filepath.Dir(corpus.Path(dir, ""))
	return disk.ReplaceFolder(corpora, func(work string) (err error) {
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

// size says how many rows, papers or passages a corpus has.
func (r corpusReport) size() string {
	unit := map[string]string{string(toolqa.DBLP): "papers", string(toolqa.SciREX): "passages"}[r.Dataset]
	return fmt.Sprintf("%d %s", r.Rows, cmp.Or(unit, "rows"))
}

// indexPassages makes the index of a dataset's passages, so that no run has to.
func indexPassages(ctx context.Context, dir string, ds toolqa.Dataset, progress *console.Steps) error {
	c, err := corpus.Open(ctx, dir, ds)
	if err != nil {
		return err
	}

	if c.DocumentCount() > 0 {
		step := progress.Step("index the passages of " + string(ds))
		_, err = retrieve.Open(ctx, c, step)
		err = console.GaveUp(err) // a full disk
	}

	return errors.Join(err, c.Close())
}

// Built is what `data build --json` prints.
type Built struct {
	Corpora []corpusReport `json:"corpora"` // those that were written
}
