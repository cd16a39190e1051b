package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/disk"
	"toolevo/mcts/policy/simserver"
	"toolevo/trajectories/export"
)

// What servers make of native calls changes no tree that they do not spoil, and what they spoil is
// said.
func TestNativeCallsOfServers(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()
	args := []string{
		"collect", "--data", data, "--trees", "2", "--config", "policies/tools", "--engine", "unsafe",
		"--run-id", "native", "--set", "search.simulations=4",
	}

	whole := filepath.Join(dir, "whole")
	must(t, onServer(serve(t, simserver.Options{}), append(args, "--out", whole)...)...)

	solved := correctIn(t, whole)
	if solved == 0 {
		t.Error("no trajectory is correct: the test shows nothing")
	}

	inTokens := []string{"--set", "server.tools.ask=tokens", "--set", "server.tools.calls=hermes"}

	for name, test := range map[string]struct {
		wrong  simserver.Misconfiguration
		set    []string
		says   string
		unlike bool // some replies are others, so that the trees are
	}{
		"calls behind": {simserver.ParallelCalls, nil, "tool calls behind those", false},
		"calls as text": {
			simserver.CallsAsText, []string{"--set", "server.tools.calls=generic"}, "tool calls behind those", true,
		},
		"text dropped": {simserver.DroppedText, nil, "solved", true},
		"numbers":      {simserver.RewrittenNumbers, nil, "solved", false},

		// What the server's parser does is done to no text.
		"tokens, calls behind": {simserver.ParallelCalls, inTokens, "tool calls behind those", false},
		"tokens, no parser":    {simserver.ToolsRefused, inTokens, "solved", false},
		"tokens, text dropped": {simserver.DroppedText, inTokens, "solved", false},
		"tokens, names":        {simserver.SubstringNames, inTokens, "solved", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			run := filepath.Join(dir, name)
			s := serve(t, simserver.Options{Wrong: []simserver.Misconfiguration{test.wrong}})

			r := cli(t, onServer(s, slices.Concat(args, []string{"--out", run}, test.set)...)...)
			if r.code != exitDone {
				t.Fatalf("exit %d: %s", r.code, r.err)
			}

			says(t, "collect", r.out+r.err, test.says)

			if got, want := shapes(t, run), shapes(t, whole); !test.unlike && got != want {
				t.Errorf("the trees are others:\n%s\n%s", got, want)
			}

			if correctIn(t, run) == 0 {
				t.Error("no trajectory is correct")
			}

			says(t, "check", made(t, "check", run, "--data", data), "0 problems")
		})
	}

	// A server that shows no tools, or takes none, ends the run, and no tree of it is a failure of
	// the model's.
	for wrong, words := range map[simserver.Misconfiguration]string{
		simserver.IgnoresTools: "no action can be read", simserver.ToolsRefused: "--enable-auto-tool-choice",
	} {
		s := serve(t, simserver.Options{Wrong: []simserver.Misconfiguration{wrong}})

		r := cli(t, onServer(s, append(args, "--out", filepath.Join(dir, string(wrong)))...)...)
		if r.code == exitDone {
			t.Errorf("%s: exit %d: %s", wrong, r.code, r.err)
		}

		says(t, "collect", r.err, words)
	}
}

// correctIn is how many correct trajectories a run has.
func correctIn(t *testing.T, run string) (n int) {
	t.Helper()

	for _, q := range document[toolevo.RunOverview](t, must(t, "inspect", run, "--json")).Questions {
		n += q.Correct
	}
	return n
}

// A list that changes is sent as it is after each turn, exported so in single steps, and refused in
// whole trajectories; the trees of one that does not are the same as without the setting.
func TestToolLists(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()

	for list, names := range map[string]string{
		"fixed":     "LoadDB",
		"learned":   "LoadDB, LoadDB InitializeDatabase",
		"announced": "LoadDB, InitializeDatabase",
	} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()

			run, steps := filepath.Join(dir, list), filepath.Join(dir, list+"-steps")
			must(t, onServer(serve(t, simserver.Options{}), "collect", "--data", data, "--trees", "2", "--config",
				"policies/tools", "--engine", "unsafe", "--api", "p_s_in", "--set", "search.simulations=8", "--set",
				"environment.tool_list="+list, "--out", run)...)
			says(t, "check", made(t, "check", run, "--data", data), "0 problems")

			must(t, "export", run, "--format", "sft-step", "--for", "trl", "--out", steps)

			seen := map[string]bool{}

			for line, err := range disk.Lines(filepath.Join(steps, "toolevo_sft_step.jsonl")) {
				if err != nil {
					t.Fatal(err)
				}

				var found []string

				for _, name := range []string{"LoadDB", "InitializeDatabase"} {
					if bytes.Contains(line, []byte(`\"name\": \"`+name+`\"`)) {
						found = append(found, name)
					}
				}

				seen[strings.Join(found, " ")] = true
			}

			if got := strings.Join(slices.SortedFunc(maps.Keys(seen), func(a, b string) int {
				return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
			}), ", "); got != names {
				t.Errorf("the lists have %s, want %s", got, names)
			}

			r := cli(t, "export", run, "--format", "sft-trajectory", "--for", "trl", "--out", filepath.Join(dir,
				list+"-whole"))
			if refused := strings.Contains(r.err, "environment.tool_list"); refused != (list != "fixed") {
				t.Errorf("exit %d: %s", r.code, r.err)
			}
		})
	}
}

