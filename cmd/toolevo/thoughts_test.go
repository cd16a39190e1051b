package main

import (
	"path/filepath"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/action"
	"toolevo/mcts/policy/simserver"
	"toolevo/trajectories/export"
)

// TestThoughts: a model that reasons gives as many samples as one that does not, however its server
// sends that, and what it is shown in later turns is what is trained on.
func TestThoughts(t *testing.T) {
	t.Parallel()

	data := smallData(t)

	for _, form := range []string{"chat", "few-shot", "qwen"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()

			plain := thinks(t, data, form, simserver.NoThoughts)
			if plain.rows == 0 || plain.whole == 0 {
				t.Fatalf("%+v without thoughts: the test shows nothing", plain)
			}

			for _, way := range simserver.ThoughtsKinds() {
				t.Run(string(way), func(t *testing.T) {
					t.Parallel()

					got, want := thinks(t, data, form, way), plain
					if form == "chat" && way != simserver.EmptyTags {
						want.whole = -1 // of prompts that did not show what is trained
					}

					if got.correct != want.correct || got.accepted != want.accepted || got.rows != want.rows ||
						got.whole != want.whole {
						t.Errorf("%+v, want %+v", got, want)
					}

					if reasons := way != simserver.EmptyTags; (got.reasoning > 0) != reasons {
						t.Errorf("%d replies that are trained have reasoning", got.reasoning)
					}

					if shown := form != "chat" && way != simserver.EmptyTags; (got.shown > 0) != shown {
						t.Errorf("%d replies of earlier turns are shown with reasoning", got.shown)
					}
				})
			}
		})
	}
}

// thinking is what became of a model that reasons.
type thinking struct {
	correct, accepted int
	rows, whole       int // samples of steps, and of trajectories; -1 where these were refused
	reasoning, shown  int // replies of steps with reasoning: those that are trained, and those in their prompts
}

// thinks collects with a model that reasons in a way, and exports.
func thinks(t *testing.T, data, form string, way simserver.Thoughts) (got thinking) {
	t.Helper()

	dir := t.TempDir()
	run, steps, whole := filepath.Join(dir, "run"), filepath.Join(dir, "steps"), filepath.Join(dir, "whole")
	s := serve(t, simserver.Options{Thoughts: way})
	found := document[toolevo.Collected](t, must(t, onServer(s, "collect", "--data", data, "--split", "train",
		"--trees", "2",
		"--set", "search.simulations=4", "--set", "server.form="+form, "--out", run, "--json")...))
	got.correct, got.accepted = found.Correct, int(found.Accepted)
	got.rows = document[export.Manifest](t, must(t, "export", run, "--out", steps, "--data", data, "--json", "--format",
		"sft-step")).Rows

	refused := cli(t, "export", run, "--out", whole, "--data", data, "--json")
	switch refused.code {
	case exitDone:
		got.whole = document[export.Manifest](t, refused.out).Rows
	case exitUsage:
		got.whole = -1
		says(t, "export", refused.err, "server.reasoning", "dpo, kto, sft-step")
	default:
		t.Errorf("exit %d: %s", refused.code, refused.err)
	}

	for sample, err := range export.Read(steps, false) {
		if err != nil {
			t.Fatal(err)
		}

		last := len(sample.Conversations) - 1
		for i, m := range sample.Conversations {
			reasoning, _ := action.Part(m.Value)

			switch {
			case reasoning == "":
			case i == last:
				got.reasoning++
			default:
				got.shown++
			}
		}
	}

	return got
}
