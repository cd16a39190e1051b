package virtual_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/sqlite"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// openCache opens a new cache until the test ends.
func openCache(t testing.TB) *virtual.Cache {
	t.Helper()
	return openCacheAt(t, filepath.Join(t.TempDir(), "cache.db"))
}

func openCacheAt(t testing.TB, path string) *virtual.Cache {
	t.Helper()

	c, err := virtual.OpenCache(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})

	return c
}

func arg(name string, value any) envs.Arg { return envs.Arg{Name: name, Value: value} }

// Calls that mean the same have the same key, and no others.
func TestKeys(t *testing.T) {
	t.Parallel()

	number := func(text string) any { return envs.Number(text) }
	first := virtual.NewCall("p_c", forecast.Key, envs.Args{
		arg("city", "Bern"), arg("at", envs.Args{arg("lat", number("3")), arg("lon", number("1.5"))}),
	})
	again := virtual.NewCall("p_c", toolbench.Key{Category: "Weather", Tool: "sky", API: "forecast"}, envs.Args{
		arg("at", envs.Args{arg("lon", number("15e-1")), arg("lat", number("3.0"))}), arg("city", "Bern"),
	})

	if first.Key() != again.Key() {
		t.Error("the order of arguments, the spelling of numbers and names makes another call")
	}

	for name, other := range map[string]virtual.Call{
		"version":  virtual.NewCall("p_s_in", forecast.Key, first.Args),
		"api":      virtual.NewCall("p_c", toolbench.Key{Category: "Weather", Tool: "Sky", API: "Rain"}, first.Args),
		"category": virtual.NewCall("p_c", toolbench.Key{Category: "Sky", Tool: "Sky", API: "Forecast"}, first.Args),
		"value":    virtual.NewCall("p_c", forecast.Key, envs.Args{arg("city", "Basel")}),
		"type":     virtual.NewCall("p_c", forecast.Key, envs.Args{arg("city", "Bern"), arg("at", "3")}),
		"nothing":  virtual.NewCall("p_c", forecast.Key, nil),
	} {
		if other.Key() == first.Key() {
			t.Errorf("another %s is the same call", name)
		}
	}

	long := func(text string) string {
		return virtual.NewCall("p_c", forecast.Key, envs.Args{arg("n", number(text))}).Key()
	}
	if long("9007199254740993") == long("9007199254740992") || long("-0") != long("0") {
		t.Error("numbers are told apart by what a float keeps of them")
	}
}

// What was put is there after the file is opened again, the first answer stays, and examples are
// the first calls.
func TestCache(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "a ?%#", "cache.db")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}

	call := virtual.NewCall("p_c", forecast.Key, bern())

	c, err := virtual.OpenCache(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	for _, response := range []any{envs.Args{arg("sun", envs.Number("2.50"))}, "rain"} {
		e := virtual.Entry{
			Call: call, Provenance: virtual.Simulated, Answer: toolbench.Answer{Response: response, Maker: "sft m"},
		}
		if err := c.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}

	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	c = openCacheAt(t, path)

	e, ok, err := c.Get(t.Context(), call)
	if err != nil || !ok || e.Answer.Text() != `{"error": "", "response": {"sun": 2.50}}` ||
		e.Provenance != virtual.Simulated || e.Answer.Maker != "sft m" {
		t.Errorf("got %+v, %v (%v)", e, ok, err)
	}

	if _, ok, err := c.Get(t.Context(), virtual.NewCall("p_s", forecast.Key, bern())); ok || err != nil {
		t.Errorf("another version has the answer: %v (%v)", ok, err)
	}

	examples, err := c.Examples(t.Context(), forecast.Key)
	if err != nil || len(examples) != 1 || cmp.Diff(bern(), examples[0].Args) != "" {
		t.Errorf("the examples are %v (%v)", examples, err)
	}
}

