package trajectories_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/internal/synth"
)

// branch is an episode as a run keeps it: the third of its question, cut short at its second turn.
// Some of its values are those that only a search has.
func branch() *mcts.TreeRecord {
	t := &mcts.TreeRecord{Question: "q", Tree: 2, Seed: 99, Nodes: []mcts.Record{
		{Parent: mcts.NoParent},
		node(0, 1, 0, "Thought: load it\nAction: LoadDB", "LoadDB", "a", envs.Deprecated),
		node(1, 2, 0, "Thought: again\nAction: LoadDB", "LoadDB", "a", envs.Deprecated),
	}}

	end := &t.Nodes[2]
	end.Status, end.Limit = envs.Truncated, mcts.LimitRepeat
	return t
}

// episodes are one that was truncated, one that ended, and one that was lost.
func episodes() []trajectories.Episode {
	ended := branch()
	ended.Tree, ended.Nodes = 0, ended.Nodes[:2]
	ended.Nodes[1].Outcome, ended.Nodes[1].Status = envs.Correct, envs.Terminated
	ended.Nodes[1].Grade = envs.Grade{Answer: "7", Official: true, Strict: true}

	all := []trajectories.Episode{
		trajectories.FromEpisode(meta, branch()),
		trajectories.FromEpisode(meta, ended),
		trajectories.LostEpisode(meta, "the server\xff was down"),
	}
	all[0].Tokens = 12

	return all
}

// TestEpisodeKnowsNoTree holds that an episode says what its run, its question and its turns were,
// and that what is about a tree is zero in it.
func TestEpisodeKnowsNoTree(t *testing.T) {
	all := episodes()

	e := all[0]
	if e.Status != "truncated" || e.Limit != "repeat" || e.Lost != "" || e.Repeat != 2 {
		t.Errorf("status %q, limit %q, lost %q, repeat %d", e.Status, e.Limit, e.Lost, e.Repeat)
	}

	if e.SchemaVersion != trajectories.EpisodeVersion || e.Policy != meta.Run.Policy ||
		e.Gold != "7" || e.TurnCount != 2 || e.Deprecations != 2 ||
		e.Turns[1].Observation != "saw a" {
		t.Errorf("row: %+v", e.Row)
	}

	if e.Preset != "" || e.Tree != 0 || e.TreeSeed != 0 || e.Node != 0 || e.NodePath != "" ||
		e.Visits != 0 || e.Value != 0 {
		t.Errorf("says of a tree: %+v", e.Row)
	}

	for _, turn := range e.Turns {
		if turn.Prior != 0 || turn.Visits != 0 || turn.Value != 0 || turn.Limit != "" {
			t.Errorf("says of a tree: %+v", turn)
		}
	}

	if e := all[1]; e.Status != "terminated" || e.Limit != "" || !e.Strict || e.Answer != "7" {
		t.Errorf("ended: %+v", e)
	}

	if e := all[2]; e.Status != "" || e.Lost != "the server\uFFFD was down" || len(e.Turns) != 0 ||
		e.QuestionID != "q" {
		t.Errorf("lost: %+v", e)
	}
}

// given returns episodes, and after them an error if there is one.
func given(err error, all ...trajectories.Episode) iter.Seq2[trajectories.Episode, error] {
	return func(yield func(trajectories.Episode, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}

		if err != nil {
			yield(trajectories.Episode{}, err)
		}
	}
}

// writeEpisodes writes episodes into a new folder.
func writeEpisodes(t *testing.T, all ...trajectories.Episode) (dir string) {
	t.Helper()

	dir = t.TempDir()
	n, err := trajectories.WriteEpisodes(t.Context(), dir, given(nil, all...))
	if n != len(all) || err != nil {
		t.Fatalf("wrote %d of %d episodes: %v", n, len(all), err)
	}

	return dir
}

