package importer

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"toolevo/envs/sandbox/engines"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/graphtest"
	"toolevo/toolqa/corpus/internal/layout"
	"toolevo/toolqa/corpus/synth"
)

func TestMain(m *testing.M) {
	engines.Main()
	os.Exit(m.Run())
}

// published returns the path of a published file, or skips the test.
func published(t testing.TB, parts ...string) string {
	t.Helper()

	root := os.Getenv("TOOLEVO_SHARED_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data") // ../shared/data from the repository root
	}

	path := filepath.Join(append([]string{root, "toolqa", "corpus"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the published file is not there: %v", err)
	}
	return path
}

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

func mustBuild(t testing.TB, dir string, ds toolqa.Dataset, opts synth.Options) layout.Info {
	t.Helper()

	info, err := synth.Build(t.Context(), dir, ds, opts)
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

// query returns the rows of a query over the file, each cell as SQLite prints it, NULL as "NULL".
func query(t testing.TB, c *corpus.Corpus, stmt string) [][]string {
	t.Helper()

	db, err := sql.Open("sqlite3", c.URI())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	rows, err := db.Query(stmt)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()

	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string

	for rows.Next() {
		cells, slots, row := make([]sql.NullString, len(names)), make([]any, len(names)), make([]string, len(names))
		for i := range slots {
			slots[i] = &cells[i]
		}

		if err := rows.Scan(slots...); err != nil {
			t.Fatal(err)
		}

		for i, cell := range cells {
			if row[i] = "NULL"; cell.Valid {
				row[i] = cell.String
			}
		}

		all = append(all, row)
	}

	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
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

// buildDBLP builds and opens a synthetic corpus.
func buildDBLP(t testing.TB, seed uint64, papers int) *corpus.Corpus {
	t.Helper()

	dir := t.TempDir()
	if _, err := synth.Build(context.Background(), dir, toolqa.DBLP,
		synth.Options{Seed: seed, Rows: papers, Tool: "test"}); err != nil {
		t.Fatal(err)
	}

	return openDBLP(t, dir)
}

func openDBLP(t testing.TB, dir string) *corpus.Corpus {
	t.Helper()

	c, err := corpus.Open(context.Background(), dir, toolqa.DBLP)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { c.Close() })
	return c
}

func readGraphs(t testing.TB, c *corpus.Corpus) *graphtest.DBLP {
	t.Helper()

	d, err := graphtest.Read(t.Context(), c.URI())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func documentsOf(t testing.TB, c *corpus.Corpus) []corpus.Document {
	t.Helper()
	var all []corpus.Document

	for d, err := range c.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}

		all = append(all, d)
	}
	return all
}

// readScirex returns the names and contents of all passages, and the relations.
func readScirex(t *testing.T, dir string) (passages []string, relations []layout.Relation) {
	t.Helper()

	c := mustOpen(t, dir, toolqa.SciREX)

	var err error
	for d, err := range c.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}

		if one, err := c.Document(t.Context(), d.ID); one != d || err != nil {
			t.Errorf("document %d is %+v, %v, and %+v in the list", d.ID, one, err, d)
		}

		passages = append(passages, d.Name+" "+d.Content)
	}

	if c.DocumentCount() != len(passages) || c.Info().Rows != len(passages) {
		t.Errorf("%d passages counted, %d rows, %d there", c.DocumentCount(), c.Info().Rows, len(passages))
	}

	if _, err := c.Document(t.Context(), len(passages)+1); err == nil {
		t.Error("a document that there is not")
	}

	if relations, err = graphtest.Relations(t.Context(), c.URI()); err != nil {
		t.Fatal(err)
	}
	return passages, relations
}
