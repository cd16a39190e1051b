package configs

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs/yamltext"
	"toolevo/mcts/policy/server"
)

func TestEmptyLayersSetNothing(t *testing.T) {
	want := mustLoad(t, SettingLayer("flag --preset", "preset", "paper"))
	for _, text := range []string{"", "\n", "# nothing yet\n", "---\n", "search:\n  # trees: 3\n", "search: {}\n"} {
		got := mustLoad(t, SettingLayer("flag --preset", "preset", "paper"),
			Layer{Origin: "my.yaml", YAML: []byte(text)})
		if diff := cmp.Diff(want.Config, got.Config); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestSettingsFromText(t *testing.T) {
	get := func(key, value string) string {
		return mustLoad(t, SettingLayer("flag", key, value)).Values()[key]
	}
	for _, test := range []struct{ key, value, want string }{
		{"seed", "18446744073709551615", "18446744073709551615"},
		{"seed", " 010 ", "10"},
		{"limit", "3", "3"},
		{"search.cpuct", "2", "2"},
		{"sql.seconds", "1e-2", "0.01"},
		{"environment.update_tool", "false", "false"},
		{"python.executable", "a # b: 'c' \"d\"", "a # b: 'c' \"d\""},
		{"python.executable", "5", "5"},
		{"policy", "openai:a#b, ollama:c", "[openai:a#b ollama:c]"},
		{"server.sampling.stop", `["a,b", "\n"] # two`, "[a,b \n]"},
		{"server.sampling.stop", "", "[]"},
	} {
		if got := get(test.key, test.value); got != test.want {
			t.Errorf("%s=%q gives %q, want %q", test.key, test.value, got, test.want)
		}
	}

	for _, l := range []Layer{
		SettingLayer("flag", "search.max_depth_by", "{coffee-hard: 9}"),
		SettingLayer("flag", "search", "{max_depth_by: {coffee-hard: 9}}"),
	} {
		if diff := cmp.Diff(map[string]int{"coffee-hard": 9}, mustLoad(t, l).Search.MaxDepthBy); diff != "" {
			t.Error(diff)
		}
	}

	one := mustLoad(t, SettingLayer("flag", "search.max_depth_by.coffee-hard", "9")).Search.MaxDepthBy
	if one["coffee-hard"] != 9 || one["agenda-easy"] != mustLoad(t).Search.MaxDepthBy["agenda-easy"] {
		t.Errorf("one depth is set, the depths are %v", one)
	}
}

// Headers change no result, so that a run may go on with others; they are printed as they were
// written, with the names of variables.
func TestHeadersAreIncidental(t *testing.T) {
	want := server.Headers{"api-key": "${AZURE_API_KEY}", "X-Team": "a ${TEAM}"}
	plain := mustLoad(t)
	r := mustLoad(t, SettingLayer("flag", "server.headers", "{api-key: '${AZURE_API_KEY}'}"),
		SettingLayer("flag", "server.headers", "{api-key: '${AZURE_API_KEY}', X-Team: 'a ${TEAM}'}"))

	if diff := cmp.Diff(want, r.Server.Headers); diff != "" {
		t.Error(diff)
	}

	each := mustLoad(t, SettingLayer("flag", "server.headers.api-key", "${AZURE_API_KEY}"),
		SettingLayer("flag", "server.headers.X-Team", "a ${TEAM}"))
	if diff := cmp.Diff(want, each.Server.Headers); diff != "" {
		t.Error(diff)
	}

	again := mustLoad(t, Layer{Origin: "run.yaml", YAML: []byte(r.String())})
	if diff := cmp.Diff(want, again.Server.Headers); diff != "" {
		t.Error(diff)
	}

	if differ := Difference(r.String(), plain.String()); len(differ) > 0 || r.Hash() != plain.Hash() {
		t.Errorf("they are another run's: %v", differ)
	}
}

func TestSettingsThatDoNotParse(t *testing.T) {
	const unsigned = "want a whole number from 0 to 18446744073709551615, not "
	for _, test := range []struct{ key, value, want string }{
		{"seed", "18446744073709551616", "seed: " + unsigned + `"18446744073709551616"`},
		{"seed", "1.5", "seed: " + unsigned + `"1.5"`},
		{"seed", "-1", unsigned},
		{"seed", "", "seed: " + unsigned + `""`},
		{"seed", "5\nlimit: 3", "seed: " + unsigned + `"5\nlimit: 3"`},
		{"seed", "5 # five", unsigned},
		{"limit", "many", `configs: flag: limit: want a whole number, not "many"`},
		{"limit", "2.7", "limit: want a whole number"},
		{"limit", "0x10", "limit: want a whole number"},
		{"limit", "99999999999999999999", "limit: want a whole number"},
		{"limit", "2000000000", "limit (from flag): is 2e+09, want at most 1e+09"},
		{"search.cpuct", ".nan", "search.cpuct: want a finite number"},
		{"search.cpuct", "NaN", "search.cpuct: want a finite number"},
		{"search.cpuct", ".inf", "search.cpuct: want a finite number"},
		{"search.cpuct", "1e999", "search.cpuct: want a finite number"},
		{"sql.seconds", ".nan", "sql.seconds: want a finite number"},
		{"sql.seconds", "1e300", "sql.seconds (from flag): is 1e+300, want at most 1e+09"},
		{"environment.update_tool", "yes", `environment.update_tool: want true or false, not "yes"`},
		{"policy", "[a", `policy: want a list of names, not "[a"`},
		{"policy", "[{a: b}]", `policy: want a list of names, not a mapping`},
		{"search.max_depth_by", "9", "search.max_depth_by: want a mapping of names, each to a whole number"},
		{"search.max_depth_by", "{coffee-hard: deep}", "search.max_depth_by.coffee-hard: want a whole number"},
		{"search.max_depth_by.coffee", "9", "search.max_depth_by.coffee (from flag): want a dataset and difficulty"},
		{"search.max_depth_by.coffee-hard", "0", "search.max_depth_by.coffee-hard (from flag): is 0, want at least 1"},
		{"search", "9", "search: want a mapping of settings"},
		{"serch.cpuct", "2", `unknown setting "serch", did you mean search.cpuct?`},
		{"search.cpuk", "2", `unknown setting "cpuk" in search, did you mean search.cpuct? Valid in search are cpuct, samples, `},
		{"a: 1\nlimit", "2", "unknown setting"},
		{"python.executable", "a\xff", "configs: flag: is not UTF-8 text"},
		{"server.sampling.temprature", "1", "did you mean server.sampling.temperature?"},

		{"dataset", "coffee,coffee", `dataset (from flag): has "coffee" twice`},
		{"api", "p_c, p_c", `api (from flag): has "p_c" twice`},
		{"policy", "a,b,a", `policy (from flag): has "a" twice`},
		{"environment.compat", "text-sql,text-sql", "twice"},
		{"server.sampling.top_p", "0", "top_p is 0"},
		{"server.sampling.frequency_penalty", "2.1", "frequency_penalty is 2.1, want -2..2"},
		{"server.sampling.presence_penalty", "-3", "presence_penalty is -3, want -2..2"},
		{"server.sampling.repetition_penalty", "0", "repetition_penalty is 0"},
		{"server.sampling.temperature", "-0.1", "temperature is -0.1"},
		{"retrieval", "{model: m, server: localhost:8000}", "is not a base URL"},
		{"retrieval", "{model: m, server: \"http://:1/v1\"}", "is not a base URL"},
		{"retrieval", "{model: m, server: \"http://u:password@h/v1\"}", "configs: retrieval.server (from flag): " +
			"holds credentials"},
		{"retrieval.server", "http://h/v1", "of no use without retrieval.model"},
		{"server.sampling.max_tokens", "0", "max_tokens is 0"},
		{"python.engine", "docker", `python.engine (from flag): unknown engine "docker": valid are auto, forkserver, bwrap, unsafe`},
		{"python", "{engine: unsafe, accept: [landlock]}", "of no use with the engine unsafe"},
		{"python.accept", "landlock,selinux",
			`python.accept (from flag): unknown wall "selinux": valid are landlock, seccomp`},
		{"python.accept", "seccomp,seccomp", `python.accept (from flag): has "seccomp" twice`},
		{"python.modules", "numpy, numpy.linalg",
			`python.modules (from flag): "numpy.linalg" is not the name of a module, want e.g. numpy`},
		{"python.modules", "os;sys", "is not the name of a module"},
		{"python.modules", "pandas,pandas", "twice"},
	} {
		_, err := Load(SettingLayer("flag", test.key, test.value))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s=%q: error is %v, want one that says %q", test.key, test.value, err, test.want)
		}
	}
}

func TestFilesAreTakenAsWritten(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{"limit: 2.7\n", `my.yaml: [1:8]: limit: want a whole number, not "2.7"`},
		{"search:\n  trees: 2.0\n", `my.yaml: [2:10]: search.trees: want a whole number, not "2.0"`},
		{"limit: \"5\"\n", "limit: want a whole number"},
		{"limit: [5]\n", "limit: want a whole number, not a list"},
		{"limit:\n", "limit: want a whole number, not nothing"},
		{"limit: &n 5\n", "limit: want a whole number, not &n 5"},
		{"limit: 010x\n", "limit: want a whole number"},
		{"seed: 18446744073709551616\n", "seed: want a whole number"},
		{"sql:\n  seconds: .inf\n", "my.yaml: [2:12]: sql.seconds: want a finite number"},
		{"sql: 5\n", `sql: want a mapping of settings, not "5"`},
		{"dataset: coffee\n", `dataset: want a list of names, not "coffee"`},
		{"- limit\n", "my.yaml: [1:1]: want a mapping of settings, not a list"},
		{"limit: 1\n---\nseed: 2\n", "my.yaml: [2:1] more than one document"},
		{"limit: 1\nlimit: 2\n", `my.yaml: [2:1] mapping key "limit" already defined`},
		{"preset: \"\"\n", `my.yaml: unknown preset ""`},
		{"environment:\n  seed: 5\n", `unknown setting "seed" in environment, did you mean`},
	} {
		_, err := Load(Layer{Origin: "my.yaml", YAML: []byte(test.yaml)})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error is %v, want one that says %q", test.yaml, err, test.want)
		}
	}

	if r := mustLoad(t, Layer{Origin: "my.yaml", YAML: []byte("limit: 010\n")}); r.Limit != 10 {
		t.Errorf("limit 010 is %d, want 10", r.Limit)
	}
}

