package configs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/action"
	_ "toolevo/toolqa/bench" // whose sections a configuration has
)

func mustLoad(t *testing.T, layers ...Layer) *Resolved {
	t.Helper()

	r, err := Load(layers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPresetsLoad(t *testing.T) {
	for _, name := range Presets() {
		t.Run(name, func(t *testing.T) {
			r := mustLoad(t, SettingLayer("test", "preset", name))
			if r.Search.Trees != 20 || name != "efficient" && r.Search.CPUCT != 1.25 {
				t.Errorf("trees %d, c %v: want the paper's 20 and 1.25", r.Search.Trees, r.Search.CPUCT)
			}

			if (r.Server.Layout == "paper") != (name == "paper") {
				t.Errorf("the layout is %s", r.Server.Layout)
			}
		})
	}
}

// A preset that left a key out would silently take Go's zero value for it.
func TestEverySettingHasADefault(t *testing.T) {
	r := mustLoad(t)
	keys := Keys()
	printed := []string{"server.headers", "server.chat_template_kwargs"} // mappings that are empty
	const byName = "search.max_depth_by"

	for key := range r.Values() {
		if strings.HasPrefix(key, byName+".") {
			key = byName // a mapping of any names is one setting
		}

		printed = append(printed, key)
	}

	slices.Sort(printed)
	printed = slices.Compact(printed)
	if diff := cmp.Diff(printed, slices.Sorted(slices.Values(keys))); diff != "" {
		t.Errorf("printed and listed keys differ: %s", diff)
	}

	for _, name := range Presets() {
		r := mustLoad(t, SettingLayer("test", "preset", name))
		for _, key := range keys {
			if r.origins[key] == "" {
				t.Errorf("preset %s: %s is set by no file", name, key)
			}
		}
	}

	if !slices.Contains(keys, "search.cpuct") || r.Preset != "efficient" {
		t.Errorf("keys %v", keys)
	}
}

func TestPrecedence(t *testing.T) {
	file := Layer{Origin: "run.yaml", YAML: []byte("preset: paper\nseed: 2\nsearch:\n  trees: 3\n  samples: 7\n")}

	env, err := EnvironmentLayers([]string{"TOOLEVO_SEARCH_TREES=4", "TOOLEVO_SHARED_DATA=/x", "TOOLEVO_VLLM_URL=x",
		"TOOLEVO_MODEL_SERVER=x", "HOME=/root"})
	if err != nil {
		t.Fatal(err)
	}

	flag := SettingLayer("flag --seed", "seed", "9")

	r := mustLoad(t, file, env[0], flag)
	if r.Search.Trees != 4 || r.Search.Samples != 7 || r.Seed != 9 || r.Search.Simulations != 12 {
		t.Errorf("trees %d samples %d seed %d simulations %d", r.Search.Trees, r.Search.Samples, r.Seed,
			r.Search.Simulations)
	}

	for key, want := range map[string]string{
		"search.trees": "environment TOOLEVO_SEARCH_TREES", "search.samples": "run.yaml", "seed": "flag --seed",
		"search.cpuct": "preset paper", "limit": "default",
	} {
		if r.origins[key] != want {
			t.Errorf("%s comes from %q, want %q", key, r.origins[key], want)
		}
	}

	if text := r.Annotated(); !strings.Contains(text, "trees: 4 # environment TOOLEVO_SEARCH_TREES") {
		t.Errorf("origins are not shown:\n%s", text)
	}
}

func TestListsFromText(t *testing.T) {
	r := mustLoad(t, SettingLayer("flag --policy", "policy", "scripted:reader, scripted:stale"),
		SettingLayer("flag", "api", "p_c"))
	if diff := cmp.Diff([]string{"scripted:reader", "scripted:stale"}, r.Policy); diff != "" {
		t.Error(diff)
	}
}

// The empty word is one, too: that of a server that names no end.
func TestOwnEnds(t *testing.T) {
	for text, want := range map[string][]string{
		"done,eos_token": {"done", "eos_token"}, `[""]`: {""}, `["", done]`: {"", "done"}, "": {},
	} {
		if r := mustLoad(t, SettingLayer("flag", "server.ends", text)); !slices.Equal(r.Server.Ends, want) {
			t.Errorf("%s is %q, want %q", text, r.Server.Ends, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	r := mustLoad(t, SettingLayer("x", "preset", "reference"), SettingLayer("x", "environment.compat", "published"))

	again := mustLoad(t, Layer{Origin: "saved", YAML: []byte(r.String())})
	if diff := cmp.Diff(r.Config, again.Config); diff != "" {
		t.Error(diff)
	}

	if r.Hash() != again.Hash() {
		t.Error("the same configuration has two hashes")
	}

	annotated := mustLoad(t, Layer{Origin: "annotated", YAML: []byte(r.Annotated())})
	if diff := cmp.Diff(r.Config, annotated.Config); diff != "" {
		t.Errorf("the annotated form is read back as another one:\n%s", diff)
	}
}

// TestHashCoversWhatDecidesAResult holds that the hash is of the settings that decide what a run
// finds as far as it goes, and that what differs is said of those.
func TestHashCoversWhatDecidesAResult(t *testing.T) {
	base := mustLoad(t)
	for _, test := range []struct {
		key, value       string
		identity, extent bool
	}{
		{"search.cpuct", "1.3", true, false},
		{"search.enough", "5", true, false},
		{"environment.update_tool", "false", true, false},
		{"environment.codec", "function-call", true, false},
		{"server.prompt.tools", "dataset", true, false},
		{"server.reasoning", "once", true, false},
		{"server.leave_out", "seed", true, false},
		{"python.wall_seconds", "11", true, false},
		{"retrieval.model", "embedder", true, false},
		{"seed", "2", true, false},
		{"policy", "openai:a", true, false},

		{"limit", "3", false, true},
		{"search.trees", "3", false, true},
		{"dataset", "coffee", false, true},
		{"split", "dev", false, true},

		{"attempts", "9", false, false},
		{"server.urls", "http://127.0.0.1:1", false, false},
		{"python.engine", "forkserver", false, false}, // its stamp is an input of the run
		{"python.executable", "/opt/python3", false, false},
	} {
		r := mustLoad(t, SettingLayer("x", test.key, test.value))
		if changed := r.Hash() != base.Hash(); changed != test.identity {
			t.Errorf("%s changes the hash: %v", test.key, changed)
		}

		for _, list := range []struct {
			lines []string
			in    bool
		}{
			{Difference(r.String(), base.String()), test.identity},
			{DifferentExtent(r.String(), base.String()), test.extent},
		} {
			if in := len(list.lines) == 1 && strings.HasPrefix(list.lines[0], test.key+": "); in != list.in {
				t.Errorf("the difference of %s is %q", test.key, list.lines)
			}
		}
	}
}

func TestErrorsSayWhatIsValid(t *testing.T) {
	for _, test := range []struct{ name, yaml, want string }{
		{"unknown key", "search:\n  treees: 3\n", `unknown setting "treees" in search, did you mean search.trees?`},
		{"wrong type", "seed: many\n",
			`my.yaml: [1:7]: seed: want a whole number from 0 to 18446744073709551615, not "many"`},
		{"unknown preset", "preset: fast\n", "efficient, paper, reference"},
		{"unknown dataset", "dataset: [tea]\n", "coffee"},
		{"unknown difficulty", "difficulty: medium\n", "easy, hard, all"},
		{"unknown split", "split: validation\n", "train, dev, test, examples"},
		{"unknown reward", "environment:\n  reward: kind\n", "official, strict"},
		{"unknown codec", "environment:\n  codec: xml\n", "react, function-call, tools, python"},
		{"no programs", "environment:\n  codec: python\n", "toolqa cannot read actions written as python: want one of"},
		{"unknown way to reason", "server:\n  reasoning: hide\n", "show, once, drop, refuse, auto"},
		{"no thought of a call", "environment:\n  codec: function-call\nserver:\n  reasoning: refuse\n",
			"server.reasoning"},
		{"a call's thought in one turn",
			"environment:\n  codec: function-call\nserver:\n  reasoning: once\n",
			"want show or drop"},
		{"senseless search", "search:\n  samples: 0\n", "samples is 0"},
		{"senseless limit", "limit: -1\n", "limit"},
		{"empty list", "api: []\n", "at least one"},
		{"not yaml", "a: [", "["},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Load(Layer{Origin: "my.yaml", YAML: []byte(test.yaml)})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "my.yaml") &&
				!strings.Contains(test.name, "search") {
				t.Errorf("error is %v, want one that says %q and my.yaml", err, test.want)
			}
		})
	}
}

func TestShippedPoliciesLoad(t *testing.T) {
	for _, name := range Policies() {
		l, err := FileLayer(name)
		if err != nil {
			t.Fatal(err)
		}

		r := mustLoad(t, l)
		if r.Server.Form == "" || r.Server.Sampling.RepetitionPenalty != 1 {
			t.Errorf("%s: %+v", name, r.Server)
		}
	}

	if _, err := FileLayer("policies/gpt"); err == nil || !strings.Contains(err.Error(), "policies/llama3-8b") {
		t.Errorf("error is %v, want one that names the shipped files", err)
	}
}

// TestReasoning holds what becomes of reasoning where no setting says so.
func TestReasoning(t *testing.T) {
	for _, test := range []struct {
		form, codec, set string
		want             action.Reasoning
	}{
		{"few-shot", "react", "auto", action.Show},
		{"qwen3_nothink", "react", "auto", action.Show},
		{"chat", "react", "auto", action.Once},
		{"chat", "function-call", "auto", action.Show},
		{"chat", "react", "show", action.Show},
		{"few-shot", "react", "once", action.Once},
		{"chat", "react", "drop", action.Drop},
		{"chat", "react", "refuse", action.Refuse},
	} {
		r := mustLoad(t, SettingLayer("x", "server.form", test.form),
			SettingLayer("x", "environment.codec", test.codec), SettingLayer("x", "server.reasoning", test.set))
		if got := r.Reasoning(); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// Where a server lets a model call listed names alone, no agent gets to a renamed tool unless the
// list follows notices.
func TestListsWithoutUnlistedNames(t *testing.T) {
	for _, tt := range []struct {
		settings string // key value …
		refused  bool
	}{
		{"server.tools.choice required", true},
		{"server.tools.parallel false", true},
		{"server.tools.parallel false environment.tool_list learned", true},
		{"server.tools.parallel false environment.tool_list announced", false},
		{"server.tools.parallel true", false},
		{"server.tools.choice required api p_c", false},
		{"server.tools.choice required environment.codec react", false},
	} {
		layers := []Layer{
			SettingLayer("test", "environment.codec", "tools"), SettingLayer("test", "server.form", FormChat),
			SettingLayer("test", "api", "p_c,p_s_in"),
		}

		words := strings.Fields(tt.settings)
		for i := 0; i < len(words); i += 2 {
			layers = append(layers, SettingLayer("test", words[i], words[i+1]))
		}

		_, err := Load(layers...)
		if refused := err != nil && strings.Contains(err.Error(), "environment.tool_list"); refused != tt.refused {
			t.Errorf("%s: %v", tt.settings, err)
		}
	}
}

// What a run was given just within the bound is longer once it is resolved, and is read again.
func TestWrittenLayer(t *testing.T) {
	var given strings.Builder
	given.WriteString("only: [")

	for given.Len() < maxText-100 {
		fmt.Fprintf(&given, "task-%d,", given.Len())
	}

	given.WriteString("]\n")
	r := mustLoad(t, Layer{Origin: "my.yaml", YAML: []byte(given.String())})

	text := []byte(r.String())
	if len(text) <= maxText {
		t.Fatalf("it is of %d bytes", len(text))
	}

	if again := mustLoad(t, WrittenLayer("run.yaml", text)); again.String() != r.String() {
		t.Error("it is another one when it is read again")
	}

	if _, err := Load(Layer{Origin: "my.yaml", YAML: text}); err == nil {
		t.Error("people may give as much")
	}
}
