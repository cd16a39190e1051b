package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// treeIn returns a tree of a run as inspect prints it.
func treeIn(t *testing.T, run, question string, tree int) mcts.TreeRecord {
	t.Helper()
	return document[mcts.TreeRecord](t, must(t, "inspect", run, question, fmt.Sprint(tree), "--json"))
}

// onTheWay returns a node of a tree that goes on, behind a load that succeeded.
func onTheWay(t *testing.T, tree mcts.TreeRecord) int {
	t.Helper()

	i := slices.IndexFunc(tree.Nodes, func(n mcts.Record) bool {
		return n.Depth >= 2 && n.Outcome == envs.OK && n.Status == envs.Running
	})
	if i < 0 {
		t.Fatalf("no node of %s goes on", tree.Question)
	}

	return i
}

// A branch has the steps down to its node as they were; behind them another version answers. The
// commands that read runs read it, and it is resumed like them.
func TestBranchUnderAnotherVersion(t *testing.T) {
	t.Parallel()

	const question = "easy-coffee-train-0000"
	data, dir := smallData(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }

	collection(t, "--data", data, "--dataset", "coffee", "--difficulty", "easy", "--limit", "2", "--trees", "2",
		"--out", in("run"))
	tree := treeIn(t, in("run"), question, 0)
	node := onTheWay(t, tree)
	path := tree.Path(node)[1:]

	must(t, "branch", in("run"), question, "0", fmt.Sprint(node), "--api", "p_s_ood", "--out", in("branch"))
	says(t, "check", must(t, "check", in("branch")), "0 problems")
	must(t, "export", "--allow-scripted", in("branch"), "--out", in("export"))
	says(t, "check", must(t, "check", in("export")), "0 faulty, 0 problems")
	says(t, "replay", must(t, "replay", in("branch"), "--set", "search.trees=1"), "1 questions", "0 (0.0 %)")

	rows := trajectoriesOf(t, in("branch"))
	if len(rows) == 0 {
		t.Fatal("the branch has no trajectories")
	}

	for _, row := range rows {
		if row.QuestionID != question || row.DeployedAPI != "p_s_ood" || len(row.Turns) <= len(path) {
			t.Errorf("a trajectory of %s under %s with %d turns", row.QuestionID, row.DeployedAPI, len(row.Turns))
		}

		for i, id := range path {
			got, want := row.Turns[i], tree.Nodes[id]
			if got.Action != want.Action || got.Observation != want.Observation {
				t.Errorf("turn %d is %+v, was %+v", i, got, want)
			}
		}

		for _, turn := range row.Turns[len(path):] {
			if turn.Outcome == envs.Deprecated && strings.Contains(turn.Observation, "Apply_Database_Filters[") {
				t.Errorf("behind the node p_s_in answers: %s", turn.Observation)
			}
		}
	}

	// More trees of a branch, and a branch of the branch under a third version.
	must(t, "collect", "--resume", "--out", in("branch"), "--trees", "25")
	says(t, "check", must(t, "check", in("branch")), "0 problems")

	tree = treeIn(t, in("branch"), question, 0)
	last := slices.IndexFunc(tree.Nodes, func(n mcts.Record) bool {
		return n.Depth > len(path) && n.Status == envs.Running && n.Outcome == envs.OK
	})
	must(t, "branch", in("branch"), question, "0", fmt.Sprint(last), "--api", "p_c", "--policy", "scripted:reader",
		"--out", in("again"))
	says(t, "check", must(t, "check", in("again")), "0 problems")
	says(t, "run.yaml", string(read(t, filepath.Join(in("again"), "run.yaml"))),
		"api: ["+strings.Repeat("p_s_in, ", len(path))+"p_s_ood")

	ended := slices.IndexFunc(tree.Nodes, func(n mcts.Record) bool { return n.Status == envs.Terminated })
	fails(t, exitUsage, []string{"the task has ended at node", "inspect"}, "branch", in("branch"), question, "0",
		fmt.Sprint(ended))
	fails(t, exitUsage, []string{"deeper than 1", "max_depth"}, "branch", in("run"), question, "0", fmt.Sprint(node),
		"--set", "search.max_depth=1", "--out", in("deep"))
}

// A branch at the root under the run's own settings is the run, of that question.
func TestBranchAtTheRootIsTheRun(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()
	run, branch := filepath.Join(dir, "run"), filepath.Join(dir, "branch")
	versions := filepath.Join(dir, "made")

	must(t, "versions", "make", "--count", "2", "--out", versions)
	collection(t, "--data", data, "--dataset", "coffee", "--limit", "2", "--trees", "3", "--api",
		"file:"+versions+"/*.yaml", "--out", run)

	var questions []string
	for _, row := range trajectoriesOf(t, run) {
		questions = append(questions, row.QuestionID)
	}

	question := slices.Compact(questions)[1]
	must(t, "branch", run, question, "0", "0", "--out", branch)
	says(t, "check", must(t, "check", branch), "0 problems")

	var want []trajectories.Row
	for _, row := range trajectoriesOf(t, run) {
		if row.QuestionID == question {
			want = append(want, row)
		}
	}

	ignored := cmpopts.IgnoreFields(trajectories.Row{}, "RunID", "RunHash", "ConfigHash")
	if diff := cmp.Diff(want, trajectoriesOf(t, branch), ignored); diff != "" || len(want) == 0 {
		t.Errorf("the branch differs from the run (-run +branch):\n%s", diff)
	}

	// Behind a step under a version in a file, one that ships answers; the run keeps the file.
	tree := treeIn(t, run, question, 0)
	node := onTheWay(t, tree)
	must(t, "branch", run, question, "0", fmt.Sprint(node), "--api", "p_s_in", "--out", branch+"2")
	says(t, "check", must(t, "check", branch+"2"), "0 problems")
	must(t, "collect", "--resume", "--out", branch+"2")
}

// trajectoriesOf returns the trajectories of a run.
func trajectoriesOf(t *testing.T, run string) []trajectories.Row {
	t.Helper()

	var all []trajectories.Row

	for row, err := range trajectories.ReadFile(filepath.Join(run, rowsFile)) {
		if err != nil {
			t.Fatal(err)
		}

		all = append(all, row)
	}
	return all
}
