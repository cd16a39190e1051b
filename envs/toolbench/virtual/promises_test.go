package virtual_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/kept"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// serving returns a backend that answers with a body.
func serving(t *testing.T, answer http.HandlerFunc) *virtual.Backend {
	t.Helper()

	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)

	b, err := virtual.NewBackend(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The table of a call in the package comment, row by row: who answers, what is kept, and what is
// counted.
func TestRowsOfACall(t *testing.T) {
	t.Parallel()

	real := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Content-Type") != "application/json" || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusUnsupportedMediaType)
		}

		_, _ = w.Write([]byte(`{"error": "", "response": "real"}`))
	})
	gone := serving(t,
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	down := &writer{write: func(int64, string, string) (string, error) { return "", errors.New("down") }}
	good, bad := saying(`{"response": "made"}`), saying(`{"error": "no", "response": ""}`)
	model := func(w *writer) *virtual.Model { return virtual.NewModel(w, "m", virtual.SFT) }

	for _, tt := range []struct {
		name    string
		options virtual.Options
		from    virtual.Provenance // "" is a failure
		maker   string
		kept    bool
		tally   virtual.Tally // of the first call
	}{
		{"real", virtual.Options{Backend: real, Model: model(down)}, virtual.Real, "real", true,
			virtual.Tally{Real: 1}},
		{"script", virtual.Options{}, virtual.Scripted, "", true, virtual.Tally{Scripted: 1}},
		{"script for a backend", virtual.Options{Backend: gone}, virtual.Scripted, "", true,
			virtual.Tally{Scripted: 1, RealRefused: 1}},
		{"model", virtual.Options{Model: model(good)}, virtual.Simulated, "sft m", true,
			virtual.Tally{Simulated: 1}},
		{"model that fails", virtual.Options{Model: model(bad)}, virtual.Simulated, "sft m", false,
			virtual.Tally{Simulated: 1, Unkept: 1}},
		{"unreadable", virtual.Options{Model: model(saying("hm"))}, "", "", false,
			virtual.Tally{Spoilt: 3, Failed: 1}},
		{"down", virtual.Options{Model: model(down), Backend: gone}, "", "", false,
			virtual.Tally{Failed: 1, RealRefused: 1}},
	} {
		path := filepath.Join(t.TempDir(), "cache.db")
		tt.options.Cache = openCacheAt(t, path)
		a := virtual.New(tt.options)

		before := time.Now().Add(-time.Second)
		answer, from, err := a.Answer(t.Context(), "p_c", forecast, bern())

		if (err != nil) != (tt.from == "") || from != tt.from || answer.Maker != tt.maker ||
			a.Tally() != tt.tally {
			t.Errorf("%s: %+v from %q (%v), counted %+v", tt.name, answer, from, err, a.Tally())
		}

		kept := 0
		for e, err := range tt.options.Cache.All(t.Context()) {
			kept++

			if err != nil || e.Provenance != tt.from || e.Answer.Maker != tt.maker ||
				e.Version != "p_c" ||
				e.Answer.Text() != answer.Text() || e.Key() != virtual.NewCall("p_c", forecast.Key,
				bern()).Key() {
				t.Errorf("%s: kept is %+v (%v)", tt.name, e, err)
			}
		}

		if (kept == 1) != tt.kept {
			t.Errorf("%s: %d answers are kept", tt.name, kept)
		}

		if !tt.kept {
			continue
		}

		// Who asks another way gets the same answer, and it is known when it was made, and of what.
		if again, err := a.Before(gone).Under("p_c").Simulate(t.Context(), forecast,
			bern()); err != nil ||
			again.Text() != answer.Text() || a.Tally().Replayed != 1 {
			t.Errorf("%s: again %+v (%v), counted %+v", tt.name, again, err, a.Tally())
		}

		document, made := columns(t, path)
		if at := time.UnixMilli(made); len(document) != 16 || at.Before(before) ||
			at.After(time.Now()) {
			t.Errorf("%s: made of %q at %v", tt.name, document, at)
		}
	}
}

// columns returns what a cache says of its first entry beside the answer.
func columns(t *testing.T, path string) (document string, made int64) {
	t.Helper()

	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	if err := db.QueryRow(`SELECT document, made FROM entries`).Scan(&document, &made); err != nil {
		t.Fatal(err)
	}
	return document, made
}