// Numbers that are set without a layer are held to the same bounds.
func TestNumbersAreFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 0} {
		r := mustLoad(t)

		r.Python.WallSeconds = bad
		if r.validate() == nil {
			t.Errorf("python.wall_seconds may be %v", bad)
		}
	}
}

func TestUnknownVariables(t *testing.T) {
	_, err := EnvironmentLayers([]string{"TOOLEVO_SERACH_TREES=5"})
	if err == nil || !strings.Contains(err.Error(), "TOOLEVO_SERACH_TREES") ||
		!strings.Contains(err.Error(), "TOOLEVO_SEARCH_TREES?") {
		t.Errorf("error is %v, want one that names both variables", err)
	}

	layers, err := EnvironmentLayers([]string{"TOOLEVO_DATA=x", "TOOLEVO_ENV_KEY=x", "TOOLEVO_BIN=x",
		"TOOLEVO_INTEROP_PYTHON=x", "TOOLEVO_OLLAMA_URL=x", "PATH=x"})
	if err != nil || len(layers) != 0 {
		t.Errorf("%v, %v", layers, err)
	}

	for _, key := range Keys() {
		name := "TOOLEVO_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
		if layers, err := EnvironmentLayers([]string{name + "=x"}); err != nil || len(layers) != 1 {
			t.Errorf("%s: %v, %v", name, layers, err)
		}
	}
}

