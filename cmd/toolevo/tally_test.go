package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/simserver"
)

// A run whose counts were damaged, as by kill -9 while they were written, goes on, and counts
// again.
func TestDamagedTally(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), filepath.Join(t.TempDir(), "run")
	s := serve(t, simserver.Options{})
	must(t, append(onServer(s, "collect", "--data", data, "--trees", "1", "--out", dir), "--limit", "1",
		"--set", "search.simulations=4")...)
	rows, counts := filepath.Join(dir, rowsFile), filepath.Join(dir, account.File)

	want := read(t, rows)
	if err := os.Remove(rows); err != nil {
		t.Fatal(err)
	}

	for _, damaged := range []string{"", `[{"software":`, "{}"} {
		if err := os.WriteFile(counts, []byte(damaged), 0o644); err != nil {
			t.Fatal(err)
		}

		r := cli(t, "collect", "--resume", "--data", data, "--server", s.URL(), "--out", dir)
		says(t, damaged, r.err, account.File+" cannot be read")

		var passes []toolevo.ServedPass
		if err := json.Unmarshal(read(t, counts), &passes); err != nil || len(passes) != 1 || r.code != exitDone {
			t.Errorf("%q: exit %d, %d passes, %v\n%s", damaged, r.code, len(passes), err, r.err)
		}
	}

	if string(read(t, rows)) != string(want) {
		t.Error("the trajectories differ")
	}

	if left := files(t, dir); strings.Contains(strings.Join(left, " "), ".new") {
		t.Errorf("it left %v", left)
	}
}

// What a run counted before kill -9 is there when it has been resumed.
func TestTallyOfAKilledRun(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), filepath.Join(t.TempDir(), "run")
	s := serve(t, simserver.Options{})
	args := []string{"collect", "--data", data, "--policy", "openai:sim", "--limit", "2", "--trees", "1", "--preset",
		"paper", "--set", "search.simulations=4",
		"--set", "server.window=32768", "--server", s.URL(), "--engine", "unsafe", "--out", dir}
	passes := func() (all []toolevo.ServedPass) {
		text, err := os.ReadFile(filepath.Join(dir, account.File))
		if err == nil {
			err = json.Unmarshal(text, &all)
		}

		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return all
	}

	p := start(t, args...)
	if !p.untilAnswered(s, 20) {
		t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
	}

	s.Pause() // no more is counted, so what is written from now on is all
	hangs(t, p, s)
	answered := int64(s.Stats().Answered)

	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()

	for len(passes()) == 0 || passes()[0].Policies["openai:sim"].Answered < answered {
		select {
		case <-poll.C:
		case <-p.ended:
			t.Fatalf("it ended before all that was answered was written down: exit %d\n%s",
				p.wait(), p.err)
		}
	}

	_ = p.Process.Kill()
	p.wait()

	answered = passes()[0].Policies["openai:sim"].Answered // the server counts an answer after it was sent

	s.Resume()
	must(t, append(args, "--resume")...)

	all := passes()
	if len(all) != 2 || all[0].Policies["openai:sim"].Answered != answered {
		t.Fatalf("%d passes, the first with %+v; want 2, and %d answered", len(all), all[0], answered)
	}
	// The server may have answered the process that was gone: what was in flight when it was
	// killed.
	if total := answered + all[1].Policies["openai:sim"].Answered; total > int64(s.Stats().Answered) ||
		total == answered {
		t.Errorf("%d are counted as answered, %d of them before; the server answered %d", total, answered,
			s.Stats().Answered)
	}
}
