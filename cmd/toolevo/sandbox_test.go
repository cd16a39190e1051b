package main

import (
	"bytes"
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/attack"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
)

// needWalls skips a test that needs a python3, and all walls of the kernel's.
func needWalls(t *testing.T) {
	t.Helper()

	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}

	for wall, err := range confine.Probe() {
		t.Skipf("no %s: %v", wall, err)
	}
}

func fits(t *testing.T, text string) {
	t.Helper()

	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > console.HelpWidth {
			t.Errorf("a long line: %s", line)
		}
	}
}

func TestDoctorSandbox(t *testing.T) {
	t.Parallel()

	needWalls(t)

	r := cli(t, "doctor", "sandbox", "--engine", "forkserver", "--short")
	if r.code != exitDone || r.err != "" {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}

	says(t, "doctor sandbox", r.out, "engine   forkserver python 3.", "landlock: this machine has it", "wall 32s",
		"\nnetwork\nok  ", "ok  tcp-connect", "contained.\n")
	fits(t, r.out)
}

// Which version of Landlock a machine has, and what an older one leaves to seccomp, stands in the
// report; and nothing gets through where that is much. One of the reports is JSON, with the same
// verdict.
func TestDoctorSandboxOnAnOlderKernel(t *testing.T) {
	t.Parallel()

	needWalls(t)

	args := []string{"doctor", "sandbox", "--engine", "forkserver", "--short", "--landlock-abi"}

	r := cli(t, append(args, "1")...)
	if r.code != exitDone || r.err != "" {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}

	says(t, "landlock of Linux 5.13", strings.Join(strings.Fields(r.out), " "), "1 is used; seccomp alone denies "+
		"emptying files, TCP,", "ok open-for-neither")
	fits(t, r.out)

	r = cli(t, append(args, "3", "--json")...)

	d := document[toolevo.SandboxReport](t, r.out)
	if r.code != exitDone || d.Verdict != "contained" || d.Contained != d.Of || d.Of != len(d.Attacks) || d.Of < 24 ||
		len(d.Breached) > 0 || !slices.Equal(d.Holds, attack.Walls()) || d.Engine.Engine != "forkserver" ||
		len(d.Others) > 0 {
		t.Errorf("exit %d, %+v", r.code, d)
	}

	if d.Landlock.ABI != min(3, confine.LandlockABI()) || d.Landlock.Machine != confine.LandlockABI() ||
		!slices.Contains(d.Landlock.LeftToSeccomp, "TCP") ||
		slices.Contains(d.Landlock.LeftToSeccomp, "emptying files") {
		t.Errorf("landlock %+v", d.Landlock)
	}

	if r := cli(t, append(args, "-1")...); r.code != exitUsage {
		t.Errorf("--landlock-abi -1: exit %d", r.code)
	}
}

// Without Landlock, files can be read. The report says which wall is missing, and what holds all
// the same.
func TestDoctorSandboxWithoutLandlock(t *testing.T) {
	t.Parallel()

	needWalls(t)

	args := []string{"doctor", "sandbox", "--engine", "forkserver", "--short", "--without", "landlock"}

	r := cli(t, args...)
	if r.code != exitBad {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}

	says(t, "without landlock", r.out, "without landlock", "landlock: left out", "!!  read-file", "GOT THROUGH", "did:",
		"missing: landlock", "holds:   network", "do:      use a machine with landlock")
	says(t, "without landlock", r.err, "attacks got through")
	fits(t, r.out)

	d := document[toolevo.SandboxReport](t, cli(t, append(args, "--json")...).out)
	for _, wall := range []string{attack.Network, attack.Processes, attack.Signals, attack.Kernel, attack.OtherCalls,
		attack.Resources} {
		if !slices.Contains(d.Holds, wall) {
			t.Errorf("%s does not hold: %+v", wall, d.Attacks)
		}
	}

	if d.Verdict != "breached" || !slices.Contains(d.Breached, attack.Files) || d.Walls["landlock"] == "" ||
		d.Walls["seccomp"] != "" {
		t.Errorf("%+v", d)
	}

	for _, f := range d.Attacks {
		if f.Name == "write-file" && !f.Contained {
			t.Errorf("without landlock: %+v", f)
		}
	}
}

func TestDoctorSandboxOfUnsafe(t *testing.T) {
	t.Parallel()

	needWalls(t)

	r := cli(t, "doctor", "sandbox", "--engine", "unsafe", "--short")
	if r.code != exitBad {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}

	says(t, "unsafe", r.out, "engine   unsafe python 3.", "!!  tcp-connect", "the host's TCP listener was reached",
		"!!  stay-behind", "name any other engine")
	fits(t, r.out)
}

func TestDoctorSandboxWithoutAnEngine(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]int{
		"--engine forkserver --python /nonexistent/python": exitGaveUp,
		"--engine docker":   exitUsage,
		"--without selinux": exitUsage,
		"--short now":       exitUsage,
	} {
		if r := cli(t, append([]string{"doctor", "sandbox"}, strings.Fields(args)...)...); r.code != want ||
			r.out != "" || strings.Contains(r.err, "interrupted") {
			t.Errorf("doctor sandbox %s: exit %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
}

func TestDoctorSandboxInterrupted(t *testing.T) {
	t.Parallel()

	needWalls(t)
	ctx, cancel := context.WithCancel(t.Context())
	var out, words bytes.Buffer
	a := on(&words)
	a.Out = writerFunc(func(p []byte) (int, error) {
		if strings.Contains(string(p), "ok  tcp-connect") {
			cancel()
		}
		return out.Write(p)
	})

	code := a.run(ctx, []string{"doctor", "sandbox", "--engine", "forkserver", "--short"})
	if code != exitInterrupted || strings.Contains(out.String(), "contained.") ||
		!strings.Contains(words.String(), "nothing is left behind") {
		t.Errorf("exit %d\n%s%s", code, &out, &words)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestSandboxText(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	writeFinding(&text, attack.Finding{
		Attack: attack.Attack{Name: "long", What: "x."},
		Seen:   strings.Repeat("word", 60) + " more",
	})
	writeFinding(&text, attack.Finding{
		Attack:    attack.Attack{Name: "ok"},
		Contained: true,
		Seen:      strings.Repeat("ä", 99),
	})
	fits(t, text.String())

	if !strings.Contains(text.String(), "…") ||
		strings.Count(strings.Join(strings.Fields(text.String()), ""), "word") != 60 {
		t.Errorf("%s", &text)
	}

	for _, test := range []struct {
		engine, missing string
		broken, want    string
	}{
		{engines.Bwrap, "", attack.Network, "(--engine forkserver)"},
		{engines.ForkServer, "", attack.Files, "(--engine bwrap)"},
		{engines.ForkServer, "landlock", attack.Files, "use a machine with landlock"},
		{engines.ForkServer, "landlock", attack.Resources, "report this"},
		{engines.Unsafe, "", attack.Files, "any other engine"},
	} {
		r := sandboxReport{Engine: sandbox.Stamp{Engine: test.engine}, Breached: []string{test.broken}}
		if test.missing != "" {
			r.Engine.Missing = []string{test.missing}
		}

		if got := r.advice(); !strings.Contains(got, test.want) {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
