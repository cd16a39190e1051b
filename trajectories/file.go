package trajectories

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strconv"
	"unicode/utf8"

	"toolevo/envs/disk"
	"toolevo/trajectories/internal/pq"
)

// schemaKey is the footer key under which a file names its schema version.
const schemaKey = "toolevo.schema_version"

// Writer streams rows into a trajectories file. It must not be used concurrently.
type Writer struct {
	w    *pq.Writer[Row]
	last *Row
}

// NewWriter returns a writer of trajectories to w. Closing it does not close w.
func NewWriter(w io.Writer) (*Writer, error) {
	pw, err := pq.NewWriter[Row](w, rowColumns(), map[string]string{schemaKey: strconv.Itoa(SchemaVersion)})
	if err != nil {
		return nil, fmt.Errorf("trajectories: new writer: %w", err)
	}
	return &Writer{w: pw}, nil
}

// Write adds a row. Rows come in canonical order, each once; a row out of order, of another schema
// version, or with text that is not UTF-8 is an error, and is not written.
func (w *Writer) Write(r Row) error {
	if r.SchemaVersion != SchemaVersion {
		return fmt.Errorf("trajectories: write %s: schema version %d, want %d", r.Name(), r.SchemaVersion,
			SchemaVersion)
	}

	if w.last != nil && Compare(w.last, &r) >= 0 {
		return fmt.Errorf("trajectories: write %s: comes after %s in the canonical order, or is the same",
			w.last.Name(), r.Name())
	}

	if !r.isUTF8() {
		return fmt.Errorf("trajectories: write %s: text that is not UTF-8", r.Name())
	}

	w.last = &r

	if err := w.w.Write(&r); err != nil {
		return fmt.Errorf("trajectories: write %s: %w", r.Name(), err)
	}
	return nil
}

// rows returns how many rows were written.
func (w *Writer) rows() int { return w.w.Rows() }

// Close writes the footer; without it the file cannot be read. A file of no rows is valid.
func (w *Writer) Close() error {
	if err := w.w.Close(); err != nil {
		return fmt.Errorf("trajectories: close: %w", err)
	}
	return nil
}

// Name identifies the row in errors: "run: question/tree/path".
func (r *Row) Name() string {
	return fmt.Sprintf("%s: %s/%d/%s", r.RunID, r.QuestionID, r.Tree, r.NodePath)
}

func (r *Row) isUTF8() (is bool) {
	is = true
	check := func(s string) string {
		is = is && utf8.ValidString(s)
		return s
	}

	eachText(reflect.ValueOf(r).Elem(), check)

	for name, value := range r.Labels {
		check(name)
		check(value)
	}
	return is
}

// WriteFile writes rows, which come in canonical order, to a file that appears whole or not at all,
// and returns how many there were. The first error of rows ends it.
func WriteFile(ctx context.Context, path string, rows iter.Seq2[Row, error]) (n int, err error) {
	err = disk.WriteFile(path, func(w io.Writer) error {
		tw, err := NewWriter(w)
		if err != nil {
			return err
		}

		for row, err := range rows {
			if err := errors.Join(err, ctx.Err()); err != nil {
				return errors.Join(err, tw.Close())
			}

			if err := tw.Write(row); err != nil {
				return errors.Join(err, tw.Close())
			}
		}

		n = tw.rows()
		return tw.Close()
	})
	if err != nil {
		return 0, fmt.Errorf("trajectories: write %s: %w", path, err)
	}

	return n, nil
}

// ReadFile streams the rows of a file in its order. A file that is damaged, lacks a column, or is
// of another schema version gives an error, as the last thing yielded.
func ReadFile(path string) iter.Seq2[Row, error] {
	return read[Row](path, rowColumns(), SchemaVersion)
}
