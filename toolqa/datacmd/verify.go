package datacmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/score"
	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/questions"
	"toolevo/toolqa/retrieve"
)

func verifyCommand() suite.Command {
	var c chosen
	return suite.Command{
		Use: "data verify", Help: helpTexts, Progress: true, Document: Verified{}, Options: c.options(),
		Run: func(ctx context.Context, call *suite.Call) error {
			var done Verified

			for _, ds := range c.chosenDatasets() {
				r, err := verify(ctx, c.data, ds, call.Progress)
				// Unless datasets are named, those that exist are meant.
				if errors.Is(err, fs.ErrNotExist) && !c.named() {
					continue
				}

				if err != nil {
					return err
				}

				done.Verified = append(done.Verified, r)
			}

			// The files of other benchmarks are checked only if no dataset was named.
			if !c.named() {
				var err error
				if done.Files, err = verifyOthers(ctx, c.data); err != nil {
					return err
				}
			}

			if len(done.Verified)+len(done.Files) == 0 {
				return fmt.Errorf("no corpus in %s: run `toolevo data build` or `toolevo data import`",
					c.data)
			}

			// All findings are printed, and any of them is an error.
			return call.Result(done, done.print, done.verdict())
		},
	}
}

// verifyOthers checks the files of the other benchmarks, and the demonstrations of all.
func verifyOthers(ctx context.Context, dir string) (all []suite.VerifiedFile, err error) {
	for _, b := range suite.All() {
		files, err := suite.VerifyDemonstrations(dir, b.Name())
		if err != nil {
			return nil, err
		}

		all = append(all, files...)

		v, ok := b.(suite.Verifier)
		if !ok {
			continue
		}

		if files, err = v.Verify(ctx, dir); err != nil {
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

// findings counts what is wrong.
func (r verifyReport) findings() int {
	n := len(r.Problems)
	if r.Damage != "" {
		n++
	}
	return n
}

// verify checks a dataset's corpus, indexes and questions. Damage is in the report; an error is a
// missing corpus, or the check itself failing.
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

// verdict returns an error if anything is wrong with the files.
func (v Verified) verdict() error {
	wrong := 0
	for _, r := range v.Verified {
		wrong += r.findings()
	}

	for _, f := range v.Files {
		if f.Damage != "" {
			wrong++
		}
	}

	if wrong > 0 {
		return console.Bad("wrong: %s", plural(wrong, "finding"))
	}
	return nil
}

func (v Verified) print(w io.Writer) {
	for _, r := range v.Verified {
		r.print(w)
	}

	for _, f := range v.Files {
		fmt.Fprintln(w, cmp.Or(f.Damage, f.Path+": whole; "+f.Has))
	}
}

func (r verifyReport) print(w io.Writer) {
	if r.Damage != "" {
		fmt.Fprintf(w, "%s: %s\n", r.Dataset, r.Damage)
		return
	}

	fmt.Fprintf(w, "%s: %s whole; %d questions generated, %d answers found again; %d published; %d templates\n",
		r.Dataset, r.size(), r.Questions-r.FromFiles, r.Recomputed, r.FromFiles, r.Templates)

	for _, problem := range r.Problems {
		fmt.Fprintf(w, "  wrong: %s\n", display.Line(problem, 0))
	}

	if r.Questions > 0 && len(r.Missing) > 0 {
		fmt.Fprintf(w, "  no question of %d templates, e.g. %s\n", len(r.Missing), r.Missing[0])
	}

	if n := len(r.Published); n > 0 {
		fmt.Fprintf(w, "  published as they are: %d, e.g. %s\n", n, r.Published[0])
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
