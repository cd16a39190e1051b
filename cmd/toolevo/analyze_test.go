package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/drift"
	"toolevo/finetune/robustness"
	"toolevo/trajectories"
)

// smallAnalysis is a finished analysis of two policies under all factors. What it printed stands
// beside it.
var smallAnalysis = shared("analysis", func(t testing.TB, dir string) {
	printed := made(t, "analyze", "--data", smallData(t), "--split", "train", "--policy",
		"scripted:stale,scripted:noisy", "--engine", "unsafe", "--out", dir, "--json", "--progress", "none")

	if err := os.WriteFile(dir+".json", []byte(printed), 0o644); err != nil {
		t.Fatal(err)
	}
})

// smallAnalysisRows are the rows that smallAnalysis printed.
func smallAnalysisRows(t *testing.T) []robustness.Factor {
	t.Helper()
	return document[toolevo.Analysis](t, string(read(t, smallAnalysis(t)+".json"))).Rows
}

// Who reads no notice collapses where names or parameters change, and not where the form of answers
// does.
func TestStaleUnderFactors(t *testing.T) {
	t.Parallel()

	for _, r := range smallAnalysisRows(t) {
		if r.Policy != "scripted:stale" {
			continue
		}

		want := 1.0
		if strings.HasPrefix(r.API, "names-") || strings.HasPrefix(r.API, "parameters-") {
			want = 0
		}

		if r.N == 0 || r.Official != want {
			t.Errorf("%s, %s: %d questions, accuracy %v, want %v", r.API, r.Difficulty, r.N, r.Official, want)
		}

		if p := r.Paired; p != nil && (p.PHolm < 0.05) != (want == 0) {
			t.Errorf("%s: p is %v", r.API, p.PHolm)
		}
	}
}

// Noisy makes the same mistakes in the task under every version, and those that drift gives
// occasion for on top: no question is answered under a factor that is not answered without it,
// names and parameters cost turns, and under another form of answers every episode goes as it goes
// without.
func TestNoisyUnderFactors(t *testing.T) {
	t.Parallel()

	type played struct {
		right    bool
		outcomes []string
	}

	original, byFactor := map[string]played{}, map[string]map[string]played{}
	for _, f := range drift.Factors() {
		if drift.FactorPrefix+f.Group == drift.AllFactors { // what `analyze` measures unasked
			byFactor[f.Name] = map[string]played{}
		}
	}

	wrong := 0

	for e, err := range trajectories.ReadEpisodes(smallAnalysis(t)) {
		if err != nil {
			t.Fatal(err)
		}

		if e.Policy != "scripted:noisy" {
			continue
		}

		p := played{right: e.Official}
		for _, turn := range e.Turns {
			p.outcomes = append(p.outcomes, turn.Outcome.String())
		}

		if e.DeployedAPI != "p_c" {
			factor, _, _ := strings.Cut(e.DeployedAPI, "_")
			byFactor[factor][e.QuestionID] = p

			continue
		}

		if original[e.QuestionID] = p; !p.right {
			wrong++
		}
	}

	if wrong == 0 || wrong == len(original) {
		t.Fatalf("%d of %d questions are answered wrongly: the test shows nothing", wrong, len(original))
	}

	for name, episodes := range byFactor {
		if len(episodes) != len(original) {
			t.Errorf("%s: %d episodes, want %d", name, len(episodes), len(original))
		}

		for id, p := range episodes {
			o := original[id]

			switch {
			case p.right && !o.right:
				t.Errorf("%s: %s is answered, and not without it", name, id)
			case name == "response" && !slices.Equal(p.outcomes, o.outcomes):
				t.Errorf("%s: %s goes %v, without %v", name, id, p.outcomes, o.outcomes)
			case name != "response" && p.right && len(p.outcomes) <= len(o.outcomes):
				t.Errorf("%s: %s takes %d turns, without %d", name, id, len(p.outcomes), len(o.outcomes))
			}
		}
	}
}

// The run is one of eval: what reads those reads it. Its files are written again by --resume, and
// go by the numbers of the report.
func TestFilesOfAnAnalysis(t *testing.T) {
	t.Parallel()

	dir := copyOf(t, smallAnalysis(t))
	names := []string{toolevo.AnalysisCSV}

	for _, kind := range []string{"names", "parameters", "response"} {
		names = append(names, "figure-"+kind+".svg", "figure-"+kind+".png")
	}

	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}

	result := document[toolevo.Analysis](t, must(t, "analyze", "--resume", "--data", smallData(t), "--out", dir,
		"--json",
		"--progress", "none"))
	if len(result.Files) != len(names) {
		t.Errorf("written are %v, want %v", result.Files, names)
	}

	if diff := cmp.Diff(smallAnalysisRows(t), result.Rows); diff != "" {
		t.Errorf("other rows after --resume, -want +got:\n%s", diff)
	}

	for _, name := range names {
		if !bytes.Equal(read(t, filepath.Join(dir, name)), read(t, filepath.Join(smallAnalysis(t), name))) {
			t.Errorf("%s: other bytes after --resume", name)
		}
	}

	if lines := bytes.Count(read(t, filepath.Join(dir, toolevo.AnalysisCSV)),
		[]byte("\n")); lines != len(result.Rows)+1 {
		t.Errorf("%d lines of CSV for %d rows", lines, len(result.Rows))
	}

	must(t, "check", dir, "--data", smallData(t))
	must(t, "eval", "errors", dir)
	must(t, "eval", "--resume", "--data", smallData(t), "--out", dir, "--progress", "none")
}

// An analysis is continued by the command that it prints, as the same analysis or with more
// questions.
func TestAnalysisIsResumed(t *testing.T) {
	t.Parallel()

	dir, whole := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "whole")
	args := func(limit, out string, more ...string) []string {
		return append([]string{"analyze", "--data", smallData(t), "--split", "train", "--limit", limit, "--policy",
			"scripted:reader", "--api", "p_c,factor:response", "--out", out, "--progress", "none"}, more...)
	}

	must(t, args("1", dir)...)
	fails(t, exitUsage, []string{"already holds a run", "--resume"}, args("1", dir)...)
	fails(t, exitUsage, []string{"another command", "toolevo eval"}, "collect", "--resume", "--out", dir)
	fails(t, exitUsage, []string{"api: [p_c", "factor:names-text"}, args("1", dir, "--resume", "--api",
		"p_c,factor:names-text")...)

	must(t, args("2", dir, "--resume")...)
	must(t, args("2", whole)...)

	if !bytes.Equal(read(t, filepath.Join(dir, toolevo.AnalysisCSV)), read(t, filepath.Join(whole,
		toolevo.AnalysisCSV))) {
		t.Error("extended, it comes to other figures than made at once")
	}

	f := (&app{}).addRunFlags(&cobra.Command{Use: "analyze"}, nil)
	says(t, "the command to resume", f.resumeCommand(toolevo.Stop{}), " analyze --resume ")
}
