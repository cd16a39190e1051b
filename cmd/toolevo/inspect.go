package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

func (a *app) inspectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect RUN [QUESTION [TREE [NODE]]]",
		Short: "Look at a run, a question's trees, a tree, or a trajectory",
		Long: `Shows a run's questions, or the trees of one question, or a tree as text, or the
trajectory that ends at a node.

In a tree, N counts visits, Q is their mean reward, P the prior. ✓ marks an
accepted answer, (✓) one that only the official matcher takes, ✗ a wrong one.
Nodes that a rollout cached and selection has not reached (of the presets paper
and reference) are counted; with --cached they are drawn, with a dot for N.`,
		Example: `  toolevo inspect runs/demo
  toolevo inspect runs/demo easy-coffee-train-0003
  toolevo inspect runs/demo easy-coffee-train-0003 0
  toolevo inspect runs/demo easy-coffee-train-0003 0 17`,
		Args: positional(1, 4),
	}
	asJSON := jsonFlag(cmd)
	cached := cmd.Flags().Bool("cached", false, "draw the nodes that rollouts cached, too")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v, err := openView(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer v.run.Close()
		return a.inspect(cmd.Context(), v, args[1:], *cached, *asJSON)
	}
	return cmd
}

// view is a collection run opened to be looked at.
type view struct {
	run       *store.Run
	questions []trajectories.Question
}

func openView(ctx context.Context, dir string) (*view, error) {
	run, err := store.OpenRun(ctx, dir)
	if err != nil {
		return nil, err
	}
	if run.Manifest.Kind != kindCollect {
		run.Close()
		return nil, usage("%s is a run of `toolevo %s`; this command looks at runs of `toolevo collect`", dir, run.Manifest.Kind)
	}
	qs, err := loadQuestionInfo(ctx, run)
	if err != nil {
		run.Close()
		return nil, err
	}
	return &view{run, qs}, nil
}

func (a *app) inspect(ctx context.Context, v *view, args []string, cached, asJSON bool) error {
	if len(args) == 0 {
		return a.inspectRun(ctx, v, asJSON)
	}
	var question *trajectories.Question
	for i := range v.questions {
		if v.questions[i].ID == args[0] {
			question = &v.questions[i]
		}
	}
	if question == nil {
		return usage("the run has no question %q: `toolevo inspect %s` lists them", args[0], v.run.Dir)
	}
	if len(args) == 1 {
		return a.inspectQuestion(ctx, v, *question, asJSON)
	}
	tree, err := number("TREE", args[1])
	if err != nil {
		return err
	}
	record, ok, err := v.run.LoadTree(ctx, question.ID, tree)
	if err != nil {
		return gaveUp(err)
	}
	if !ok {
		return usage("question %s has no finished tree %d in this run", question.ID, tree)
	}
	if len(args) == 2 {
		if asJSON {
			return a.printJSON(record)
		}
		fmt.Fprintf(a.out, "%s, tree %d: %d simulations, %d model calls, %d nodes\n\n",
			display.Line(question.ID, 0), tree, record.Simulations, record.Calls, len(record.Nodes))
		return record.WriteText(a.out, question.Text, mcts.TextOptions{Width: a.columns, Cached: cached})
	}
	node, err := number("NODE", args[2])
	if err != nil {
		return err
	}
	if node >= len(record.Nodes) {
		return usage("the tree has nodes 0 to %d", len(record.Nodes)-1)
	}
	return record.WriteTrajectory(a.out, question.Text, node)
}

func number(name, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, usage("%s is %q, want a number from 0", name, text)
	}
	return n, nil
}

// treeSummary is one stored tree in few words.
type treeSummary struct {
	Tree         int   `json:"tree"`
	Simulations  int   `json:"simulations"`
	Calls        int   `json:"calls"`
	Nodes        int   `json:"nodes"`
	Correct      int   `json:"correct"`
	Accepted     []int `json:"accepted"` // nodes that end accepted trajectories
	Deprecations int   `json:"deprecations"`
}

