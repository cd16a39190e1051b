package export

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"toolevo/envs/durable"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
	"toolevo/trajectories/internal/jsonl"
)

// The folders of exports whose files are not known by their names.
const (
	atifFolder    = "toolevo_atif" // a job to Harbor
	inspectFolder = "toolevo_inspect"
)

// isExportFolder reports whether a folder of that name is part of an export.
func isExportFolder(name string) bool { return name == atifFolder || name == inspectFolder }

// WriteDocuments writes documents of the format [ATIF] or [ATIFFiles] to a folder, and returns the manifest: of rows,
// in canonical order, those that the selection chooses, and all episodes but those that were lost. No text is changed,
// and the linter is not asked: it is about what trainers read. As with [Write] the folder may hold an earlier export,
// which is replaced, and one with a manifest is whole.
func WriteDocuments(ctx context.Context, dir string, rows iter.Seq2[trajectories.Row, error],
	episodes iter.Seq2[trajectories.Episode, error], opt Options) (*Manifest, error) {
	w := &documentWriter{
		ctx: ctx, opt: opt, runs: runCounts{}, manifest: newManifest(opt),
		shown: newShownCache(opt.Shown, func(trajectories.Shown) error { return nil }),
	}

	err := w.manifest.writeFolder(dir, func(work string) error {
		err := w.inFolder(work, func(write func(*atif.Document) error) error {
			chosen := opt.Selection.Select(rows, &w.manifest.Selected)

			return cmp.Or(w.each(ofRows(chosen), write), w.each(episodes, write))
		})
		w.runs.note(&w.manifest)

		return err
	})
	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", dir, err)
	}

	return &w.manifest, nil
}

// WriteLogs writes an export of the format [Inspect], whose logs another package makes: write writes them into a
// folder, and returns how many episodes they have, and how many of those were lost.
func WriteLogs(dir, software string, write func(work string) (episodes, lost int, err error)) (*Manifest, error) {
	m := newManifest(Options{Format: Inspect, Software: software})

	err := m.writeFolder(dir, func(work string) (err error) {
		logs := filepath.Join(work, inspectFolder)
		if err := os.Mkdir(logs, 0o755); err != nil {
			return err
		}

		m.Rows, m.Lost, err = write(logs)

		return err
	})
	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", dir, err)
	}

	return &m, nil
}

// documentWriter writes one export of documents.
type documentWriter struct {
	ctx      context.Context
	opt      Options
	shown    shownCache
	runs     runCounts
	manifest Manifest
}

// ofRows are trajectories as episodes without a status.
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

		shown, err := w.shown.of(&e.Row)
		if err != nil {
			return err
		}

		if err := write(atif.FromEpisode(&e, shown)); err != nil {
			return fmt.Errorf("write the document of %s: %w", e.Name(), err)
		}

		w.manifest.Rows++
		w.runs.add(&e.Row, shown)
	}

	return nil
}

// inFolder calls use with a function that writes a document into the folder, in the way of the format.
func (w *documentWriter) inFolder(work string, use func(write func(*atif.Document) error) error) error {
	if w.opt.Format == ATIF {
		return durable.WriteFile(filepath.Join(work, atif.LinesFile), func(out io.Writer) error {
			enc := jsonl.NewEncoder(out)
			return use(func(d *atif.Document) error { return enc.Encode(d) })
		})
	}

	return use(func(d *atif.Document) error {
		name := filepath.Join(work, filepath.FromSlash(trialFile(d)))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}

		return writeJSON(name, d)
	})
}

// trialFile is the path of a document's file in its export: a trial of Harbor, in a folder that its ID names.
func trialFile(d *atif.Document) string {
	plain := strings.Map(func(r rune) rune {
		if r < '0' && r != '-' && r != '.' || r > 'z' || strings.ContainsRune(`:;<=>?@[\]^`+"`", r) {
			return '_'
		}

		return r
	}, strings.TrimPrefix(d.TrajectoryID, d.Extra.Ours.RunID+"/"))

	sum := sha256.Sum256([]byte(d.TrajectoryID)) // IDs may differ in characters that no name has, and be too long

	return path.Join(atifFolder, fmt.Sprintf("%.100s-%s", plain, hex.EncodeToString(sum[:4])), "agent", atif.TrialFile)
}