// What a backend cannot say in time and whole is nothing worth keeping, and no failure.
func TestBackendLimits(t *testing.T) {
	t.Parallel()

	of := func(size int) http.HandlerFunc {
		frame := len(`{"response": ""}`)
		return func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"response": %q}`, strings.Repeat("a", size-frame))
		}
	}

	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		ok     bool
	}{
		"small":     {of(100), true},
		"one more":  {of(4<<20 + 1), false},
		"no object": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[1]`)) }, false},
		"no answer": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"a": 1}`)) }, false},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte(`{`))
		}, false},
		"cut object": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte(`{"response": "a"}`))
		}, false},
	} {
		call := virtual.NewCall("p_c", forecast.Key, nil)
		if _, ok := serving(t, tt.answer).Ask(t.Context(), call); ok != tt.ok {
			t.Errorf("%s: %v", name, ok)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if _, ok := serving(t, of(100)).Ask(ctx, virtual.NewCall("p_c", forecast.Key, nil)); ok {
		t.Error("a call that is called off is answered")
	}

	for address, ok := range map[string]bool{
		"http://localhost:8081/virtual": true, "https://example.org": true, "ftp://example.org": false,
		"http://":      false,
		"http://:8081": false, "localhost": false, "http://a b": false, "": false, "http://[::1": false,
	} {
		if _, err := virtual.NewBackend(address, ""); (err == nil) != ok {
			t.Errorf("the backend %q: %v", address, err)
		}
	}
}

// A cache that cannot be read is a failure of ours, whatever is asked of it, and no answer.
func TestUnreadableCache(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "cache.db")
	call := virtual.NewCall("p_c", forecast.Key, bern())
	entry := virtual.Entry{Call: call, Answer: toolbench.Answer{Response: "sun"},
		Provenance: virtual.Real}

	open := func() *virtual.Cache {
		c, err := virtual.OpenCache(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}

	c := open()
	if err := c.Put(t.Context(), entry); err != nil {
		t.Fatal(err)
	}

	all := func(c *virtual.Cache) error {
		for e, err := range c.All(t.Context()) {
			if err != nil {
				return err
			}

			if e.Answer.Response != "sun" {
				t.Errorf("there is %+v", e)
			}
		}
		return nil
	}
	uses := map[string]func(c *virtual.Cache) error{
		"get": func(c *virtual.Cache) error { _, _, err := c.Get(t.Context(), call); return err },
		"all": all,
		"examples": func(c *virtual.Cache) error {
			_, err := c.Examples(t.Context(), forecast.Key)
			return err
		},
		"answer": func(c *virtual.Cache) error {
			_, _, err := virtual.New(virtual.Options{Cache: c}).Answer(t.Context(), "p_c", forecast,
				bern())
			return err
		},
		"few shots": func(c *virtual.Cache) error {
			m := virtual.NewModel(saying(`{"response": "sun"}`), "m", virtual.FewShot)
			_, _, err := virtual.New(virtual.Options{Cache: c, Model: m}).Answer(t.Context(),
				"other", forecast, bern())
			return err
		},
	}

	for name, use := range uses {
		if err := use(c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	uses["put"] = func(c *virtual.Cache) error { return c.Put(t.Context(), entry) }
	uses["keep"] = func(c *virtual.Cache) error {
		_, err := c.Keep(t.Context(), []virtual.Entry{entry})
		return err
	}

	for name, use := range uses {
		err := use(c)
		if stage, _ := envs.FailedStage(err); stage != envs.StageTool {
			t.Errorf("%s of a closed cache: %v", name, err)
		}
	}

	delete(uses, "put")
	delete(uses, "keep")

	// Each change of what is kept is found.
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	for _, change := range []string{
		`UPDATE entries SET response = '"rain"'`, `UPDATE entries SET response = '"su'`, `UPDATE entries SET hash = hash + 1`,
	} {
		if _, err := db.Exec(`CREATE TABLE saved AS SELECT * FROM entries; ` + change); err != nil {
			t.Fatal(err)
		}

		c := open()
		for name, use := range uses {
			if err := use(c); !errors.Is(err, disk.ErrDamaged) {
				t.Errorf("%s after %s: %v", name, change, err)
			}
		}

		if err := c.Close(); err != nil {
			t.Fatal(err)
		}

		if _, err := db.Exec(`DELETE FROM entries; INSERT INTO entries SELECT * FROM saved; DROP TABLE saved`); err != nil {
			t.Fatal(err)
		}
	}

	if _, err := db.Exec(`UPDATE entries SET args = '{'`); err != nil {
		t.Fatal(err)
	}

	c = open()
	defer c.Close()

	if err := all(c); !errors.Is(err, disk.ErrDamaged) {
		t.Errorf("arguments that are cut off: %v", err)
	}
}

// Files of others are told apart from a cache, and left alone.
func TestForeignCaches(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()

	for name, statement := range map[string]string{
		"another program's": `CREATE TABLE t (x)`,
		"another format's":  `CREATE TABLE t (x); PRAGMA application_id = 1952806499; PRAGMA user_version = 2`,
		"half of one":       `CREATE TABLE t (x); PRAGMA user_version = 1`,
	} {
		path := filepath.Join(dir, name)

		db, err := sql.Open("sqlite3", path)
		if err != nil {
			t.Fatal(err)
		}

		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}

		if err := db.Close(); err != nil {
			t.Fatal(err)
		}

		c, err := virtual.OpenCache(t.Context(), path)

		_, ofFormat := errors.AsType[*disk.FormatError](err)
		if ofFormat != (name == "another format's") || ofFormat == errors.Is(err, disk.ErrDamaged) {
			t.Errorf("%s file is opened as %v (%v)", name, c, err)
		}
	}

	if c, err := virtual.OpenCache(t.Context(), filepath.Join(dir, "no", "folder")); err == nil {
		t.Errorf("a file in no folder is opened as %v", c)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if c, err := virtual.OpenCache(ctx, filepath.Join(dir, "cancelled")); !errors.Is(err,
		context.Canceled) {
		t.Errorf("opening is called off: %v, %v", c, err)
	}
}

// A model is told apart from others by its name, its mode, and what it is told.
func TestIdentity(t *testing.T) {
	t.Parallel()

	seen := map[string]bool{}

	for _, mode := range []virtual.Mode{virtual.SFT, virtual.CoT, virtual.FewShot} {
		for _, name := range []string{"a", "b"} {
			m := virtual.NewModel(saying(), name, mode)
			if m.Name() != string(mode)+" "+name || !strings.HasPrefix(m.Identity(),
				m.Name()+" ") ||
				len(m.Identity()) != len(m.Name())+17 {
				t.Errorf("%s is %s", m.Name(), m.Identity())
			}

			seen[m.Identity()] = true
			seen[m.Identity()[len(m.Name()):]] = true

			if text := mode.Instructions(kept.Prompts{}); text == "" || strings.TrimSpace(text) != text {
				t.Errorf("%s is told %q", mode, text)
			}
		}
	}

	if len(seen) != 9 { // six models, three instructions
		t.Errorf("the identities are %v", seen)
	}

	// Without a cache there are no examples.
	a := virtual.New(virtual.Options{Model: virtual.NewModel(saying(`{"response": "sun"}`), "m",
		virtual.FewShot)})
	if text, _ := ask(t, a, "p_c", bern()); !strings.Contains(text, "sun") {
		t.Errorf("the answer is %s", text)
	}
}

// A published cache is read in the order of its files' names, all or nothing.
func TestImportOrder(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()

		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	write("Sky/b_for_Sky/x.json", `{"{}": {"error": "", "response": "b"}}`)
	write("Sky/a_for_Sky/x.json",
		`{"{}": {"error": "", "response": "a"}, "{'n': 1}": {"error": "no", "response": ""}}`)

	path := filepath.Join(t.TempDir(), "cache.db")
	c := openCacheAt(t, path)

	done, err := c.Import(t.Context(), dir, "p_c")
	if err != nil || done.Files != 2 || done.Added != 2 || done.Known != 0 ||
		len(done.Rejected) != 1 {
		t.Errorf("%+v (%v)", done, err)
	}

	var got []string
	for e, err := range c.All(t.Context()) {
		got = append(got, fmt.Sprint(e.API.Tool, " ", e.Answer.Response, " ", e.Provenance, err))
	}

	if want := "a a replayed<nil>, b b replayed<nil>"; strings.Join(got, ", ") != want {
		t.Errorf("there are %v", got)
	}

	// What has no time is made now, and what has one keeps it.
	if _, made := columns(t, path); time.Since(time.UnixMilli(made)).Abs() > time.Hour {
		t.Errorf("the first is made at %v", time.UnixMilli(made))
	}

	old := filepath.Join(t.TempDir(), "cache.db")
	entry := virtual.Entry{
		Call: virtual.NewCall("p_c", forecast.Key, nil), Answer: toolbench.Answer{Response: "sun"},
		Provenance: virtual.Real, Made: time.UnixMilli(1000),
	}

	if _, err := openCacheAt(t, old).Keep(t.Context(), []virtual.Entry{entry}); err != nil {
		t.Fatal(err)
	}

	if _, made := columns(t, old); made != 1000 {
		t.Errorf("an entry of the first second is made at %d", made)
	}

	if done, err := c.Import(t.Context(), dir, "p_c"); err != nil || done.Added != 0 ||
		done.Known != 2 {
		t.Errorf("again: %+v (%v)", done, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if done, err := c.Import(ctx, dir, "p_c"); !errors.Is(err, context.Canceled) {
		t.Errorf("what is called off: %+v (%v)", done, err)
	}

	for text, want := range map[string]string{
		`[1]`: "want an object of answers", `{"{}": {"respons`: "is not JSON", `{"{": {}}`: "entry 1: the arguments",
		`{"[1]": {}}`: "are not a dictionary", `{"{}": 1}`: "entry 1: the answer is not an object", `{"{}": {}}`: "has no response",
	} {
		write("Sky/c_for_Sky/x.json", text)

		if done, err := c.Import(t.Context(), dir, "other"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v (%v), want %s", text, done, err, want)
		}
	}

	if err := os.Remove(filepath.Join(dir, "Sky/c_for_Sky/x.json")); err != nil {
		t.Fatal(err)
	}

	if err := os.Symlink(filepath.Join(dir, "nowhere"),
		filepath.Join(dir, "Sky/c_for_Sky/x.json")); err != nil {
		t.Fatal(err)
	}

	if done, err := c.Import(t.Context(), dir, "other"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that cannot be read: %+v (%v)", done, err)
	}

	if n, err := c.Count(t.Context()); n != 2 || err != nil {
		t.Errorf("there are %d (%v)", n, err)
	}
}
