package main

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs/console"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
)

// importer reads the published files and remembers what there is to say about them.
type importer struct {
	app      *app
	dir      string
	named    bool // the user named the datasets: one that is not there is an error
	progress *console.Steps
	options  corpus.ImportOptions
	split    toolqa.Split // of the questions

	reports []importReport
	infos   []corpus.Info
	files   []importedFile
}

// importReport is what `data import` says about a corpus.
type importReport struct {
	corpusReport
	Unchanged bool     `json:"unchanged"`         // imported from the same files before
	Skipped   int      `json:"skipped,omitempty"` // bad rows left out
	Bad       []string `json:"bad,omitempty"`     // the first of them
}

// importedFile is what `data import` says about a question file.
type importedFile struct {
	Path         string   `json:"path"`                   // the published file
	Dataset      string   `json:"dataset,omitempty"`      // e.g. "coffee"
	Difficulty   string   `json:"difficulty,omitempty"`   // "easy" or "hard"
	Questions    int      `json:"questions"`              // in the file
	Unrecognised []string `json:"unrecognised,omitempty"` // IDs of questions that fit no template
	Duplicates   []string `json:"duplicates,omitempty"`   // "ID asks what ID asks", sometimes "with another answer"
	Renamed      []string `json:"renamed,omitempty"`      // "ID is ID here"
	Shared       []string `json:"shared,omitempty"`       // "ID is ID of test"
	Skipped      string   `json:"skipped,omitempty"`      // why the file was left out
}

func (i *importer) corpora(ctx context.Context, all []toolqa.Dataset, from string) error {
	var missing []string

	for _, ds := range all {
		opts := i.options
		opts.Progress = i.progress.Step("import " + string(ds))

		done, err := corpus.Import(ctx, i.dir, ds, from, opts)
		if isMissing(err) && !i.named {
			missing = append(missing, string(ds))
			continue
		}

		if err != nil {
			return err
		}

		if err := indexPassages(ctx, i.dir, ds, i.progress); err != nil {
			return err
		}

		r := importReport{
			corpusReport: newCorpusReport(i.dir, done.Info),
			Unchanged:    done.Unchanged,
			Skipped:      done.Info.Skipped,
		}
		for _, err := range done.Bad {
			r.Bad = append(r.Bad, err.Error())
		}

		i.reports, i.infos = append(i.reports, r), append(i.infos, done.Info)
	}

	if len(i.reports) == 0 {
		return fmt.Errorf("no published corpus in %s: want e.g. coffee/coffee_price.csv", from)
	}

	if len(missing) > 0 {
		i.app.Say("Not in %s: %s", from, strings.Join(missing, ", "))
	}

	return nil
}

func (i *importer) questions(asked string, of []toolqa.Dataset) error {
	imported, err := questions.Import(asked, i.split, of...)
	if err != nil {
		return err
	}

	removed, err := questions.RemoveShared(i.dir, imported.Questions)
	for _, path := range removed {
		i.app.Say("Removed %s: it asked published questions of another split; run `toolevo data questions` again", path)
	}

	if err != nil {
		return err
	}

	if err := questions.Write(i.dir, imported.Questions); err != nil {
		return err
	}

	shared, err := questions.FindShared(i.dir, imported.Questions)
	if err != nil {
		return err
	}

	for _, f := range imported.Files {
		file := importedFile{
			Path: f.Path, Dataset: string(f.Dataset), Difficulty: string(f.Difficulty), Questions: f.Questions,
			Unrecognised: f.Unrecognised, Skipped: f.Skipped,
		}
		for _, d := range f.Duplicates {
			said := d.ID + " asks what " + d.First + " asks"
			if d.Differ {
				said += ", with another answer"
			}

			file.Duplicates = append(file.Duplicates, said)
		}

		for _, s := range shared {
			if s.Question.Dataset == f.Dataset && s.Question.Difficulty == f.Difficulty {
				file.Shared = append(file.Shared,
					fmt.Sprintf("%s is %s of %s", s.Question.ID, s.Other.ID, s.Other.Split))
			}
		}

		for _, r := range f.Renamed {
			file.Renamed = append(file.Renamed, r.Published+" is "+r.ID+" here")
		}

		i.files = append(i.files, file)
	}

	return nil
}

func (i *importer) report(asJSON bool) error {
	for _, info := range i.infos {
		i.app.sayStale(i.dir, info)
	}

	if asJSON {
		return i.app.PrintJSON(importedDocument{i.reports, i.files})
	}

	for _, r := range i.reports {
		fmt.Fprint(i.app.Out, r.corpusReport)

		switch {
		case r.Unchanged:
			fmt.Fprint(i.app.Out, ", unchanged: imported from these files before")
		case r.Skipped > 0:
			fmt.Fprintf(i.app.Out, ", %s left out", plural(r.Skipped, "bad row"))
		}

		fmt.Fprintln(i.app.Out)

		for _, b := range r.Bad {
			fmt.Fprintf(i.app.Out, "  %s\n", b)
		}
	}

	i.printFiles()
	i.app.Say("Next: toolevo %s", console.Shell("data", "questions", "--data", i.dir))

	return nil
}

func (i *importer) printFiles() {
	all, recognised := 0, 0

	for _, f := range i.files {
		if f.Skipped != "" {
			i.app.Say("%s: left out: %s", f.Path, f.Skipped)
			continue
		}

		all, recognised = all+f.Questions, recognised+f.Questions-len(f.Unrecognised)
		fmt.Fprintf(i.app.Out, "%s: %d %s questions from %s", f.Dataset, f.Questions, f.Difficulty, f.Path)

		if n := len(f.Unrecognised); n > 0 {
			fmt.Fprintf(i.app.Out, ", %d fit no template (%s)", n, strings.Join(f.Unrecognised[:min(n, 5)], ", "))
		}

		fmt.Fprintln(i.app.Out)

		for _, d := range f.Duplicates {
			fmt.Fprintf(i.app.Out, "  asked twice: %s\n", d)
		}

		if n := len(f.Renamed); n > 0 {
			fmt.Fprintf(i.app.Out, "  %d IDs name another dataset, e.g. %s\n", n, f.Renamed[0])
		}

		if n := len(f.Shared); n > 0 {
			fmt.Fprintf(i.app.Out, "  asked in two splits, so that export refuses %d: %s\n", n,
				strings.Join(f.Shared[:min(n, 5)], ", "))
		}
	}

	if len(i.files) > 0 {
		fmt.Fprintf(i.app.Out, "%d of %d published questions fit a template\n", recognised, all)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}

	return fmt.Sprintf("%d %ss", n, what)
}
