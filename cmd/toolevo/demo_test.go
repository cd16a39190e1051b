package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"toolevo/finetune/facts"
	"toolevo/finetune/robustness"
	"toolevo/mcts/account"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// run returns what a program wrote that has to succeed.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()

	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return string(text)
}

// TestDemo holds that the demo fits a screen, leaves nothing elsewhere, and prints commands that
// run, and what README shows.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir, temporary := t.TempDir(), t.TempDir()
	do := func(args ...string) string {
		t.Helper()
		cmd := program(t, args...)
		cmd.Args[0] = "toolevo"
		cmd.Dir = dir

		cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
		return run(t, cmd)
	}

	out := do("demo")
	says(t, "demo", out, "Collected", ": 0 problems", "Exported", "is deprecated", "Action: Finish",
		"Made       made_1_000 of p_c, in which ", "In toolevo-demo:")

	if n := strings.Count(out, "\n"); n > 24 {
		t.Errorf("the demo has %d lines:\n%s", n, out)
	}

	_, shown, _ := strings.Cut(string(read(t, filepath.Join(repository, "README.md"))), "among other things:\n\n")
	shown, _, _ = strings.Cut(shown, "\n\n")

	for line := range strings.Lines(shown) {
		says(t, "demo, as README shows it", out, strings.TrimSpace(line))
	}

	rows, commands := map[string]int{}, 0

	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("a line of %d columns: %s", n, line)
		}

		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "scripted:"):
			rows[words[0]]++
		case strings.HasPrefix(line, "  toolevo "):
			commands++

			do(words[1:]...)
		}
	}

	if len(rows) != 2 || rows["scripted:stale"] != 3 || rows["scripted:reader"] != 3 || commands < 2 {
		t.Errorf("%d commands, rows of policies %v:\n%s", commands, rows, out)
	}

	if left := files(t, temporary); len(left) > 0 {
		t.Errorf("it left %v", left)
	}

	// What the user added stays when the next demo takes the place of this one.
	made := filepath.Join(dir, "toolevo-demo")
	for _, name := range []string{"data/questions/SHA256SUMS", "run/trajectories.parquet", "export/toolevo_sft.parquet",
		"made/made_1_000.yaml", "eval/report.md"} {
		if len(read(t, filepath.Join(made, name))) == 0 {
			t.Errorf("%s is empty", name)
		}
	}

	mine := filepath.Join(made, "mine.txt")
	put(t, mine)

	release, err := on(io.Discard).newDemo(made, "").claim()
	if err != nil {
		t.Fatal(err)
	}

	if err := release(); err != nil {
		t.Fatal(err)
	}

	if left := files(t, made); len(left) != 2 {
		t.Errorf("of the earlier demo there is left %v", left)
	}

	read(t, mine)
}

// timeTaken is how long a run took, as a page has it.
var timeTaken = regexp.MustCompile(`<dt>took<dd>[^<]*`)

// The whole job on generated tasks leaves the same files, byte for byte, when it is done again, but
// for logs, which have times. Facts of episodes and pages say how long each took; all else in them
// is the same.
func TestDemoOfGeneratedTasks(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "demo")

	var made [2]map[string]string

	for i := range made {
		out := run(t, program(t, "demo", "--suite", "stategen", "--out", dir))
		says(t, "demo", out, "Collected", ": 0 problems", "is deprecated", "Made       made_1_000 of p_c",
			"none 0 %", "--config "+filepath.Join(dir, "toolevo.yaml"))

		if n := strings.Count(out, "\n"); n > 24 {
			t.Errorf("the demo has %d lines:\n%s", n, out)
		}

		made[i] = map[string]string{"what it says": out}

		for _, name := range files(t, dir) {
			switch filepath.Base(name) {
			case account.File: // says how long it took
			case demoMark, "run.lock", "run.db", "run.db-wal", "run.db-shm":
			case facts.FactsFile:
				made[i][name] = timeless(t, name)
			default:
				made[i][name] = timeTaken.ReplaceAllString(string(read(t, name)), "")
			}
		}
	}

	if len(made[0]) < 80 {
		t.Errorf("there are only %d files", len(made[0]))
	}

	for name, text := range made[0] {
		if again, ok := made[1][name]; !ok || text != again {
			t.Errorf("%s: %d bytes, and %d other ones the second time", name, len(text), len(again))
		}
	}

	checkFeedbacks(t, document[robustness.Report](t, string(read(t, filepath.Join(dir, "drift", "drift.json")))))
}

