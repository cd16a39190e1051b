package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestBombs names files of YAML and JSON that would take minutes and gigabytes in every place that
// takes a file: each is refused at its line.
func TestBombs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()

	in := func(name, text string) string {
		path := filepath.Join(dir, name)
		write(t, path, text)
		return path
	}
	aliases := "a0: &a0 [x]\n"

	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		before := string(n[0] - 1)
		aliases += "a" + n + ": &a" + n + " [" + strings.Repeat("*a"+before+", ", 10) + "]\n"
	}

	nested := strings.Repeat("[", 20_000)
	bombs := []string{
		in("aliases.yaml", aliases), in("lists.yaml", "a: "+nested),
		in("mappings.yaml", "rounds: 1\na:\n - "+strings.Repeat("{b: ", 10_000)),
	}

	for _, bomb := range bombs {
		for _, args := range [][]string{
			{"versions", "validate", bomb},
			{"versions", "make", "--script", bomb, "--out", filepath.Join(dir, "made")},
			{"improve", bomb, "--out", filepath.Join(dir, "improve")},
			{"collect", "--config", bomb, "--dry-run"},
			{"collect", "--api", "file:" + bomb, "--data", smallData(t), "--out", filepath.Join(dir, "run")},
			{"data", "template", "check", bomb, "--data", smallData(t)},
		} {
			r := cli(t, args...)
			if r.code == exitDone || !strings.Contains(r.err, bomb+": [") || len(r.err) > 3000 {
				t.Errorf("%s: exit %d, %.300s", strings.Join(args, " "), r.code, r.err)
			}
		}
	}

	bomb := in("rows.jsonl", nested)
	for _, args := range [][]string{
		{"tasks", "import", bomb, "--data", filepath.Join(dir, "data")},
		{"eval", "--questions", bomb, "--data", smallData(t), "--policy", "scripted:reader", "--dry-run"},
	} {
		r := cli(t, args...)
		if r.code == exitDone || !strings.Contains(r.err, bomb) || len(r.err) > 3000 {
			t.Errorf("%s: exit %d, %.300s", strings.Join(args, " "), r.code, r.err)
		}
	}
}
