package main

import (
	"slices"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs/action"
	"toolevo/envs/suite"
	"toolevo/mcts/policy/prompt"
	"toolevo/toolqa"
	"toolevo/toolqa/bench"
)

// The tools of a dataset are tools that there are, every tool serves some dataset, and no
// demonstration calls another than those of its dataset.
func TestToolsOfDatasets(t *testing.T) {
	t.Parallel()

	b, err := suite.Lookup("toolqa")
	if err != nil {
		t.Fatal(err)
	}

	v, err := shippedVersion("p_c")
	if err != nil {
		t.Fatal(err)
	}

	pools, err := prompt.LoadDemonstrations(bench.ToolQA{}.Demonstrations())
	if err != nil {
		t.Fatal(err)
	}

	serving := map[string]bool{}
	tools, _ := b.(suite.Narrower).DatasetTools()

	for _, ds := range toolqa.Datasets() {
		for _, name := range tools[string(ds)] {
			serving[name] = true
		}

		for _, d := range pools[string(ds)] {
			for _, turn := range d.Turns {
				if call, _ := (action.ReAct{}).Parse(turn.Action); !slices.Contains(tools[string(ds)], call.Name) {
					t.Errorf("%s: a demonstration calls %s, which is not among its tools", ds, call.Name)
				}
			}
		}
	}

	for _, api := range v.APIs {
		if !serving[api.Tool] {
			t.Errorf("%s serves no dataset", api.Tool)
		}

		delete(serving, api.Tool)
	}

	if len(serving) > 0 {
		t.Errorf("there are no tools %v", serving)
	}
}

// The lineage of a run knows which tools its prompts list, and its hash that they are not all.
func TestToolListIsIdentity(t *testing.T) {
	t.Parallel()

	lineage := func(tools string) (hash, prompts string) {
		c, err := configs.Load(configs.SettingLayer("test", "server.prompt.tools", tools),
			configs.SettingLayer("test", "policy", "openai:m"))
		if err != nil {
			t.Fatal(err)
		}

		b, err := toolevo.ReadBench(t.Context(), smallData(t), c, nil, nil)
		if err != nil {
			t.Fatal(err)
		}

		defer b.Close()
		return c.Hash(), b.Lineage[toolevo.InputPrompt]
	}

	hash, prompts := lineage(configs.ToolsAll)
	if otherHash, other := lineage(configs.ToolsOfDataset); otherHash == hash || other == prompts || other == "" {
		t.Errorf("%s %s, and %s %s of the other list", hash, prompts, otherHash, other)
	}
}
