package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// smallAgenda writes a corpus that has all there is: times of day, a typed table and a side table.
func smallAgenda(t testing.TB, dir string) layout.Info {
	t.Helper()

	n := 0
	next := func() ([]layout.Cell, error) {
		if n == 40 {
			return nil, io.EOF
		}
		n++
		return []layout.Cell{
			layout.TextCell(fmt.Sprintf("event %d", n%7)),
			layout.ClockCell(fmt.Sprintf("%d:00 AM", 1+n%12)),
			layout.ClockCell("2 PM"),
			layout.TextCell("here"),
			layout.TextCell("Anna"), layout.TextCell("2022/01/16"), layout.TextCell(fmt.Sprint(n)),
		}, nil
	}
	passages := func(_ context.Context, put func(table string, values ...any) error) error {
		for id := range 30 {
			if err := put("documents", id+1, fmt.Sprintf("agenda-%04d", id),
				fmt.Sprintf("Anna meets, \"%d\"", id)); err != nil {
				return err
			}
		}

		return nil
	}

	wanted := layout.Info{Dataset: toolqa.Agenda, Source: layout.Synthetic, Tool: "test"}

	info, err := layout.Write(t.Context(), dir, wanted, layout.Input{Next: next, Expected: 40}, passages)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestDocuments(t *testing.T) {
	dir := t.TempDir()
	smallAgenda(t, dir)
	c := mustOpen(t, dir, toolqa.Agenda)

	n := 0
	for d, err := range c.Documents(t.Context()) {
		if n++; err != nil || d.ID != n || d.Name != fmt.Sprintf("agenda-%04d", n-1) ||
			d.Content != fmt.Sprintf("Anna meets, \"%d\"", n-1) {
			t.Errorf("document %d: %+v, %v", n, d, err)
		}

		if n == 20 {
			break
		}
	}

	if n != 20 {
		t.Errorf("%d documents", n)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	var failed error
	for _, err := range c.Documents(ctx) {
		failed = err
	}

	if !errors.Is(failed, context.Canceled) {
		t.Errorf("with a context that is over: %v", failed)
	}
}

// A part that puts what does not belong ends the writing.
func TestPartFails(t *testing.T) {
	for name, values := range map[string][]any{
		"no such table":  {"papers", 1},
		"too few values": {"documents", 1, "a"},
		"foreign value":  {"documents", 1, "a", struct{}{}},
		"null":           {"documents", 1, "a", nil},
		"own failure":    nil,
	} {
		dir := t.TempDir()
		own := errors.New("own failure")
		fill := func(_ context.Context, put func(table string, values ...any) error) error {
			if values == nil {
				return own
			}
			return put(values[0].(string), values[1:]...)
		}
		none := func() ([]layout.Cell, error) { return nil, io.EOF }

		_, err := layout.Write(t.Context(), dir, layout.Info{Dataset: toolqa.Agenda}, layout.Input{Next: none}, fill)
		if err == nil || values == nil && !errors.Is(err, own) {
			t.Errorf("%s: %v", name, err)
		}

		if left := leftBehind(t, dir); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// TestProof changes every kind of thing that a file holds: what the other tests prove is found
// where it is not so.
func TestProof(t *testing.T) {
	good := t.TempDir()
	smallAgenda(t, good)

	c := mustOpen(t, good, toolqa.Agenda)
	if err := c.Prove(t.Context()); err != nil {
		t.Fatal(err)
	}

	bytes, err := os.ReadFile(c.Path())
	if err != nil {
		t.Fatal(err)
	}
	type fault struct{ change, want string }

	faults := []fault{
		{"DELETE FROM agenda_data WHERE rowid = 40", "agenda_data has 39 rows of 40"},
		{"INSERT INTO agenda_data SELECT * FROM agenda_data WHERE rowid = 1", "agenda_data has more than 40 rows"},
		{"ALTER TABLE agenda_data RENAME COLUMN person TO who", "table agenda_data has the columns"},
		{"UPDATE documents SET content = content || ' ' WHERE id = 7", "table documents has 30 rows with the hash"},
		{"UPDATE documents SET id = 77 WHERE id = 30", "table documents has 30 rows with the hash"},
		{"DELETE FROM documents WHERE id = 30", "table documents has 29 rows"},
		{"DROP TABLE documents", "no such table: documents"},
	}
	for _, col := range c.Schema().Columns {
		faults = append(faults, fault{
			fmt.Sprintf("UPDATE agenda_data SET %q = %[1]q || 'x' WHERE rowid = 23", col.SQLName()),
			"table agenda_data, row 23, column " + col.SQLName(),
		})
	}

	for _, name := range append(c.Schema().Names(), c.Schema().Clocks()...) {
		for _, blob := range []string{"words", "codes"} {
			for _, stored := range []int{0, 1} {
				if stored == 1 && !strings.HasSuffix(name, "_time") {
					continue
				}
				// Replace the last byte, by another one of as many words.
				faults = append(faults, fault{
					fmt.Sprintf("UPDATE cells SET %s = CAST(substr(%[1]s, 1, length(%[1]s) - 1) || "+
						"CASE substr(%[1]s, -1) WHEN x'00' THEN x'01' ELSE x'00' END AS BLOB) WHERE name = "+
						"'%[2]s' AND stored = %[3]d", blob, name, stored),
					"",
				})
			}
		}
	}

	for _, f := range faults {
		dir := t.TempDir()

		path := layout.Path(dir, toolqa.Agenda)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, bytes, 0o666)); err != nil {
			t.Fatal(err)
		}

		change(t, path, f.change)

		err := openUnchecked(t, dir, toolqa.Agenda).Prove(t.Context())
		if err == nil || !strings.Contains(err.Error(), f.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with %q and the path", f.change, err, f.want)
		}
	}
}

// TestProofOfAnIndex changes one byte of an index, which no table shows.
func TestProofOfAnIndex(t *testing.T) {
	dir := t.TempDir()
	smallAgenda(t, dir)
	path := layout.Path(dir, toolqa.Agenda)

	var root int64
	for _, row := range query(t, mustOpen(t, dir, toolqa.Agenda), "SELECT rootpage FROM sqlite_master WHERE name "+
		"= 'agenda_data_event'") {
		if _, err := fmt.Sscan(row[0], &root); err != nil {
			t.Fatal(err)
		}
	}

	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	page := bytes[(root-1)*(1<<14) : root*(1<<14)]
	page[strings.LastIndex(string(page), "event")] = 'E'

	if err := errors.Join(os.Chmod(path, 0o666), os.WriteFile(path, bytes, 0o666)); err != nil {
		t.Fatal(err)
	}

	if err := openUnchecked(t, dir, toolqa.Agenda).Prove(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
}

func TestProofStops(t *testing.T) {
	dir := t.TempDir()
	smallAgenda(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if err := mustOpen(t, dir, toolqa.Agenda).Prove(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
