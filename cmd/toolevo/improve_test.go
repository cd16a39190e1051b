package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/console"
	"toolevo/finetune/improve"
	"toolevo/finetune/training/trainingtest"
)

// improvement writes the file of an improvement whose trainer copies a file of the export and some
// weights to {out}, and notes every time that it is begun in a log beside the file. The checkpoints
// of some rounds read notices.
func improvement(t *testing.T, dir string, readers ...string) (file, trained string) {
	t.Helper()

	weights := filepath.Join(dir, "weights")
	trainingtest.Weights(t, weights)

	server := string(read(t, simulatedServer(t, readers...)))
	trained = filepath.Join(dir, "trained")
	text := `rounds: 2
name: mine
model: ` + smallModel(t) + `
template: llama3
collect: {data: ` + smallData(t) + `, dataset: coffee, limit: 1, trees: 1, set: [search.simulations=2]}
by_round: {1: {collect: {policy: "scripted:noisy"}}}
trained: {config: policies/llama3-8b-sft}
export: {allow-scripted: true, data: ` + smallData(t) + `, per-question: 2}
train:
  command:
    - sh
    - -c
    - |
      echo {round} {name} {model} >>` + trained + `
      if [ -e "` + trained + `.fails" ]; then rm "` + trained + `.fails"; echo no memory; exit 3; fi
      mkdir -p {out} && cp {export}/toolevo_sft.parquet ` + weights + `/* {out}
  result: "{out}"
servers:
  simulated:
    ` + strings.ReplaceAll(strings.TrimSpace(server), "\n", "\n    ") + `
collector: simulated
evaluate:
  servers: [simulated]
  flags: {data: ` + smallData(t) + `, dataset: coffee, limit: 1, api: "p_c,p_s_in", split: train}
`

	file = filepath.Join(dir, "rounds.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file, trained
}

// TestImprove does two rounds: the first checkpoint keeps to the prompt, the second reads notices.
// The trainer fails once, and what was finished before is not repeated.
func TestImprove(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	file, trained := improvement(t, dir, "*-2")

	if err := os.WriteFile(trained+".fails", nil, 0o644); err != nil {
		t.Fatal(err)
	}

	improveWith := func(args ...string) result {
		return cliWith(t, "", modulesHere(), append([]string{"improve", file, "--out", out}, args...)...)
	}

	r := improveWith()
	if r.code != exitGaveUp {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "improve", r.err, "1/collect …", "1/export …", "1/train …", "stage 1/train", "no memory", "train.log")

	r = improveWith()
	if r.code != exitDone {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	if strings.Contains(r.err, "1/collect") || strings.Contains(r.err, "1/export") {
		t.Errorf("a finished stage is done again:\n%s", r.err)
	}

	says(t, "improve", r.err, "1/train …", "1/evaluate-simulated …", "2/collect …", "2/evaluate-simulated …")
	says(t, "improve", r.out, "round", "p_c", "p_s_in", "simulated")

	text := string(read(t, trained))
	if strings.Count(text, "1 mine-1 ") != 2 || strings.Count(text, "2 mine-2 ") != 1 {
		t.Errorf("the trainer was begun so:\n%s", text)
	}

	lines, err := csv.NewReader(strings.NewReader(string(read(t, filepath.Join(out, improve.CSVFile))))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}

	official := map[string]string{} // by round and API version
	for _, line := range lines[1:] {
		if line[7] == "easy" {
			official[line[0]+" "+line[5]] = line[10]
		}
	}

	for cell, want := range map[string]string{
		"1 p_c": "1", "1 p_s_in": "0", "2 p_c": "1", "2 p_s_in": "1",
	} {
		if official[cell] != want {
			t.Errorf("%s: accuracy %s, want %s", cell, official[cell], want)
		}
	}

	// Everything is there: nothing is done, and the result is the same.
	again := improveWith("--json")
	if again.code != exitDone || strings.Contains(again.err, "…") {
		t.Errorf("exit %d: %s", again.code, again.err)
	}

	done := document[improve.Result](t, again.out)
	if len(done.Rounds) != 2 || done.Rounds[0].Correct == 0 || done.Rounds[1].Samples < done.Rounds[0].Samples ||
		len(done.Rounds[1].Evaluations) != 1 {
		t.Errorf("%s", again.out)
	}
}

// TestImproveRefusesAnotherFile has a file changed after its stages were finished, and has those
// done again.
func TestImproveRefusesAnotherFile(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	file, trained := improvement(t, dir)
	args := []string{"improve", file, "--out", out, "--skip", "1/evaluate-simulated,2/collect,2/export,2/train," +
		"2/evaluate-simulated"}

	r := cliWith(t, "", modulesHere(), args...)
	if r.code != exitDone {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "improve --skip", r.err, "2/collect: skipped")

	text := strings.Replace(string(read(t, file)), "per-question: 2", "per-question: 1", 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}

	r = cli(t, args...)
	if r.code != exitUsage {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "improve", r.err, "stage 1/export", "--redo")

	r = cliWith(t, "", modulesHere(), append(args, "--redo")...)
	if r.code != exitDone || strings.Contains(r.err, "1/collect …") {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "improve --redo", r.err, "1/export …", "1/train …")

	if n := strings.Count(string(read(t, trained)), "1 mine-1 "); n != 2 {
		t.Errorf("the trainer was begun %d times, want 2", n)
	}
}

// TestTrainerStatus reads the progress that trainers of several kinds write.
func TestTrainerStatus(t *testing.T) {
	t.Parallel()

	for line, want := range map[string]console.Status{
		"loading the model": {Text: "loading the model"},
		" 16% ETA 4m2s  step 61/384, loss 0.2": {
			Text: "ETA 4m2s step 61/384, loss 0.2", Done: 16, Total: 100,
		},
		"61%|██████    | 61/100 [08:25<1:00]": {
			Text: "██████ | 61/100 [08:25<1:00]", Done: 61, Total: 100,
		},
	} {
		if d := cmp.Diff(want, trainerStatus(line)); d != "" {
			t.Errorf("%q: -want +got:\n%s", line, d)
		}
	}
}
