package datacmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
	"toolevo/toolqa/retrieve"
	"toolevo/toolqa/score"
)

func newVerify(p *console.Program) *cobra.Command {
	cmd := console.Command("verify", helpTexts)
	dir, datasets, asJSON := p.DataFlag(cmd), datasetsFlag(cmd), console.JSONFlag(cmd)
	watch := p.Watched(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, named, err := datasets()
		if err != nil {
			return err
		}

		progress, stop := watch()
		defer stop()
		var reports []verifyReport

		for _, ds := range all {
			r, err := verify(cmd.Context(), *dir, ds, progress)
			if errors.Is(err, fs.ErrNotExist) && !named {
				continue
			}

			if err != nil {
				return err
			}

			reports = append(reports, r)
		}

		var files []suite.VerifiedFile
		if !named {
			if files, err = verifyOthers(cmd.Context(), *dir); err != nil {
				return err
			}
		}

		if len(reports)+len(files) == 0 {
			return fmt.Errorf("no corpus in %s: run `toolevo data build` or `toolevo data import`", *dir)
		}

		return printVerified(p, *asJSON, Verified{reports, files})
	}

	return cmd
}

// verifyOthers checks the files of the other benchmarks.
func verifyOthers(ctx context.Context, dir string) (all []suite.VerifiedFile, err error) {
	for _, b := range suite.All() {
		v, ok := b.(suite.Verifier)
		if !ok {
			continue
		}

		files, err := v.Verify(ctx, dir)
		if err != nil {
			return nil, err
		}

		all = append(all, files...)
	}

	return all, nil
}

// verifyReport is what `data verify` says about a dataset.
type verifyReport struct {
	corpusReport
	Damage string `json:"damage,omitempty"` // what is wrong with the corpus file
	questions.Verification
}

func (r verifyReport) bad() int {
	n := len(r.Problems)
	if r.Damage != "" {
		n++
	}

	return n
}

// verify checks a dataset's corpus, indexes and questions. Damage is in the report; an error is a missing corpus, or
// the check itself failing.
func verify(ctx context.Context, dir string, ds toolqa.Dataset, progress *console.Steps) (verifyReport, error) {
	progress.Step(string(ds) + ": corpus")

	c, err := corpus.Open(ctx, dir, ds)
	switch {
	case errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil:
		return verifyReport{}, err
	case err != nil:
		return verifyReport{corpusReport: corpusReport{Dataset: string(ds)}, Damage: err.Error()}, nil
	}
	defer c.Close()

	r := verifyReport{corpusReport: newCorpusReport(dir, c.Info())}

	if err := c.Verify(ctx); err != nil {
		r.Damage = err.Error() + ": build or import it again"
		return r, ctx.Err()
	}

	if err := retrieve.Verify(ctx, c); err != nil {
		r.Damage = err.Error()
		return r, ctx.Err()
	}

	r.Verification, err = questions.Verify(ctx, dir, c, score.Strict, progress.Step(string(ds)+": questions"))

	return r, err
}

func printVerified(p *console.Program, asJSON bool, v Verified) error {
	wrong := 0
	for _, r := range v.Verified {
		wrong += r.bad()
	}

	for _, f := range v.Files {
		if f.Damage != "" {
			wrong++
		}
	}

	err := p.Show(asJSON, v, func() {
		for _, r := range v.Verified {
			printVerifiedDataset(p, r)
		}

		for _, f := range v.Files {
			fmt.Fprintln(p.Out, cmp.Or(f.Damage, f.Path+": whole; "+f.Has))
		}
	})
	if err == nil && wrong > 0 {
		return console.Bad("wrong: %s", plural(wrong, "finding"))
	}

	return err
}

func printVerifiedDataset(p *console.Program, r verifyReport) {
	if r.Damage != "" {
		fmt.Fprintf(p.Out, "%s: %s\n", r.Dataset, r.Damage)
		return
	}

	fmt.Fprintf(p.Out, "%s: %s whole; %d questions generated, %d answers found again; %d published; %d templates\n",
		r.Dataset, r.size(), r.Questions-r.FromFiles, r.Recomputed, r.FromFiles, r.Templates)

	for _, problem := range r.Problems {
		fmt.Fprintf(p.Out, "  wrong: %s\n", display.Line(problem, 0))
	}

	if r.Questions > 0 && len(r.Missing) > 0 {
		fmt.Fprintf(p.Out, "  no question of %d templates, e.g. %s\n", len(r.Missing), r.Missing[0])
	}

	if n := len(r.Published); n > 0 {
		fmt.Fprintf(p.Out, "  published as they are: %d, e.g. %s\n", n, r.Published[0])
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}

	return fmt.Sprintf("%d %ss", n, what)
}

// Verified is what `data verify --json` prints.
type Verified struct {
	Verified []verifyReport       `json:"verified"`        // by dataset
	Files    []suite.VerifiedFile `json:"files,omitempty"` // of the other benchmarks
}
