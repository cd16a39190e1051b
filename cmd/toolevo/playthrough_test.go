package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs"
	"toolevo/envs/toolapi"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/toolqa"
)

// playthroughs are what is played of each dataset, the first test question of an easy and of a hard
// template. Together they need every tool.
var playthroughs = map[toolqa.Dataset][]exhibit{
	toolqa.Agenda:  {{"agenda-easy/length", ""}, {"agenda-hard/free-slots", ","}},
	toolqa.Airbnb:  {{"airbnb-easy/price", ""}, {"airbnb-hard/total-price", ""}},
	toolqa.Coffee:  {{"coffee-easy/range", ""}, {"coffee-hard/highest-increase", ""}},
	toolqa.DBLP:    {{"dblp-easy/venue", ""}, {"dblp-hard/common-collaborators", several}},
	toolqa.Flights: {{"flights-easy/departure-time", ""}, {"flights-hard/average-speed", ""}},
	toolqa.SciREX:  {{"scirex-easy/score", ""}, {"scirex-hard/highest-method", ""}},
	toolqa.Yelp:    {{"yelp-easy/hours", ""}, {"yelp-hard/highest-stars", ""}},
}

// TestPlaythroughs compares what scripted:reader does with each dataset under each API version with
// a readable transcript. Every deprecation notice of a version is met and got over in at least one
// of them.
func TestPlaythroughs(t *testing.T) {
	t.Parallel()
	b, _, reader := testBench(t, defaultData(t), "p_c", toolqa.Test)

	for _, api := range []string{"p_c", "p_s_in", "p_s_ood", "p_s_ood_proprietary"} {
		t.Run(api, func(t *testing.T) {
			env, err := b.Suite.Environment(api, nil)
			if err != nil {
				t.Fatal(err)
			}

			version, err := shippedVersion(api)
			if err != nil {
				t.Fatal(err)
			}

			met := map[string]bool{}

			for _, ds := range toolqa.Datasets() {
				var text strings.Builder

				for i, s := range playthroughs[ds] {
					if i > 0 {
						text.WriteByte('\n')
					}

					h := solve(t, env, reader, s.candidates(chosen(b))[0])
					printTranscript(&text, h)
					maps.Copy(met, recoveries(t, version, h))
				}

				golden(t, filepath.Join("playthrough", string(ds)+"_"+api+".txt"), text.String())
			}

			if diff := cmp.Diff(version.Deprecated(), slices.Sorted(maps.Keys(met)),
				cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("deprecated names that no playthrough got over (-want +got):\n%s", diff)
			}
		})
	}
}

// recoveries are the deprecated names that an episode met and got over: it read the notice, called
// the API that the notice names, which answered, and told UpdateTool of that API before it did
// anything else.
func recoveries(t *testing.T, version *toolapi.Version, h envs.History) map[string]bool {
	t.Helper()

	names, turns := map[string]bool{}, h.Turns()
	for i, turn := range turns {
		d, deprecated := version.Deprecation(turn.Call.Name)
		if met := turn.Outcome == envs.Deprecated; met != deprecated || met && turn.Observation != d.Notice() {
			t.Errorf("%q: %s is answered with %s: %s", h.Task().Question, turn.Call.Name, turn.Outcome,
				turn.Observation)
			continue
		}

		if !deprecated {
			continue
		}

		if len(turns) < i+3 {
			t.Fatalf("%q ends after the notice about %s", h.Task().Question, d.Old.Name)
		}

		next, update := turns[i+1], turns[i+2]

		learned, _ := update.Call.Args.Text("newtool_desc")
		if next.Call.Name != d.New.Name || next.Outcome != envs.OK ||
			update.Call.Name != envs.UpdateTool || update.Outcome != envs.OK ||
			!strings.HasPrefix(learned, d.New.Signature()) {
			t.Errorf("%q: after the notice about %s came\n%s\n(%s)\n%s\n(%s)", h.Task().Question, d.Old.Name,
				next.Action, next.Outcome, update.Action, update.Outcome)
			continue
		}

		names[d.Old.Name] = true
	}
	return names
}

// TestPlayPrintsATranscript compares what the command prints with the playthrough of the same
// question.
func TestPlayPrintsATranscript(t *testing.T) {
	t.Parallel()
	data := defaultData(t)
	q := ask(t, data, playthroughs[toolqa.DBLP][0].template, toolqa.Test)
	got := must(t, "play", "--data", data, "--dataset", "dblp", "--api", "p_s_ood", "--split", "test", "--question",
		q.ID, "--transcript", "--policy", "scripted:reader")

	whole := string(read(t, filepath.Join("testdata", "playthrough", "dblp_p_s_ood.txt")))
	if !strings.HasPrefix(whole, got+"\nQuestion: ") {
		t.Error("it is not how the playthrough begins: " + cmp.Diff(whole, got))
	}
}

// TestTreeAsText compares a tree of scripted:noisy, as people see it, with its golden file.
func TestTreeAsText(t *testing.T) {
	t.Parallel()
	data := defaultData(t)
	run := t.TempDir()
	must(t, "collect", "--data", data, "--dataset", "coffee", "--limit", "1", "--difficulty", "easy", "--trees", "1",
		"--preset", "paper",
		"--set", "search.simulations=6", "--set", "search.samples=3", "--set", "search.rollout_samples=3", "--out", run)

	v, err := stored.Open(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()

	question := v.Questions[0]

	record, ok, err := v.LoadTree(t.Context(), question.ID, 0)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}

	var text strings.Builder
	if err := record.WriteText(&text, question.Text, mcts.TextOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}

	text.WriteString("\nWith the nodes that rollouts cached:\n\n")

	if err := record.WriteText(&text, question.Text, mcts.TextOptions{Width: 100, Cached: true}); err != nil {
		t.Fatal(err)
	}

	golden(t, "tree_noisy.txt", text.String())
}