// TestEpisodesRoundTrip holds that both files have each episode whole: Parquet is read as what was
// written, and a line of JSON is the episode's own, whose keys are the columns of Parquet.
func TestEpisodesRoundTrip(t *testing.T) {
	want := episodes()
	dir := writeEpisodes(t, want...)

	got := synth.Collect(t, trajectories.ReadEpisodes(dir))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	text, err := os.ReadFile(filepath.Join(dir, trajectories.EpisodesJSONL))
	if err != nil {
		t.Fatal(err)
	}

	var lines []string

	for _, e := range want {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}

		lines = append(lines, string(line)+"\n")
	}

	if diff := cmp.Diff(lines, slices.Collect(strings.Lines(string(text)))); diff != "" {
		t.Errorf("lines, -want +got:\n%s", diff)
	}

	for _, key := range []string{`"schema_version":5,`, `"repeat":2`, `"tokens":12`, `"limit":"repeat"`} {
		if !strings.Contains(lines[0], key) {
			t.Errorf("%s is not in %s", key, lines[0])
		}
	}

	for range trajectories.ReadEpisodes(dir) {
		break // nothing comes after that
	}
}

// TestCompareEpisodes holds that any difference between the files and what they ought to hold is
// found, and said of the file that has it.
func TestCompareEpisodes(t *testing.T) {
	all := episodes()
	dir := writeEpisodes(t, all...)

	other := slices.Clone(all)
	other[1].Tokens++ // no earlier version counted them

	broken := errors.New("broken")

	for name, test := range map[string]struct {
		want iter.Seq2[trajectories.Episode, error]
		n    int
		say  string // "" of files that are the same
		err  error
	}{
		"the same":  {given(nil, all...), 3, "", nil},
		"fewer":     {given(nil, all[:2]...), 2, "has more than the 2 rows", nil},
		"more":      {given(nil, slices.Concat(all, all)...), 3, "ends after 3 rows", nil},
		"another":   {given(nil, other...), 1, "the episode of scripted:reader under p_s_in", nil},
		"an error":  {given(broken, all[:1]...), 1, "", broken},
		"an ending": {given(broken, all...), 3, "", broken},
	} {
		n, problem, err := trajectories.CompareEpisodes(dir, test.want)
		if n != test.n || !strings.Contains(problem, test.say) ||
			(problem == "") != (test.say == "") || !errors.Is(err, test.err) {
			t.Errorf("%s: %d are the same: %q (%v)", name, n, problem, err)
		}

		if problem != "" && !strings.HasPrefix(problem, trajectories.EpisodesParquet+" ") {
			t.Errorf("%s: %q does not say which file", name, problem)
		}
	}

	// The same rows stand in the lines, too.
	lines := filepath.Join(dir, trajectories.EpisodesJSONL)

	text, err := os.ReadFile(lines)
	if err != nil {
		t.Fatal(err)
	}

	for name, changed := range map[string]string{
		"a line less":    string(text[:len(text)/2]),
		"another answer": strings.Replace(string(text), `"answer":"7"`, `"answer":"8"`, 1),
	} {
		err := os.WriteFile(lines, []byte(changed), 0o600)
		if err != nil || changed == string(text) {
			t.Fatal(err)
		}

		_, problem, err := trajectories.CompareEpisodes(dir, given(nil, all...))
		if !strings.HasPrefix(problem, trajectories.EpisodesJSONL+" ") || err != nil ||
			name == "another answer" && !strings.Contains(problem, "what episodes.parquet has") {
			t.Errorf("%s: %q (%v)", name, problem, err)
		}
	}

	for _, name := range []string{trajectories.EpisodesJSONL, trajectories.EpisodesParquet} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}

		_, _, err := trajectories.CompareEpisodes(dir, given(nil, all...))
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// TestEpisodesAppearWhole holds that episodes that could not all be written leave the files of
// before as they were, and count as none.
func TestEpisodesAppearWhole(t *testing.T) {
	all := episodes()
	dir := writeEpisodes(t, all[0])

	broken := errors.New("broken")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()

	for _, test := range []struct {
		ctx  context.Context
		seq  iter.Seq2[trajectories.Episode, error]
		want error
	}{
		{t.Context(), given(broken, all...), broken},
		{cancelled, given(nil, all...), context.Canceled},
	} {
		n, err := trajectories.WriteEpisodes(test.ctx, dir, test.seq)
		if n != 0 || !errors.Is(err, test.want) {
			t.Errorf("wrote %d: %v, want %v", n, err, test.want)
		}
	}

	n, problem, err := trajectories.CompareEpisodes(dir, given(nil, all[0]))
	if n != 1 || problem != "" || err != nil {
		t.Errorf("the files of before: %d are the same: %q (%v)", n, problem, err)
	}

	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v (%v)", left, err)
	}

	n, err = trajectories.WriteEpisodes(t.Context(), filepath.Join(dir, "none"), given(nil, all...))
	if n != 0 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into no folder: %d (%v)", n, err)
	}
}

