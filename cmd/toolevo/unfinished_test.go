package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune"
	"toolevo/mcts/store"
)

// begun is a run of which a process that was killed has left the beginning: what another run is
// made of, and no tree and no episode.
func begun(t *testing.T, like string, notes ...string) (dir string) {
	t.Helper()
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "run")

	from, err := store.OpenRun(ctx, like)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()

	m := from.Manifest
	m.Data, m.Finished = m.DataFolder(like), nil

	run, err := store.StartRun(ctx, dir, m, from.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()

	for _, name := range notes {
		text, err := from.Meta(ctx, name)
		if err == nil && text != "" {
			err = run.SetMeta(ctx, name, text)
		}

		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var (
	// What a command says goes on with a run.
	continuing = regexp.MustCompile("toolevo ((?:collect --resume|eval --resume|serve env --record)[^\n`]*)")
	// A row of a table of accuracies that is about nothing.
	aboutNothing = regexp.MustCompile(`(?m)^.* 0 +0 .*–`)
)

// A run that has nothing yet shows no figures, and what is said to go on with it does.
func TestRunsWithNothingInThem(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	evaluation, record := filepath.Join(dir, "eval"), filepath.Join(dir, "record")

	made(t, "eval", "--data", data, "--dataset", "coffee", "--limit", "1", "--engine", "unsafe", "--policy",
		"scripted:reader,scripted:stale", "--api", "p_c,p_s_in", "--progress", "none", "--out", evaluation)
	startServing(t, nil, "serve", "env", "--record", record, "--agent", "mine", "--data", data, "--dataset",
		"coffee").interrupt()

	for name, run := range map[string]string{
		"a collection":            begun(t, smallRun(t), "questions", "engines"),
		"a collection of nothing": begun(t, smallRun(t)),
		"an evaluation":           begun(t, evaluation, "questions", "engines"),
		"a record":                record,
		"a record, interrupted":   begun(t, record, "questions", "engines"),
		"a record of nothing":     begun(t, record),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			saysNothingOf(t, run)
		})
	}
}

// saysNothingOf looks at a run that has nothing in it, and goes on with it.
func saysNothingOf(t *testing.T, run string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")

	var advice []string

	for _, args := range [][]string{
		{"inspect", run}, {"check", run}, {"report", run, "--out", out + ".html"}, {"eval", "compare", run},
		{"eval", "errors", run}, {"eval", "rescore", run}, {"eval", "judge", run}, {"export", run, "--out", out},
		{"export", run, "--format", "atif", "--out", out}, {"runs", run}, {"collect", "--resume", "--out", run},
	} {
		if args[0] == "collect" && !strings.Contains(strings.Join(advice, ""), "serve") {
			continue // it would go on with it
		}

		r := cli(t, args...)
		if aboutNothing.MatchString(r.out) {
			t.Errorf("toolevo %s:\n%s", strings.Join(args, " "), r.out)
		}

		for _, found := range continuing.FindAllStringSubmatch(r.err, -1) {
			advice = append(advice, found[1])
		}
	}

	if r := cli(t, "inspect", run, "--json"); r.code == exitDone {
		for _, row := range document[finetune.Report](t, r.out).Rows {
			if row.N+row.Lost == 0 {
				t.Errorf("a row about nothing: %+v", row)
			}
		}
	}

	slices.Sort(advice)
	advice = slices.Compact(advice)

	if len(advice) != 1 {
		t.Errorf("what goes on with it: %q", advice)
	}

	for _, text := range advice {
		if args := strings.Fields(text); args[0] == "serve" {
			startServing(t, nil, args...).interrupt()
		} else {
			must(t, append(args, "--progress", "none")...)
		}
	}
}

// A run of another format is not called damaged: a line says who made it, and in which format.
func TestRunsOfAnotherFormat(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	run := filepath.Join(folder, "theirs", "run")

	if err := os.CopyFS(run, os.DirFS(smallRun(t))); err != nil {
		t.Fatal(err)
	}

	manifest := filepath.Join(run, store.ManifestFile)
	text := strings.Replace(string(read(t, manifest)), `"format": 3`, `"format": 2`, 1)
	text, _, _ = strings.Cut(text, ",\n  \"sum\"")
	sum := sha256.Sum256(append([]byte(text+"\n}\n"), read(t, filepath.Join(run, store.ConfigFile))...))
	write(t, manifest, fmt.Sprintf("%s,\n  \"sum\": \"%x\"\n}\n", text, sum))

	line := []string{run + " was made by toolevo " + toolevo.Software() + " in format 2; this version reads format 3"}
	says(t, "runs", must(t, "runs", run, "--json"), append(line, "unreadable")...)

	for _, args := range [][]string{
		{"inspect", run}, {"check", run}, {"report", run}, {"eval", "compare", run}, {"view", folder},
		{"export", run, "--out", filepath.Join(folder, "out")}, {"collect", "--resume", "--out", run},
		{"replay", run, "--set", "search.trees=1"},
	} {
		r := fails(t, exitUsage, line, args...)
		if strings.Contains(r.err, "damaged") || strings.Contains(r.err, "backup") {
			t.Errorf("toolevo %s: %s", strings.Join(args, " "), r.err)
		}
	}
}

// Runs are found in whatever folder of a folder they are.
func TestRunsInFolders(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()

	var names []string

	for _, name := range []string{"a/round-1/run", "a/round-2/run", "b"} {
		names = append(names, filepath.Join(folder, name))
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(smallRun(t))); err != nil {
			t.Fatal(err)
		}
	}

	listed := document[runList](t, must(t, "runs", folder, "--json"))
	if len(listed.Runs) != 3 || listed.Runs[1].Dir != names[1] {
		t.Errorf("%+v", listed.Runs)
	}

	for _, command := range []string{"inspect", "check", "report"} {
		fails(t, exitUsage, names, command, folder)
	}

	must(t, "view", folder, "--out", filepath.Join(t.TempDir(), "page.html"))
}
