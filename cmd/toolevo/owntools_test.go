package main

import (
	"os"
	"path/filepath"
	"testing"

	"toolevo/envs/remote/remotetest"
	"toolevo/finetune"
)

// What a server of others answers is collected, checked, exported and measured as everything else.
// Nothing of that needs the server once it is in the log.
func TestOwnTools(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	server := filepath.Join(dir, "server")
	command := remotetest.Command(t)

	if err := os.Symlink(command[0], server); err != nil {
		t.Fatal(err)
	}

	data := libraryOf(t, append([]string{server}, command[1:]...))
	collected, exported := filepath.Join(dir, "run"), filepath.Join(dir, "export")
	evaluated := filepath.Join(dir, "eval")

	must(t, "collect", "--set", "suite=remote", "--data", data, "--api", "p_s_in,p_s_ood", "--policy", "scripted:noisy",
		"--trees", "4", "--out", collected)
	text := must(t, "eval", "--set", "suite=remote", "--data", data, "--out", evaluated, "--json")

	for _, row := range document[finetune.Report](t, text).Rows {
		want := 1.0
		if row.Policy == "scripted:stale" && row.API != "p_c" {
			want = 0
		}

		if row.Official != want || row.Strict != want || row.Lost > 0 {
			t.Errorf("%s: %v of %d, want %v", row.Cell, row.Official, row.N, want)
		}
	}

	if err := os.Remove(server); err != nil {
		t.Fatal(err)
	}

	says(t, "check", must(t, "check", collected, "--data", data), "0 problems")
	says(t, "check", must(t, "check", evaluated, "--data", data), "0 problems")
	must(t, "export", collected, "--allow-scripted", "--out", exported)
	says(t, "check", must(t, "check", exported), "0 faulty, 0 problems")
}
