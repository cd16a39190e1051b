package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
	"toolevo/toolqa"
	"toolevo/toolqa/questions"
)

// TestParity grows trees as the published code does, preset reference under every compat option,
// over all datasets and the API versions, and compares every node with those recorded: the digits
// of its path, N, W, its reward, and a checksum each of the action and the observation. Where a
// node differs, a comparison with the published code means something else from then on.
func TestParity(t *testing.T) {
	t.Parallel()

	c, err := configs.Load(
		allDatasets(),
		configs.SettingLayer("test", "split", string(toolqa.Test)),
		configs.SettingLayer("test", "preset", "reference"),
		configs.SettingLayer("test", "environment.compat", "published"),
	)
	if err != nil {
		t.Fatal(err)
	}

	b, err := toolevo.OpenBench(t.Context(), defaultData(t), c, nil, openShared)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { b.Close() })

	// Another question under each API version. Those of flights and airbnb that need SQL take too
	// long.
	worlds := parityWorlds(t, b)
	asked := map[string]int{}
	var trees []func() (string, error)

	for _, q := range chosen(b) {
		kind, want := fmt.Sprint(q.Dataset, q.Difficulty), len(worlds)
		if q.Dataset == toolqa.Flights || q.Dataset == toolqa.Airbnb {
			kind, want = string(q.Dataset), 2*want
		}

		if asked[kind] == want {
			continue
		}

		w := worlds[asked[kind]%len(worlds)]
		asked[kind]++

		for _, name := range []string{"noisy", "careless"} {
			trees = append(trees, func() (string, error) {
				search := mcts.Search{Env: w.env, Policy: w.policies[name], Config: c.Search.Config, Seed: 1}
				search.Config.MaxDepth = c.MaxDepth(q.Task())

				tree, err := search.Grow(t.Context(), q.Task(), 0, nil)
				if err != nil {
					return "", err
				}
				return fmt.Sprintf("# %s %s %s\n%s", w.api, name, q.ID, drawn(tree)), tree.Check(search.Config)
			})
		}
	}

	texts := make([]string, len(trees))
	var group errgroup.Group
	group.SetLimit(4)

	for i, grow := range trees {
		group.Go(func() (err error) {
			texts[i], err = grow()
			return err
		})
	}

	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}

	golden(t, "parity.golden", strings.Join(texts, ""))
}

// world is an API version that is deployed, and who acts in it.
type world struct {
	api      string
	env      envs.Environment
	policies map[string]mcts.Policy
}

func parityWorlds(t *testing.T, b *toolevo.Bench) []world {
	t.Helper()

	noisy, err := scripted.ParseProfile("noisy")
	if err != nil {
		t.Fatal(err)
	}

	careless := noisy
	careless.Rates.Malformed, careless.Rates.NoAction = 0.1, 0.05

	var worlds []world

	for _, api := range []string{"p_c", "p_s_in", "p_s_ood"} {
		version, err := shippedVersion(api)
		if err != nil {
			t.Fatal(err)
		}

		env, err := b.Suite.Environment(api, nil)
		if err != nil {
			t.Fatal(err)
		}

		worlds = append(worlds, world{api, env, map[string]mcts.Policy{
			"noisy":    scripted.New(noisy, questions.Plan),
			"careless": odd{scripted.New(careless, questions.Plan), oddActions(t, version)},
		}})
	}

	return worlds
}

// drawn is a line for each node of a tree.
func drawn(tree *mcts.Tree) string {
	var s strings.Builder

	for _, n := range tree.Nodes {
		observation := n.Turn.Observation
		if n.Turn.Call.Tool == "PythonInterpreter" && n.Turn.Outcome == envs.ToolError {
			observation, _, _ = strings.Cut(observation, ":") // the message is that of a version of Python
		}

		fmt.Fprintf(&s, "%s %d %g %g %06x %06x\n", strings.ReplaceAll(n.Path(), ".", ""), n.Visits, n.TotalValue,
			n.Reward, checksum(string(n.Turn.Action)), checksum(observation))
	}
	return s.String()
}

// checksum is one of 24 bits.
func checksum(text string) uint32 { return crc32.ChecksumIEEE([]byte(text)) >> 8 }

// odd is a policy that draws every fourth sample from a list of actions.
type odd struct {
	mcts.Policy
	actions []string
}

func (o odd) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	proposals, err := o.Policy.Propose(ctx, r)
	for i := range proposals {
		random := rand.New(rand.NewPCG(r.Seed+uint64(i), 2))
		if random.IntN(4) == 0 {
			proposals[i].Text = o.actions[random.IntN(len(o.actions))]
		}
	}

	return proposals, err
}

// oddActions are what a model writes that confuses API versions, JSON and Python, and what the
// tools treat in a way of their own.
func oddActions(t *testing.T, version *toolapi.Version) []string {
	t.Helper()

	written := func(name, input string) string {
		return "Thought: I try.\n\nAction: " + name + "\n\nAction Input: " + input
	}
	actions := []string{
		written("LoadDB", "{'DBName': 'coffee'}"),
		written("InitializeDatabase", "{'DatabaseName': 'coffee'}"),
		written("Init_DB", "{'databaseIdentifier': 'coffee'}"),
		written("InitializeDatabase", `{"DatabaseName": "coffee"}`),
		written("Init_DB", `{"databaseIdentifier": "coffee"}`),
		written("InitializeGraphData", `{"Graph_Name": dblp}`),
		written("Import_Graph", `{"Graph": "dblp"}`),
		"Action:\nAction Input: {\"answer\": \"1\"}",
	}

	for _, call := range []struct {
		tool string
		args envs.Args
	}{
		{"PythonInterpreter", envs.Args{{Name: "Python", Value: "if 1 > 2: print(73.19)\nelse: print('no')"}}},
		{"PythonInterpreter", envs.Args{{Name: "Python", Value: "print(round(10 / 7, 2))\nx = 5\nprint (x)"}}},
		{"PythonInterpreter", envs.Args{{Name: "Python", Value: "print(x + 1)"}}},
		{"SQLInterpreter", envs.Args{{Name: "SQL", Value: "SELECT COUNT(*) FROM coffee.coffee_data " +
			"WHERE Date = '2000-01-03' AND Close > 1190"}}},
		{"FilterDB", envs.Args{{Name: "condition", Value: "Distance>100, Nowhere=1"}}},
		{"FilterDB", envs.Args{{Name: "condition", Value: "Distance>100, Origin=nowhere"}}},
		{"FilterDB", envs.Args{{Name: "condition", Value: envs.Number("5")}}},
		{"GetValue", envs.Args{{Name: "column_name", Value: "Distance"}}},
	} {
		name, args, err := version.Lift(call.tool, call.args)
		if err != nil {
			continue // the version cannot say it
		}

		actions = append(actions, written(name, string(pytext.AppendJSON(nil, args))))
	}
	return actions
}
