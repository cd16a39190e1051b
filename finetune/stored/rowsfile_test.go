package stored_test

import (
	"path/filepath"
	"testing"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// A run that was extended and then stopped has the rows of more trees than those it ended with.
func TestRowsOfAnExtendedRun(t *testing.T) {
	t.Parallel()

	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "run")

	r := &stored.Run{
		Config:    &configs.Resolved{Config: configs.Config{Policy: []string{"scripted"}}},
		Questions: []trajectories.Question{{ID: "q"}},
		Versions:  &drift.Deployed{Families: []drift.Family{{Versions: []string{"p_c"}}}},
	}

	var err error
	r.Run, err = store.StartRun(ctx, dir, store.Manifest{ID: "id", Kind: stored.Collection}, "")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})

	// grow stores another tree and writes the rows of all.
	grow := func(tree int) {
		answer := mcts.Record{ID: 1, Depth: 1, Action: "Finish", Outcome: envs.Correct}

		err := r.SaveTree(ctx, &mcts.TreeRecord{Question: "q", Tree: tree,
			Nodes: []mcts.Record{{Parent: mcts.NoParent}, answer}})
		if err == nil {
			_, err = r.WriteRows(ctx, t.Logf)
		}

		if err != nil {
			t.Fatal(err)
		}
	}

	grow(0)

	if err := r.End(ctx, 1); err != nil {
		t.Fatal(err)
	}

	r.Manifest.Finished.Extended = true

	grow(1)

	n, difference, err := r.CompareRows(ctx)
	if n != 2 || difference != "" || err != nil {
		t.Errorf("%d rows, difference %q, error %v; want the 2 of both trees", n, difference, err)
	}
}
