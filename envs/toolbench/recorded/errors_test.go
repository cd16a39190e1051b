package recorded

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// A file that is not what it should be is an error that names the file and the entry; none is
// passed over.
func TestReadErrors(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "calls.jsonl")
	if calls, err := Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there has %d calls (%v)", len(calls), err)
	}

	const good = `{"category": "c", "tool_name": "t", "api_name": "a", "response": 1}` + "\n"

	for line, want := range map[string]string{
		`{"category": "c", "tool_name": "t"}`:                                          "api_name is missing",
		`{"category": "c", "api_name": "a"}`:                                           "tool_name is missing",
		`{"category": "c", "tool_name": "t", "api_name": "a", "error": NaN}`:           "invalid character",
		`{"category": "c", "tool_name": "t", "api_name": "a", "tool_input": "{"}`:      "tool_input",
		`{"category": "c", "tool_name": "t", "api_name": "a", "tool_input": "\ud800"}`: "half a character",
		`[]`: "is missing",
	} {
		if err := os.WriteFile(path, []byte(good+good+line), 0o600); err != nil {
			t.Fatal(err)
		}

		calls, err := Read(path)
		if err == nil || !strings.Contains(err.Error(), path+": call 3: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s has %d calls (%v), want %s", line, len(calls), err, want)
		}
	}
}

// Arguments are an object, or a text that holds one; nothing is none.
func TestInput(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "calls.jsonl")

	for input, want := range map[string]string{
		``: `{}`, `"tool_input": "", `: `{}`, `"tool_input": " \n", `: `{}`, `"tool_input": {}, `: `{}`,
		`"tool_input": {"a": 1}, `: `{"a": 1}`, `"tool_input": "{\"a\": 1}", `: `{"a": 1}`,
	} {
		line := `{"category": "c", "tool_name": "t", "api_name": "a", ` + input + `"response": 1}`
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}

		calls, err := Read(path)
		if err != nil || len(calls) != 1 {
			t.Fatalf("%s: %d calls (%v)", line, len(calls), err)
		}

		if got := pytext.JSON(calls[0].Input); got != want {
			t.Errorf("%s has the input %s", line, got)
		}
	}
}

// Requests are equal where the API and the arguments are, and those of an API begin alike.
func TestRequests(t *testing.T) {
	t.Parallel()

	call := func(tool string, args ...envs.Arg) *Call {
		return &Call{Key: toolbench.Key{Category: "c", Tool: tool, API: "a"}, Input: args}
	}
	a, b := envs.Arg{Name: "a", Value: "1"}, envs.Arg{Name: "b", Value: "2"}

	first := call("t", a, b).Request()
	if first != call("T", b, a).Request() || first == call("t", a).Request() ||
		first == call("u", a, b).Request() {
		t.Errorf("the request is %s", first)
	}

	if api, _, _ := strings.Cut(first, " "); !strings.HasPrefix(call("t").Request(), api+" ") ||
		strings.HasPrefix(call("u").Request(), api+" ") {
		t.Errorf("requests of an API begin with %s", api)
	}
}

// Documents are found by what requests call them; of two that requests cannot tell apart there is
// the first.
func TestDocuments(t *testing.T) {
	t.Parallel()

	c := &toolbench.Collection{Documents: []toolbench.Document{
		{Key: toolbench.Key{Category: "c", Tool: "T T", API: "a"}},
		{Key: toolbench.Key{Category: "c", Tool: "t_t", API: "a"}},
		{Key: toolbench.Key{Category: "c", Tool: "t_t", API: "b"}},
	}}
	d := NewDocuments(c)

	if all := d.All(); !slices.Equal(all, []*toolbench.Document{&c.Documents[0], &c.Documents[2]}) {
		t.Errorf("there are %v", all)
	}

	var none *Documents
	if all := none.All(); all != nil {
		t.Errorf("of none there are %v", all)
	}

	found, err := (&Call{Key: c.Documents[1].Key}).Find(d)
	if err != nil || found != &c.Documents[0] {
		t.Errorf("found is %v (%v)", found, err)
	}

	if found, err := (&Call{Key: toolbench.Key{Category: "c", Tool: "u",
		API: "a"}}).Find(d); err == nil {
		t.Errorf("a document that is not there is %v", found)
	}
}

// A cache that is none, or that is damaged, is an error, and no calls.
func TestReadCacheErrors(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "cache.db")
	if err := os.WriteFile(path, []byte("no database at all, but a text that is long enough"),
		0o600); err != nil {
		t.Fatal(err)
	}

	if calls, _, err := ReadCache(t.Context(), path); !errors.Is(err, disk.ErrDamaged) {
		t.Errorf("a text has %d calls (%v)", len(calls), err)
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}

	c, err := virtual.OpenCache(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	err = errors.Join(c.Put(t.Context(), virtual.Entry{
		Call: virtual.NewCall("p_c", toolbench.Key{Category: "c", Tool: "t", API: "a"},
			nil), Provenance: virtual.Real,
	}), c.Close())
	if err != nil {
		t.Fatal(err)
	}

	if calls, _, err := ReadCache(t.Context(), path); err != nil || len(calls) != 1 {
		t.Fatalf("%d calls (%v)", len(calls), err)
	}

	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	if _, err := db.Exec(`UPDATE entries SET response = '1'`); err != nil {
		t.Fatal(err)
	}

	if calls, _, err := ReadCache(t.Context(), path); !errors.Is(err, disk.ErrDamaged) {
		t.Errorf("a damaged cache has %d calls (%v)", len(calls), err)
	}
}
