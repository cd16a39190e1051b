package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const readme = "../../README.md"

// TestReadmeCommandsRun follows the README in an empty folder, where no server is needed.
func TestReadmeCommandsRun(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}

	if err := os.Symlink(binary(), filepath.Join(dir, "bin", "toolevo")); err != nil {
		t.Fatal(err)
	}

	ran := 0

	for _, section := range []string{"Try it", "Train", "Your own versions"} {
		for _, command := range readmeCommands(t, section) {
			if needsMore(command) {
				continue
			}

			cmd := exec.Command("sh", "-c", command)

			cmd.Dir, cmd.Env = dir, slices.Clip(ordinary)
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", command, err, text)
			}
			ran++
		}
	}

	if ran < 12 {
		t.Errorf("only %d commands were found", ran)
	}
}

// needsMore reports whether a command needs a server or a trainer.
func needsMore(command string) bool {
	trains := strings.Contains(command, " finetune ") && !strings.Contains(command, "--print")

	return trains || strings.Contains(command, "--server") || strings.Contains(command, " improve ")
}

// TestReadmeCommandsAreValid holds that commands for which more is needed have the flags that they name.
func TestReadmeCommandsAreValid(t *testing.T) {
	t.Parallel()
	root := (&app{}).root()

	for _, line := range readmeCommands(t, "") {
		for command := range strings.SplitSeq(line, "&&") {
			words, _, _ := strings.Cut(command, "#")

			c, rest, err := root.Find(strings.Fields(words)[1:])
			if err == nil {
				err = c.ParseFlags(rest)
			}

			if err != nil || c == root {
				t.Errorf("%s: %v", command, err)
			}
		}
	}
}

func TestReadmeFits(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(string(read(t, readme))) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

// readmeCommands are the commands of a section, or of all, each on one line.
func readmeCommands(t *testing.T, section string) []string {
	t.Helper()
	var commands []string
	here := section == ""

	text := strings.ReplaceAll(string(read(t, readme)), "\\\n", "")
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "## "); ok && section != "" {
			here = strings.TrimSpace(title) == section
		}

		if here && strings.HasPrefix(line, "    bin/toolevo ") {
			commands = append(commands, strings.TrimSpace(line))
		}
	}

	if len(commands) == 0 {
		t.Fatalf("no command in section %q", section)
	}

	return commands
}
