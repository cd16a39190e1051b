package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolevo/toolqa"
)

// TestManyRows crosses the chunks in which codes are spilled, and all widths of a code.
func TestManyRows(t *testing.T) {
	t.Parallel()
	const rows = 2*chunkRows + 1<<16/8
	cellsOf := func(n int) []cell {
		return []cell{
			textCell(fmt.Sprint("event ", rows-n)), // as many words as rows
			clockCell(fmt.Sprintf("%d:%02d AM", 1+n/60%12, n%60)), clockCell("2 PM"),
			textCell(fmt.Sprint(n / 100)), textCell(fmt.Sprint(n / (rows / 3))), textCell("d"),
			textCell(fmt.Sprint(min(n, 300))), // more than a byte can say from the first chunk on
		}
	}
	dir, n := t.TempDir(), 0

	next := func() ([]cell, error) {
		if n == rows {
			return nil, io.EOF
		}
		n++

		return cellsOf(n - 1), nil
	}
	if _, err := write(t.Context(), dir, Info{Dataset: toolqa.Agenda, Source: Synthetic},
		input{next: next}); err != nil {
		t.Fatal(err)
	}

	c := mustOpen(t, dir, toolqa.Agenda)
	if err := c.Verify(t.Context()); err != nil {
		t.Error(err)
	}

	names := c.Table().Columns()

	printed, stored := make([]*Vector, len(names)), make([]*Vector, len(names))
	for i, name := range names {
		var err error
		if printed[i], err = c.Table().Column(name); err != nil {
			t.Fatal(err)
		}

		if stored[i], err = c.Table().Stored(name); err != nil {
			t.Fatal(err)
		}
	}

	for row := range rows {
		for i, want := range cellsOf(row) {
			if want.stored == "" {
				want.stored = want.text
			}

			if p, s := printed[i].Text(row), stored[i].Text(row); p != want.text || s != want.stored {
				t.Fatalf("column %s, row %d: %q, stored %q, want %+v", names[i], row, p, s, want)
			}
		}
	}

	widths := query(t, c, "SELECT DISTINCT width FROM cells ORDER BY width")
	if !slices.EqualFunc(widths, []string{"1", "2", "4"},
		func(row []string, want string) bool { return row[0] == want }) {
		t.Errorf("widths %v", widths)
	}
}

// TestKilled kills a program that builds a corpus, and shows that the corpus before is untouched, and what is
// left of it.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("CORPUS_TEST_BUILD"); dir != "" {
		after, err := strconv.Atoi(os.Getenv("CORPUS_TEST_AFTER"))
		if err != nil {
			t.Fatal(err)
		}

		Build(t.Context(), dir, toolqa.Coffee, BuildOptions{Seed: 2, Rows: 20_000, Progress: func(done, _ int) {
			if done >= after {
				fmt.Println("so far")
				io.Copy(io.Discard, os.Stdin) // waits to be killed
			}
		}})

		return
	}

	dir := t.TempDir()
	want := mustBuild(t, dir, toolqa.Coffee, BuildOptions{Seed: 1, Rows: 10})

	for _, after := range []string{"0", "100", "400"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")

		cmd.Env = append(os.Environ(), "CORPUS_TEST_BUILD="+dir, "CORPUS_TEST_AFTER="+after)

		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}

		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}

		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}

		met := false
		for lines := bufio.NewScanner(out); !met && lines.Scan(); {
			met = lines.Text() == "so far"
		}

		if err := cmd.Process.Kill(); err != nil || !met {
			t.Fatalf("%q was met: %v; Kill: %v", after, met, err)
		}

		cmd.Wait() // it was killed

		// What is left of it goes with the next program, however young it is.
		if left := leftBehind(t, dir); len(left) != 2 {
			t.Errorf("after %q: the killed program left %v", after, left)
		}

		c := mustOpen(t, dir, toolqa.Coffee)
		if left := leftBehind(t, dir); len(left) != 1 {
			t.Errorf("after %q: left %v", after, left)
		}

		if err := c.Verify(t.Context()); err != nil || c.Info() != want {
			t.Errorf("after %q: %+v, %v", after, c.Info(), err)
		}
	}
}

// TestLeftovers keeps what is being written, and what is not called like it.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()

	writing, err := CreateTemp(dir, ".making-*")
	if err != nil {
		t.Fatal(err)
	}

	folder, err := MkdirTemp(dir, ".making-*")
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{".making-", ".making-x1", "other", ".making-12"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	if err := os.MkdirAll(filepath.Join(dir, ".making-34", "below"), 0o755); err != nil {
		t.Fatal(err)
	}

	left := func() []string {
		t.Helper()

		if err := RemoveLeftovers(dir, ".making-", ""); err != nil {
			t.Fatal(err)
		}
		var names []string

		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}

		for _, e := range entries {
			names = append(names, e.Name())
		}

		return names
	}
	others := []string{".making-", ".making-x1", "other"}
	busy := append([]string{filepath.Base(writing.Name()), filepath.Base(folder.Name())}, others...)
	slices.Sort(busy)

	if got := left(); !slices.Equal(got, busy) {
		t.Errorf("left %v, want %v", got, busy)
	}

	if err := errors.Join(writing.Close(), folder.Close()); err != nil {
		t.Fatal(err)
	}

	if got := left(); !slices.Equal(got, others) {
		t.Errorf("when nobody writes: left %v, want %v", got, others)
	}

	if err := RemoveLeftovers(filepath.Join(dir, "none"), "", ""); err != nil {
		t.Errorf("without a folder: %v", err)
	}
}

