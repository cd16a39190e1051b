package synth

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/internal/layout"
)

// mustOpen opens a corpus that the test's end closes.
func mustOpen(t testing.TB, dir string, ds toolqa.Dataset) *corpus.Corpus {
	t.Helper()

	c, err := corpus.Open(t.Context(), dir, ds)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})

	return c
}

func mustBuild(t testing.TB, dir string, ds toolqa.Dataset, opts Options) layout.Info {
	t.Helper()

	info, err := Build(t.Context(), dir, ds, opts)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// printed returns the rows of a corpus as the tools print them.
func printed(t testing.TB, c *corpus.Corpus) [][]string {
	t.Helper()

	rows := make([][]string, c.Table().Rows())
	for _, name := range c.Table().Columns() {
		v, err := c.Table().Column(name)
		if err != nil {
			t.Fatal(err)
		}

		for row := range rows {
			rows[row] = append(rows[row], v.Text(row))
		}
	}
	return rows
}

// leftBehind lists what is in the folder of the corpus files.
func leftBehind(t testing.TB, dir string) []string {
	t.Helper()

	entries, err := os.ReadDir(filepath.Join(dir, "corpus"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}

	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

var update = flag.Bool("update", false, "write the golden files anew")

func compareGolden(t *testing.T, path, got string) {
	t.Helper()

	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
