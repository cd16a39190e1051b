package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune/checkpoint"
	"toolevo/finetune/training/trainingtest"
)

// simulatedServer writes the file of a server that reads no weights: the scripted reader answers
// for the models whose names end in one of some words, and the stale policy for all others.
func simulatedServer(t *testing.T, readers ...string) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "server.yaml")
	text := `kind: openai
wait: 60
environment: {WEIGHTS: "{model}"}
command:
  - sh
  - -c
  - |
    case {name} in ` + strings.Join(readers, "|") + `) p=reader;; *) p=stale;; esac
    [ -e "$WEIGHTS/model.safetensors" ] || exit 9
    exec ` + binary() + ` bench serve --model {name} --listen 127.0.0.1:{port} --policy scripted:$p --slots 16
`

	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// smallModel is a folder that can be trained by the script that stands for LLaMA-Factory.
func smallModel(t *testing.T) string {
	t.Helper()

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFinetune trains on an export, goes on after a death, and shows the command that serves the
// result.
func TestFinetune(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	samples, out := filepath.Join(dir, "export"), filepath.Join(dir, "trained")
	made(t, "export", "--allow-scripted", smallRun(t), "--data", smallData(t), "--out", samples)

	args := []string{"finetune", samples, "--allow-scripted", "--recipe", "tiny",
		"--model", smallModel(t), "--out", out, "--gpus", "0",
		"--llamafactory", trainingtest.Factory(t), "--serve", "vllm", "--name", "mine"}

	says(t, "finetune --print", must(t, append(args, "--print")...), "dataset: toolevo_sft", "template: llama3",
		"gradient_accumulation_steps: 1", "output_dir: weights", "use_cpu: true")

	done := document[toolevo.FineTuned](t, must(t, append(args, "--json")...))
	if done.Rows == 0 || done.Scripted != done.Rows || len(done.Checkpoints) != 3 ||
		done.Template != "llama3" || done.Policy != "openai:mine" ||
		done.Model != filepath.Join(out, "model") {
		t.Errorf("%+v", done)
	}

	says(t, "finetune", strings.Join(done.Command, " "), "vllm serve "+filepath.Join(out, "model"),
		"--served-model-name mine")

	o, err := checkpoint.Read(filepath.Join(out, "model"))
	if err != nil {
		t.Fatal(err)
	}

	if o.Recipe != "tiny" || o.Sources[0].Rows != done.Rows || o.Sources[0].Export.Runs[0].DeployedAPI != "p_s_in" {
		t.Errorf("origin %+v", o)
	}

	r := cli(t, args...)
	if r.code != exitDone {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "finetune", r.out, "scripts wrote")
	says(t, "finetune", r.err, "Scripts wrote", "is trained already", "Serve it:",
		"Ask it:    toolevo eval --policy openai:mine")
}

// TestFinetunePicks has the checkpoint chosen that does best on the dev split.
func TestFinetunePicks(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	samples, out := filepath.Join(dir, "export"), filepath.Join(dir, "trained")
	made(t, "export", "--allow-scripted", smallRun(t), "--data", smallData(t), "--out", samples)

	environ := append([]string{"CUDA_VISIBLE_DEVICES="}, modulesHere()...)
	args := []string{"finetune", samples, "--allow-scripted", "--recipe", "tiny",
		"--model", smallModel(t), "--out", out,
		"--llamafactory", trainingtest.Factory(t), "--serve", simulatedServer(t, "*-2"), "--name", "mine", "--pick",
		"--json", "--", "--data", smallData(t), "--limit", "1", "--split", "train",
		"--config", "policies/llama3-8b-sft"}

	for range 2 { // the second time everything is there
		r := cliWith(t, "", environ, args...)
		if r.code != exitDone {
			t.Fatalf("exit %d: %s", r.code, r.err)
		}

		done := document[toolevo.FineTuned](t, r.out)
		if done.Step != 2 || len(done.Checkpoints) != 3 || *done.Checkpoints[0].Official != 0 ||
			*done.Checkpoints[1].Official != 1 || done.Checkpoints[1].N == 0 {
			t.Errorf("%s", r.out)
		}
	}

	if target, err := os.Readlink(filepath.Join(out, "model")); err != nil ||
		target != filepath.Join("weights", "checkpoint-2") {
		t.Errorf("the link leads to %s, %v", target, err)
	}
}

// What TRL is told is printed for it; it is not run.
func TestFinetuneForTRL(t *testing.T) {
	t.Parallel()

	samples := filepath.Join(t.TempDir(), "export")
	made(t, "export", "--allow-scripted", smallRun(t), "--data", smallData(t), "--out", samples,
		"--format", "openai", "--for", "trl")

	args := []string{"finetune", samples, "--allow-scripted", "--recipe", "qwen2.5-7b-openai",
		"--out", "x", "--gpus", "4"}
	says(t, "finetune --print", must(t, append(args, "--print")...), "dataset_name: "+samples,
		"assistant_only_loss: true", "gradient_accumulation_steps: 8", "num_processes: 4")

	if r := cli(t, args...); r.code != exitUsage || !strings.Contains(r.err, "trl sft --config FILE") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

func TestFinetuneRefuses(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	samples := filepath.Join(dir, "export")
	made(t, "export", "--allow-scripted", smallRun(t), "--data", smallData(t), "--out", samples)
	fails(t, exitUsage, []string{"scripts wrote", "--allow-scripted"}, "finetune", samples,
		"--recipe", "tiny", "--out", "x")

	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--out", "x"}, exitUsage, "needs --recipe"},
		{[]string{"--recipe", "tiny"}, exitUsage, "needs --out"},
		{[]string{"--recipe", "tinny", "--out", "x"}, exitUsage, "tiny"},
		{[]string{"--recipe", "tiny", "--out", "x", "--pick"}, exitUsage, "--pick needs --serve"},
		{[]string{"--recipe", "tiny", "--out", "x", "--", "--limit"}, exitUsage, "flags of eval need --pick"},
		{[]string{"--recipe", "tiny", "--out", "x"}, exitUsage, "--model: it names no model"},
		{[]string{"--recipe", "llama3-8b-static", "--out", "x"}, exitUsage, "collect under p_c"},
		{[]string{"--recipe", "qwen3-8b-dpo", "--out", "x"}, exitUsage, "exports of the format dpo"},
		{[]string{"--recipe", "llama3-8b-paper", "--out", "x", "--gpus", "0"}, exitUsage, "shows none"},
		{[]string{"--recipe", "tiny", "--out", "x", "--model", dir, "--serve", "vlm"}, exitUsage, "vllm"},
		{[]string{"--recipe", "tiny", "--out", "x", "--model", dir, "--llamafactory", filepath.Join(dir, "none")},
			exitGaveUp, "pip install llamafactory"},
	} {
		r := cli(t, append([]string{"finetune", samples, "--allow-scripted"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.want) {
			t.Errorf("%v: exit %d, want %d: %s", c.args, r.code, c.code, r.err)
		}
	}

	out := filepath.Join(dir, "out")
	picking := []string{"finetune", samples, "--allow-scripted", "--recipe", "tiny", "--out", out,
		"--model", smallModel(t), "--gpus", "0", "--llamafactory", trainingtest.Factory(t),
		"--serve", "vllm", "--pick", "--"}

	for want, eval := range map[string][]string{
		"no corpus of any dataset": {"--data", dir},
		"one accuracy":             {"--data", smallData(t), "--api", "p_c,p_s_ood"},
		`unknown split "tset"`:     {"--data", smallData(t), "--split", "tset"},
		"--fail-under 2":           {"--data", smallData(t), "--fail-under", "2"},
		`"p_s_ood"`:                {"--data", smallData(t), "p_s_ood"},
		"--stop-at":                {"--data", smallData(t), "--stop-at", "08:00"},
		"--max-cost":               {"--data", smallData(t), "--max-cost", "1"},
		"--dry-run: leave it out":  {"--data", smallData(t), "--dry-run"},
		"--out: leave it out":      {"--data", smallData(t), "--out", "x"},
		"--server: leave it out":   {"--data", smallData(t), "--server", "http://127.0.0.1:1"},
		"--run-id: leave it out":   {"--data", smallData(t), "--run-id", "x"},
	} {
		fails(t, exitUsage, []string{want}, append(picking, eval...)...)
	}

	if _, err := os.Stat(filepath.Join(out, "weights")); err == nil {
		t.Error("it trained")
	}
}
