package corpus

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
	"toolevo/toolqa/corpus/synth"
)

// TestManyRows crosses the chunks in which codes are spilled, and all widths of a code.
func TestManyRows(t *testing.T) {
	t.Parallel()
	const chunkRows = 1 << 15 // so many codes are spilled at a time
	const rows = 2*chunkRows + 1<<16/8
	cellsOf := func(n int) []layout.Cell {
		return []layout.Cell{
			layout.TextCell(fmt.Sprint("event ", rows-n)), // as many words as rows
			layout.ClockCell(fmt.Sprintf("%d:%02d AM", 1+n/60%12, n%60)), layout.ClockCell("2 PM"),
			layout.TextCell(fmt.Sprint(n / 100)), layout.TextCell(fmt.Sprint(n / (rows / 3))), layout.TextCell("d"),
			layout.TextCell(fmt.Sprint(min(n, 300))), // more than a byte can say from the first chunk on
		}
	}
	dir, n := t.TempDir(), 0

	next := func() ([]layout.Cell, error) {
		if n == rows {
			return nil, io.EOF
		}
		n++
		return cellsOf(n - 1), nil
	}
	if _, err := layout.Write(t.Context(), dir, layout.Info{Dataset: toolqa.Agenda, Source: layout.Synthetic},
		layout.Input{Next: next}, nil); err != nil {
		t.Fatal(err)
	}

	c := mustOpen(t, dir, toolqa.Agenda)
	if err := c.Prove(t.Context()); err != nil {
		t.Error(err)
	}

	names := c.Table().Columns()

	printed, stored := make([]*Vector, len(names)), make([]*Vector, len(names))
	for i, name := range names {
		var err error
		if printed[i], err = c.Table().Column(name); err != nil {
			t.Fatal(err)
		}

		if stored[i], err = c.Table().Stored(name); err != nil {
			t.Fatal(err)
		}
	}

	for row := range rows {
		for i, want := range cellsOf(row) {
			if want.Stored == "" {
				want.Stored = want.Text
			}

			if p, s := printed[i].Text(row), stored[i].Text(row); p != want.Text || s != want.Stored {
				t.Fatalf("column %s, row %d: %q, stored %q, want %+v", names[i], row, p, s, want)
			}
		}
	}

	widths := query(t, c, "SELECT DISTINCT width FROM cells ORDER BY width")
	if !slices.EqualFunc(widths, []string{"1", "2", "4"},
		func(row []string, want string) bool { return row[0] == want }) {
		t.Errorf("widths %v", widths)
	}
}

// TestKilled kills a program that builds a corpus, and shows that the corpus before is untouched,
// and what is left of it.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("CORPUS_TEST_BUILD"); dir != "" {
		after, err := strconv.Atoi(os.Getenv("CORPUS_TEST_AFTER"))
		if err != nil {
			t.Fatal(err)
		}

		synth.Build(t.Context(), dir, toolqa.Coffee, synth.Options{Seed: 2, Rows: 20_000, Progress: func(done, _ int) {
			if done >= after {
				fmt.Println("so far")
				io.Copy(io.Discard, os.Stdin) // waits to be killed
			}
		}})

		return
	}

	dir := t.TempDir()
	want := mustBuild(t, dir, toolqa.Coffee, synth.Options{Seed: 1, Rows: 10})

	for _, after := range []string{"0", "100", "400"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")

		cmd.Env = append(os.Environ(), "CORPUS_TEST_BUILD="+dir, "CORPUS_TEST_AFTER="+after)

		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}

		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}

		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}

		met := false
		for lines := bufio.NewScanner(out); !met && lines.Scan(); {
			met = lines.Text() == "so far"
		}

		if err := cmd.Process.Kill(); err != nil || !met {
			t.Fatalf("%q was met: %v; Kill: %v", after, met, err)
		}

		cmd.Wait() // it was killed

		// What is left of it goes with the next program, however young it is.
		if left := leftBehind(t, dir); len(left) != 2 {
			t.Errorf("after %q: the killed program left %v", after, left)
		}

		c := mustOpen(t, dir, toolqa.Coffee)
		if left := leftBehind(t, dir); len(left) != 1 {
			t.Errorf("after %q: left %v", after, left)
		}

		if err := c.Prove(t.Context()); err != nil || c.Info() != want {
			t.Errorf("after %q: %+v, %v", after, c.Info(), err)
		}
	}
}
