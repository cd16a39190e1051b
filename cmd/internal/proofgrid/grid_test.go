package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"toolevo/finetune/facts"
	"toolevo/trajectories"
)

// The test binary is also the driver, and in the place of toolevo, the trainer and the server.
func TestMain(m *testing.M) {
	switch os.Getenv("PROOFGRID_TEST") {
	case "driver":
		os.Setenv("PROOFGRID_TEST", "stage")
		os.Setenv("PROOFGRID_PID", strconv.Itoa(os.Getpid()))
		main()
	case "stage":
		if err := playStage(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// playStage plays a program that a stage calls. It is counted, and those that the test names kill
// the driver in their midst.
func playStage(args []string) error {
	if args[0] == "serve" {
		return serve(args[1], args[2])
	}

	calls, err := os.OpenFile("calls", os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}

	if _, err := fmt.Fprintln(calls, strings.Join(args, " ")); err != nil {
		return err
	}

	text, err := os.ReadFile("calls")
	if err != nil {
		return err
	}

	out := args[slices.Index(args, "--out")+1]
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}

	if call := strconv.Itoa(strings.Count(string(text), "\n")); slices.Contains(strings.Fields(
		os.Getenv("PROOFGRID_KILLED")), call) {
		pid, _ := strconv.Atoi(os.Getenv("PROOFGRID_PID"))
		return errors.Join(syscall.Kill(pid, syscall.SIGKILL), errors.New("the driver is gone"))
	}

	return made(args, out)
}

// weights is a file of weights with one number: the length of its header, that, and the number.
var weights = func() []byte {
	const header = `{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), 1)
}()

// made is what a stage leaves.
func made(args []string, out string) error {
	switch args[0] {
	case "collect":
		return os.WriteFile(filepath.Join(out, "run.json"), nil, 0o644)
	case "export":
		return os.WriteFile(filepath.Join(out, "toolevo_sft.jsonl"), []byte("{}\n{}\n"), 0o644)
	case "finetune":
		model, checkpoint := filepath.Join(out, "model"), filepath.Join(out, "weights/checkpoint-1")
		return errors.Join(os.MkdirAll(model, 0o755), os.MkdirAll(checkpoint, 0o755),
			os.WriteFile(filepath.Join(checkpoint, "optimizer.pt"), nil, 0o644),
			os.WriteFile(filepath.Join(model, "config.json"), []byte("{}"), 0o644),
			os.WriteFile(filepath.Join(model, "model.safetensors"), weights, 0o644))
	}

	policy, api := args[slices.Index(args, "--policy")+1], args[slices.Index(args, "--api")+1]

	if _, err := os.Stat("cells/many-1/trained/weights/checkpoint-1/optimizer.pt"); err == nil &&
		strings.Contains(policy, "more") {
		return errors.New("what training would go on from is still there")
	}

	// Static weights are right where nothing has changed, others everywhere.
	var all []facts.Fact

	for i := range 6 {
		f := facts.Fact{Template: fmt.Sprint("t", i%3), Turns: 4, Tokens: 100, Seconds: 2.5}
		f.Policy, f.Question, f.Deployed, f.Measured = policy, fmt.Sprint("q", i), api, true
		f.Official = api == "p_c" || strings.Contains(policy, "many")
		f.OK, f.Deprecated = 3, 1
		all = append(all, f)
	}

	return trajectories.WriteTable(filepath.Join(out, facts.FactsFile), all)
}

// serve lists a model, as vLLM does, until it is ended.
func serve(name, port string) error {
	list := func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": []any{
			map[string]any{"id": name, "object": "model"},
		}})
	}

	return http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(list))
}

const small = `
models: {tiny: {folder: tiny}}
sets:
  static: [{api: p_c, limit: 4}]
  many: [{api: p_c, limit: 1}, {api: "file:made/*.yaml", limit: 3}]
against: static
apis: {p_c: p_c, moved: p_s_ood}
train: ["{toolevo}", finetune, "{exports}", --model, "{model}", --out, "{out}", "seed={seed}"]
server: {kind: openai, wait: 60, command: [%q, serve, "{name}", "{port}", "{model}"]}
inputs: [input.txt]
cells:
  - {name: many-1, model: tiny, set: many, seed: 1, limit: "2", apis: [p_c, moved]}
  - {name: static-1, model: tiny, set: static, seed: 1, limit: "2", apis: [p_c, moved]}
  - {name: many-1-more, model: tiny, set: many, seed: 1, weights: many-1, limit: "6", apis: [moved]}
`

// start runs the driver once, with a file of cells, and returns what it printed, and whether it was
// killed.
func start(t *testing.T, dir, cells, killed string) (text []byte, wasKilled bool, err error) {
	t.Helper()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(dir, "grid.yaml")
	if err := errors.Join(os.WriteFile(path, fmt.Appendf(nil, cells, self), 0o644),
		os.WriteFile(filepath.Join(dir, "input.txt"), []byte("data"), 0o644)); err != nil {
		t.Fatal(err)
	}

	cmd := exec.Command(self, "-grid", path, "-dir", dir,
		"-results", filepath.Join(dir, "results"), "-toolevo", self)
	cmd.Env = append(os.Environ(), "PROOFGRID_TEST=driver", "PROOFGRID_KILLED="+killed)

	text, err = cmd.CombinedOutput()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return text, ok && status.Signaled(), err
}

// drive runs the driver until it ends well, and returns how often it was killed.
func drive(t *testing.T, dir, killed string) (times int) {
	t.Helper()

	for ; times < 10; times++ {
		text, wasKilled, err := start(t, dir, small, killed)
		if err == nil {
			return times
		}

		if !wasKilled {
			t.Fatalf("%v\n%s", err, text)
		}
	}

	t.Fatal("it never ends")
	return 0
}

// A grid that is killed three times, in a collection, a training and an evaluation, has the tables
// of one that is not, and leaves no weights.
func TestKilled(t *testing.T) {
	t.Parallel()

	var tables [2]string

	for i, killed := range []string{"", "3 6 9"} {
		dir := t.TempDir()
		if got, want := drive(t, dir, killed), len(strings.Fields(killed)); got != want {
			t.Errorf("it was killed %d times, want %d", got, want)
		}

		g, err := readGrid(filepath.Join(dir, "grid.yaml"))
		if err != nil {
			t.Fatal(err)
		}

		if tables[i], err = tablesOf(g, filepath.Join(dir, "results")); err != nil {
			t.Fatal(err)
		}

		text, err := os.ReadFile(filepath.Join(dir, "results/many-1-more", manifestFile))
		if err != nil {
			t.Fatal(err)
		}

		// The SHA-256 of what stands in for weights.
		sum := fmt.Sprintf("%x", sha256.Sum256(weights))
		if !strings.Contains(string(text), `"weights/model.safetensors": "`+sum) {
			t.Errorf("the manifest does not name the weights %s:\n%s", sum, text)
		}

		// How often each cell was begun is the one thing that may differ.
		tables[i] = tables[i][:strings.Index(tables[i], "What a cell took")]

		for _, name := range []string{"many-1", "static-1"} {
			if _, err := os.Stat(filepath.Join(dir, "cells", name, "trained")); err == nil {
				t.Errorf("the weights of %s are still there", name)
			}
		}
	}

	if tables[0] != tables[1] {
		t.Errorf("with kills:\n%s\nwithout:\n%s", tables[1], tables[0])
	}

	// Three templates that are all alike are three trials: 0.025 to the power of a third is 0.29.
	// Six questions that only one side answers come by chance in 2 of 64 cases. Of six trials the
	// ends are 0.025 to the power of a sixth, 0.54, and 0.46: 1 is less by at most twice 0.46.
	for _, want := range []string{
		"| tiny | many | none | 1 | 100.0 [29, 100] | 100.0 [29, 100] |",
		"| tiny | static | none | 1 | 100.0 [29, 100] | 0.0 [0, 71] |",
		"| tiny | none | moved | 1 | many | 6 | 0 | 6 | +100.0 [+8, +100] | 0.031 | 0.031 |",
	} {
		if !strings.Contains(tables[0], want) {
			t.Errorf("the tables lack %s:\n%s", want, tables[0])
		}
	}
}

