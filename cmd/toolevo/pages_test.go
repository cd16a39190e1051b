package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"toolevo/envs/keeper"
	"toolevo/finetune/training/trainingtest"
)

const repository = "../.."

// guide is a document whose commands people follow: those of its blocks of shell, from top to
// bottom.
type guide struct {
	path  string
	empty bool     // it begins in an empty folder, and not where the first tree of the README was grown
	small []string // settings in the environment by which its nights take seconds
}

// pages are all of them. TestPagesFit holds how long each may be.
var pages = []guide{
	{path: "README.md", empty: true, small: night},
	{path: "mcts/README.md", small: night},
	{path: "mcts/collect/README.md", small: night},
	{path: "mcts/policy/README.md", small: night},
	{path: "mcts/policy/HOSTED.md", small: night},
	{path: "toolqa/README.md", empty: true},
	{path: "trajectories/README.md"},
	{path: "finetune/README.md"},
	{path: "finetune/EVALUATE.md"},
	{path: "finetune/training/README.md"},
	{path: "envs/README.md"},
	{path: "envs/openenv/README.md", empty: true},
	{path: "envs/remote/README.md", empty: true},
	{path: "envs/stategen/README.md", empty: true},
	{path: "envs/toolbench/README.md", empty: true},
}

var night = []string{"TOOLEVO_DATASET=coffee", "TOOLEVO_LIMIT=1", "TOOLEVO_SEARCH_TREES=1"}

// TestPages follows every page.
func TestPages(t *testing.T) {
	t.Parallel()

	for _, p := range pages {
		t.Run(p.path, func(t *testing.T) {
			t.Parallel()
			begin(t, p).follow(t, blocks(t, p.path))
		})
	}
}

// block is a block of shell in a page.
type block struct {
	section string // the heading above it
	needs   string // what it needs that no test has; "" where it can be run
	text    string
}

// A block that needs what no test has stands below a comment that says what.
var (
	headingLine = regexp.MustCompile(`^#+ (.*)`)
	needsLine   = regexp.MustCompile(`^<!-- needs (.+) -->$`)
)

// blocks are the blocks of shell of a page, or of some of its sections.
func blocks(t *testing.T, path string, sections ...string) []block {
	t.Helper()

	var all []block
	var now block

	inside := false

	for line := range strings.Lines(string(read(t, filepath.Join(repository, path)))) {
		bare := strings.TrimRight(line, "\n")

		switch heading, needs := headingLine.FindStringSubmatch(bare), needsLine.FindStringSubmatch(bare); {
		case inside && bare == "```":
			if inside = false; len(sections) == 0 || slices.Contains(sections, now.section) {
				all = append(all, now)
			}

			now = block{section: now.section}
		case inside:
			now.text += line
		case bare == "```sh":
			inside = true
		case heading != nil:
			now = block{section: heading[1]}
		case needs != nil:
			now.needs = needs[1]
		}
	}

	if inside || len(sections) > 0 && len(all) == 0 {
		t.Fatalf("%s: a block without an end, or no section %v", path, sections)
	}
	return all
}

// commands are the commands of a block, each on one line.
func (b block) commands() []string {
	var all []string

	for line := range strings.Lines(strings.ReplaceAll(b.text, "\\\n", "")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}

	return all
}

// walk is a folder in which a page is followed.
type walk struct {
	dir     string
	environ []string
	stands  map[string]string // addresses of servers, and of the ones that stand for them
}

// begin makes the folder: with the program, what stands for LLaMA-Factory, and the repository's
// files.
func begin(t *testing.T, p guide) *walk {
	t.Helper()

	w := &walk{dir: t.TempDir(), stands: map[string]string{}}

	if !p.empty {
		if err := os.CopyFS(w.dir, os.DirFS(firstTree(t))); err != nil {
			t.Fatal(err)
		}
	}

	w.equip(t)
	w.environ = append(w.environ, p.small...)
	return w
}

// equip puts into the folder what a page takes for granted.
func (w *walk) equip(t *testing.T) {
	t.Helper()

	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}

	bin := filepath.Join(w.dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}

	for link, to := range map[string]string{
		"bin/toolevo": binary(), "bin/llamafactory-cli": trainingtest.Factory(t),
		"envs": filepath.Join(root, "envs"), "configs": filepath.Join(root, "configs"),
	} {
		if err := os.Symlink(to, filepath.Join(w.dir, link)); err != nil {
			t.Fatal(err)
		}
	}

	// Programs are built where the module is: go build -o FILE PACKAGE.
	script := "#!/bin/sh\nPATH=" + os.Getenv("PATH") + "\nexec go -C " + root + ` "$1" -o "$PWD/$3" "$4"` + "\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}

	// What stands for LLaMA-Factory uses none of these GPUs.
	w.environ = append(slices.Clip(ordinary), "PATH="+bin+":"+os.Getenv("PATH"), "CUDA_VISIBLE_DEVICES=0,1,2,3")
}