// Whatever text a setting is given, it is that text, and a file that holds it says so again.
func TestTextIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\n\r\t #:,"'\\{}\[\]&*!|>%@a0~-]{0,12}`)).Draw(t,
			"text")
		text = strings.ToValidUTF8(text, "?")
		l := SettingLayer("flag", "python.executable", text)

		r, err := Load(l)
		if err != nil {
			t.Fatal(err)
		}

		if r.Python.Executable != text {
			t.Fatalf("%q became %q", text, r.Python.Executable)
		}

		again, err := Load(Layer{Origin: "saved", YAML: []byte(r.Annotated())})
		if err != nil {
			t.Fatalf("%v\n%s", err, r.Annotated())
		}

		if again.Python.Executable != text {
			t.Fatalf("%q was saved and read as %q", text, again.Python.Executable)
		}
	})
}

func TestListsAreKept(t *testing.T) {
	stop := []string{"\n", "\nQuestion: #", "a, b", "]", "Observation:", "5"}

	names := make([]string, len(stop))
	for i, s := range stop {
		names[i] = strconv.Quote(s)
	}

	r := mustLoad(t, SettingLayer("flag", "server.sampling.stop", "["+strings.Join(names, ", ")+"]"))

	again := mustLoad(t, Layer{Origin: "saved", YAML: []byte(r.Annotated())})
	if !slices.Equal(r.Server.Sampling.Stop, stop) || !slices.Equal(again.Server.Sampling.Stop, stop) {
		t.Errorf("%q, saved and read %q, want %q", r.Server.Sampling.Stop, again.Server.Sampling.Stop, stop)
	}
}

