package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The program of a test is a script, as pip does not care.
var script = []byte("#!/bin/sh\necho \"it runs: $1\"\n")

func written(t *testing.T, w wheel) []byte {
	t.Helper()

	var b bytes.Buffer
	if err := w.write(&b, script, []file{{"licences/a/LICENSE", 0o644, []byte("terms")}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWheelIsInstalled(t *testing.T) {
	python := os.Getenv("TOOLEVO_TEST_PYTHON")
	if python == "" {
		python = "python3"
	}

	if err := exec.Command(python, "-m", "pip", "--version").Run(); err != nil || runtime.GOARCH != "amd64" {
		t.Skip("no pip on an amd64 machine")
	}

	dir := t.TempDir()
	w := wheel{"0.1.0", targets[0].platforms}
	path := filepath.Join(dir, w.name())

	if err := os.WriteFile(path, written(t, w), 0o666); err != nil {
		t.Fatal(err)
	}

	out, err := exec.Command(python, "-m", "pip", "install", "--no-index", "--no-deps", "--ignore-installed",
		"--disable-pip-version-check", "--break-system-packages", "--prefix", filepath.Join(dir, "to"),
		path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	// Debian's pip puts another folder in between.
	programs, _ := filepath.Glob(filepath.Join(dir, "to", "*", "bin", "toolevo"))
	more, _ := filepath.Glob(filepath.Join(dir, "to", "bin", "toolevo"))

	if programs = append(programs, more...); len(programs) != 1 {
		t.Fatalf("pip installed %v: %s", programs, out)
	}

	if out, err := exec.Command(programs[0], "now").CombinedOutput(); err != nil || string(out) != "it runs: now\n" {
		t.Errorf("the installed program printed %q, error %v", out, err)
	}
}

func TestWheel(t *testing.T) {
	w := wheel{"0.1.0", "manylinux2014_x86_64.musllinux_1_1_x86_64"}
	data := written(t, w)

	if want := "toolevo-0.1.0-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl"; w.name() != want {
		t.Errorf("it is called %s, want %s", w.name(), want)
	}

	if !bytes.Equal(data, written(t, w)) {
		t.Error("the same files made another wheel")
	}

	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}

	record, err := z.Open("toolevo-0.1.0.dist-info/RECORD")
	if err != nil {
		t.Fatal(err)
	}

	var lines bytes.Buffer
	lines.ReadFrom(record)

	// printf '#!/bin/sh\necho "it runs: $1"\n' | openssl dgst -sha256 -binary | basenc --base64url
	line := "toolevo-0.1.0.data/scripts/toolevo,sha256=cbxDSoCu-XKJACUQ02H1_KNQK1JkPmIZkcIzlGgwfSs,29\n"
	if !strings.HasPrefix(lines.String(), line) || !strings.HasSuffix(lines.String(), "/RECORD,,\n") {
		t.Errorf("the record is\n%swant first\n%s", lines.String(), line)
	}

	// The upper half of a mode of Unix: a regular file (0o100000) that may be run (0o755).
	if got := z.File[0].ExternalAttrs >> 16; got != 0o100755 {
		t.Errorf("the program's mode is %o", got)
	}
}
