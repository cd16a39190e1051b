package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolevo/finetune/training/trainingtest"
)

// TestKilledTrainers kills finetune and improve with SIGKILL, or closes their terminal, while a
// trainer and what it started are at work. All of them end, and the same command goes on to the
// end.
func TestKilledTrainers(t *testing.T) {
	t.Parallel()

	samples := filepath.Join(t.TempDir(), "export")
	made(t, "export", "--allow-scripted", smallRun(t), "--data", smallData(t), "--out", samples)

	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "hung up": syscall.SIGHUP} {
		for command, arguments := range map[string]func(t *testing.T, dir, waits string) []string{
			"finetune": func(t *testing.T, dir, waits string) []string {
				return []string{"finetune", samples, "--allow-scripted", "--recipe", "tiny",
					"--model", smallModel(t), "--gpus", "0",
					"--llamafactory", waiting(t, dir, waits, trainingtest.Factory(t)),
					"--out", filepath.Join(dir, "out"), "--progress", "none"}
			},
			"improve": func(t *testing.T, dir, waits string) []string {
				file, _ := improvement(t, dir)
				text := strings.Replace(string(read(t, file)), "mkdir -p {out} &&",
					waiting(t, dir, waits, "/bin/true")+" train; mkdir -p {out} &&", 1)

				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return []string{"improve", file, "--out", filepath.Join(dir, "out"), "--progress", "none",
					"--skip", "1/evaluate-simulated,2/collect,2/export,2/train,2/evaluate-simulated"}
			},
		} {
			t.Run(command+" "+name, func(t *testing.T) {
				t.Parallel()

				dir := t.TempDir()
				waits := filepath.Join(dir, "waits")
				args := arguments(t, dir, waits)

				p := start(t, args...)
				pid := appears(t, p, waits)

				if err := p.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}

				<-p.ended

				for tick := time.NewTicker(5 * time.Millisecond); !isGone(pid); <-tick.C {
					if t.Context().Err() != nil {
						t.Fatalf("what the trainer started, %d, is still there", pid)
					}
				}

				if p := start(t, args...); p.wait() != exitDone {
					t.Errorf("going on: exit %d\n%s", p.wait(), p.err)
				}
			})
		}
	}
}

// waiting is a trainer that starts a process in a session of its own, notes its number in a file
// and waits, and the next time is another trainer.
func waiting(t *testing.T, dir, file, trainer string) string {
	t.Helper()

	path := filepath.Join(dir, "trainer")
	script := `#!/bin/sh
[ "$1" = train ] && [ ! -e ` + file + ` ] || exec ` + trainer + ` "$@"
setsid sh -c 'echo $$ >` + file + `.new; mv ` + file + `.new ` + file + `; exec sleep 600' &
wait
`

	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// appears waits for a file with the number of a process.
func appears(t *testing.T, p *process, path string) int {
	t.Helper()

	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		if text, err := os.ReadFile(path); err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}

		select {
		case <-p.ended:
			t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
		default:
		}
	}
}

// isGone reports whether a process is dead; it may not be reaped yet.
func isGone(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(text), ") Z ")
}
