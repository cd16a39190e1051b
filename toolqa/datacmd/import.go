package datacmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/importer"
	"toolevo/toolqa/questions"
)

func importCommand() suite.Command {
	var (
		c           chosen
		from, asked string
		options     importer.Options
	)

	split, python := string(toolqa.Test), &engines.Choice{}
	return suite.Command{
		Use: "data import", Help: helpTexts, Progress: true, Demonstrates: true, Document: Imported{},
		Options: append(c.options(),
			suite.SplitOption(&split),
			suite.Option{Name: "corpus", Value: &from, Usage: "folder `DIR` with the published corpora, or with one"},
			suite.Option{Name: "questions", Value: &asked, Usage: "folder `DIR` with the published question files"},
			suite.Option{Name: "allow-short", Value: &options.AllowShort,
				Usage: "import incomplete corpora: fewer rows than published, or not all files"},
			suite.Option{Name: "skip-bad", Value: &options.SkipBad,
				Usage: "leave out up to `N` broken rows of each dataset, and count them"},
			suite.Option{Name: "python", Value: &python.Executable, Usage: "interpreter `FILE` that " +
				"reads dblp's pickles, in a sandbox (default: python3 of PATH)"},
			suite.Option{Name: "without", Value: &python.Accept, Usage: "walls of that sandbox to do " +
				"without where they are missing, `WALL,…`: landlock, seccomp"}),
		Run: func(ctx context.Context, call *suite.Call) error {
			if from == "" && asked == "" {
				return console.Usage("nothing to import: name a folder of " +
					"corpora, of questions, or both")
			}

			// One process of Python is enough: the pickles are read one after the other.
			i := importRun{Call: call, chosen: &c, split: toolqa.Split(split), options: options}
			i.options.Tool, i.options.Python = madeBy(call), python.Options(1)

			if from != "" {
				if err := i.corpora(ctx, from); err != nil {
					return err
				}
			}

			if asked != "" {
				if err := i.questions(asked); err != nil {
					return err
				}
			}

			// Only now: the import of questions may have replaced files that no longer fit.
			for _, info := range i.infos {
				warnStale(call.Program, c.data, info)
			}
			return call.Result(Imported{i.reports, i.files}, i.print, nil)
		},
	}
}

// importRun reads the published files and collects the reports about them.
type importRun struct {
	*suite.Call
	*chosen
	options importer.Options
	split   toolqa.Split // of the questions

	reports []importReport
	infos   []corpus.Info
	files   []questions.ImportedFile
}

// importReport is what `data import` says about a corpus.
type importReport struct {
	corpusReport
	Unchanged bool     `json:"unchanged"`         // imported from the same files before
	Skipped   int      `json:"skipped,omitempty"` // bad rows left out
	Bad       []string `json:"bad,omitempty"`     // the first of them
}

func (i *importRun) corpora(ctx context.Context, from string) error {
	var missing []string

	for _, ds := range i.chosenDatasets() {
		opts := i.options
		opts.Progress = i.Progress.Step("import " + string(ds))

		done, err := importer.Import(ctx, i.data, ds, from, opts)
		// A folder need not hold all datasets, only those that were named.
		if errors.Is(err, importer.ErrMissing) && !i.named() {
			missing = append(missing, string(ds))
			continue
		}

		if err != nil {
			return err
		}

		// Also of an unchanged corpus: the import that made it may have been interrupted here.
		if err := indexPassages(ctx, i.data, ds, i.Progress); err != nil {
			return err
		}

		r := importReport{
			corpusReport: newCorpusReport(i.data, done.Info),
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
		i.Say("Not in %s: %s", from, strings.Join(missing, ", "))
	}
	return nil
}

func (i *importRun) questions(asked string) error {
	// Without names, a file of no dataset is reported: its name may be mistyped.
	var only []toolqa.Dataset
	if i.named() {
		only = i.chosenDatasets()
	}

	imported, err := questions.Import(asked, i.split, only...)
	if err != nil {
		return err
	}

	// Before the questions are written: afterwards a run would refuse both files.
	removed, err := questions.RemoveShared(i.data, imported.Questions)

	// Reported before the error: these files are gone, whatever else went wrong.
	for _, path := range removed {
		i.Say("Removed %s: it asked published questions of another split; run `toolevo data questions` "+
			"again", path)
	}

	if err != nil {
		return err
	}

	if err := questions.Write(i.data, imported.Questions); err != nil {
		return err
	}

	// What two published splits share stays, because it was published so; the user is told.
	shared, err := questions.FindShared(i.data, imported.Questions)
	if err != nil {
		return err
	}

	for _, f := range imported.Files {
		for _, s := range shared {
			if s.Question.Dataset == f.Dataset && s.Question.Difficulty == f.Difficulty {
				f.Shared = append(f.Shared, fmt.Sprintf("%s is %s of %s", s.Question.ID, s.Other.ID, s.Other.Split))
			}
		}

		i.files = append(i.files, f)
	}
	return nil
}

func (i *importRun) print(w io.Writer) {
	for _, r := range i.reports {
		fmt.Fprint(w, r.corpusReport)

		switch {
		case r.Unchanged:
			fmt.Fprint(w, ", unchanged: imported from these files before")
		case r.Skipped > 0:
			fmt.Fprintf(w, ", %s left out", plural(r.Skipped, "bad row"))
		}

		fmt.Fprintln(w)

		for _, b := range r.Bad {
			fmt.Fprintf(w, "  %s\n", b)
		}
	}

	i.printFiles(w)
	i.Say("Next: toolevo %s", console.Shell("data", "questions", "--data", i.data))
}

func (i *importRun) printFiles(w io.Writer) {
	all, recognised := 0, 0

	for _, f := range i.files {
		// Not a result, since nothing was imported, but the user may have expected it.
		if f.Skipped != "" {
			i.Say("%s: left out: %s", f.Path, f.Skipped)
			continue
		}

		all, recognised = all+f.Questions, recognised+f.Questions-len(f.Unrecognised)
		fmt.Fprintf(w, "%s: %d %s questions from %s", f.Dataset, f.Questions, f.Difficulty, f.Path)

		// A few IDs show what is wrong; the JSON document has all.
		if n := len(f.Unrecognised); n > 0 {
			fmt.Fprintf(w, ", %d fit no template (%s)", n, strings.Join(f.Unrecognised[:min(n, 5)], ", "))
		}

		fmt.Fprintln(w)

		for _, d := range f.Duplicates {
			fmt.Fprintf(w, "  asked twice: %s\n", d)
		}

		if n := len(f.Renamed); n > 0 {
			fmt.Fprintf(w, "  %d IDs name another dataset, e.g. %s\n", n, f.Renamed[0])
		}

		if n := len(f.Shared); n > 0 {
			fmt.Fprintf(w, "  asked in two splits, so that export refuses %d: %s\n", n,
				strings.Join(f.Shared[:min(n, 5)], ", "))
		}
	}

	if len(i.files) > 0 {
		fmt.Fprintf(w, "%d of %d published questions fit a template\n", recognised, all)
	}
}

// Imported is what `data import --json` prints.
type Imported struct {
	Corpora   []importReport           `json:"corpora"`   // those that were imported
	Questions []questions.ImportedFile `json:"questions"` // the question files that were read
}
