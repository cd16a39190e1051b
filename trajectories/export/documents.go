package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"toolevo/trajectories"
	"toolevo/trajectories/atif"
)

// Documents are the sources of documents.
type Documents struct {
	Rows     iter.Seq2[trajectories.Row, error]     // in canonical order; the selection chooses among them
	Episodes iter.Seq2[trajectories.Episode, error] // all are written except lost ones

	// Logs writes the logs of one evaluation into a folder, for formats of such logs
	// ([Format.IsOfEvaluation]). It returns how many episodes they have, and how many of those were
	// lost.
	Logs func(folder string) (episodes, lost int, err error)
}

// WriteDocuments writes documents in one of their formats to a folder, and returns the manifest. It
// changes no text and does not ask the linter, which knows what trainers read. As with [Write] the
// folder may hold an earlier export, which is replaced, and a folder with a manifest is whole.
func WriteDocuments(ctx context.Context, dir string, from Documents, opt Options) (*Manifest, error) {
	w := &documentWriter{
		ctx: ctx, opt: opt, runs: runCounts{}, manifest: newManifest(opt), from: from,
		shown: newShownCache(opt.Shown, func(trajectories.Shown) error { return nil }),
	}

	err := w.manifest.writeFolder(dir, func(work string) error {
		err := opt.Format.form().write(w, work)
		w.runs.note(&w.manifest)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", dir, err)
	}

	return &w.manifest, nil
}

// documentWriter writes one export of documents.
type documentWriter struct {
	ctx      context.Context
	opt      Options
	shown    shownCache
	runs     runCounts
	manifest Manifest
	from     Documents
}

// documents writes the chosen trajectories, and the episodes.
func (w *documentWriter) documents(write func(*atif.Document) error) error {
	chosen := w.opt.Selection.Select(w.from.Rows, &w.manifest.Selected)
	return cmp.Or(w.each(ofRows(chosen), write), w.each(w.from.Episodes, write))
}

// ofRows streams trajectories as episodes without a status.
func ofRows(rows iter.Seq2[trajectories.Row, error]) iter.Seq2[trajectories.Episode, error] {
	return func(yield func(trajectories.Episode, error) bool) {
		for row, err := range rows {
			if !yield(trajectories.Episode{Row: row}, err) {
				return
			}
		}
	}
}

// each writes the document of every episode that was not lost.
func (w *documentWriter) each(episodes iter.Seq2[trajectories.Episode, error], write func(*atif.Document) error) error {
	for e, err := range episodes {
		if err = errors.Join(err, w.ctx.Err()); err != nil {
			return err
		}

		if e.Lost != "" {
			w.manifest.Lost++
			continue
		}

		shown, err := w.shown.get(&e.Row)
		if err != nil {
			return err
		}

		// Whoever imports the document cannot ask again: it says nothing of versions.
		d := atif.FromEpisode(&e, shown)
		d.Extra.Ours.Blind = w.opt.Selection.isBlind(&e.Row)

		if err := cmp.Or(w.opt.Selection.failed(), write(d)); err != nil {
			return fmt.Errorf("write the document of %s: %w", e.Name(), err)
		}

		w.manifest.Rows++
		w.runs.add(&e.Row, shown)
	}
	return nil
}
