package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/mcts/collect"
	"toolevo/mcts/policy/simserver"
)

// replaying runs replay and returns its rows, the run's own first.
func replaying(t *testing.T, run string, sets ...string) []toolevo.Replay {
	t.Helper()

	args := []string{"replay", run, "--json"}
	for _, set := range sets {
		args = append(args, "--set", set)
	}
	return document[toolevo.Replays](t, must(t, args...)).Replays
}

// What a replay finds under a setting is what a run of that setting finds, of every question for
// which the log has the answers; of the others it names those that it lacks.
func TestReplayEqualsARun(t *testing.T) {
	t.Parallel()

	data := smallData(t)
	ran := func(t *testing.T, preset, set string) string {
		dir := filepath.Join(t.TempDir(), "run")
		args := []string{"--data", data, "--preset", preset, "--limit", "2", "--out", dir}
		collection(t, append(args, sets(set)...)...)
		return dir
	}

	for preset, test := range map[string]struct {
		own   string
		exact []string // settings for which the log suffices
		lacks []string // and those for which it does not
	}{
		"paper": {
			"search.trees=3 search.simulations=8",
			[]string{"search.trees=2", "search.simulations=5", "search.simulations=3 search.trees=1"},
			[]string{"search.cpuct=0.6", "search.trees=4", "search.samples=4"},
		},
		"efficient": {
			"search.trees=4",
			[]string{"search.trees=2", "search.trees=1"},
			[]string{"search.enough=2", "search.cpuct=3", "search.reflect=false"},
		},
	} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()

			all := slices.Concat(test.exact, test.lacks)
			rows := replaying(t, ran(t, preset, test.own), all...)

			if own := rows[0]; own.Set != "" || own.Whole != own.Questions || own.Solved == 0 {
				t.Errorf("under its own settings a run has %+v", own)
			}

			for i, set := range all {
				row := rows[i+1]
				fresh := replaying(t, ran(t, preset, test.own+" "+set), "search.trees=1")[0]

				if exact := slices.Contains(test.exact, set); exact != (row.Whole == row.Questions) {
					t.Errorf("%s: the log suffices for %d of %d questions", set, row.Whole, row.Questions)
				}

				if row.Whole == row.Questions {
					if diff := cmp.Diff(fresh.Replayed, row.Replayed); diff != "" {
						t.Errorf("%s (-run +replayed):\n%s", set, diff)
					}

					continue
				}

				checkBounds(t, row, fresh.Replayed)
			}
		})
	}
}

// sets are the flags of settings that are separated by spaces.
func sets(list string) []string {
	var flags []string
	for set := range strings.FieldsSeq(list) {
		flags = append(flags, "--set", set)
	}
	return flags
}

// checkBounds holds a replay that lacks answers against the run that has them.
func checkBounds(t *testing.T, row toolevo.Replay, fresh collect.Replayed) {
	t.Helper()

	if row.Solved > fresh.Solved || row.SolvedAtMost < fresh.Solved || row.Accepted > fresh.Accepted ||
		row.Correct > fresh.Correct || row.Calls >= fresh.Calls || !(row.LackedShare > 0 && row.LackedShare < 1) {
		t.Errorf("%s: the replay has %+v, the run %+v", row.Set, row.Replayed, fresh)
	}

	lacking := map[string]bool{}
	for _, lack := range row.Lacking {
		lacking[lack.Question] = true
	}

	if len(lacking) != row.Questions-row.Whole {
		t.Errorf("%s: %d questions are named as lacking answers, %d of %d are whole", row.Set, len(lacking), row.Whole,
			row.Questions)
	}
}

// A replay of a model's run needs no server, and says in words what the log lacked.
func TestReplayAsksNoServer(t *testing.T) {
	t.Parallel()

	s := serve(t, simserver.Options{})
	run := filepath.Join(t.TempDir(), "run")
	must(t, onServer(s, "collect", "--data", smallData(t), "--difficulty", "easy", "--trees", "2", "--out", run)...)
	s.Close()

	r := cli(t, "replay", run, "--set", "search.trees=1", "--set", "search.trees=3 search.enough=9")
	if r.code != exitDone {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "replay", r.out, "3 questions", "as it was run", "search.trees=1 ", "search.trees=3 search.enough=9 ")
	says(t, "replay", r.err, "search.trees=3 search.enough=9: ", "end where the log does", "a fresh run")

	if strings.Contains(r.err, "as it was run") || strings.Contains(r.err, "search.trees=1:") {
		t.Errorf("replay misses what is there:\n%s", r.err)
	}
}