// A cell is not continued with other settings: its results would be of both. One that was begun
// before settings were noted is.
func TestChangedSettings(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	if _, killed, err := start(t, dir, small, "2"); !killed {
		t.Fatal(err)
	}

	changed := strings.Replace(small, "seed={seed}", "seed={seed}1", 1)

	folder := filepath.Join(dir, "cells", "many-1")
	if text, _, err := start(t, dir, changed, ""); err == nil ||
		!strings.Contains(string(text), "remove "+folder) {
		t.Errorf("%v: want an error that names %s:\n%s", err, folder, text)
	}

	// Cells that have not begun may change.
	text, _, err := start(t, dir, strings.Replace(small, "static: [{api: p_c, limit: 4}]",
		"static: [{api: p_c, limit: 5}]", 1), "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}

	older := t.TempDir()
	if _, killed, err := start(t, older, small, "2"); !killed {
		t.Fatal(err)
	}

	path := filepath.Join(older, "cells", "many-1", "notes.json")
	if err := os.WriteFile(path, []byte(`{"seconds": {"collect-0": 1}, "attempts": 1}`),
		0o644); err != nil {
		t.Fatal(err)
	}

	if text, _, err := start(t, older, changed, ""); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// Results of a cell that the grid now describes otherwise are in no table.
func TestResultsOfAnotherDesign(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	drive(t, dir, "")

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	for from, to := range map[string]string{
		"set: static, seed: 1":           "set: static, seed: 2",
		`limit: "2", apis: [p_c, moved]`: `limit: "3", apis: [p_c, moved]`,
		`limit: "6", apis: [moved]`:      `limit: "6", apis: [p_c]`,
		"seed={seed}":                    "seed={seed}1",
		"  - {name: static-1,":           "  - {secondary: true, name: static-1,",
	} {
		path := filepath.Join(t.TempDir(), "grid.yaml")
		text := fmt.Appendf(nil, strings.Replace(small, from, to, 1), self)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}

		g, err := readGrid(path)
		if err != nil {
			t.Fatal(err)
		}

		// Which part of the tables a cell is in says nothing about its results.
		_, err = tablesOf(g, filepath.Join(dir, "results"))
		if strings.Contains(to, "secondary") != (err == nil) ||
			err != nil && !strings.Contains(err.Error(), "-1") {
			t.Errorf("%s: %v", to, err)
		}
	}
}

// Results that were made of other inputs, or of other weights than those of the training that they
// are counted with, are in no table.
func TestResultsOfOtherInputs(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	drive(t, dir, "")

	g, err := readGrid(filepath.Join(dir, "grid.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(dir, "results", "many-1-more", manifestFile)

	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"input.txt", "weights/model.safetensors"} {
		at := bytes.Index(was, []byte(name+`": "`)) + len(name+`": "`)
		text := slices.Concat(was[:at], []byte("0123456789"), was[at+10:])

		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}

		if _, err := tablesOf(g, filepath.Join(dir, "results")); err == nil ||
			!strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), filepath.Dir(path)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Weights that are not here keep a grid from the cells that measure them, and from no other.
func TestWeightsThatAreNotHere(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	drive(t, dir, "")

	for _, name := range []string{"results/many-1-more", "results/static-1", "cells/static-1"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}

	text, _, err := start(t, dir, strings.Replace(small, "  - {name: static-1,",
		"  - {name: many-1-again, model: tiny, set: many, seed: 1, weights: many-1, "+
			"limit: \"6\", apis: [moved]}\n"+
			"  - {name: static-1,", 1), "")
	if err == nil || !strings.Contains(string(text), "many-1-again: the weights are not here: "+
		"remove the results of many-1") {
		t.Errorf("%v\n%s", err, text)
	}

	if _, err := os.Stat(filepath.Join(dir, "results", "static-1", manifestFile)); err != nil {
		t.Error("a cell with weights of its own was not run")
	}
}

// The pages have the tables of the results that lie beside them.
func TestPages(t *testing.T) {
	t.Parallel()

	const proof = "../../../finetune/proof/"

	for grid, page := range map[string]string{"grid.yaml": "PROOF.md", "arms.yaml": "SEARCH.md"} {
		g, err := readGrid(proof + grid)
		if err != nil {
			t.Fatal(err)
		}

		tables, err := tablesOf(g, proof+"results")
		if err != nil {
			t.Fatal(err)
		}

		text, err := os.ReadFile(proof + "../" + page)
		if err != nil {
			t.Fatal(err)
		}

		if !strings.Contains(string(text), markBegin+"\n\n"+tables+markEnd) {
			t.Errorf("%s has other tables: run make proof-tables, which writes\n%s", page, tables)
		}
	}
}

// A file that no cell could be run by is refused by the cell that is wrong.
func TestReadGrid(t *testing.T) {
	t.Parallel()

	const head = `
models: {m: {folder: f}}
sets: {s: []}
apis: {p_c: p_c}
server: {kind: openai, wait: 1, command: [vllm, "{model}", "{name}", "{port}"]}
cells:
  - {name: a, model: m, set: s, seed: 1, limit: "1", apis: [p_c]}
  - `

	for cell, want := range map[string]string{
		"{name: a, model: m}":                            "a name that no other cell has",
		"{name: b, model: n}":                            `no model "n"`,
		"{name: b, model: m, set: r}":                    `no set "r"`,
		"{name: b, model: m, apis: [p_d]}":               `no API version "p_d"`,
		"{name: b, model: m, set: s, weights: a}":        "of the same model, set and seed",
		"{name: b, model: m, set: s, weights: c}":        "a training before it",
		"{name: b, model: m, set: s, seed: 1, extra: 1}": "unknown field",
	} {
		path := filepath.Join(t.TempDir(), "grid.yaml")
		if err := os.WriteFile(path, []byte(head+cell), 0o644); err != nil {
			t.Fatal(err)
		}

		if _, err := readGrid(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", cell, err, want)
		}
	}
}

// A file that a cell left is written as it was read.
func TestFacts(t *testing.T) {
	t.Parallel()

	path := filepath.Join("testdata", factsFile)

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	all, err := readCSV(path)
	if err != nil {
		t.Fatal(err)
	}

	var got bytes.Buffer
	if err := writeCSV(&got, all); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s is written otherwise: %v\n%s", path, err, &got)
	}
}
