package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/trajectories/export"
)

// Of a run under versions that refuse nothing an export can ask for what noticed: who trusts every
// answer is wrong there.
func TestExportDetection(t *testing.T) {
	t.Parallel()

	run, out := uninterrupted["subtle"](t), t.TempDir()
	exported := func(name string, more ...string) export.Manifest {
		args := []string{"export", run, "--out", filepath.Join(out, name), "--allow-scripted", "--json"}
		return document[export.Manifest](t, must(t, append(args, more...)...))
	}

	all, noticed := exported("all"), exported("noticed", "--require-detection")

	if d := all.Selected.Dropped; all.Rows == 0 || d.Blind+d.NoDetection > 0 {
		t.Errorf("%d rows, left out: %+v", all.Rows, d)
	}

	documents := exported("documents", "--require-detection", "--format", "atif")
	if d := documents.Selected.Dropped; d.NoDetection != noticed.Selected.Dropped.NoDetection {
		t.Errorf("of documents %+v are left out, of samples %+v", d, noticed.Selected.Dropped)
	}

	if d := noticed.Selected.Dropped; noticed.Rows == 0 || d.NoDetection == 0 || noticed.Rows >= all.Rows {
		t.Errorf("%d of %d rows, left out: %+v", noticed.Rows, all.Rows, d)
	}
}

// Where the Python of a run is gone nothing says what noticed: the export says so, and leaves what
// its folder has.
func TestExportDetectionWithoutAnEngine(t *testing.T) {
	t.Parallel()

	var words bytes.Buffer
	a := on(&words)
	a.open = func(context.Context, engines.Options) (sandbox.Engine, error) {
		return nil, errors.New("no such Python")
	}

	run, out := uninterrupted["subtle"](t), filepath.Join(t.TempDir(), "noticed")
	must(t, "export", run, "--out", out, "--allow-scripted")
	before := read(t, filepath.Join(out, export.ManifestFile))

	code := a.run(t.Context(), []string{"export", run, "--out", out, "--allow-scripted",
		"--require-detection"})
	if code != exitGaveUp {
		t.Errorf("exit %d", code)
	}

	says(t, "export", words.String(), "no such Python")

	if n := strings.Count(words.String(), "no such Python"); n != 1 {
		t.Errorf("it says so %d times:\n%s", n, words.String())
	}

	if !bytes.Equal(before, read(t, filepath.Join(out, export.ManifestFile))) {
		t.Error("the earlier export is gone")
	}
}