// TestVersionsOfEpisodes holds that a file of a version that this program does not know is an
// error, after which nothing comes.
func TestVersionsOfEpisodes(t *testing.T) {
	for _, version := range []int{trajectories.EpisodeVersion - 1, trajectories.EpisodeVersion + 1} {
		all := episodes()
		all[1].SchemaVersion = version
		dir := writeEpisodes(t, all...)

		read, failed := ends(trajectories.ReadEpisodes(dir))

		want := fmt.Sprintf("in format %d; this version reads format 5", version)
		if read != 1 || failed == nil || !strings.Contains(failed.Error(), want) {
			t.Errorf("version %d: %d read, %v", version, read, failed)
		}
	}

	read, err := ends(trajectories.ReadEpisodes(t.TempDir()))
	if read != 0 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %d read, %v", read, err)
	}
}

// ends drains a sequence that ends in an error, and returns how many came before it. Whatever comes
// after it makes the error another one.
func ends[T any](seq iter.Seq2[T, error]) (read int, failed error) {
	for _, err := range seq {
		switch {
		case failed != nil:
			return read, errors.New("something comes after the error")
		case err != nil:
			failed = err
		default:
			read++
		}
	}

	return read, failed
}

// TestDiffer compares sequences by hand.
func TestDiffer(t *testing.T) {
	of := func(err error, all ...string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, s := range all {
				if !yield(s, nil) {
					return
				}
			}

			if err != nil {
				yield("", err)
			}
		}
	}

	const (
		another = "differs in row 1, which ought to be <b>"
		more    = "has more than the 1 rows of the run"
	)

	broken := errors.New("broken")

	type result struct {
		n       int
		problem string
		err     error
	}

	for name, test := range map[string]struct {
		want, have iter.Seq2[string, error]
		result
	}{
		"none":             {of(nil), of(nil), result{}},
		"the same":         {of(nil, "a", "b"), of(nil, "a", "b"), result{n: 2}},
		"another":          {of(nil, "a", "b"), of(nil, "a", "c"), result{1, another, nil}},
		"less":             {of(nil, "a", "b"), of(nil, "a"), result{1, "ends after 1 rows", nil}},
		"more":             {of(nil, "a"), of(nil, "a", "b"), result{1, more, nil}},
		"an error of want": {of(broken, "a"), of(nil, "a"), result{1, "", broken}},
		"an error of have": {of(nil, "a", "b"), of(broken, "a"), result{1, "", broken}},
		"an error behind":  {of(nil, "a"), of(broken, "a"), result{1, "", broken}},
	} {
		n, problem, err := trajectories.Differ(test.want, test.have,
			func(s *string) string { return "<" + *s + ">" })
		if got := (result{n, problem, err}); !reflect.DeepEqual(got, test.result) {
			t.Errorf("%s: %+v, want %+v", name, got, test.result)
		}
	}
}
