package kept_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/kept"
)

// folder is a folder of texts by the names of their files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()

	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	return dir
}

func TestPrompts(t *testing.T) {
	t.Parallel()

	var (
		solvable = kept.NewPrompt("solvable", "\nSay it.\n", "{task}")
		status   = kept.NewPrompt("status", "Judge {it}.")
		fac      = kept.NewPrompt("fac", "")
	)

	own, err := kept.ReadPrompts("")
	if err != nil {
		t.Fatal(err)
	}

	users, err := kept.ReadPrompts(folder(t, map[string]string{
		"solvable.txt": "Is {{this}} solvable?\n{task}\n", "fac.txt": "{query}", "README.md": "mine",
	}))
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		prompts        kept.Prompts
		of             kept.Prompt
		system, asking string
	}{
		{kept.Prompts{}, solvable, "Say it.", "a {b}"},
		{own, solvable, "Say it.", "a {b}"},
		{users, solvable, "", "Is {this} solvable?\na {b}\n"}, // as published prompts are filled in
		{users, status, "Judge {it}.", "a {b}"},
	} {
		if system, asking := c.prompts.Asked(c.of, "a {b}"); system != c.system || asking != c.asking {
			t.Errorf("%s: %q and %q, want %q and %q", c.of.Name, system, asking, c.system, c.asking)
		}
	}

	if own.Hash(solvable) == users.Hash(solvable) || own.Hash(status) != users.Hash(status) {
		t.Error("a hash is not that of what is told")
	}

	if r := users.Replaced(); own.Replaced() != "" || !strings.HasPrefix(r, "fac,solvable ") {
		t.Errorf("replaced are %q and %q", own.Replaced(), r)
	}

	if text, err := users.Need(fac, "{query}"); text != "{query}" || err != nil {
		t.Errorf("%q, %v", text, err)
	}

	if _, err := users.Need(fac, "{answer}"); err == nil {
		t.Error("a field is not missed")
	}

	if _, err := own.Need(fac); !errors.Is(err, kept.ErrNoPrompt) {
		t.Errorf("%v, want %v", err, kept.ErrNoPrompt)
	}
}

// What cannot be meant is refused, with the names that there are.
func TestFoldersOfNoPrompts(t *testing.T) {
	t.Parallel()

	for want, files := range map[string]map[string]string{
		"no prompt is called statsu, but augment": {"statsu.txt": "x", "status.txt": "x"},
		"status.txt is empty":                     {"status.txt": " \n"},
		"want a text NAME.txt, of augment":        {"status.md": "x"},
	} {
		if _, err := kept.ReadPrompts(folder(t, files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", files, err, want)
		}
	}
}
