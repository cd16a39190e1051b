package main

import (
	"math/rand/v2"
	"testing"

	"toolevo/configs"
	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
	"toolevo/toolqa"
	"toolevo/toolqa/questions"
)

// TestWeakSolvesSomeTrees: of the trees that preset reference grows scripted:weak solves 20 to 40 %
// in each dataset, in questions that are not hopeless.
func TestWeakSolvesSomeTrees(t *testing.T) {
	t.Parallel()
	b, env, _ := testBench(t, defaultData(t), "p_s_in", toolqa.Train)

	c, err := configs.Load(configs.SettingLayer("test", "preset", "reference"))
	if err != nil {
		t.Fatal(err)
	}

	weak, err := scripted.ParseProfile("weak")
	if err != nil {
		t.Fatal(err)
	}

	weak.Hopeless = 0
	scripted := scripted.New(weak, questions.Plan)

	byDataset := map[toolqa.Dataset][]toolqa.Question{}
	for _, q := range chosen(b) {
		byDataset[q.Dataset] = append(byDataset[q.Dataset], q)
	}

	for _, dataset := range []toolqa.Dataset{toolqa.Coffee, toolqa.Flights, toolqa.Agenda, toolqa.DBLP} {
		const trees = 400 // a standard error of 2.4 points

		all, random, solved := byDataset[dataset], rand.New(rand.NewPCG(1, 1)), 0
		for range trees {
			q := all[random.IntN(len(all))]
			search := mcts.Search{Env: env, Policy: scripted, Config: c.Search.Config}
			search.Config.MaxDepth = c.MaxDepth(q.Task())

			tree, err := search.Grow(t.Context(), q.Task(), 0, nil)
			if err != nil {
				t.Fatal(err)
			}

			for _, n := range tree.Nodes {
				if n.Accepted() {
					solved++
					break
				}
			}
		}

		t.Logf("%s: %d of %d trees", dataset, solved, trees)

		if solved < trees*20/100 || solved > trees*40/100 {
			t.Errorf("%s: %d of %d trees are solved, want 20 to 40 %%", dataset, solved, trees)
		}
	}
}
