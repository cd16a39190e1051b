package export

import (
	"cmp"

	"gonum.org/v1/gonum/stat"

	"toolevo/mcts"
	"toolevo/trajectories"
)

// Tree is a search tree of which a trajectory is chosen: every trajectory of it whose worth is
// known, each text once.
const Tree Format = "tree"

func init() {
	register(form{
		format: Tree,
		trained: trained{
			shape: searchTree, dataset: "toolevo_tree", samples: (*writer).trees, failures: true,
			skipped: "give them the weight 0", reader: "toolevo_env.trees",
		},
	})
}

// trees returns a sample of each tree that a chosen trajectory is of. A selection chooses trees,
// not paths: a right trajectory that is more than was wanted of a question stays beside its
// siblings, who are compared with it.
func (w *writer) trees(q *question) ([]candidate, error) {
	var (
		known question
		all   []candidate
	)

	for _, row := range q.all {
		good, err := w.isKnown(row)
		if err != nil {
			return nil, err
		}

		if good {
			known.all = append(known.all, row)
		}
	}

	t, seen := growTree(&known), map[node]bool{}

	for _, row := range q.chosen {
		root := nodeOf(row, -1)
		if seen[root] {
			continue
		}

		seen[root] = true
		path := w.samples[row]
		s := Sample{System: path.System, Tools: path.Tools, Conversations: path.Conversations[:1]}
		w.grow(&s, t, root, Node{NodeFacts: NodeFacts{Parent: -1}})
		all = append(all, candidate{sample: s, row: row})
	}

	return all, nil
}

// isKnown reports whether it is known what a trajectory is worth, and the linter has nothing
// against it. Of one that a single matcher takes nobody knows.
func (w *writer) isKnown(row *trajectories.Row) (bool, error) {
	right := row.IsCorrect() && w.manifest.Selection.accepts(row)
	if !right && !isFailed(row) {
		return false, nil
	}

	path, _, err := w.sample(row)
	found := w.linter.withoutCutoff().LintRow(SFTTrajectory, row, &path)

	// Those that are right were checked, and told, before the selection.
	if len(found) > 0 && !right {
		w.dropSample(&candidate{row: row}, found)
	}
	return len(found) == 0, err
}

// grow adds the actions at a node to a sample, parents first. The advantage of an action is the
// mean reward of the ends below it, normalised among its siblings as GRPO does rewards of a group.
// One without siblings carries on what its parent began, and has the parent's, which n comes with.
func (w *writer) grow(s *Sample, t *tree, at node, n Node) {
	var means []float64
	for _, b := range t.siblings[at] {
		means = append(means, stat.Mean(t.rewards(b), nil))
	}

	mean, std := stat.MeanStdDev(means, nil)

	for i, b := range t.siblings[at] {
		here, turn := nodeOf(b.row, b.turn), b.at()
		path := w.samples[b.row].Conversations[2*b.turn+1:]
		n.NodePath, n.Visits, n.Value, n.Outcome = here.path, turn.Visits, turn.Value, ""

		if len(means) > 1 {
			n.Advantage = (means[i] - mean) / (std + 1e-6)
		}

		if n.Messages = path[:min(2, len(path))]; len(path) == 1 {
			n.Outcome = cmp.Or(turn.Limit, turn.Outcome.String())
		}

		s.Nodes = append(s.Nodes, n)
		below := n
		below.Parent = len(s.Nodes) - 1
		w.grow(s, t, here, below)
	}
}

// rewards are those of the ends below an action, or its own.
func (t *tree) rewards(b *branch) (all []float64) {
	for _, below := range t.siblings[nodeOf(b.row, b.turn)] {
		all = append(all, t.rewards(below)...)
	}

	if all == nil {
		reward, _ := b.row.Reward(mcts.Limit(b.at().Limit))
		all = append(all, reward)
	}
	return all
}