func FuzzLayer(f *testing.F) {
	f.Add("search:\n  trees: 3\n", "limit", "5")
	f.Add("a: &b [*b]\n", "policy", "[a, {b: c}]")
	f.Add("? x\n: - y\n", "search.max_depth_by", "{a: 1}")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		for _, l := range []Layer{{Origin: "fuzz", YAML: []byte(text)}, SettingLayer("fuzz", key, value)} {
			r, err := Load(l)
			if err != nil {
				continue
			}

			again, err := Load(Layer{Origin: "saved", YAML: []byte(r.String())})
			if err != nil {
				t.Fatalf("%v\n%s", err, r)
			}

			if diff := cmp.Diff(r.Config, again.Config); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// TestHostileTexts refuses texts on which the parser takes a minute, or the whole stack.
func TestHostileTexts(t *testing.T) {
	for name, text := range map[string]string{
		"lists":          strings.Repeat("[", 200_000),
		"a few lists":    "seed: " + strings.Repeat("[", 60_000),
		"mappings":       strings.Repeat("{a: ", 15_000),
		"dashes":         strings.Repeat("- ", 200_000),
		"a long comment": "#" + strings.Repeat(" ", 70_000),
	} {
		_, err := Load(Layer{Origin: "my.yaml", YAML: []byte(text)})
		if err == nil || !strings.Contains(err.Error(), "my.yaml") ||
			!errors.Is(err, yamltext.ErrTooMuch) && !strings.Contains(err.Error(), "not a configuration") {
			t.Errorf("%s: error %v, want one that says what is too much of it", name, err)
		}
	}
}

// TestFilesThatNeverEnd refuses a pipe that nobody writes to, a device, and a file of a gigabyte.
func TestFilesThatNeverEnd(t *testing.T) {
	dir := t.TempDir()

	pipe, large := filepath.Join(dir, "pipe"), filepath.Join(dir, "large")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}

	if err := errors.Join(os.WriteFile(large, nil, 0o644), os.Truncate(large, 1<<30)); err != nil {
		t.Fatal(err)
	}

	for path, want := range map[string]string{
		pipe: "regular file", "/dev/zero": "regular file", dir: "regular file", large: "longer than",
	} {
		if _, err := FileLayer(path); err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
}

// TestHostileSettings refuses such texts as flags give them.
func TestHostileSettings(t *testing.T) {
	for _, key := range []string{"search", "policy", "search.max_depth_by"} {
		_, err := Load(SettingLayer("flag", key, strings.Repeat("[", 60_000)))
		if err == nil || !strings.Contains(err.Error(), key+": want") || len(err.Error()) > 400 {
			t.Errorf("%s: error %.500v, want what the setting takes", key, err)
		}
	}
}