// Where several calls of a reply are played, each is answered, in prompts, documents and samples: a
// server that reads imagined answers as calls has them played, and without the setting they are
// cut.
func TestParallelCalls(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()

	for most, answers := range map[string]int{"1": 1, "2": 2} {
		t.Run(most, func(t *testing.T) {
			t.Parallel()

			run, out := filepath.Join(dir, most), filepath.Join(dir, most+"-export")
			s := serve(t, simserver.Options{Wrong: []simserver.Misconfiguration{simserver.ParallelCalls}})
			r := cli(t, onServer(s, "collect", "--data", data, "--trees", "2", "--config", "policies/tools", "--engine",
				"unsafe", "--api", "p_c", "--set", "search.simulations=8", "--set", "environment.parallel_calls="+most,
				"--out", run)...)
			if r.code != exitDone {
				t.Fatalf("exit %d: %s", r.code, r.err)
			}

			if behind := strings.Contains(r.out+r.err, "tool calls behind"); behind != (most == "1") {
				t.Errorf("calls are left out: %v\n%s", behind, r.err)
			}

			says(t, "check", made(t, "check", run, "--data", data), "0 problems")

			must(t, "export", run, "--format", "atif", "--score", "any", "--out", out)

			text := read(t, filepath.Join(out, "toolevo_atif.jsonl"))
			if got := bytes.Count(text, []byte(`"tool_call_id":"call00102"`)) > 0; got != (answers == 2) {
				t.Errorf("turns with two calls: %v", got)
			}

			// An evaluation keeps the turns as they were played, too.
			eval := filepath.Join(dir, most+"-eval")
			must(t, onServer(s, "eval", "--data", data, "--config", "policies/tools", "--engine", "unsafe",
				"--api", "p_c", "--limit", "1", "--set", "environment.parallel_calls="+most, "--progress", "none",
				"--out", eval)...)

			text = read(t, filepath.Join(eval, "episodes.jsonl"))
			if got := bytes.Contains(text, []byte(`}, {\"name\": \"Finish\"`)); got != (answers == 2) {
				t.Errorf("turns of the evaluation with two calls: %v", got)
			}
		})
	}
}

// ToolBench's queries, whose functions are tools of their own, are played with native calls:
// collected, checked, exported and evaluated, and where lists follow notices, too.
func TestNativeCallsOfToolBench(t *testing.T) {
	t.Parallel()

	plans, err := readPlans(t.Context(), "toolbench", smallData(t))
	if err != nil {
		t.Fatal(err)
	}

	s, dir := servePlans(t, plans, simserver.Options{}), t.TempDir()
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "export")
	about := []string{
		"--data", smallData(t), "--set", "suite=toolbench", "--config", "policies/tools", "--progress", "none",
		"--limit", "3", "--set", "environment.tool_list=announced", "--split", "train",
	}

	must(t, onServer(s, append([]string{
		"collect", "--api", "p_s_in", "--trees", "2", "--set", "search.simulations=4", "--out", run,
	}, about...)...)...)
	says(t, "check", made(t, "check", run, "--data", smallData(t)), "0 problems")

	must(t, "export", run, "--format", "sft-step", "--for", "trl", "--score", "any", "--out", out)
	says(t, "check", must(t, "check", out), "0 faulty, 0 problems")

	lists := map[string]bool{} // by a question and its list

	for line, err := range disk.Lines(filepath.Join(out, "toolevo_sft_step.jsonl")) {
		var sample struct {
			Tools  string
			Prompt []struct{ Content string }
		}
		if err := errors.Join(err, json.Unmarshal(line, &sample)); err != nil {
			t.Fatal(err)
		}

		lists[sample.Prompt[1].Content+sample.Tools] = true

		if names := strings.Count(sample.Tools, `"function": {"name"`); names < 3 {
			t.Errorf("%d tools: %s", names, sample.Tools)
		}
	}

	questions := document[export.Manifest](t, string(read(t, filepath.Join(out, export.ManifestFile)))).Questions
	if len(lists) <= questions {
		t.Errorf("%d lists of %d questions: none follows a notice", len(lists), questions)
	}

	must(t, onServer(s, append([]string{
		"eval", "--api", "p_c,p_s_in", "--out", filepath.Join(dir, "eval"),
	}, about...)...)...)
}