// firstTree returns a folder in which somebody has followed the README up to the first tree. Nobody
// changes anything there.
func firstTree(t *testing.T) string {
	t.Helper()
	firstTreeOnce.Do(func() {
		w := &walk{dir: filepath.Join(scratch, "first-tree")}
		if err := os.Mkdir(w.dir, 0o755); err != nil {
			t.Fatal(err)
		}

		w.equip(t)
		w.follow(t, blocks(t, "README.md", "First tree"))

		for _, name := range []string{"bin", "envs", "configs"} {
			if err := os.RemoveAll(filepath.Join(w.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	})

	return filepath.Join(scratch, "first-tree")
}

var firstTreeOnce sync.Once

// follow runs the blocks that can be run, one after the other, and ends what they leave behind.
func (w *walk) follow(t *testing.T, all []block) {
	t.Helper()

	for _, b := range all {
		if b.needs != "" {
			continue
		}

		var said bytes.Buffer

		ctx, end := context.WithTimeout(t.Context(), longest)
		cmd := exec.CommandContext(ctx, "sh", "-c", w.served(t, b.script()))
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, w.environ, &said, &said
		keeper.Bound(cmd)

		err := cmd.Run()
		end()

		if err != nil {
			t.Fatalf("%s: %v\n%s", b.section, err, said.String())
		}
	}
}

// script is a script that runs the commands of a block and ends at the first that fails: with any
// exit code but 0, that of warnings for a doctor, and that of an interruption for what has a limit.
func (b block) script() string {
	lines := []string{`did() { case " $2 " in *" $1 "*) ;; *) echo "exit $1"; exit 1 ;; esac; }`, "set -x"}

	for _, command := range b.commands() {
		codes := "0"

		switch {
		case strings.Contains(command, "toolevo doctor"):
			codes = "0 1"
		case strings.Contains(command, " --max-"), strings.Contains(command, " --stop-"):
			codes = "0 130"
		}

		lines = append(lines, command, `{ did $? "`+codes+`"; } 2>/dev/null`)
	}
	return strings.Join(append(lines, "wait"), "\n")
}

// served puts the addresses of servers that stand for others in place of theirs.
func (w *walk) served(t *testing.T, text string) string {
	t.Helper()

	for address, start := range standIns {
		if !strings.Contains(text, address) {
			continue
		}

		if w.stands[address] == "" {
			w.stands[address] = start(t)
		}

		text = strings.ReplaceAll(text, address, w.stands[address])
	}
	return text
}

// TestPagesNameFlags holds that all commands of toolevo in any document have the flags that they
// name, those of blocks that no test can run as well.
func TestPagesNameFlags(t *testing.T) {
	t.Parallel()
	root := (&app{}).root()

	for _, path := range documents(t) {
		for _, b := range blocks(t, path) {
			for _, line := range b.commands() {
				for command := range strings.SplitSeq(line, "&&") {
					command, _, _ = strings.Cut(command, " #")
					command, _, _ = strings.Cut(command, " >")
					words := strings.Fields(command)

					if len(words) == 0 || filepath.Base(words[0]) != "toolevo" {
						continue
					}

					c, rest, err := root.Find(words[1:])
					if err == nil {
						err = c.ParseFlags(rest)
					}

					if err != nil || c == root && len(words) > 1 {
						t.Errorf("%s: %s: %v", path, command, err)
					}
				}
			}
		}
	}
}

// TestPagesFit holds how long the pages are, and how wide. A table's lines cannot be broken.
func TestPagesFit(t *testing.T) {
	t.Parallel()

	for _, p := range pages {
		text, most := read(t, filepath.Join(repository, p.path)), 8<<10
		if p.path == "README.md" {
			most = 10 << 10
		}

		if len(text) > most {
			t.Errorf("%s has %d bytes, want at most %d", p.path, len(text), most)
		}

		for line := range strings.Lines(string(text)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 && line[0] != '|' {
				t.Errorf("%s: a line of %d columns: %s", p.path, n, line)
			}
		}
	}
}

// documents are the paths of all documents of the repository, from its root.
func documents(t *testing.T) []string {
	t.Helper()

	var all []string

	root := os.DirFS(repository)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch parent := filepath.Dir(path); {
		case err != nil:
			return err
		case d.IsDir() && parent == "." && path != "." && !slices.Contains(folders, path), d.Name() == "testdata":
			return fs.SkipDir // what was built or collected there
		case filepath.Ext(path) == ".md":
			all = append(all, path)
		}

		return nil
	})
	if err != nil || len(all) < len(pages) {
		t.Fatal(err, all)
	}

	return all
}

// folders are those of the repository that hold documents.
var folders = []string{"cmd", "configs", "envs", "finetune", "mcts", "toolqa", "trajectories"}