func TestOpenCacheRefuses(t *testing.T) {
	t.Parallel()

	folder := t.TempDir()
	text := filepath.Join(folder, "text")

	if err := os.WriteFile(text, []byte(strings.Repeat("no database, ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := virtual.OpenCache(t.Context(), text); !errors.Is(err, disk.ErrDamaged) ||
		!strings.Contains(err.Error(), text) {
		t.Errorf("a text file is opened: %v", err)
	}

	if _, err := virtual.OpenCache(t.Context(), filepath.Join(folder, "none", "cache.db")); err == nil {
		t.Error("a cache in a folder that is not there is opened")
	}
}

// A file of another program is refused, and stays as it is, with all that stands beside it.
func TestOpenCacheLeavesOthersAlone(t *testing.T) {
	t.Parallel()

	for name, statements := range map[string][]string{
		"tables":              {`CREATE TABLE bookmarks (a)`},
		"a log":               {`PRAGMA journal_mode = WAL`, `CREATE TABLE bookmarks (a)`},
		"another application": {`PRAGMA application_id = 252006674`},
		"our names":           {`CREATE TABLE entries (key TEXT)`, `PRAGMA user_version = 1`},
		"a transaction":       {`CREATE TABLE bookmarks (a)`, `BEGIN IMMEDIATE`, `INSERT INTO bookmarks VALUES (1)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			path := filepath.Join(dir, "places.sqlite")

			db, err := sql.Open("sqlite3", sqlite.Address(path, ""))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()

			db.SetMaxOpenConns(1)

			for _, s := range statements {
				if _, err := db.Exec(s); err != nil {
					t.Fatal(s, err)
				}
			}

			before := filesIn(t, dir)

			if _, err := virtual.OpenCache(t.Context(), path); !errors.Is(err, disk.ErrDamaged) {
				t.Errorf("it is opened: %v", err)
			}

			if diff := cmp.Diff(before, filesIn(t, dir)); diff != "" {
				t.Errorf("it was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// filesIn returns what the files of a folder hold.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()

	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}

	all := map[string]string{}

	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		all[path] = string(text)
	}
	return all
}

// A cache whose bytes have changed says so, whichever bytes they are: it is not opened, or an
// answer is refused.
func TestBrokenCache(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "cache.db")

	c, err := virtual.OpenCache(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	call := virtual.NewCall("p_c", forecast.Key, bern())
	sunny := virtual.Entry{Call: call, Answer: toolbench.Answer{Response: "a sunny day"}, Provenance: virtual.Simulated}

	if err := errors.Join(c.Put(t.Context(), sunny), c.Close()); err != nil {
		t.Fatal(err)
	}

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	changed := strings.Replace(string(text), "a sunny day", "a rainy day", 1)
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}

	_, _, err = openCacheAt(t, path).Get(t.Context(), call)
	if !errors.Is(err, disk.ErrDamaged) || !strings.Contains(err.Error(), "Weather/sky/forecast") {
		t.Errorf("a changed answer is read: %v", err)
	}

	if err := os.WriteFile(path, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := virtual.OpenCache(t.Context(), path); !errors.Is(err, disk.ErrDamaged) {
		t.Errorf("half a cache is opened: %v", err)
	}
}

// published writes files of a published cache.
func published(t *testing.T, files map[string]string) (folder string) {
	t.Helper()

	folder = t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// A published cache answers calls; its failures and what it says twice are left out.
func TestImport(t *testing.T) {
	t.Parallel()

	folder := published(t, map[string]string{
		"Weather/sky_for_Weather/forecast.json": `{"{'city': 'Bern'}": {"error": "", "response": "sunny"},
			"{'days': 2, 'city': \"L'Orient\"}": {"error": "", "response": {"sun": true}},
			"{'city': \"L'Orient\", 'days': 2.0}": {"error": "", "response": {"sun": false}},
			"{}": {"error": "Failed to generate fake response", "response": ""}}`,
		"News_Media/tv_for_News_Media/is_id.json": `{"{}": {"error": "", "response": "404 Not Found"}}`,
	})
	c := openCache(t)

	got, err := c.Import(t.Context(), folder, "p_c")

	want := virtual.Imported{Files: 2, Added: 2, Known: 1, Rejected: map[string]int{"error": 1, "server status": 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("(%v)\n%s", err, diff)
	}

	e, ok, err := c.Get(t.Context(), virtual.NewCall("p_c", forecast.Key,
		envs.Args{arg("city", "L'Orient"), arg("days", envs.Number("2"))}))
	if err != nil || !ok || e.Answer.Text() != `{"error": "", "response": {"sun": true}}` ||
		e.Provenance != virtual.Replayed {
		t.Errorf("got %+v, %v (%v)", e, ok, err)
	}
}

// Published files spell arguments as clients do, and calls as documents do. An answer to the very
// call has precedence.
func TestImportMeetsCalls(t *testing.T) {
	t.Parallel()

	folder := published(t, map[string]string{
		"Weather/sky_for_Weather/forecast.json": `{
			"{'is_id': '7'}": {"error": "", "response": "seven"},
			"{'matchid': 1, 'is_from': {'Id': 2}}": {"error": "", "response": "a match"},
			"{'startdate': 1}": {"error": "", "response": "one date"}}`,
	})
	c := openCache(t)

	if _, err := c.Import(t.Context(), folder, "p_c"); err != nil {
		t.Fatal(err)
	}

	own := virtual.Entry{
		Call:   virtual.NewCall("p_c", forecast.Key, envs.Args{arg("Is_Id", "7")}),
		Answer: toolbench.Answer{Response: "its own"}, Provenance: virtual.Simulated,
	}
	if err := c.Put(t.Context(), own); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		args envs.Args
		want string // "" is nothing
	}{
		{envs.Args{arg("id", "7")}, "seven"},
		{envs.Args{arg("is_id", "7")}, "seven"},
		{envs.Args{arg("Is_Id", "7")}, "its own"},
		{envs.Args{arg("id", "8")}, ""},
		{envs.Args{arg("from", envs.Args{arg("Id", envs.Number("2"))}),
			arg("matchId", envs.Number("1"))}, "a match"},
		{envs.Args{arg("startDate", envs.Number("1"))}, "one date"},
		{envs.Args{arg("startDate", envs.Number("1")), arg("startdate", envs.Number("1"))}, ""},
	} {
		e, ok, err := c.Get(t.Context(), virtual.NewCall("p_c", forecast.Key, test.args))
		if err != nil || ok != (test.want != "") || ok && e.Answer.Response != test.want {
			t.Errorf("%v: %+v, %v, %v", test.args, e.Answer, ok, err)
		}
	}
}

// A broken file is named with its entry, and nothing is kept.
func TestImportOfABrokenCache(t *testing.T) {
	t.Parallel()

	const good = `{"{'city': 'Bern'}": {"error": "", "response": "sunny"}}`

	for name, test := range map[string]struct{ path, text, want string }{
		"cut off":             {"Weather/sky_for_Weather/z.json", `{"{}": {"err`, "line 1"},
		"no key":              {"Weather/sky_for_Weather/z.json", `{"{}": {"response": 1}, "{'a'": {"response": 1}}`, "entry 2"},
		"a list of arguments": {"Weather/sky_for_Weather/z.json", `{"[]": {"response": 1}}`, "entry 1"},
		"no answer":           {"Weather/sky_for_Weather/z.json", `{"{}": "sunny"}`, "entry 1"},
		"no response":         {"Weather/sky_for_Weather/z.json", `{"{}": {"error": ""}}`, "entry 1"},
		"a list":              {"Weather/sky_for_Weather/z.json", `[]`, "want an object"},
		"a folder":            {"Weather/sky/z.json", `{}`, "want a folder TOOL_for_Weather"},
	} {
		folder := published(t, map[string]string{"Weather/a_for_Weather/a.json": good, test.path: test.text})
		c := openCache(t)

		_, err := c.Import(t.Context(), folder, "p_c")
		if err == nil || !strings.Contains(err.Error(), filepath.FromSlash(test.path)) ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s and %q", name, err, test.path, test.want)
		}

		if n, err := c.Count(t.Context()); n != 0 || err != nil {
			t.Errorf("%s: %d answers are kept (%v)", name, n, err)
		}
	}

	if _, err := openCache(t).Import(t.Context(), t.TempDir(), "p_c"); err == nil {
		t.Error("an empty folder is imported")
	}
}
