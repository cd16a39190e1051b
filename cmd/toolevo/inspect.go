package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/finetune/stored"
	"toolevo/finetune/tabulate"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

func (a *app) inspectCommand() *cobra.Command {
	cmd := a.command("inspect RUN [QUESTION [TREE|EPISODE [NODE]]]")
	o := lookOptions{}
	addFlags(cmd, "inspect", into{
		"cached": &o.cached,
		"full":   &o.full,
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v, err := stored.Open(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer v.Close()

		if v.Manifest.Kind == stored.Evaluated {
			return a.inspectEvaluation(cmd.Context(), v, args[1:], o)
		}
		return a.inspect(cmd.Context(), v, args[1:], o)
	}
	return cmd
}

// lookOptions say how to look at a run.
type lookOptions struct{ cached, full bool }

// inspect shows a collection, or the question, tree or node of it that args name.
func (a *app) inspect(ctx context.Context, v *stored.Run, args []string, o lookOptions) error {
	if len(args) == 0 {
		return a.inspectRun(ctx, v, o)
	}

	question, err := toolevo.QuestionOf(v, args[0])
	if err != nil {
		return err
	}

	if len(args) == 1 {
		return a.inspectQuestion(ctx, v, question, o)
	}

	record, err := toolevo.TreeOf(ctx, v, question, args[1])
	if err != nil {
		return err
	}

	if len(args) == 2 {
		return a.inspectTree(question, record, o)
	}

	node, err := toolevo.NodeOf(record, args[2])
	if err != nil {
		return err
	}

	// The files have rows of right answers only; here every node can be seen as such a row.
	return a.Show(trajectories.FromNode(v.TreeMeta(question), record, node), func() {
		_ = record.WriteTrajectory(a.Out, question.Text, node) // a.Out keeps the first error
	})
}

func (a *app) inspectTree(q trajectories.Question, record *mcts.TreeRecord, o lookOptions) error {
	return a.Show(record, func() {
		fmt.Fprintf(a.Out, "%s, tree %d: %d simulations, %d model calls, %d nodes\n\n",
			display.Line(q.ID, 0), record.Tree, record.Simulations, record.Calls, len(record.Nodes))
		_ = record.WriteText(a.Out, q.Text,
			mcts.TextOptions{Width: a.columns, Cached: o.cached, Full: o.full})
	})
}

func (a *app) inspectRun(ctx context.Context, v *stored.Run, o lookOptions) error {
	// On stderr and first: the figures below are those of the trees so far.
	if toolevo.IsOpen(v) {
		v.SayUnfinished(a.Say)
	}

	all, err := toolevo.Overview(ctx, v)
	if err != nil {
		return err
	}

	return a.Show(all, func() {
		a.printRunHead(all.Run, all.Engines, all.Warnings)
		var lines [][]string

		// A young run has thousands of questions without a tree: they are counted below the list.
		for _, l := range all.Questions {
			if l.Trees == 0 {
				continue
			}

			line := tabulate.Texts(display.Line(l.QuestionID, 0), l.Trees, l.Calls, l.Correct,
				l.Distinct)
			lines = append(lines, append(line, o.text(l.Question)...))
		}

		a.writeQuestions(treeHeads, lines, len(all.Questions), "tree")
		a.sayGivenUp("trees", all.GivenUp, toolevo.Continuation(v))
	})
}

// treeHeads are the column heads of a list of questions and their trees.
var treeHeads = []string{"question", "trees", "calls", "correct", "distinct accepted"}

// writeQuestions lists the questions of which a run has something, and says how many others it has
// nothing of.
func (a *app) writeQuestions(heads []string, lines [][]string, all int, what string) {
	if len(lines) > 0 {
		_ = tabulate.WriteList(a.Out, heads, lines)
	}

	if n := all - len(lines); n > 0 {
		fmt.Fprintf(a.Out, "%d of %d questions have no %s\n", n, all, what)
	}
}

// text returns a text as a further column, or no column unless full texts are wanted.
func (o lookOptions) text(s string) []string {
	if !o.full {
		return nil
	}
	return []string{display.Line(s, 0)}
}

// printRunHead prints which run this is.
func (a *app) printRunHead(m store.Manifest, engines, warnings []string) {
	fmt.Fprintf(a.Out, "run %s (%s), configuration %s\n",
		display.Line(m.ID, 0), display.Line(m.Software, 0), display.Line(m.ConfigHash, 0))
	a.printEngines(engines, warnings)
	fmt.Fprintln(a.Out)
}

// questionOverview is what inspect says of a question of a run of collect.
type questionOverview struct {
	shownQuestion
	Trees   []toolevo.TreeSummary `json:"trees"`              // those in the run
	GivenUp []store.GivenUp       `json:"given_up,omitempty"` // those given up because a request failed
}

// shownQuestion is a question of a run as JSON.
type shownQuestion struct {
	ID         string            `json:"question_id"`      // unique within a run
	Dataset    string            `json:"dataset"`          // e.g. "coffee"
	Difficulty string            `json:"difficulty"`       // "easy" or "hard"
	Split      string            `json:"split"`            // "train", "dev" or "test"
	Index      int               `json:"question_index"`   // place in the split, from 0
	Text       string            `json:"question"`         // what the agent was asked
	Template   string            `json:"template"`         // from which it was made
	Labels     map[string]string `json:"labels,omitempty"` // what else its suite says of it
	Gold       string            `json:"gold"`             // the gold answer
}

func shownOf(q trajectories.Question) shownQuestion {
	return shownQuestion{
		q.ID, q.Labels[envs.LabelDataset], q.Labels[envs.LabelDifficulty], q.Split, q.Index, q.Text,
		q.Labels[envs.LabelTemplate], trajectories.OtherLabels(q.Labels), q.Gold,
	}
}

func (a *app) inspectQuestion(ctx context.Context, v *stored.Run, q trajectories.Question, o lookOptions) error {
	trees, _, err := toolevo.TreesOf(ctx, v, q.ID)
	if err != nil {
		return err
	}

	givenUp, err := toolevo.GivenUpOf(ctx, v, q.ID)
	if err != nil {
		return err
	}

	return a.Show(questionOverview{shownOf(q), trees, givenUp}, func() {
		a.printQuestion(q)
		heads := []string{"tree", "simulations", "calls", "nodes", "deprecated", "correct",
			"accepted at node"}

		var lines [][]string

		// A tree may accept hundreds of nodes: its line names a few, unless all are wanted.
		for _, s := range trees {
			most := mostNodes
			if o.full {
				most = len(s.Accepted)
			}

			lines = append(lines, tabulate.Texts(s.Tree, s.Simulations, s.Calls, s.Nodes,
				s.Deprecations, s.Correct, few(s.Accepted, most)))
		}

		_ = tabulate.WriteList(a.Out, heads, lines)

		// The list lacks trees that were given up, so they are said, with the command that grows
		// them.
		a.sayGivenUp("trees", givenUp, toolevo.Continuation(v))
	})
}

func (a *app) printQuestion(q trajectories.Question) {
	fmt.Fprintf(a.Out, "%s: %s\ngold answer: %s\n\n", display.Line(q.ID, 0), display.Line(q.Text, 0),
		display.Line(q.Gold, 0))
}

// mostNodes is how many accepted nodes of a tree are listed.
const mostNodes = 6

// few lists the first of some numbers, and says how many there are if it left any out.
func few(ids []int, most int) string {
	text := strings.Trim(fmt.Sprint(ids[:min(len(ids), most)]), "[]")
	if len(ids) > most {
		text += fmt.Sprintf(" … (%d)", len(ids))
	}
	return text
}
