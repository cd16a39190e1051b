package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// page is what a program answers with at an address.
func page(t *testing.T, url string) string {
	t.Helper()

	reply, err := http.Get(url) //nolint:noctx // of this machine
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()

	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}

	if reply.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s\n%s", url, reply.Status, text)
	}
	return string(text)
}

// A folder of runs is shown whole: a collection with its trees and the prompts of its nodes, and an
// evaluation.
func TestView(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	for name, run := range map[string]string{"first": smallRun(t), "measured": smallEvaluation(t)} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(run)); err != nil {
			t.Fatal(err)
		}
	}

	s := startServing(t, nil, "view", dir)
	says(t, "/", page(t, s.url+"/"), `href="/first"`, `href="/measured"`, "finished", "collect", "eval")
	says(t, "/first", page(t, s.url+"/first"), "/first/easy-coffee-train-0000")
	says(t, "the tree", page(t, s.url+"/first/easy-coffee-train-0000/0"), "deprecated", "reflection", "learned", "★")
	says(t, "the prompt", page(t, s.url+"/-/prompt/first/easy-coffee-train-0000/0/1"),
		"A scripted policy reads no prompt", "LoadDB", "Observation:", "is deprecated")
	says(t, "/measured", page(t, s.url+"/measured"), "scripted:reader<br>p_s_in", " of ")

	if out, said := s.interrupt(); out != "" || !strings.Contains(said, "Ctrl-C") {
		t.Errorf("%q\n%s", out, said)
	}
}

func TestViewIntoAFile(t *testing.T) {
	t.Parallel()

	file := filepath.Join(t.TempDir(), "all.html")

	r := cli(t, "view", smallRun(t), "--out", file)
	if r.code != exitDone {
		t.Fatal(r.err)
	}

	says(t, "view --out", r.err, file, "MB")

	if text := string(read(t, file)); !strings.HasPrefix(text, "<!doctype html>") ||
		!strings.Contains(text, "easy-coffee-train-0000") || strings.Contains(text, "hx-get") {
		t.Error("the file is not whole by itself")
	}
}

func TestViewMistakes(t *testing.T) {
	t.Parallel()

	none := filepath.Join(t.TempDir(), "none")
	fails(t, exitUsage, []string{"this machine only", "ssh"}, "view", "--listen", "0.0.0.0:8765")
	fails(t, exitUsage, []string{"HOST:PORT"}, "view", "--listen", "8765x")
	fails(t, exitUsage, []string{none}, "view", none)
	fails(t, exitUsage, []string{"not a run directory"}, "view", t.TempDir())

	fails(t, exitUsage, []string{"is a folder", "page.html"}, "view", smallRun(t), "--out", t.TempDir())

	other := startServing(t, nil, "view", smallRun(t))
	taken := strings.TrimPrefix(other.url, "http://")
	fails(t, exitGaveUp, []string{"--listen"}, "view", smallRun(t), "--listen", taken)
	other.interrupt()
}
