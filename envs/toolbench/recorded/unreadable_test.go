package recorded

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"toolevo/envs"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// A file or a cache that cannot be read, or not to its end, is an error, and no part of it is
// returned: calls that are left out in silence would be taken for all.
func TestErrorsAreNotSkipped(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	path := filepath.Join(dir, "cache.db")

	gone := filepath.Join(dir, "gone")
	if calls, err := Read(gone); !errors.Is(err, fs.ErrNotExist) || calls != nil {
		t.Errorf("a file that is not there: %v, %v", calls, err)
	}

	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("this is no cache, but a text"), 0o644); err != nil {
		t.Fatal(err)
	}

	if calls, made, err := ReadCache(t.Context(), foreign); err == nil || calls != nil || made != 0 {
		t.Errorf("a foreign file: %v and %d others, %v", calls, made, err)
	}

	c, err := virtual.OpenCache(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	for _, n := range []string{"1", "2", "3"} {
		args := envs.Args{{Name: "n", Value: envs.Number(n)}}
		err = errors.Join(err, c.Put(t.Context(), virtual.Entry{
			Call:   virtual.NewCall("p_c", toolbench.Key{Category: "c", Tool: "t", API: "a"}, args),
			Answer: toolbench.Answer{Response: n}, Provenance: virtual.Real,
		}))
	}

	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}

	db, err := sql.Open("sqlite3", path)
	if err == nil {
		_, err = db.Exec(`UPDATE entries SET hash = hash + 1 WHERE rowid = 3`)
	}

	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}

	if calls, made, err := ReadCache(t.Context(), path); err == nil || calls != nil || made != 0 {
		t.Errorf("a cache whose last entry is damaged: %v and %d others, %v", calls, made, err)
	}
}

// An API that no document describes is named, and of no collection there are no documents.
func TestDocumentsThatAreNotThere(t *testing.T) {
	t.Parallel()

	here := toolbench.Document{Key: toolbench.Key{Category: "c", Tool: "t", API: "a"}}
	twin := toolbench.Document{Key: toolbench.Key{Category: "c", Tool: "T", API: "A"}}
	documents := NewDocuments(&toolbench.Collection{Documents: []toolbench.Document{here, twin}})

	if all := documents.All(); len(all) != 1 || all[0].Tool != "t" {
		t.Errorf("documents are %v, want the first of two with one name", all)
	}

	other := &Call{Key: toolbench.Key{Category: "c", Tool: "t", API: "b"}}
	if d, err := other.Find(documents); err == nil {
		t.Errorf("an API without a document has %v", d)
	}

	if all := (*Documents)(nil).All(); all != nil {
		t.Errorf("no collection has %v", all)
	}
}
