package bench

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/console"
	"toolevo/envs/keeper"
	"toolevo/envs/remote/ordertest"
	"toolevo/envs/remote/remotetest"
	"toolevo/envs/suite"
)

func TestMain(m *testing.M) {
	keeper.Main() // this binary stands between itself and the servers that it starts
	remotetest.Main()

	if len(os.Args) == 3 && os.Args[1] == "serve-orders" {
		fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[2], ordertest.New()))
		os.Exit(1)
	}

	m.Run()
}

// orders is a data folder with the operations of the order service, and tasks.
func orders(t *testing.T) string {
	t.Helper()

	data, dir := t.TempDir(), t.TempDir()

	document, tasks := filepath.Join(dir, "api.yaml"), filepath.Join(dir, "tasks.jsonl")
	if err := os.WriteFile(document, ordertest.Document, 0o600); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(tasks, ordertest.Tasks, 0o600); err != nil {
		t.Fatal(err)
	}

	i := importing{data: data, document: document, ready: "/health", describe: 256}

	command := []string{remotetest.Command(t)[0], "serve-orders", "{address}"}
	if _, err := i.run(t.Context(), command); err != nil {
		t.Fatal(err)
	}

	if _, err := (Remote{}).addTasks(data, "test", matchStrict, tasks); err != nil {
		t.Fatal(err)
	}
	return data
}

// library is a data folder with the tools of the library, and tasks.
func library(t *testing.T, change func(*importing)) string {
	t.Helper()

	data := t.TempDir()
	i := importing{data: data, describe: 256}

	if change != nil {
		change(&i)
	}

	if _, err := i.run(t.Context(), remotetest.Command(t)); err != nil {
		t.Fatal(err)
	}

	for split := range remotetest.Tasks {
		tasks := remotetest.WriteTasks(t, t.TempDir(), split)
		if _, err := (Remote{}).addTasks(data, split, matchStrict, tasks); err != nil {
			t.Fatal(err)
		}
	}

	return data
}

// open opens a split of a data folder.
func open(t *testing.T, data, split string) *opened {
	t.Helper()
	return openWith(t, data, split, nil)
}

// openWith opens a split of a data folder, where models can be asked.
func openWith(
	t *testing.T, data, split string, models func(string, suite.WriterOptions) (suite.Writer, error),
) *opened {
	t.Helper()

	s, err := Remote{}.Open(t.Context(), suite.Choice{Data: data, Split: split, Prompt: base, Writer: models})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})

	return s.(*opened)
}

// change replaces a text in a file of the data folder.
func change(t *testing.T, path, from, to string) {
	t.Helper()

	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %q: %v", filepath.Base(path), from, err)
	}

	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), from, to)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// steps is progress that nobody sees.
func steps() *console.Steps { return &console.Steps{} }

// said is what an error says, "" of none.
func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
