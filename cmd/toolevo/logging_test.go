package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/mcts/policy/simserver"
)

// A log file has what the level lets through of the run and of its servers, which the screen then
// does not show; another pass appends to it, and the file is its owner's alone.
func TestLogFile(t *testing.T) {
	t.Parallel()
	dir, model := t.TempDir(), serve(t, simserver.Options{})

	// Nobody listens at the second address, of which the log warns.
	collect := func(level, run string, more ...string) (log, screen string) {
		file := filepath.Join(dir, level+".log")

		r := cli(t, append([]string{"collect", "--data", smallData(t), "--limit", "1", "--trees", "2", "--policy",
			"openai:sim", "--server", model.URL() + ",http://127.0.0.1:1/v1", "--set", "server.window=32768",
			"--log-file", file, "--log-level", level, "--progress", "none", "--out", filepath.Join(dir, run)},
			more...)...)
		if r.code != exitDone {
			t.Fatal(r.err)
		}

		return string(read(t, file)), r.err
	}

	log, screen := collect("debug", "a")
	says(t, "the log", log, "level=INFO msg=\"the run begins\" run=", "kind=collect", "resumed=false",
		"level=DEBUG msg=\"tree grown\" question=easy-coffee-train-", "level=WARN msg=\"server does not answer",
		"127.0.0.1:1", "level=INFO msg=\"the run is done\"")

	if strings.Contains(screen, "level=") {
		t.Errorf("the screen shows\n%s", screen)
	}

	if log, _ := collect("warn", "b"); strings.Contains(log, "level=INFO") || !strings.Contains(log, "level=WARN") {
		t.Errorf("from warnings on:\n%s", log)
	}

	if log, _ := collect("debug", "a", "--resume"); strings.Count(log, "the run begins") != 2 ||
		!strings.Contains(log, "resumed=true") {
		t.Errorf("after another pass:\n%s", log)
	}

	info, err := os.Stat(filepath.Join(dir, "debug.log"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestLogFlags(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "run")

	fails(t, exitUsage, []string{"--log-level loud", "debug, info, warn, error"}, "collect", "--data", smallData(t),
		"--log-level", "loud", "--out", out)
	fails(t, exitUsage, []string{"--log-file", "no such"}, "eval", "--data", smallData(t), "--log-file",
		filepath.Join(out, "none", "log"), "--out", out)
}
