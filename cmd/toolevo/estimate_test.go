package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/mcts/policy/simserver"
)

// estimated are the questions of these tests, as flags choose them.
func estimated(t *testing.T, more ...string) []string {
	return append([]string{"collect", "--data", smallData(t), "--limit", "3", "--trees", "2", "--progress", "none"},
		more...)
}

// An estimate that measures every question says what the run then takes.
func TestEstimateOfAllQuestions(t *testing.T) {
	t.Parallel()
	dry := must(t, estimated(t, "--dry-run", "--probe", "100", "--prices", "2,10", "--json")...)
	d := document[toolevo.Plan](t, dry)
	c := document[toolevo.Collected](t, must(t, estimated(t, "--json", "--out", filepath.Join(t.TempDir(), "run"))...))
	e := d.Estimate

	if e.By != "scripted:noisy" || e.Sample != int(c.Questions) || e.Calls.Value != float64(c.Asked) ||
		e.Calls.Low != e.Calls.High {
		t.Errorf("%+v, and the run took %d calls for %d questions", e.Estimate, c.Asked, c.Questions)
	}

	want := (2*e.PromptTokens.Value + 10*e.CompletionTokens.Value) / 1e6
	if math.Abs(e.Cost.Value-want) > 1e-9 || e.Rate <= 0 || e.Seconds == nil || e.Bytes < 1000 {
		t.Errorf("%+v, cost %v, want %v", e.Estimate, e.Cost, want)
	}
}

// Without --probe no server is asked: a scripted policy stands in, and the time takes a rate.
func TestEstimateAsksNoServer(t *testing.T) {
	t.Parallel()
	args := estimated(t, "--dry-run", "--policy", "openai:m", "--server", "http://127.0.0.1:1/v1", "--set",
		"python.modules=")

	out := must(t, args...)
	says(t, "collect --dry-run", out, "# estimate, from 6 of 6 questions, grown by scripted:noisy", " model calls\n",
		"4 characters as a token", "on disk", "# time: unknown; --tokens-per-second N")

	out = must(t, append(args, "--tokens-per-second", "0.5", "--prices", "1,2")...)
	says(t, "collect --dry-run --tokens-per-second", out, ", at 30 completion tokens/min", "# cost ",
		"at 1 and 2 per million")

	fails(t, exitGaveUp, []string{"127.0.0.1:1"}, append(args, "--probe", "1")...)
}

func TestEstimateFlags(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct{ flag, value, says string }{
		{"--probe", "-1", "how many questions"},
		{"--tokens-per-second", "-1", "above 0"},
		{"--tokens-per-second", "NaN", "above 0"},
		{"--prices", "1", "a million tokens cost"},
		{"--prices", "1,-2", "not a price"},
		{"--prices", "1,2,3,4", "a million tokens cost"},
		{"--prices", "cheap", "not a price"},
	} {
		fails(t, exitUsage, []string{tt.flag, tt.says}, estimated(t, "--dry-run", tt.flag, tt.value)...)
	}

	fails(t, exitUsage, []string{"--probe needs --dry-run"}, estimated(t, "--probe", "1")...)
}

// What a model on a server would take is estimated before the run, kept with it, and said beside
// what came of it, in the end as in the list of runs, though the run was stopped in between.
func TestEstimateBesideWhatCameOfIt(t *testing.T) {
	t.Parallel()

	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "run")
	must(t, "data", "build", "--data", data, "--dataset", "coffee", "--rows", "900")
	must(t, "data", "questions", "--data", data, "--scale", "0.02")

	s := serve(t, simserver.Options{})
	args := append(onServer(s, "collect", "--data", data, "--trees", "1", "--set", "search.simulations=1",
		"--engine", "unsafe", "--out", dir, "--prices", "1,2"), "--limit", "13")

	r := cli(t, append(args, "--max-total-tokens", "1000")...)
	says(t, "collect", r.err, "Estimate for the whole run: ", " calls, ", ", cost ", "It took")

	listed := document[runList](t, must(t, "runs", dir, "--json")).Runs[0]
	if r.code != exitInterrupted || listed.Estimate == nil || listed.Estimate.Sample != 24 {
		t.Fatalf("exit %d: %+v", r.code, listed)
	}

	r = cli(t, append(args, "--resume")...)
	says(t, "collect --resume", r.err, "It took", "Estimated before the run (with scripted:noisy): ")

	if strings.Contains(r.err, "Estimate for the whole") {
		t.Error("it is estimated again")
	}
}
