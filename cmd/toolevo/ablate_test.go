package main

import (
	"os"
	"path/filepath"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/trajectories"
)

// TestAblate holds the study of scripted:noisy against what package scripted says its construction
// implies.
func TestAblate(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "study")
	args := []string{"ablate", "--data", defaultData(t), "--dataset", "agenda,airbnb,coffee",
		"--limit", "10", "--out", dir}
	study := document[toolevo.Compared](t, made(t, append(args, "--json")...))

	in := func(name string) string { return filepath.Join(dir, name) }
	mean := func(name string) finetune.Summary {
		api := map[bool]string{true: "p_c", false: "p_s_ood"}[name == "static"]

		m, ok := study.Mean(finetune.Contender{Policy: "scripted:noisy@" + name, API: api})
		if !ok {
			t.Fatalf("no mean of %s", name)
		}
		return m
	}

	says(t, "check", must(t, "check", in("no-reflection")), "0 problems")

	whole, lost := playedIn(t, in("full")), 0
	for id, cut := range playedIn(t, in("no-reflection")) {
		checkCut(t, whole[id], cut)

		if whole[id].Official && !cut.Official {
			lost++
		}
	}

	if lost == 0 {
		t.Error("nothing is lost without self-reflection")
	}

	compared := study.Comparisons[1]
	if compared.OnlyFirst != lost || compared.OnlySecond != 0 ||
		compared.Second.Policy != "scripted:noisy@no-reflection" {
		t.Errorf("%d questions are lost without self-reflection; compared are %+v", lost, compared)
	}

	static, noUpdate, full := mean("static"), mean("no-update-tool"), mean("full")
	if !(static.Turns < noUpdate.Turns && noUpdate.Turns < full.Turns) {
		t.Errorf("%.2f turns in the static environment, %.2f without UpdateTool, %.2f with it", static.Turns,
			noUpdate.Turns, full.Turns)
	}

	const few = 0.05
	for _, m := range []finetune.Summary{noUpdate, static} {
		if d := m.Official - full.Official; d > few || d < -few {
			t.Errorf("%s: accuracy %+.3f against the full method", m.Policy, d)
		}
	}

	for id, e := range playedIn(t, in("static")) {
		if e.Deprecations > 0 {
			t.Errorf("%s meets %d deprecations in the static environment", id, e.Deprecations)
		}
	}

	for id, e := range playedIn(t, in("no-update-tool")) {
		if e.Updates > 0 {
			t.Errorf("%s has %d updates without UpdateTool", id, e.Updates)
		}
	}

	// The same command again asks nothing, and says the same.
	again := cli(t, args...)
	if again.code != exitDone {
		t.Fatalf("exit %d: %s", again.code, again.err)
	}

	says(t, "ablate", again.out, "scripted:noisy@no-reflection", "mean-easy", "mean-all", "McNemar")
	says(t, "ablate", again.err, in("ablations.csv"), "eval compare")

	for _, name := range []string{"ablations.csv", "ablations.md", "ablations.tex"} {
		says(t, name, string(read(t, in(name))), "scripted:noisy@no-update-tool")
	}

	fails(t, exitUsage, []string{"which differs", "seed: 2"}, append(args, "--seed", "2")...)
}

// The values of any setting are compared as the parts of the method are. All have to be valid
// before one is played.
func TestAblateVaries(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "study")
	args := []string{"ablate", "--data", smallData(t), "--set", "environment.codec=tools", "--api", "p_s_in",
		"--limit", "2", "--out", dir, "--vary"}

	for value, want := range map[string]string{
		"fixed": "--vary", "fixed,other": `unknown tool list "other"`,
		"fixed,announced,fixed": "the variant fixed",
	} {
		fails(t, exitUsage, []string{want}, append(args, "environment.tool_list="+value)...)
	}

	study := document[toolevo.Compared](t, made(t, append(args, "environment.tool_list=fixed,announced", "--json")...))
	for _, value := range []string{"fixed", "announced"} {
		m, ok := study.Mean(finetune.Contender{Policy: "scripted:noisy@" + value, API: "p_s_in"})
		if !ok || m.N == 0 {
			t.Errorf("%s: %+v", value, study.Summaries)
		}

		says(t, value, string(read(t, filepath.Join(dir, value, "run.yaml"))), "tool_list: "+value)
	}
}

// An empty value is evaluated in a folder of its own, and no value leads out of the study's.
func TestAblateVariesPaths(t *testing.T) {
	t.Parallel()

	parent := t.TempDir()
	dir := filepath.Join(parent, "study")

	made(t, "ablate", "--data", smallData(t), "--api", "p_s_in", "--limit", "1", "--out", dir,
		"--vary", "server.demonstrations=,../mine.yaml")

	for _, name := range []string{"default", "..%2Fmine.yaml"} {
		if !exists(filepath.Join(dir, name, "run.json")) {
			t.Errorf("there is no run in %s", name)
		}
	}

	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("there are %v (%v), want the study alone", left, err)
	}
}

// Questions that a failing service loses end no study: every variant is played, and all are
// compared.
func TestAblateOfAServiceThatFails(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "study")

	r := cli(t, "ablate", "--set", "suite=remote", "--data", failingLibrary(t), "--set",
		"attempts=1", "--api", "p_s_in", "--policy", "scripted:reader", "--limit", "1",
		"--out", dir)
	if r.code != exitGaveUp {
		t.Errorf("exit %d", r.code)
	}

	says(t, "ablate", r.err, "full: 2 questions were lost", "static: 2 questions were lost")
	says(t, "ablate", string(read(t, filepath.Join(dir, "ablations.csv"))),
		"scripted:reader@static")
}

// checkCut holds an episode without self-reflection against the whole one: it is the same up to its
// first invocation error, and ends there.
func checkCut(t *testing.T, whole, cut trajectories.Episode) {
	t.Helper()

	for i, turn := range cut.Turns {
		if turn.Action != whole.Turns[i].Action || turn.Observation != whole.Turns[i].Observation {
			t.Errorf("%s: turn %d differs from the whole episode's", cut.QuestionID, i)
		}

		last := i == len(cut.Turns)-1
		if turn.Outcome.IsInvocationError() != (last && cut.Status == envs.Truncated.String()) {
			t.Errorf("%s: turn %d of %d is %s, the episode %s", cut.QuestionID, i, len(cut.Turns), turn.Outcome,
				cut.Status)
		}
	}

	if cut.Official && !whole.Official {
		t.Errorf("%s is right only without self-reflection", cut.QuestionID)
	}
}

// playedIn returns the episodes of an evaluation by question.
func playedIn(t *testing.T, dir string) map[string]trajectories.Episode {
	t.Helper()

	all := map[string]trajectories.Episode{}

	for e, err := range trajectories.ReadEpisodes(dir) {
		if err != nil {
			t.Fatal(err)
		}

		all[e.QuestionID] = e
	}
	return all
}
