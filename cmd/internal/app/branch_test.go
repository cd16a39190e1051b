package app

import (
	"slices"
	"strings"
	"testing"

	"toolevo/configs"
	"toolevo/finetune/stored"
	"toolevo/mcts/store"
)

// A branch begins wherever the tree got: its actions may be longer than what people write.
func TestBranchOfLongActions(t *testing.T) {
	t.Parallel()

	action := "Calculate {\"expression\": \"" + strings.Repeat("1+", 10_000) + "1\"}"
	actions := slices.Repeat([]string{action}, 4)
	begin := configs.Branch{
		From: "run q 0 4", Question: "q", Actions: actions, API: slices.Repeat([]string{"p_c"}, 4),
	}

	config, err := configs.Load(configs.SettingLayer("test", "seed", "7"))
	if err != nil {
		t.Fatal(err)
	}

	run := &store.Run{Dir: "run", Config: config.String()}
	branch := &branch{config: stored.Layer(run), begin: begin}

	c, err := configs.Load(branch.layers()...)
	if err != nil {
		t.Fatal(err)
	}

	if !slices.Equal(c.Branch.Actions, actions) || c.Seed != 7 {
		t.Error("the branch begins elsewhere")
	}

	// And it can be opened.
	again := stored.Layer(&store.Run{Dir: "branch", Config: c.String()})
	if _, err := configs.Load(again); err != nil {
		t.Error(err)
	}
}
