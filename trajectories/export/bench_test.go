package export_test

import (
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// BenchmarkExport100000 writes 100,000 trajectories from their file as a whole export: every file,
// hashed and linted. It reports the most memory that the process ever had.
func BenchmarkExport100000(b *testing.B) {
	const rows = 100_000

	path := filepath.Join(b.TempDir(), "trajectories.parquet")

	n, err := trajectories.WriteFile(b.Context(), path, first(rows, syntheticRows))
	if err != nil || n != rows {
		b.Fatal(n, err)
	}

	b.ResetTimer()

	for b.Loop() {
		m, err := export.Write(b.Context(), filepath.Join(b.TempDir(), "export"), trajectories.ReadFile(path),
			export.Options{Shown: synth.Shown})
		if err != nil || m.Rows == 0 || m.Lint.Checked != rows {
			b.Fatal(m, err)
		}
	}

	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "trajectories/s")
	b.ReportMetric(peakMB(b), "peak-MB")
}

// syntheticRows goes on for ever.
func syntheticRows(yield func(trajectories.Row, error) bool) {
	for q := 0; ; q++ {
		for tree := range 3 {
			meta, record := synth.Tree(1, q, tree)
			for _, row := range trajectories.FromTree(meta, record) {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

func first(n int, rows iter.Seq2[trajectories.Row, error]) iter.Seq2[trajectories.Row, error] {
	return func(yield func(trajectories.Row, error) bool) {
		left := n
		for row, err := range rows {
			if left--; !yield(row, err) || left == 0 {
				return
			}
		}
	}
}

// peakMB is the most resident memory the process ever had, in MB.
func peakMB(b *testing.B) float64 {
	b.Helper()

	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}

	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		b.Fatal("no VmHWM")
	}

	kb, err := strconv.Atoi(string(found[1]))
	if err != nil {
		b.Fatal(err)
	}
	return float64(kb) / 1000
}
