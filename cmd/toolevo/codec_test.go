package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/policy/simserver"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// TestFunctionCalls runs a model that writes function calls from the search to the training data
// and the figures.
func TestFunctionCalls(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()
	run, exported := filepath.Join(dir, "run"), filepath.Join(dir, "export")
	s := serve(t, simserver.Options{Codec: action.FunctionCall{}})
	calls := []string{"--data", data, "--split", "train", "--set", "environment.codec=function-call"}

	collect := append([]string{"collect", "--trees", "2", "--set", "search.simulations=4", "--out", run}, calls...)
	must(t, onServer(s, collect...)...)
	says(t, "check", must(t, "check", run, "--data", data), "0 problems")

	for row, err := range trajectories.ReadFile(filepath.Join(run, rowsFile)) {
		if err != nil {
			t.Fatal(err)
		}

		for _, turn := range row.Turns {
			opening := "<think>\n" + turn.Thought
			if turn.Outcome == envs.OK && (turn.Thought == "" || !strings.HasPrefix(turn.Action, opening)) {
				t.Errorf("the thought %q of the action %q", turn.Thought, turn.Action)
			}
		}
	}

	must(t, "export", "--allow-scripted", run, "--out", exported, "--data", data)

	// A chat template that is named may not spoil them. What is counted under is that of the
	// trainer.
	lossy := [][]string{
		{"--for", "trl:llama3_1"}, {"--for", "llamafactory:chatml"},
		{"--tokenizer", "../../trajectories/internal/bpe/testdata/qwen2.json", "--chat-template", "chatml"},
	}
	for _, flags := range lossy {
		out := filepath.Join(dir, "spoilt")
		r := cli(t, append([]string{"export", "--allow-scripted", run, "--out", out,
			"--data", data}, flags...)...)

		_, err := os.Stat(filepath.Join(out, export.ManifestFile))
		if r.code != exitUsage || !os.IsNotExist(err) || !strings.Contains(r.err, "qwen3") {
			t.Errorf("%v: exit %d, %v: %s", flags, r.code, err, r.err)
		}
	}

	says(t, "export", cli(t, "export", "--allow-scripted", run,
		"--out", filepath.Join(dir, "steps"), "--data", data, "--for",
		"trl:gemma4").err, "--format sft-step", "hf auth login\n",
		"hf upload USER/NAME "+filepath.Join(dir, "steps")+" . --repo-type dataset --private\n")

	roles := map[string]int{}

	for sample, err := range export.Read(exported, false) {
		if err != nil {
			t.Fatal(err)
		}

		if strings.Contains(sample.System, action.InputMarker) {
			t.Errorf("the system text speaks of ReAct:\n%s", sample.System)
		}

		for _, m := range sample.Conversations {
			roles[m.From]++
		}
	}

	if roles[export.FunctionCall] == 0 || roles[export.Observation] == 0 ||
		roles[export.GPT] > roles[export.FunctionCall]/4 {
		t.Errorf("the samples have the roles %v", roles)
	}

	// What a model does, and so every figure, is the same however it is written.
	eval := []string{"eval", "--split", "train", "--data", data, "--json"}
	served := document[finetune.Report](t,
		must(t, onServer(s, append(append(eval, calls...), "--out", filepath.Join(dir, "served"))...)...))
	direct := document[finetune.Report](t,
		must(t, append(eval, "--policy", "scripted:noisy", "--limit", "3", "--out", filepath.Join(dir, "direct"))...))

	for i, row := range served.Rows {
		if want := direct.Rows[i]; row.N != 3 || row.Official != want.Official || row.Turns != want.Turns {
			t.Errorf("%s: %v of %d in %v turns, as ReAct %v in %v", row.Cell, row.Official, row.N, row.Turns,
				want.Official, want.Turns)
		}
	}
}

// TestCodecsMakeTheSameSamples: the trees, and what is exported of them, do not depend on how
// actions are written. A turn without a readable action begins with a thought in tags under one of
// the codecs, and is no reason to drop its trajectory, nor to ask the model more.
func TestCodecsMakeTheSameSamples(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()

	for _, preset := range []string{"paper", "efficient"} {
		var before map[string]int
		var grown string

		for _, codec := range []action.Codec{action.ReAct{}, action.FunctionCall{}, action.Tools{}} {
			run := filepath.Join(dir, preset+codec.String())
			made(t, "collect", "--data", data, "--dataset", "coffee", "--limit", "2", "--trees", "2",
				"--preset", preset, "--policy", "scripted:noisy", "--out", run,
				"--set", "environment.codec="+codec.String())

			counts := map[string]int{"unreadable turns": unreadableTurns(t, run, codec)}
			if counts["unreadable turns"] == 0 {
				t.Errorf("%s: all turns of the run can be read: the test shows nothing", preset)
			}

			for _, format := range export.Formats() {
				m := document[export.Manifest](t, must(t, "export", "--allow-scripted", run,
					"--data", data, "--format", string(format),
					"--per-question", "0", "--out", filepath.Join(dir, "export"), "--json"))
				counts[string(format)] = m.Rows
				counts[string(format)+" trajectories"] = m.Selected.Rows
				counts[string(format)+" dropped"] = m.Lint.Dropped + m.Lint.Samples
			}

			forest := shapes(t, run)
			if before != nil && (fmt.Sprint(counts) != fmt.Sprint(before) || forest != grown) {
				t.Errorf("%s: %v as %s, %v as ReAct; trees -as ReAct +now:\n%s", preset, counts, codec, before,
					cmp.Diff(grown, forest))
			}

			before, grown = counts, forest
		}
	}
}

// shapes describes the trees of a run without the texts in them, a node a line. What is unreadable
// in one codec can be an invalid call in another.
func shapes(t *testing.T, run string) string {
	t.Helper()

	var b strings.Builder

	for _, q := range document[toolevo.RunOverview](t, must(t, "inspect", run, "--json")).Questions {
		for i := range q.Trees {
			tree := must(t, "inspect", run, q.QuestionID, fmt.Sprint(i), "--json")
			for _, n := range document[mcts.TreeRecord](t, tree).Nodes {
				if n.Outcome == envs.Malformed {
					n.Outcome = envs.InvocationError
				}

				fmt.Fprintln(&b, q.QuestionID, i, n.ID, n.Parent, n.Outcome, n.Status, n.Limit, n.Visits,
					n.TotalValue, n.Expanded, n.Draws)
			}
		}
	}

	return b.String()
}

// unreadableTurns counts the turns of a run's trajectories that its codec cannot parse.
func unreadableTurns(t *testing.T, run string, codec action.Codec) (n int) {
	t.Helper()

	for row, err := range trajectories.ReadFile(filepath.Join(run, rowsFile)) {
		if err != nil {
			t.Fatal(err)
		}

		for _, turn := range row.Turns {
			_, wrong := codec.Parse(turn.Action)
			if turn.Unreadable() != (wrong != nil) {
				t.Errorf("a turn is unreadable: %v, and its codec says %v:\n%s", turn.Unreadable(), wrong, turn.Action)
			}

			if wrong != nil {
				n++
			}
		}
	}

	return n
}
