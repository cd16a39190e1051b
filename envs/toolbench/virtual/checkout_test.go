package virtual_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/kept"
	"toolevo/envs/toolbench/virtual"
)

// The script takes the prompts out of Python files, which it does not run, and says which file
// lacks what it looks for.
func TestPromptsOfACheckout(t *testing.T) {
	t.Parallel()

	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("no python3: %v", err)
	}

	checkout, dir := t.TempDir(), filepath.Join(t.TempDir(), "prompts")
	file := func(path, text string) {
		t.Helper()

		path = filepath.Join(checkout, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	take := func() (said string, err error) {
		script := filepath.Join("..", "interop", "prompts.py")
		out, err := exec.CommandContext(t.Context(), python, script, checkout, dir).CombinedOutput()
		return string(out), err
	}

	file("server/system_prompts.py", "COT_SYSTEM=\"\"\"\\\n[TAG]\nThink.\n\"\"\"\n\nSFT_SYSTEM = \"é\"\n")
	file("server/main_mirrorapi.py", "exit(1)\ndef f():\n    USER_PROMPT = '{api_doc} {request}'\n")
	file("toolbench/tooleval/fac_eval.py", "OTHER = 1\n")

	if said, err := take(); err == nil || !strings.Contains(said, "there is no PROMPT") {
		t.Errorf("another version: %v, %s", err, said)
	}

	file("toolbench/tooleval/fac_eval.py", "import none\nPROMPT = '''\ngpt {query} {answer}'''\n")

	template := "toolbench/tooleval/evaluators/tooleval_gpt-3.5-turbo_default/template.txt"
	file(template, "<function>\n<name>other</name>\n<description>\nno\n</description>\n</function>\n")

	if said, err := take(); err == nil || !strings.Contains(said, "there is no check_task_solvable") {
		t.Errorf("another version: %v, %s", err, said)
	}

	file(template, "<name>other</name>\n<description>no</description>\n<name>check_task_solvable</name>\n"+
		"<description>\nCheck\n{task}\n</description>")

	if said, err := take(); err != nil {
		t.Fatal(err, said)
	}

	read, err := kept.ReadPrompts(dir)
	if err != nil {
		t.Fatal(err)
	}

	for _, mode := range []virtual.Mode{virtual.MirrorSFT, virtual.MirrorCoT} {
		if err := virtual.NewModel(nil, "m", mode).Tell(read); err != nil {
			t.Error(err)
		}
	}

	for name, want := range map[string]string{
		"mirrorapi-sft": "é", "mirrorapi-cot": "[TAG]\nThink.\n",
		"fac": "\ngpt {query} {answer}", "solvable": "Check\n{task}",
	} {
		if got := read.Text(kept.Prompt{Name: name}); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