func summarise(t *mcts.TreeRecord) treeSummary {
	s := treeSummary{Tree: t.Tree, Simulations: t.Simulations, Calls: t.Calls, Nodes: len(t.Nodes), Accepted: []int{}}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		switch n.Outcome.String() {
		case "correct":
			s.Correct++
		case "deprecated":
			s.Deprecations++
		}
		if n.Accepted() {
			s.Accepted = append(s.Accepted, n.ID)
		}
	}
	return s
}

func (v *view) trees(ctx context.Context, question string) ([]treeSummary, *mcts.Found, error) {
	indices, err := v.run.TreeIndices(ctx, question)
	if err != nil {
		return nil, nil, gaveUp(err)
	}
	found := mcts.NewFound(envs.Task{ID: question}, nil)
	var all []treeSummary
	for _, i := range indices {
		record, ok, err := v.run.LoadTree(ctx, question, i)
		if err != nil {
			return nil, nil, gaveUp(err)
		}
		if ok {
			all = append(all, summarise(record))
			found.Add(record)
		}
	}
	return all, found, nil
}

func (a *app) inspectRun(ctx context.Context, v *view, asJSON bool) error {
	type line struct {
		Question string `json:"question"`
		Trees    int    `json:"trees"`
		Calls    int    `json:"calls"`
		Correct  int    `json:"correct"`
		Distinct int    `json:"distinct_accepted"`
		Text     string `json:"text"`
	}
	lines := make([]line, 0, len(v.questions))
	for _, q := range v.questions {
		trees, found, err := v.trees(ctx, q.ID)
		if err != nil {
			return err
		}
		l := line{Question: q.ID, Trees: len(trees), Distinct: found.Len(), Text: q.Text}
		for _, t := range trees {
			l.Calls += t.Calls
			l.Correct += t.Correct
		}
		lines = append(lines, l)
	}
	stamps, err := stampsOf(ctx, v.run)
	if err != nil {
		return gaveUp(err)
	}
	if asJSON {
		return a.printJSON(map[string]any{
			"run": v.run.Manifest, "questions": lines, "engines": inWords(stamps), "warnings": wallWarnings(stamps),
		})
	}
	fmt.Fprintf(a.out, "run %s (%s), configuration %s\n",
		display.Line(v.run.Manifest.ID, 0), display.Line(v.run.Manifest.Software, 0), display.Line(v.run.Manifest.ConfigHash, 0))
	printEngines(a.out, inWords(stamps), wallWarnings(stamps))
	fmt.Fprintln(a.out)
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "QUESTION\tTREES\tCALLS\tCORRECT\tDISTINCT")
	for _, l := range lines {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\n", display.Line(l.Question, 0), l.Trees, l.Calls, l.Correct, l.Distinct)
	}
	return t.Flush()
}

func (a *app) inspectQuestion(ctx context.Context, v *view, q trajectories.Question, asJSON bool) error {
	trees, _, err := v.trees(ctx, q.ID)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(map[string]any{"question": q, "trees": trees})
	}
	fmt.Fprintf(a.out, "%s: %s\ngold answer: %s\n\n", display.Line(q.ID, 0), display.Line(q.Text, 0), display.Line(q.Gold, 0))
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TREE\tSIMULATIONS\tCALLS\tNODES\tDEPRECATED\tCORRECT\tACCEPTED AT NODE")
	for _, s := range trees {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t%d\t%s\n", s.Tree, s.Simulations, s.Calls, s.Nodes, s.Deprecations, s.Correct, few(s.Accepted))
	}
	return t.Flush()
}

// few lists the first numbers of a list.
func few(ids []int) string {
	const most = 6
	text := ""
	for i, id := range ids[:min(len(ids), most)] {
		if i > 0 {
			text += " "
		}
		text += strconv.Itoa(id)
	}
	if len(ids) > most {
		text += fmt.Sprintf(" … (%d)", len(ids))
	}
	return text
}
