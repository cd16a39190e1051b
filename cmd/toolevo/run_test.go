package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
	"toolevo/trajectories"
)

// folder returns everything in a folder: the bytes and the mode of each file.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String()
		if !d.IsDir() {
			all[path] += " " + string(read(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestARefusedResumeTouchesNothing holds that --resume goes on with the run that is there or fails,
// and that a folder it refuses stays as it is, to the byte.
func TestARefusedResumeTouchesNothing(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	remove := func(name string) func(t *testing.T, run string) {
		return func(t *testing.T, run string) {
			if err := os.Remove(filepath.Join(run, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	as := func(*testing.T, string) {}
	for name, test := range map[string]struct {
		before func(t *testing.T, run string)
		args   []string
		code   int
		words  []string
	}{
		"another seed":        {as, []string{"--seed", "9"}, exitUsage, []string{"seed: 9, not 1"}},
		"an unknown setting":  {as, []string{"--set", "serch.cpuct=2"}, exitUsage, []string{"search.cpuct"}},
		"no run.yaml":         {remove("run.yaml"), nil, exitBad, []string{"damaged", "run.yaml is missing"}},
		"no run.json":         {remove("run.json"), nil, exitUsage, []string{"no run directory", "leave out --resume", "check the path"}},
		"another data folder": {as, []string{"--data", t.TempDir()}, exitUsage, []string{"no corpus of coffee"}},
	} {
		t.Run(name, func(t *testing.T) {
			run := filepath.Join(t.TempDir(), "run")
			copyFolder(t, smallRun(t), run)
			test.before(t, run)
			want := folder(t, run)

			args := append([]string{"collect", "--resume", "--out", run, "--data", data}, test.args...)
			fails(t, test.code, test.words, args...)

			if diff := cmp.Diff(want, folder(t, run)); diff != "" {
				t.Errorf("the refused run was touched:\n%s", diff)
			}
		})
	}
}

// TestResumeBeginsNoRun holds that --resume never begins a run, whatever is wrong with the path.
func TestResumeBeginsNoRun(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"collect", "eval"} {
		run := filepath.Join(t.TempDir(), "k1")
		fails(t, exitUsage, []string{run, "no run directory", "leave out --resume", "check the path"},
			command, "--resume", "--out", run, "--data", smallData(t))
		if left := files(t, run); len(left) > 0 {
			t.Errorf("%s --resume left %v", command, left)
		}
	}
}

// TestTheOrderOfDatasetsDoesNotMatter holds that one choice of datasets is one run, whose rows come
// in one order, however the choice was written.
func TestTheOrderOfDatasetsDoesNotMatter(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	must(t, "data", "build", "--data", data, "--dataset", "coffee,agenda", "--rows", "200", "--seed", "5")
	must(t, "data", "questions", "--data", data, "--seed", "5", "--scale", "0.005")

	run := filepath.Join(t.TempDir(), "run")
	args := []string{"collect", "--data", data, "--limit", "1", "--trees", "1", "--out", run}
	must(t, append(args, "--dataset", "coffee,agenda")...)
	must(t, append(args, "--dataset", "agenda,coffee", "--resume")...)

	var datasets []string
	for row, err := range trajectories.ReadFile(filepath.Join(run, rowsFile)) {
		if err != nil {
			t.Fatal(err)
		}
		datasets = append(datasets, row.Dataset)
	}
	if !slices.IsSorted(datasets) || !slices.Contains(datasets, string(toolqa.Coffee)) {
		t.Errorf("the rows are of %v", datasets)
	}
}