// someFlights yields n rows in the schema of flights: about as many distinct cells as the published file has, no sense.
func someFlights(rng *rand.Rand, n int) func() ([]cell, error) {
	schema, err := SchemaOf(toolqa.Flights)
	if err != nil {
		panic(err)
	}

	pool := make([][]cell, len(schema.Columns))
	for i, col := range schema.Columns {
		for k := range 20 + rng.IntN(30)*rng.IntN(40) {
			pool[i] = append(pool[i], someCell(col, k))
		}
	}

	row, made := make([]cell, len(pool)), 0

	return func() ([]cell, error) {
		if made == n {
			return nil, io.EOF
		}
		made++

		for i, cells := range pool {
			row[i] = cells[rng.IntN(len(cells))]
		}

		return row, nil
	}
}

func someCell(col Column, k int) cell {
	switch {
	case col.Optional && k == 0:
		return missingCell(col, false)
	case col.Kind == Real:
		return realCell(float64(k))
	case col.Kind == Integer:
		return integerCell(int64(k))
	case col.Kind == Bool:
		return boolCell(k%40 == 0)
	case col.Kind == Date:
		return textCell(fmt.Sprintf("2022-%02d-%02d", 1+k%7, 1+k%28))
	}

	return textCell(fmt.Sprintf("%s, %d", col.Name[:2], k))
}

// BenchmarkWrite measures how many rows of flights are written in a second, indexes included.
func BenchmarkWrite(b *testing.B) {
	const rows = 100_000

	dir := b.TempDir()
	for b.Loop() {
		in := input{next: someFlights(rand.New(rand.NewPCG(1, 2)), rows), expected: rows}
		if _, err := write(b.Context(), dir, Info{Dataset: toolqa.Flights, Source: Synthetic}, in); err != nil {
			b.Fatal(err)
		}
	}

	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkImport measures how many rows of a CSV file of flights are imported in a second, indexes included.
func BenchmarkImport(b *testing.B) {
	const rows = 100_000

	schema, err := SchemaOf(toolqa.Flights)
	if err != nil {
		b.Fatal(err)
	}

	path := filepath.Join(b.TempDir(), schema.File)

	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()

	w := bufio.NewWriter(f)
	fmt.Fprintln(w, strings.Join(schema.names(), ","))

	next := someFlights(rand.New(rand.NewPCG(1, 2)), rows)
	for row, err := next(); err == nil; row, err = next() {
		for i, c := range row {
			if i > 0 {
				w.WriteByte(',')
			}

			w.WriteString(encodeCSV(c.text))
		}

		w.WriteByte('\n')
	}

	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}

	for b.Loop() {
		if _, err := Import(b.Context(), b.TempDir(), toolqa.Flights, path,
			ImportOptions{AllowShort: true}); err != nil {
			b.Fatal(err)
		}
	}

	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// flightsFile writes a corpus of flights for a benchmark.
func flightsFile(b *testing.B) string {
	b.Helper()
	const rows = 200_000
	dir := b.TempDir()

	in := input{next: someFlights(rand.New(rand.NewPCG(1, 2)), rows), expected: rows}
	if _, err := write(b.Context(), dir, Info{Dataset: toolqa.Flights, Source: Synthetic}, in); err != nil {
		b.Fatal(err)
	}

	return dir
}

// BenchmarkOpen opens a corpus, and so compares every byte of it: the flights of the data folder
// TOOLEVO_BENCH_DATA, for instance at full scale, or else a small one.
func BenchmarkOpen(b *testing.B) {
	dir := os.Getenv("TOOLEVO_BENCH_DATA")
	if dir == "" {
		dir = flightsFile(b)
	}

	stat, err := os.Stat(Path(dir, toolqa.Flights))
	if err != nil {
		b.Fatal(err)
	}

	b.SetBytes(stat.Size())

	for b.Loop() {
		c, err := Open(b.Context(), dir, toolqa.Flights)
		if err != nil {
			b.Fatal(err)
		}

		c.Close()
	}
}

// BenchmarkColumn measures the first use of a column.
func BenchmarkColumn(b *testing.B) {
	dir := flightsFile(b)
	for b.Loop() {
		c, err := Open(b.Context(), dir, toolqa.Flights)
		if err != nil {
			b.Fatal(err)
		}

		if _, err := c.Table().Column("Origin"); err != nil {
			b.Fatal(err)
		}

		c.Close()
	}
}
