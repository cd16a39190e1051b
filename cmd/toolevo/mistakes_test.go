package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// mistake is something that users get wrong, an entry of testdata/mistakes.txt.
type mistake struct {
	command string   // with its environment before it; @NAME is a file or folder of the case
	before  []string // what is done first
	code    int      // the exit code
	names   []string // parts of the answer
	do      []string // parts of it that say what to do next
}

// readMistakes reads the entries.
func readMistakes(t *testing.T) (all []mistake) {
	t.Helper()

	m := mistake{}
	for line := range strings.Lines(string(read(t, filepath.Join("testdata", "mistakes.txt")))) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")

		switch key {
		case "!":
			m.before = append(m.before, value)
		case "$":
			m.command = value
		case "exit:":
			code, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}

			m.code = code
		case "names:":
			m.names = strings.Split(value, " | ")
		case "do:":
			m.do = strings.Split(value, " | ")
			all, m = append(all, m), mistake{}
		}
	}

	return all
}

// doings are what can be done before a mistake: to a file below a folder, with texts.
var doings = map[string]func(path string, texts []string) error{
	"write": func(path string, texts []string) error {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(texts[0]), 0o644)
	},
	"edit": func(path string, texts []string) error {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), texts[0]) {
			return fmt.Errorf("%s has no %q: %w", path, texts[0], err)
		}
		return os.WriteFile(path, []byte(strings.Replace(string(text), texts[0], texts[1], 1)), 0o644)
	},
	"cut": func(path string, _ []string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	},
	"remove": func(path string, _ []string) error { return os.RemoveAll(path) },
	"pipe": func(path string, _ []string) error {
		return errors.Join(os.RemoveAll(path), syscall.Mkfifo(path, 0o644))
	},
	"folder": func(path string, _ []string) error {
		return errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o755))
	},
	"forbid": func(path string, _ []string) error { return os.Chmod(path, 0) },
	"close":  func(path string, _ []string) error { return os.Mkdir(path, 0o555) },
}

// prepare does something in a folder, such as: write c.yaml "seed: 3\n".
func prepare(dir, what string) error {
	word, rest, _ := strings.Cut(what, " ")
	name, rest, _ := strings.Cut(rest, " ")

	var texts []string

	for rest != "" {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return err
		}

		text, _ := strconv.Unquote(quoted)
		texts, rest = append(texts, text), strings.TrimSpace(rest[len(quoted):])
	}
	return doings[word](filepath.Join(dir, name), texts)
}

// asOther is what is done before a mistake of a user who may not do everything.
const asOther = "as a user"

// TestMistakes holds that each mistake has its exit code, and that its answer names what was wrong
// and says what to do next, in whatever words.
func TestMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := map[string]string{"data": smallData(t), "run": filepath.Join(dir, "run"),
		"export": filepath.Join(dir, "export")}
	must(t, "collect", "--data", smallData(t), "--policy", "scripted:reader", "--limit", "2", "--trees", "1",
		"--set", "python.modules=", "--out", whole["run"])
	must(t, "export", "--allow-scripted", whole["run"], "--out", whole["export"])

	all := readMistakes(t)
	if len(all) < 203 {
		t.Errorf("%d mistakes: testdata/mistakes.txt had more", len(all))
	}

	for _, m := range all {
		answer := m.play(t, whole)

		for _, part := range append(m.names, m.do...) {
			if part == "" || !strings.Contains(answer, part) {
				t.Errorf("the answer lacks %q:\n%s", part, answer)
			}
		}
	}
}

// play makes a mistake and returns what is to be read of it.
func (m mistake) play(t *testing.T, whole map[string]string) string {
	dir, err := os.MkdirTemp(scratch, "mistake-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)

	for name, from := range whole {
		if len(m.before) == 0 && name == "data" {
			err = os.Symlink(from, filepath.Join(dir, name))
		} else {
			err = os.CopyFS(filepath.Join(dir, name), os.DirFS(from))
		}

		if err != nil {
			t.Fatal(err)
		}
	}

	for _, what := range m.before {
		if what != asOther {
			if err := prepare(dir, what); err != nil {
				t.Fatalf("%s before %s: %v", what, m.command, err)
			}
		}
	}

	in, command, _ := strings.Cut(m.command, "toolevo")
	args := strings.Fields(strings.ReplaceAll(command, "@", dir+"/"))
	environ := append([]string{"TOOLEVO_DATA=" + filepath.Join(dir, "data"), "TOOLEVO_PYTHON_MODULES="},
		strings.Fields(in)...)
	var r result

	act := func() { r = cliWith(t, "", environ, args...) }
	if slices.Contains(m.before, asOther) {
		asUser(t, dir, act)
	} else {
		act()
	}

	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil && r.code != exitBad {
		t.Errorf("%s: it left what it was asked to write", m.command)
	}

	names := strings.NewReplacer(dir+"/", "", smallData(t), "data", os.Args[0], "toolevo", dir, ".")
	answer := fmt.Sprintf("$ %s\n%s", m.command, names.Replace(r.out+r.err))
	t.Logf("%sexit %d", answer, r.code)

	if r.code != m.code {
		t.Errorf("exit %d, want %d: %s", r.code, m.code, answer)
	}

	// The command is what was typed, and no part of the answer.
	return strings.TrimPrefix(answer, "$ "+m.command)
}

// asUser does something with the rights of a user who is not root, as this process may or may not
// be.
func asUser(t *testing.T, dir string, act func()) {
	if os.Geteuid() != 0 {
		act()
		return
	}
	const nobody = 65534

	for _, path := range []string{dir, scratch} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}

	// The rights are the thread's. It gets them back and goes on: what it once started, a sandbox
	// of another test say, would end with it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}

	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			panic(err) // the thread must not serve other tests
		}
	}()

	if _, err := os.ReadFile("/proc/1/environ"); err == nil {
		t.Fatal("root's rights cannot be given up here")
	}

	act()
}
