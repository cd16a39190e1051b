package judge_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/toolbench/answers"
	"toolevo/finetune"
	"toolevo/finetune/judge"
)

// asPublished judges as the published results say.
type asPublished struct {
	solved map[string]map[string]status // by model and query
	votes  map[string]map[string]any    // by query
	second string                       // the candidate
}

// status is a query in a published pass-rate file.
type status struct {
	Solved map[string]string `json:"is_solved"` // by pass
}

func (p *asPublished) Status(_ context.Context, a *judge.Answer, pass int) (judge.Status, error) {
	name := strings.TrimPrefix(p.solved[a.Agent.Policy][a.ID].Solved[fmt.Sprint(pass)], "AnswerStatus.")
	if name != judge.Solved.String() {
		return judge.Lost, fmt.Errorf("asked for %s, which is %q: a shortcut decides that", a, name)
	}
	return judge.Solved, nil
}

func (p *asPublished) Complete(context.Context, *judge.Answer) (judge.Status, error) {
	return judge.Lost, errors.New("not published")
}

func (p *asPublished) Prefer(_ context.Context, a, _ *judge.Answer, round int) (judge.Preference, error) {
	if votes, _ := p.votes[a.ID][p.second].(float64); float64(round) < votes {
		return judge.Second, nil
	}
	return judge.First, nil
}

// The published statuses and votes give the published scores and files. A judge is asked for no
// answer that a shortcut decides.
func TestPublishedResults(t *testing.T) {
	t.Parallel()

	const group, reference, candidate = "G1_instruction", "virtual_chatgpt_cot", "virtual_chatgpt_dfs"

	examples := filepath.Join(os.Getenv("TOOLEVO_SHARED_DATA"), "stabletoolbench", "data_example")
	if _, err := os.Stat(examples); err != nil {
		t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
	}

	j := &asPublished{second: candidate, solved: map[string]map[string]status{}}

	var all []judge.Answer

	for _, model := range []string{reference, candidate} {
		statuses := j.solved[model]
		decode(t, filepath.Join(examples, judge.PassRateFolder, model, group+"_"+model+".json"), &statuses)
		j.solved[model] = statuses

		converted, _, err := answers.Decode(read(t, filepath.Join(examples, "model_predictions_converted", model,
			group+".json")))
		if err != nil {
			t.Fatal(err)
		}

		for id, a := range converted {
			all = append(all, judge.Answer{Agent: finetune.Contender{Policy: model}, Group: group, ID: id, Given: a})
		}
	}

	votes := filepath.Join(judge.PreferenceFolder, group+"_"+reference+"_"+candidate+".json")
	decode(t, filepath.Join(examples, votes), &j.votes)

	judged, err := judge.Run(t.Context(), j, all, judge.Options{
		Scores: []judge.Score{judge.SoPR, judge.SoWR}, Passes: judge.Passes, Workers: 2,
	})
	if err != nil {
		t.Fatal(err)
	}

	r := judged.Report(judge.Rule{}.Maker(), judge.Passes)
	scores := make([]string, len(r.Rows))

	for i, row := range r.Rows {
		scores[i] = percent(row.SoPR.Mean) + " ± " + percent(row.SoPR.Deviation)
	}

	want := []string{"66.7 ± 0.0", "100.0 ± 0.0"}
	if !slices.Equal(scores, want) || percent(r.Wins[0].Rate) != "100.0" {
		t.Errorf("SoPR %v, want %v; SoWR %v", scores, want, r.Wins[0])
	}

	dir := t.TempDir()
	if paths, err := judged.WriteFiles(dir); err != nil || len(paths) != 2*2+1 {
		t.Fatalf("%v, %v", paths, err)
	}

	same(t, filepath.Join(examples, votes), filepath.Join(dir, votes))

	for _, model := range []string{reference, candidate} {
		file := filepath.Join(judge.PassRateFolder, model, group+"_"+model)
		same(t, filepath.Join(examples, file+".json"), filepath.Join(dir, file+".json"))

		want, got := lines(t, filepath.Join(examples, file+".csv")), lines(t, filepath.Join(dir, file+".csv"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s.csv: %s", file, diff)
		}
	}
}

// same compares two JSON files.
func same(t *testing.T, want, got string) {
	t.Helper()

	var one, other any

	decode(t, want, &one)
	decode(t, got, &other)

	if diff := cmp.Diff(one, other); diff != "" {
		t.Errorf("%s: %s", got, diff)
	}
}

// lines returns those of a tab-separated file in an order of their own: the published one is that
// in which judges happened to finish, and so is that of the passes.
func lines(t *testing.T, path string) [][]string {
	t.Helper()

	r := csv.NewReader(strings.NewReader(string(read(t, path))))
	r.Comma = '\t'

	all, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}

	pass := regexp.MustCompile(`\d: '[^']*'`)

	for _, line := range all {
		if found := pass.FindAllString(line[len(line)-1], -1); found != nil {
			slices.Sort(found)
			line[len(line)-1] = "{" + strings.Join(found, ", ") + "}"
		}
	}

	slices.SortFunc(all, slices.Compare[[]string])
	return all
}

func read(t *testing.T, path string) []byte {
	t.Helper()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t *testing.T, path string, to any) {
	t.Helper()

	if err := json.Unmarshal(read(t, path), to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
