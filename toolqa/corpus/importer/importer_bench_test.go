package importer

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/internal/layout"
)

// someFlights yields n rows in the schema of flights: about as many distinct cells as the published
// file has, no sense.
func someFlights(rng *rand.Rand, n int) func() ([]layout.Cell, error) {
	schema, err := layout.SchemaOf(toolqa.Flights)
	if err != nil {
		panic(err)
	}

	pool := make([][]layout.Cell, len(schema.Columns))
	for i, col := range schema.Columns {
		for k := range 20 + rng.IntN(30)*rng.IntN(40) {
			pool[i] = append(pool[i], someCell(col, k))
		}
	}

	row, made := make([]layout.Cell, len(pool)), 0
	return func() ([]layout.Cell, error) {
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

func someCell(col layout.Column, k int) layout.Cell {
	switch {
	case col.Optional && k == 0:
		return layout.MissingCell(col, false)
	case col.Kind == layout.Real:
		return layout.RealCell(float64(k))
	case col.Kind == layout.Integer:
		return layout.IntegerCell(int64(k))
	case col.Kind == layout.Bool:
		return layout.BoolCell(k%40 == 0)
	case col.Kind == layout.Date:
		return layout.TextCell(fmt.Sprintf("2022-%02d-%02d", 1+k%7, 1+k%28))
	}

	return layout.TextCell(fmt.Sprintf("%s, %d", col.Name[:2], k))
}

// BenchmarkWrite measures how many rows of flights are written in a second, indexes included.
func BenchmarkWrite(b *testing.B) {
	const rows = 100_000

	dir := b.TempDir()
	for b.Loop() {
		in := layout.Input{Next: someFlights(rand.New(rand.NewPCG(1, 2)), rows), Expected: rows}
		info := layout.Info{Dataset: toolqa.Flights, Source: layout.Synthetic}
		if _, err := layout.Write(b.Context(), dir, info, in, nil); err != nil {
			b.Fatal(err)
		}
	}

	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkImport measures how many rows of a CSV file of flights are imported in a second, indexes
// included.
func BenchmarkImport(b *testing.B) {
	const rows = 100_000

	schema, err := layout.SchemaOf(toolqa.Flights)
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
	fmt.Fprintln(w, strings.Join(schema.Names(), ","))

	next := someFlights(rand.New(rand.NewPCG(1, 2)), rows)
	for row, err := next(); err == nil; row, err = next() {
		for i, c := range row {
			if i > 0 {
				w.WriteByte(',')
			}

			w.WriteString(layout.EncodeCSV(c.Text))
		}

		w.WriteByte('\n')
	}

	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}

	for b.Loop() {
		if _, err := Import(b.Context(), b.TempDir(), toolqa.Flights, path,
			Options{AllowShort: true}); err != nil {
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

	in := layout.Input{Next: someFlights(rand.New(rand.NewPCG(1, 2)), rows), Expected: rows}
	info := layout.Info{Dataset: toolqa.Flights, Source: layout.Synthetic}
	if _, err := layout.Write(b.Context(), dir, info, in, nil); err != nil {
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

	stat, err := os.Stat(layout.Path(dir, toolqa.Flights))
	if err != nil {
		b.Fatal(err)
	}

	b.SetBytes(stat.Size())

	for b.Loop() {
		c, err := corpus.Open(b.Context(), dir, toolqa.Flights)
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
		c, err := corpus.Open(b.Context(), dir, toolqa.Flights)
		if err != nil {
			b.Fatal(err)
		}

		if _, err := c.Table().Column("Origin"); err != nil {
			b.Fatal(err)
		}

		c.Close()
	}
}
