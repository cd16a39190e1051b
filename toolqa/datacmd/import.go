package datacmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"toolevo/toolqa/corpus/importer"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/sandbox/engines"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
)

func newImport(p *console.Program) *cobra.Command {
	cmd := console.Command("import", helpTexts)
	dir, datasets, asJSON := p.DataFlag(cmd), datasetsFlag(cmd), console.JSONFlag(cmd)
	from := cmd.Flags().String("corpus", "", "folder `DIR` with the published corpora, or with one")
	asked := cmd.Flags().String("questions", "", "folder `DIR` with the published question files")
	split := cmd.Flags().String("split", string(toolqa.Test), "the split `NAME` of the questions: train, "+
		"dev or test")
	short := cmd.Flags().Bool("allow-short", false, "import incomplete corpora: fewer rows than published, "+
		"or not all files")
	skip := cmd.Flags().Int("skip-bad", 0, "leave out up to `N` broken rows of each dataset, and count them")
	python := cmd.Flags().String("python", "", "interpreter `FILE` that reads dblp's pickles, in a "+
		"sandbox (default: python3 of PATH)")
	without := cmd.Flags().StringSlice("without", nil, "walls of that sandbox to do without where "+
		"they are missing, `WALL,…`: landlock, seccomp")
	watch := p.Watched(cmd)
	console.Complete(cmd, "corpus", console.Folders)
	console.Complete(cmd, "questions", console.Folders)
	console.Complete(cmd, "split", console.Offered(toolqa.Splits()))

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

		progress, stop := watch()
		defer stop()

		i := importRun{
			program:  p,
			dir:      *dir,
			named:    named,
			progress: progress,
			split:    of,
			options: importer.Options{
				AllowShort: *short, SkipBad: *skip, Tool: madeBy(cmd),
				Python: (&engines.Choice{Executable: *python, Accept: *without}).Options(1),
			},
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

// importRun reads the published files and remembers what there is to say about them.
type importRun struct {
	program  *console.Program
	dir      string
	named    bool // the user named the datasets: one that is not there is an error
	progress *console.Steps
	options  importer.Options
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

func (i *importRun) corpora(ctx context.Context, all []toolqa.Dataset, from string) error {
	var missing []string

	for _, ds := range all {
		opts := i.options
		opts.Progress = i.progress.Step("import " + string(ds))

		done, err := importer.Import(ctx, i.dir, ds, from, opts)
		if errors.Is(err, fs.ErrNotExist) && !i.named {
			missing = append(missing, string(ds))
			continue
		}

		if err != nil {
			return err
		}

		if err := indexPassages(ctx, i.dir, ds, i.progress.Step); err != nil {
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
		i.program.Say("Not in %s: %s", from, strings.Join(missing, ", "))
	}

	return nil
}

func (i *importRun) questions(asked string, of []toolqa.Dataset) error {
	imported, err := questions.Import(asked, i.split, of...)
	if err != nil {
		return err
	}

	removed, err := questions.RemoveShared(i.dir, imported.Questions)
	for _, path := range removed {
		i.program.Say("Removed %s: it asked published questions of another split; run `toolevo data questions` "+
			"again", path)
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

func (i *importRun) report(asJSON bool) error {
	for _, info := range i.infos {
		warnStale(i.program, i.dir, info)
	}

	if asJSON {
		return i.program.PrintJSON(Imported{i.reports, i.files})
	}

	for _, r := range i.reports {
		fmt.Fprint(i.program.Out, r.corpusReport)

		switch {
		case r.Unchanged:
			fmt.Fprint(i.program.Out, ", unchanged: imported from these files before")
		case r.Skipped > 0:
			fmt.Fprintf(i.program.Out, ", %s left out", plural(r.Skipped, "bad row"))
		}

		fmt.Fprintln(i.program.Out)

		for _, b := range r.Bad {
			fmt.Fprintf(i.program.Out, "  %s\n", b)
		}
	}

	i.printFiles()
	i.program.Say("Next: toolevo %s", console.Shell("data", "questions", "--data", i.dir))

	return nil
}

func (i *importRun) printFiles() {
	all, recognised := 0, 0

	for _, f := range i.files {
		if f.Skipped != "" {
			i.program.Say("%s: left out: %s", f.Path, f.Skipped)
			continue
		}

		all, recognised = all+f.Questions, recognised+f.Questions-len(f.Unrecognised)
		fmt.Fprintf(i.program.Out, "%s: %d %s questions from %s", f.Dataset, f.Questions, f.Difficulty, f.Path)

		if n := len(f.Unrecognised); n > 0 {
			fmt.Fprintf(i.program.Out, ", %d fit no template (%s)", n, strings.Join(f.Unrecognised[:min(n, 5)], ", "))
		}

		fmt.Fprintln(i.program.Out)

		for _, d := range f.Duplicates {
			fmt.Fprintf(i.program.Out, "  asked twice: %s\n", d)
		}

		if n := len(f.Renamed); n > 0 {
			fmt.Fprintf(i.program.Out, "  %d IDs name another dataset, e.g. %s\n", n, f.Renamed[0])
		}

		if n := len(f.Shared); n > 0 {
			fmt.Fprintf(i.program.Out, "  asked in two splits, so that export refuses %d: %s\n", n,
				strings.Join(f.Shared[:min(n, 5)], ", "))
		}
	}

	if len(i.files) > 0 {
		fmt.Fprintf(i.program.Out, "%d of %d published questions fit a template\n", recognised, all)
	}
}

// Imported is what `data import --json` prints.
type Imported struct {
	Corpora   []importReport `json:"corpora"`   // those that were imported
	Questions []importedFile `json:"questions"` // the question files that were read
}
