package judge_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs"
	"toolevo/envs/toolbench/answers"
	"toolevo/finetune"
	"toolevo/finetune/judge"
	"toolevo/trajectories"
)

func TestOfEpisode(t *testing.T) {
	t.Parallel()

	e := &trajectories.Episode{Row: trajectories.Row{
		Policy: "p", QuestionID: "G1_x-7", Question: "How warm is it?",
		Tools: `[{"type": "function", "function": {"name": "f", "description": "", "parameters": ` +
			`{"type": "object"}}}]`,
		Labels: map[string]string{envs.LabelDifficulty: "exposed"}, Official: true,
		Turns: []trajectories.Turn{{
			API: "Finish", Tool: "Finish", Key: `Finish {"answer": "9 degrees"}`, Outcome: envs.Correct,
		}},
	}}

	a, err := judge.OfEpisode(e, "family", nil)
	if err != nil {
		t.Fatal(err)
	}

	agent := finetune.Contender{Policy: "p", API: "family"}
	if a.Agent != agent || a.Group != "G1_x" || a.ID != "7" || a.Exposure != "exposed" || !a.Right ||
		a.Conduct == nil || a.Given.Outcome().Text != "9 degrees" {
		t.Errorf("%+v", a)
	}

	e.Lost, e.Turns = "the disk is full", nil

	if a, err := judge.OfEpisode(e, "family", nil); err != nil || !a.Lost || a.Given != nil || a.Conduct != nil {
		t.Errorf("a lost one: %+v, %v", a, err)
	}

	e.Lost, e.Tools = "", ""

	if _, err := judge.OfEpisode(e, "family", nil); err == nil {
		t.Error("an episode of another suite is taken")
	}
}

// Who answered in several inputs is told apart by them; what is named twice is refused.
func TestJoin(t *testing.T) {
	t.Parallel()

	first := judge.Input{Name: "one", Answers: []judge.Answer{answered("a", "1", "x"), answered("b", "1", "x")}}
	second := judge.Input{Name: "two", Answers: []judge.Answer{answered("a", "1", "y"), answered("c", "1", "y")}}

	all, err := judge.Join([]judge.Input{first, second})
	if err != nil {
		t.Fatal(err)
	}

	var agents []string
	for _, a := range all {
		agents = append(agents, a.Agent.Policy)
	}

	if want := []string{"a@one", "b", "a@two", "c"}; !slices.Equal(agents, want) {
		t.Errorf("agents %v, want %v", agents, want)
	}

	if _, err := judge.Join([]judge.Input{first, first}); err == nil {
		t.Error("an input that is named twice is taken")
	}
}

// folder makes a folder of files.
func folder(t *testing.T, name string, files map[string]string) string {
	t.Helper()

	dir := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}

	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	return dir
}

