package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
)

// payments is a document of one operation with one parameter.
func payments(t *testing.T, dir, parameter string) (path string) {
	t.Helper()

	text := `{"openapi": "3.0.0", "info": {"title": "payments"}, "servers": [{"url": "http://127.0.0.1:1"}], "paths": {
		"/payments": {"get": {"operationId": "find_payments", "summary": "Finds payments.", "parameters": [
			{"name": "` + parameter + `", "in": "query", "required": true, "schema": {"type": "string"}}]}}}}`
	path = filepath.Join(dir, parameter+".json")

	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A change that is half sure stands in the file of the version, is shown wherever the version is
// looked at, and is asked for until somebody has confirmed it there.
func TestInferredChangesAreConfirmed(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	data, version := filepath.Join(dir, "own"), filepath.Join(dir, "own", "remote", "versions", "next.yaml")
	own := []string{"--set", "suite=remote", "--data", data}

	must(t, "tools", "import", "--data", data, "--openapi", payments(t, dir, "card"))
	says(t, "tools next", must(t, "tools", "next", "--data", data, "--openapi", payments(t, dir, "token")),
		" 50 % sure  find_payments: rename-parameter card → token",
		"1 changes are less than 60 % sure: confirm each there by sure: 1")

	diff := append([]string{"versions", "diff", "p_c", "next"}, own...)
	says(t, "versions diff", must(t, diff...), "? rename-parameter card → token",
		"50 % sure, nothing else that takes its values is left: confirm it in the version's file by sure: 1")

	tasks := filepath.Join(dir, "tasks.jsonl")
	if err := os.WriteFile(tasks, []byte(`{"id": "a", "question": "?", "answer": "1"}`), 0o600); err != nil {
		t.Fatal(err)
	}

	gate := func() string {
		args := []string{"gate", "p_c", "next", "--tasks", tasks, "--allow", "all", "--out", t.TempDir() + "/gate"}
		return cli(t, append(args, own...)...).err
	}

	const asks = "1 changes of next were inferred, and are less than 60 % sure"
	if said := gate(); !strings.Contains(said, asks) {
		t.Errorf("the gate says nothing of it: %s", said)
	}

	confirmed := strings.Replace(string(read(t, version)), "sure: 0.5\n", "sure: 1\n", 1)
	if err := os.WriteFile(version, []byte(confirmed), 0o600); err != nil {
		t.Fatal(err)
	}

	changed := document[toolevo.VersionsDifference](t, must(t, append(diff, "--json")...)).Tools
	if len(changed) != 1 || len(changed[0].Inferred) != 1 || changed[0].Inferred[0].Sure != 1 {
		t.Errorf("the difference is %+v", changed)
	}

	if said := gate(); strings.Contains(said, asks) {
		t.Errorf("the gate still asks: %s", said)
	}
}