// timeless is a table of facts without what the clock said.
func timeless(t *testing.T, path string) string {
	t.Helper()

	all, err := trajectories.ReadTable[facts.Fact](path)
	if err != nil || len(all) == 0 {
		t.Fatalf("%s has %d rows: %v", path, len(all), err)
	}

	for i := range all {
		all[i].Seconds = 0
	}
	return fmt.Sprintf("%+v", all)
}

// checkFeedbacks compares policies: who knows the deployed version passes everything, who reads
// what is said as much as who does not, or more; where nothing has moved on all pass, and where
// nothing is said reading is worth nothing.
func checkFeedbacks(t *testing.T, r robustness.Report) {
	t.Helper()

	rates := map[robustness.Condition]float64{}

	for _, row := range r.Rows {
		if row.Dataset == robustness.All && row.Difficulty == robustness.All {
			rates[row.Condition] = row.PassRate
		}
	}

	learned := 0.0

	for c, oracle := range rates {
		if c.Policy != "scripted:oracle" {
			continue
		}

		of := func(policy string) float64 { c := c; c.Policy = policy; return rates[c] }
		reader, stale := of("scripted:reader"), of("scripted:stale")
		still := c.Kind == robustness.Baseline

		if oracle != 1 || reader < stale || still != (stale == 1) || c.Feedback == "none" && reader != stale {
			t.Errorf("%+v: oracle %v, reader %v, stale %v", c, oracle, reader, stale)
		}

		if c.Feedback == "deprecation" {
			learned += reader - stale
		}
	}

	if len(rates) != 3*3*4 || learned == 0 {
		t.Errorf("%d rates, by reading there is gained %v", len(rates), learned)
	}
}

// A folder that no demo made is refused, and so is one in which something is at work.
func TestDemoKeepsWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a folder")
	mark, run := filepath.Join(dir, demoMark), filepath.Join(dir, "run", "run.lock")

	for name, tt := range map[string]struct {
		fill  func(t *testing.T)
		words []string
	}{
		"foreign": {func(t *testing.T) { put(t, filepath.Join(dir, "data", "mine")) },
			[]string{"not empty", "--out"}},
		"mark is a folder": {func(t *testing.T) { put(t, filepath.Join(mark, "mine")) },
			[]string{"not empty", "--out"}},
		"a file":         {func(t *testing.T) { put(t, dir) }, []string{"is a file", "--out"}},
		"a demo at work": {func(t *testing.T) { put(t, mark); hold(t, mark) }, []string{store.ErrLocked.Error()}},
		"a run at work": {func(t *testing.T) { put(t, mark); put(t, run); hold(t, run) },
			[]string{store.ErrLocked.Error()}},
	} {
		t.Run(name, func(t *testing.T) {
			defer os.RemoveAll(dir)

			tt.fill(t)
			before := files(t, dir)
			fails(t, exitUsage, tt.words, "demo", "--out", dir)

			if after := files(t, dir); strings.Join(after, "\n") != strings.Join(before, "\n") {
				t.Errorf("there were %v, and now %v", before, after)
			}
		})
	}
}

// put makes a file and the folders above it.
func put(t *testing.T, path string) {
	t.Helper()

	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte("1\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// hold locks a file as a process at work does, until the test ends.
func hold(t *testing.T, path string) {
	t.Helper()

	f, err := os.Open(path)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}

	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { f.Close() })
}
