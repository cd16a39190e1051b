package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/mcts/policy/simserver"
	"toolevo/mcts/store"
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
	put := func(name, from string) func(t *testing.T, run string) {
		return func(t *testing.T, run string) {
			if err := os.WriteFile(filepath.Join(run, name), read(t, from), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	other := filepath.Join(t.TempDir(), "other")
	must(t, "collect", "--data", data, "--limit", "1", "--trees", "1", "--out", other)

	edit := func(name, from, to string) func(t *testing.T, run string) {
		return func(t *testing.T, run string) {
			path := filepath.Join(run, name)

			text := strings.Replace(string(read(t, path)), from, to, 1)
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, test := range map[string]struct {
		before func(t *testing.T, run string)
		args   []string
		code   int
		words  []string
	}{
		"another seed":       {as, []string{"--seed", "9"}, exitUsage, []string{"seed: 9, not 1"}},
		"an unknown setting": {as, []string{"--set", "serch.cpuct=2"}, exitUsage, []string{"search.cpuct"}},
		"no run.yaml":        {remove("run.yaml"), nil, exitBad, []string{"damaged", "run.yaml is missing"}},
		"no run.json": {remove("run.json"), nil, exitUsage,
			[]string{"not a run directory", "leave out --resume", "check the path"}},
		"another data folder": {as, []string{"--data", t.TempDir()}, exitUsage, []string{"no corpus of coffee"}},
		"another ID":          {as, []string{"--run-id", "other"}, exitUsage, []string{"--run-id: other, not "}},
		"fewer questions":     {as, []string{"--limit", "1"}, exitUsage, []string{"limit: 1, not 3", "not shortened"}},
		"fewer trees": {as, []string{"--trees", "1"}, exitUsage,
			[]string{"search.trees: 1, not 2", "but not shortened"}},
		"other questions": {as, []string{"--split", "test"}, exitUsage,
			[]string{"split: test, not train", "is not among those chosen"}},
		"no such split": {as, []string{"--split", "best"}, exitUsage, []string{"best"}},
		"no run.db":     {remove("run.db"), nil, exitBad, []string{"damaged", "run.db"}},
		"another run.db": {put("run.db", filepath.Join(other, "run.db")), nil, exitBad,
			[]string{"damaged", "belongs to run"}},
		"another run.json": {put("run.json", filepath.Join(other, "run.json")), nil, exitBad, []string{"damaged"}},
		"another run.yaml": {put("run.yaml", filepath.Join(other, "run.yaml")), nil, exitBad,
			[]string{"damaged", "resumed"}},
		"an edited run.yaml": {edit("run.yaml", "seed: 1", "seed: 2"), nil, exitBad, []string{"damaged", "resumed"}},
		"an edited input": {edit("run.json", `"corpus coffee": "`, `"corpus coffee": "0`), nil, exitBad,
			[]string{"damaged"}},
		"a cut run.json": {edit("run.json", `"software"`, ``), nil, exitBad, []string{"damaged"}},
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
		fails(t, exitUsage, []string{run, "not a run directory", "leave out --resume", "check the path"},
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
	made(t, "data", "build", "--data", data, "--dataset", "coffee,agenda", "--rows", "200", "--seed", "5")
	made(t, "data", "questions", "--data", data, "--seed", "5", "--scale", "0.005")

	run := filepath.Join(t.TempDir(), "run")
	args := []string{"collect", "--data", data, "--limit", "1", "--trees", "1", "--out", run}
	must(t, append(args, "--dataset", "coffee,agenda")...)
	must(t, append(args, "--dataset", "agenda,coffee", "--resume")...)

	var datasets []string

	for row, err := range trajectories.ReadFile(filepath.Join(run, rowsFile)) {
		if err != nil {
			t.Fatal(err)
		}

		datasets = append(datasets, row.Labels["dataset"])
	}

	if !slices.IsSorted(datasets) || !slices.Contains(datasets, string(toolqa.Coffee)) {
		t.Errorf("the rows are of %v", datasets)
	}
}

// TestARunIsExtended holds that a run goes further, by questions, by difficulties and by trees,
// keeps what it did, and ends with the bytes of one that went so far from the start.
func TestARunIsExtended(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	collect := func(run string, more ...string) toolevo.Collected {
		args := []string{"collect", "--data", data, "--run-id", "extended", "--out", run, "--json", "--set",
			"search.simulations=3"}
		return document[toolevo.Collected](t, must(t, append(args, more...)...))
	}

	for name, test := range map[string]struct{ short, long []string }{
		"by questions": {[]string{"--trees", "2", "--limit", "1"}, []string{"--limit", "3"}},
		"to all of them": {[]string{"--trees", "2", "--limit", "1", "--preset", "reference"},
			[]string{"--limit", "0"}},
		"by trees":        {[]string{"--trees", "1", "--limit", "4"}, []string{"--trees", "3"}},
		"by each's trees": {[]string{"--trees", "1", "--limit", "2", "--preset", "paper"}, []string{"--trees", "3"}},
		"by a difficulty": {[]string{"--trees", "2", "--limit", "2", "--difficulty", "hard"},
			[]string{"--difficulty", "all"}},
		"by all at once": {[]string{"--trees", "1", "--limit", "1", "--difficulty", "easy"},
			[]string{"--trees", "2", "--limit", "2", "--difficulty", "all"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, whole := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "whole")
			first := collect(run, test.short...)
			second := collect(run, append(test.long, "--resume")...)
			want := collect(whole, slices.Concat(test.short, test.long)...)

			if second.TreesLoaded != int64(first.Trees) || second.Asked+first.Asked != want.Asked || second.Asked == 0 {
				t.Errorf("it had %d trees, of which %d were kept; it made %d and %d calls, %d from the start",
					first.Trees, second.TreesLoaded, first.Asked, second.Asked, want.Asked)
			}

			if string(read(t, filepath.Join(run, rowsFile))) != string(read(t, filepath.Join(whole, rowsFile))) {
				t.Error("the trajectories are not those of a run that went so far from the start")
			}

			made(t, "check", run)

			for _, short := range []string{"--limit=1", "--trees=1", "--difficulty=easy"} {
				if name == "by all at once" {
					fails(t, exitUsage, []string{"can be extended", "but not shortened",
						strings.Trim(strings.Split(short, "=")[0], "-")},
						"collect", "--resume", "--out", run, short)
				}
			}
		})
	}
}

// TestARunKnowsItsData holds that a run finds its data in whatever folder the command is given, and
// that corpora it does not use, and settings that change no result, are no part of it.
func TestARunKnowsItsData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, run := filepath.Join(dir, "data"), filepath.Join(dir, "run")
	copyFolder(t, smallData(t), data)
	must(t, "collect", "--data", data, "--limit", "1", "--trees", "1", "--out", run)

	// Another corpus is no matter of the run's.
	made(t, "data", "build", "--data", data, "--dataset", "agenda", "--rows", "50")
	made(t, "data", "questions", "--data", data, "--dataset", "agenda", "--scale", "0.005")
	must(t, "collect", "--resume", "--out", run, "--set", "attempts=7")
	made(t, "check", run)

	var m store.Manifest
	if err := json.Unmarshal(read(t, filepath.Join(run, "run.json")), &m); err != nil {
		t.Fatal(err)
	}

	var inputs []string
	for name := range m.Inputs {
		inputs = append(inputs, name)
	}

	slices.Sort(inputs)

	want := []string{"corpus coffee", "python", "questions coffee-easy train", "questions coffee-hard train",
		"strict matcher"}
	if diff := cmp.Diff(want, inputs); diff != "" {
		t.Errorf("the lineage:\n%s", diff)
	}

	if m.Data != "../data" {
		t.Errorf("the data folder is %q, want ../data", m.Data)
	}

	// The folder moves: the flag says where to, and the run remembers.
	moved := filepath.Join(dir, "moved")
	if err := os.Rename(data, moved); err != nil {
		t.Fatal(err)
	}

	fails(t, exitUsage, []string{"no corpus of coffee", data, "--data"}, "check", run)
	made(t, "check", run, "--data", moved)
	must(t, "collect", "--resume", "--out", run, "--data", moved)
	made(t, "check", run)
}

// TestRunsHaveIDs holds that two runs of the same are two runs, and that they are exported
// together.
func TestRunsHaveIDs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")

	var runs []toolevo.Collected
	for _, run := range []string{a, b} {
		runs = append(runs, document[toolevo.Collected](t, must(t, "collect", "--data", smallData(t), "--limit",
			"2", "--trees",
			"1", "--out", run, "--json")))
	}

	if runs[0].Run >= runs[1].Run || runs[0].Hash != runs[1].Hash {
		t.Errorf("two runs of the same: %s, %s and %s, %s", runs[0].Run, runs[0].Hash, runs[1].Run, runs[1].Hash)
	}

	exported := func(out string, runs ...string) string {
		must(t, append([]string{"export", "--allow-scripted",
			"--out", filepath.Join(dir, out)}, runs...)...)
		return string(read(t, filepath.Join(dir, out, sftJSONL)))
	}

	once := exported("once", a)
	if exported("both", b, a) != once || exported("other", b) != once {
		t.Error("an export depends on the ID of a run")
	}

	for _, id := range []string{"../out", "-x", strings.Repeat("x", 65)} {
		fails(t, exitUsage, []string{"--run-id"}, "collect", "--data", smallData(t), "--run-id", id, "--out",
			filepath.Join(dir, "c"))
	}

	fails(t, exitUsage, []string{"--run-id: other, not " + runs[0].Run}, "collect", "--resume", "--out", a, "--run-id",
		"other")
}

// TestQuestionsAreOfTheirCorpus flips the hash of the corpus in a question file, bit by bit: a run
// takes no question whose answer is of another corpus.
func TestQuestionsAreOfTheirCorpus(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	copyFolder(t, smallData(t), data)
	path := filepath.Join(data, "questions", "train", "coffee-easy.jsonl")
	whole := read(t, path)

	at := strings.Index(string(whole), `"corpus":"`) + len(`"corpus":"`)
	for _, i := range []int{0, 31, 63} {
		spoilt := slices.Clone(whole)

		spoilt[at+i] ^= 1
		if err := os.WriteFile(path, spoilt, 0o644); err != nil {
			t.Fatal(err)
		}

		fails(t, exitBad, []string{path, "damaged"}, "collect", "--data", data, "--out",
			filepath.Join(t.TempDir(), "run"))
	}
}

// TestAnEvaluationIsResumedAsItIs holds of `eval` what TestARefusedResumeTouchesNothing holds of
// `collect`.
func TestAnEvaluationIsResumedAsItIs(t *testing.T) {
	t.Parallel()
	data, run := smallData(t), filepath.Join(t.TempDir(), "run")
	eval := []string{"eval", "--limit", "1", "--policy", "scripted:reader", "--out", run}
	must(t, append(eval, "--data", data, "--api", "p_c")...)
	want := folder(t, run)

	fails(t, exitUsage, []string{"api: [p_s_in], not [p_c]"}, append(eval, "--resume", "--api", "p_s_in")...)
	fails(t, exitUsage, []string{"a run of another command, `toolevo eval`"}, "collect", "--resume", "--out", run)

	if diff := cmp.Diff(want, folder(t, run)); diff != "" {
		t.Errorf("the refused run was touched:\n%s", diff)
	}

	must(t, "eval", "--resume", "--out", run)
	must(t, "eval", "--resume", "--out", run, "--limit", "2")
}

// TestOtherWordsOfThePrompt goes on with a run whose model was shown other guidelines, tools or
// demonstrations than this program would show: its answers are answers to those.
func TestOtherWordsOfThePrompt(t *testing.T) {
	t.Parallel()
	run := filepath.Join(t.TempDir(), "run")
	server := serve(t, simserver.Options{})
	args := []string{"collect", "--data", smallData(t), "--limit", "1", "--trees", "1", "--out", run}
	must(t, onServer(server, args...)...)

	other := func(_ context.Context, r *store.Run) (store.Manifest, string, error) {
		m := r.Manifest
		m.Inputs, m.Data = maps.Clone(m.Inputs), smallData(t)
		m.Inputs[toolevo.InputPrompt] = "other words"
		return m, r.Config, nil
	}

	changed, err := store.ResumeRun(t.Context(), run, other)
	if err != nil {
		t.Fatal(err)
	}

	if err := changed.Close(); err != nil {
		t.Fatal(err)
	}

	fails(t, exitUsage, []string{"prompt: ", ", not other words"}, onServer(server, append(args, "--resume")...)...)
	fails(t, exitUsage, []string{"prompt: ", ", not other words"}, "check", run)

	scripted := filepath.Join(t.TempDir(), "run")
	must(t, "collect", "--data", smallData(t), "--limit", "1", "--trees", "1", "--out", scripted)

	m, err := store.ReadManifest(scripted)
	if err != nil || m.Inputs[toolevo.InputPrompt] != "" {
		t.Errorf("a scripted policy reads no prompt, yet the run has %q (%v)", m.Inputs[toolevo.InputPrompt], err)
	}
}
