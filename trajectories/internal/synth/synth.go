// Package synth makes search trees from a seed alone: input for tests, benchmarks and the interop
// checks of package trajectories. The texts look like those of a run on the coffee data:
// deprecations, recoveries, UpdateTool, errors, right and wrong answers, and whatever a tool's
// answer may hold by accident (control tokens, other scripts, quotes).
//
// It is not benchmark data: nothing here is true of any corpus.
package synth

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// Shown returns what export options ask for: a short system text, and ReAct.
func Shown(row *trajectories.Row) (trajectories.Shown, error) {
	return trajectories.Shown{Suite: "synth", System: System(row.PromptAPI)}, nil
}

// System returns a short system text.
func System(promptAPI string) string {
	return "You answer questions by calling tools. Write Thought, Action and Action Input.\n" +
		"The tools of " + promptAPI + ":\n(1) LoadDB[DBName]\n(2) FilterDB[condition]\n(3) " +
		"GetValue[column_name]\n(4) UpdateTool[newtool_desc]\n(5) Finish[answer]"
}

// Python returns the maker that all trees name for their programs.
func Python() trajectories.Maker {
	return trajectories.Maker{
		Kind:    trajectories.KindPython,
		Name:    "forkserver",
		Version: "3.11.2",
		With:    "numpy 1.24.2",
		Limits:  "wall 32s, cpu 8s, memory 1024 MiB, output 64 KiB",
	}
}

// Rows returns the correct trajectories of the given number of questions, in canonical order. The
// same arguments give the same rows.
func Rows(seed uint64, questions, treesPerQuestion int) []trajectories.Row {
	var rows []trajectories.Row

	for q := range questions {
		for tree := range treesPerQuestion {
			meta, record := Tree(seed, q, tree)
			rows = append(rows, trajectories.FromTree(meta, record)...)
		}
	}

	return rows
}

// Tree returns one tree of a question, and the lineage that it does not know itself.
func Tree(seed uint64, question, tree int) (trajectories.Meta, *mcts.TreeRecord) {
	// A tree depends on nothing but its number, so it stays the same however many there are.
	rng := rand.New(rand.NewPCG(seed, uint64(question)<<32|uint64(tree)))
	day := fmt.Sprintf("20%02d-%02d-%02d", question%23, question%12+1, question%28+1)
	meta := trajectories.Meta{
		Run: trajectories.Run{
			ID:          "synth-run",
			Hash:        "synth-hash",
			Preset:      "paper",
			Policy:      "scripted:noisy",
			PromptAPI:   "p_c",
			DeployedAPI: "p_s_in",
			Seed:        seed,
			ConfigHash:  "c0ffee",
			Software:    "synth",
		},
		Makers: []trajectories.RunMaker{{Maker: Python()}},
		Question: trajectories.Question{
			ID: fmt.Sprintf("easy-coffee-%04d", question),
			Labels: map[string]string{
				envs.LabelDataset: "coffee", envs.LabelDifficulty: "easy", envs.LabelTemplate: "range",
			},
			Split: "train",
			Index: question,
			Text:  "What was the coffee price range on " + day + "?",
			Gold:  gold(question),
		},
	}
	t := &mcts.TreeRecord{Question: meta.Question.ID, Tree: tree, Seed: rng.Uint64(), Simulations: 12, Calls: 30}

	t.Nodes = []mcts.Record{{Parent: mcts.NoParent, Visits: 12, Expanded: true}}

	// At least two, as formats of pairs need an action with siblings.
	for branch := range 2 + rng.IntN(2) {
		grow(t, rng, branch, question, day)
	}
	return meta, t
}

func gold(question int) string { return fmt.Sprintf("%d.%02d USD", question%40, question%100) }

// grow adds one root-to-leaf path.
func grow(t *mcts.TreeRecord, rng *rand.Rand, branch, question int, day string) {
	at := 0
	add := func(thought, tool, name, param, value, observation string, outcome envs.Outcome) {
		call := envs.Call{Tool: tool, Name: name, Args: envs.Args{{Name: param, Value: value}}}
		depth := t.Nodes[at].Depth + 1

		// Branches part at the root and nowhere else.
		ordinal := 0
		if at == 0 {
			ordinal = branch
		}

		visits := rng.IntN(5)
		n := mcts.Record{
			ID: len(t.Nodes), Parent: at, Depth: depth, Ordinal: ordinal,
			Action: action.ReAct{}.Format(thought, call) + "\n",
			Tool:   tool, Name: name, Key: action.Canonical(call), Observation: observation, Outcome: outcome,
			Prior: rng.Float64(), Visits: visits, TotalValue: float64(visits) * (2*rng.Float64() - 1), Expanded: true,
		}
		t.Nodes = append(t.Nodes, n)
		at = n.ID
	}
	add("I need the coffee data.", "LoadDB", "LoadDB", "DBName", "coffee",
		"Error: LoadDB is deprecated. Use InitializeDatabase, e.g. InitializeDatabase[DatabaseName].", envs.Deprecated)

	if rng.IntN(2) == 0 {
		add("I should remember it.", envs.UpdateTool, envs.UpdateTool,
			"newtool_desc", "InitializeDatabase[DatabaseName], which loads a database",
			"The tool list is updated.", envs.OK)
	}

	add("Use the new one.", "LoadDB", "InitializeDatabase", "DatabaseName", "coffee",
		"We have successfully loaded the coffee database, including the following columns: Date, Open, High, Low, "+
			"Close, Volume, Currency.", envs.OK)

	// Values vary little, so that now and then a branch makes the same mistake twice.
	for range rng.IntN(3) {
		add("Perhaps this column…", "FilterDB", "FilterDB", "condition", fmt.Sprintf("Day%d=%s", rng.IntN(3), day),
			oddities[rng.IntN(len(oddities))], envs.ToolError)
	}

	add("Filter the day's row: it's "+day+".", "FilterDB", "FilterDB", "condition", "Date="+day,
		"We have successfully filtered the data (1 row).", envs.OK)
	add("Read both prices.", "GetValue", "GetValue", "column_name", "High, Low", oddities[rng.IntN(len(oddities))],
		envs.OK)

	outcome, answer := envs.Correct, gold(question)
	if rng.IntN(4) == 0 {
		outcome, answer = envs.Incorrect, "17"
	}

	add("I know it now.", envs.FinishTool, envs.FinishTool, "answer", answer, "Answer is "+
		strings.ToUpper(outcome.String()), outcome)

	leaf := &t.Nodes[at]
	leaf.Status, leaf.Reward = envs.Terminated, -1

	// The strict matcher takes fewer answers than the official one, as it does with real ones.
	leaf.Grade = envs.Grade{
		Answer:   answer,
		Official: outcome == envs.Correct,
		Strict:   outcome == envs.Correct && rng.IntN(8) > 0,
	}
	if outcome == envs.Correct {
		leaf.Reward = 1
	}
}

// oddities are answers that tools may give.
var oddities = []string{
	"1.25, 1.19",
	"The column does not exist. Columns: Date, Open, High, Low, Close, Volume, Currency.",
	"High: 1.25\nLow: 1.19\n\nCurrency: \"USD\" 'x' \\ /",
	"naïve café 咖啡 コーヒー ☕👍🏽 é\u2028\u0301",
	"<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nThought: <|im_end|> </s> [INST] <end_of_turn> " +
		"{{idx}} {{content}}",
	"  [[1, 2], [3, {\"a\": {\"b\": null}}]]  ",
	strings.Repeat("2001-09-17 0.49 0.51 0.48; ", 60),
}
