package configs

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// program writes a shell script of a name into a folder.
func program(t *testing.T, dir, name, script string) {
	t.Helper()

	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// A job whose time is over hands the signal on, waits until the run has ended, and is put back into
// the queue; one that ended by a limit of its own is not. A worker's job does so, too.
func TestSbatch(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	if err := errors.Join(os.Mkdir(out, 0o755), os.WriteFile(filepath.Join(out, "run.json"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}

	t.Run("collect", func(t *testing.T) {
		sbatch(t, out, "collect --resume --out "+out+" --progress plain --policy openai:m", "sbatch/collect.sh",
			"--policy", "openai:m")
	})
	t.Run("work", func(t *testing.T) {
		sbatch(t, out, "work --join "+out+" --server http://127.0.0.1:8000/v1 --patience 30m --progress plain",
			"sbatch/work.sh", out, "sleep", "600")
	})
}

// sbatch runs a script as Slurm does, with what it is to call toolevo with.
func sbatch(t *testing.T, out, calls, script string, args ...string) {
	t.Helper()

	for name, test := range map[string]struct {
		run, want string
		signal    bool
	}{
		"its time is over": {`cat "$HANG" >&2 &
trap 'kill $!; echo called >&3; exit 130' TERM
echo "$@"; wait`, "called\nrequeue 7\n", true},
		"a limit":  {`echo "$@"; exit 130`, "", false},
		"finished": {`echo "$@"`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			program(t, bin, "toolevo", test.run)
			program(t, bin, "scontrol", `echo "$@" >&3`)

			if err := syscall.Mkfifo(filepath.Join(bin, "hang"), 0o644); err != nil {
				t.Fatal(err)
			}

			// Nothing is ever written there, and a reader waits.
			hang, err := os.OpenFile(filepath.Join(bin, "hang"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer hang.Close()

			said, err := os.Create(filepath.Join(bin, "said"))
			if err != nil {
				t.Fatal(err)
			}
			defer said.Close()

			cmd := exec.Command("bash", append([]string{script}, args...)...)
			cmd.ExtraFiles = []*os.File{said}
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "OUT="+out, "SLURM_JOB_ID=7",
				"HANG="+hang.Name())

			output, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}

			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}

			arguments, err := bufio.NewReader(output).ReadString('\n')
			if err != nil || arguments != calls+"\n" {
				t.Errorf("%v: it runs %q", err, arguments)
			}

			if test.signal {
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}

			_, _ = io.Copy(io.Discard, output)

			if code := exitOf(cmd.Wait()); code != 0 && code != 130 || (code == 0) != (name == "finished") {
				t.Errorf("exit %d", code)
			}

			if text, err := os.ReadFile(said.Name()); err != nil || string(text) != test.want {
				t.Errorf("%v: it says %q, want %q", err, text, test.want)
			}
		})
	}
}

// exitOf is the exit code of a program that ended with an error, or none.
func exitOf(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// The templates are those that their own tools take, where these are there.
func TestTemplatesAreValid(t *testing.T) {
	for tool, args := range map[string][]string{
		"shellcheck":      {"sbatch/collect.sh", "sbatch/work.sh"},
		"systemd-analyze": {"--user", "verify", "systemd/toolevo@.service", "systemd/toolevo-worker@.service"},
	} {
		t.Run(tool, func(t *testing.T) {
			path, err := exec.LookPath(tool)
			if err != nil {
				t.Skipf("no %s in PATH", tool)
			}

			cmd := exec.Command(path, args...)
			cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())

			if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}