// convertedFile is the converted file of an agent that answered some queries.
func convertedFile(t *testing.T, ids ...string) string {
	t.Helper()

	all := map[string]*answers.Answer{}

	for _, id := range ids {
		a := answered("a", id, "degrees of "+id)
		all[id] = a.Given
	}

	text, err := answers.Encode(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The queries that count are those of the ID file, where there is one: one without an answer is
// missing, and answers to others are left out and counted. They come by number.
func TestConverted(t *testing.T) {
	t.Parallel()

	ids, err := judge.ReadIDs(folder(t, "ids", map[string]string{
		"G1_x.json": `{"10": 1, "9": 2, "x": 3, "7": 4, "07": 5}`, "README.md": "not read",
	}))
	if err != nil {
		t.Fatal(err)
	}

	want := judge.IDs{"G1_x": {"07", "7", "9", "10", "x"}}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}

	dir := folder(t, "agent", map[string]string{
		"G1_x.json": convertedFile(t, "9", "8", "10", "6"), "G2_y.json": convertedFile(t, "20", "3"), "log": "{}",
	})

	got := func(path string, ids judge.IDs) (said []string, others int) {
		read, err := judge.ReadConverted(path, ids)
		if err != nil || len(read.Unread) > 0 {
			t.Fatal(err, read.Unread)
		}

		for _, a := range read.Answers {
			text := a.String() + ":"
			if a.Given != nil {
				text += " " + a.Given.Outcome().Text
			}

			said = append(said, text)
		}
		return said, read.Others
	}

	said, others := got(dir, ids)
	if diff := cmp.Diff([]string{
		"agent under , G1_x-07:", "agent under , G1_x-7:", "agent under , G1_x-9: degrees of 9",
		"agent under , G1_x-10: degrees of 10", "agent under , G1_x-x:", "agent under , G2_y-3: degrees of 3",
		"agent under , G2_y-20: degrees of 20",
	}, said); diff != "" || others != 2 {
		t.Errorf("%d other answers, %s", others, diff)
	}

	said, others = got(filepath.Join(dir, "G2_y.json"), nil)
	if len(said) != 2 || others != 0 {
		t.Errorf("one file: %q and %d others", said, others)
	}
}

// Of a folder with files of several forms what can be read is read; the rest is named, and counts
// nowhere.
func TestConvertedOfSeveralForms(t *testing.T) {
	t.Parallel()

	half := strings.TrimSuffix(strings.TrimSpace(convertedFile(t, "1", "2")), "}") + `, "3": {"is_solved": {}}}`
	dir := folder(t, "agent", map[string]string{
		"G1_x.json": half, "G2_y.json": `{"4": {"query": "q", "is_solved": {"0": "AnswerStatus.Solved"}}}`,
		"ids.json": `["1"]`, "cut.json": `{"5": {"query": "q", "answ`,
	})

	read, err := judge.ReadConverted(dir, nil)
	if err != nil {
		t.Fatal(err)
	}

	var has, unread []string

	for _, a := range read.Answers {
		has = append(has, fmt.Sprintf("%s-%s %t %t", a.Group, a.ID, a.Given != nil, a.Lost))
	}

	for _, err := range read.Unread {
		unread = append(unread, strings.Fields(filepath.Base(err.Error()))[0])
	}

	if diff := cmp.Diff([]string{"G1_x-1 true false", "G1_x-2 true false", "G1_x-3 false true"}, has); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff([]string{"G1_x.json:", "G2_y.json:", "cut.json:", "ids.json:"}, unread); diff != "" {
		t.Errorf("%v: %s", read.Unread, diff)
	}
}

// The queries of a listed group count though a folder has no file of it, and are lost with one that
// cannot be read.
func TestConvertedWithoutAGroup(t *testing.T) {
	t.Parallel()

	ids := judge.IDs{"G1_x": {"1", "2"}, "G2_y": {"3", "4"}, "cut": {"5"}}
	dir := folder(t, "agent", map[string]string{
		"G1_x.json": convertedFile(t, "1"), "cut.json": `{"5": {"query": "q", "answ`,
		"other.json": `["1"]`,
	})

	read, err := judge.ReadConverted(dir, ids)
	if err != nil {
		t.Fatal(err)
	}

	var has []string
	for _, a := range read.Answers {
		has = append(has, fmt.Sprintf("%s-%s of %s %t %t", a.Group, a.ID, a.Agent.Policy,
			a.Given != nil, a.Lost))
	}

	if diff := cmp.Diff([]string{
		"G1_x-1 of agent true false", "G1_x-2 of agent false false", "G2_y-3 of agent false false",
		"G2_y-4 of agent false false", "cut-5 of agent false true",
	}, has); diff != "" || len(read.Unread) != 2 {
		t.Errorf("%v: %s", read.Unread, diff)
	}

	if read, err := judge.ReadConverted(filepath.Join(dir, "cut.json"), ids); err == nil {
		t.Errorf("half a file by itself: %+v", read)
	}
}

// What cannot be read, or is not what it is taken for, is an error that names the file.
func TestFilesThatAreNotOurs(t *testing.T) {
	t.Parallel()

	list := folder(t, "list", map[string]string{"G1_x.json": `["1", "2"]`})
	empty := folder(t, "empty", map[string]string{"G1_x.txt": `{}`})
	gone := filepath.Join(empty, "gone")

	// A folder with the name of a file.
	odd := folder(t, "odd", nil)
	if err := os.Mkdir(filepath.Join(odd, "G1_x.json"), 0o755); err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{list, empty, gone, odd} {
		if ids, err := judge.ReadIDs(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("IDs of %s: %v, %v", path, ids, err)
		}

		if read, err := judge.ReadConverted(path, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("answers of %s: %v, %v", path, read, err)
		}
	}

	if _, err := judge.ReadIDs(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("IDs of a folder that is not there: %v", err)
	}
}

// Conduct counts calls of functions that the version took, and for each function that refused one
// whether it was called with success later: by a naive reading of episodes drawn by chance.
func TestConductNaively(t *testing.T) {
	t.Parallel()

	outcomes := []envs.Outcome{
		envs.OK, envs.OK, envs.ToolError, envs.Deprecated, envs.InvalidAction, envs.InvocationError, envs.Malformed,
	}
	recovered := 0

	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 33))
		e := &trajectories.Episode{}

		for range 1 + rng.IntN(8) {
			tool := []string{"f", "f", "g", "", envs.FinishTool, envs.UpdateTool}[rng.IntN(6)]
			turn := trajectories.Turn{Tool: tool, API: "api", Outcome: outcomes[rng.IntN(len(outcomes))]}

			if turn.Outcome == envs.Malformed {
				turn.Tool, turn.API = "", ""
			}

			e.Turns = append(e.Turns, turn)
		}

		want := &judge.Conduct{}
		refused := map[string]bool{}

		for i, turn := range e.Turns {
			if turn.Outcome == envs.Malformed || turn.Tool == envs.FinishTool || turn.Tool == envs.UpdateTool {
				continue
			}

			want.Calls++
			if turn.Outcome == envs.OK || turn.Outcome == envs.ToolError {
				want.Valid++
			} else if turn.Tool != "" && !refused[turn.Tool] {
				refused[turn.Tool] = true
				want.Met++

				for _, later := range e.Turns[i+1:] {
					if later.Tool == turn.Tool && later.Outcome == envs.OK {
						want.Recovered++
						break
					}
				}
			}
		}

		recovered += want.Recovered
		want.ValidShare = float64(want.Valid) / max(float64(want.Calls), 1)
		want.RecoveredShare = float64(want.Recovered) / max(float64(want.Met), 1)

		got := judge.ConductOf(e, nil)
		if diff := cmp.Diff(want, got,
			cmpopts.IgnoreFields(judge.Conduct{}, "Refusals", "ValidShare", "RecoveredShare")); diff != "" {
			t.Fatalf("%+v: %s", e.Turns, diff)
		}

		calls := 0
		for _, r := range got.Refusals {
			calls += r.Calls
		}

		if calls != want.Calls-want.Valid {
			t.Fatalf("%+v: %d refused calls by kind, want %d", e.Turns, calls, want.Calls-want.Valid)
		}
	}

	if recovered < 20 {
		t.Errorf("%d functions recovered: the test shows little", recovered)
	}
}
