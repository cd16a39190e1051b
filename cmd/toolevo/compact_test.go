package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/store"
)

// oldRun makes a run directory of the first format.
func oldRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	write(t, filepath.Join(dir, store.ManifestFile), `{"id": "08acffce26bb7717", "kind": "collect", "config_hash": "0",
		"inputs": {}, "software": "v0.0.1"}`)
	write(t, filepath.Join(dir, store.ConfigFile), string(read(t, filepath.Join(smallRun(t), store.ConfigFile))))

	db, err := sql.Open("sqlite3", filepath.Join(dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	if _, err := db.Exec(string(read(t, filepath.FromSlash("../../mcts/store/testdata/format1.sql")))); err != nil {
		t.Fatal(err)
	}

	return dir
}

// A compacted run looks the same, exports the same bytes, and passes a check, which it did not have before.
func TestRunsCompact(t *testing.T) {
	t.Parallel()
	run, out := oldRun(t), filepath.Join(t.TempDir(), "export")

	exported := func() map[string]string {
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}

		must(t, "export", "--allow-scripted", run, "--partial", "--data", smallData(t),
			"--out", out)

		return folder(t, out)
	}
	looks, exports := must(t, "inspect", run), exported()
	fails(t, exitUsage, []string{"earlier version, v0.0.1", "not checked"}, "check", run)

	c := document[compaction](t, must(t, "runs", "compact", run, "--json")).Runs
	if len(c) != 1 || !c[0].Compacted || c[0].Before == 0 || c[0].After == 0 {
		t.Errorf("%+v", c)
	}

	says(t, "runs compact", must(t, "runs", "compact", run), run+" is in today's form already")

	if again := must(t, "inspect", run); again != looks {
		t.Errorf("inspect shows\n%s\nand showed\n%s", again, looks)
	}

	if diff := cmp.Diff(exports, exported()); diff != "" {
		t.Errorf("the export has changed:\n%s", diff)
	}

	r := cli(t, "check", run)
	if r.code != exitDone {
		t.Errorf("check: exit %d\n%s", r.code, r.err)
	}

	says(t, "check", r.out, "every row of the database read", ": 0 problems")
	says(t, "check", r.err, "read, not grown again", "has no trajectories.parquet")
}

// What a check of a compacted run finds wrong, it says.
func TestCheckOfACompactedRun(t *testing.T) {
	t.Parallel()
	run := oldRun(t)
	must(t, "runs", "compact", run)

	if err := os.Link(filepath.Join(smallRun(t), rowsFile), filepath.Join(run, rowsFile)); err != nil {
		t.Fatal(err)
	}

	r := cli(t, "check", run)
	if r.code != exitBad || !strings.Contains(r.out, rowsFile+": differs in row 0") {
		t.Errorf("trajectories of another run: exit %d\n%s%s", r.code, r.out, r.err)
	}

	fails(t, exitUsage, []string{"not a run directory"}, "runs", "compact", t.TempDir())
}
