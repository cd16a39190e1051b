package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/cmd/internal/app"
	"toolevo/envs/console"
	remote "toolevo/envs/remote/bench"
	"toolevo/envs/remote/ordertest"
	"toolevo/envs/suite"
)

// Of examples whose tools run, and are not reset, those that change something are not solved.
func TestDemonstrateChangesNothing(t *testing.T) {
	t.Parallel()

	var changes []string

	orders := ordertest.New()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			changes = append(changes, r.URL.Path)
		}

		orders.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)

	data, dir := t.TempDir(), t.TempDir()

	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}

	// run runs a command of the suite and says whether it added examples.
	run := func(use string, args []string, options map[string]any) bool {
		t.Helper()

		for _, c := range (remote.Remote{}).Commands() {
			if !strings.HasPrefix(c.Use, use) {
				continue
			}

			for _, o := range c.Options {
				switch value := o.Value.(type) {
				case *string:
					if text, ok := options[o.Name].(string); ok {
						*value = text
					}
				case *[]string:
					*value, _ = options[o.Name].([]string)
				case *suite.Repeated:
					*value, _ = options[o.Name].(suite.Repeated)
				}
			}

			silent := &console.Program{Err: &console.Screen{W: io.Discard}}
			call := &suite.Call{Program: silent, Args: args}
			if err := c.Run(t.Context(), call); err != nil {
				t.Fatal(err)
			}
			return !call.NoExamples
		}

		t.Fatalf("no command %s", use)
		return false
	}

	run("tools import", nil, map[string]any{
		"data": data, "openapi": put("api.yaml", string(ordertest.Document)), "service": web.URL,
		"choose": suite.Repeated{"get_order", "add_note"}, "allow": []string{"add_note"},
	})

	add := `{"tool": "add_note", "args": {"order_id": 7, "text": "call"}}`
	get := `{"tool": "get_order", "args": {"order_id": 7}}`
	tasks := put("tasks.jsonl", `{"id": "a", "question": "A?", "answer": "x", "solution": [`+add+`]}
{"id": "b", "question": "B?", "after": [`+add[:len(add)-1]+`, "has": {}}], "solution": [`+get+`]}
{"id": "c", "question": "C?", "answer": "7", "solution": [`+get+`], "final": "{{1 /id}}"}
`)

	if run("tasks add", []string{put("train.jsonl",
		`{"id": "d", "question": "D?", "answer": "x"}`)}, map[string]any{"data": data}) {
		t.Error("tasks of another split are shown")
	}

	if !run("tasks add", []string{tasks}, map[string]any{"data": data, "split": suite.Examples}) {
		t.Error("examples are not shown")
	}

	if err := (&app.Host{}).Demonstrate(t.Context(), "remote", data); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(suite.DemonstrationsDir(data, "remote"), "tasks.yaml")

	shown, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(shown), "question: C?") ||
		strings.Count(string(shown), "question:") != 1 {
		t.Errorf("%s, %v", shown, err)
	}

	if len(changes) > 0 {
		t.Errorf("changed: %q", changes)
	}
}
