package export

import (
	"cmp"

	"gonum.org/v1/gonum/stat"

	"toolevo/mcts"
	"toolevo/trajectories"
)

// Tree samples are search trees with a chosen trajectory: every trajectory of the tree whose worth
// is known, each text once.
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

// trees returns a sample of each tree with a chosen trajectory. A selection chooses trees, not
// paths: a right trajectory beyond the number wanted of a question stays, as its siblings are
// compared with it.
func (w *writer) trees(q *question) ([]candidate, error) {
	var (
		known question
		all   []candidate
	)

	// Where the worth of an end is unknown, it must not count in the advantages of those above it.
	for _, row := range q.all {
		good, err := w.isKnown(row)
		if err != nil {
			return nil, err
		}

		if good {
			known.all = append(known.all, row)
		}
	}

	t, seen := growTree(&known, w.manifest.Selection.isBlind), map[node]bool{}

	for _, row := range q.chosen {
		root := nodeOf(row, -1)
		if seen[root] {
			continue
		}

		seen[root] = true

		// All paths of a tree begin with the same prompt and question. isKnown made their samples.
		path := w.samples[row]
		s := Sample{System: path.System, Tools: path.Tools, Conversations: path.Conversations[:1]}
		w.grow(&s, t, root, Node{NodeFacts: NodeFacts{Parent: -1}})
		all = append(all, candidate{sample: s, row: row})
	}

	return all, nil
}

// isKnown reports whether the worth of a trajectory is known, and the linter does not fault it. If
// only one of the matchers takes its answer, or nothing in it reveals that a call meant something
// else, its worth is unknown.
func (w *writer) isKnown(row *trajectories.Row) (bool, error) {
	s := &w.manifest.Selection

	right := row.IsCorrect() && s.accepts(row)
	if !right && !isFailed(row) || s.isBlind(row) {
		return false, nil
	}

	path, _, err := w.sample(row)
	found := w.linter.withoutCutoff().LintRow(SFTTrajectory, row, &path)

	// Right ones were linted, and reported, before the selection.
	if len(found) > 0 && !right {
		w.dropSample(&candidate{row: row}, found)
	}
	return len(found) == 0, err
}

// grow adds the actions at a node to a sample, parents first. The advantage of an action is the
// mean reward of the ends below it, normalised among its siblings as GRPO normalises the rewards of
// a group. An action without siblings continues what its parent began, and has the parent's
// advantage, which n comes with.
func (w *writer) grow(s *Sample, t *tree, at node, n Node) {
	var means []float64
	for _, b := range t.siblings[at] {
		means = append(means, stat.Mean(t.rewards(b), nil))
	}

	mean, std := stat.MeanStdDev(means, nil)

	for i, b := range t.siblings[at] {
		here, turn := nodeOf(b.row, b.index), b.turn()
		path := w.samples[b.row].Conversations[2*b.index+1:]
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

// rewards returns the rewards of the ends below an action, or its own if it is an end.
func (t *tree) rewards(b *branch) (all []float64) {
	for _, below := range t.siblings[nodeOf(b.row, b.index)] {
		all = append(all, t.rewards(below)...)
	}

	if all == nil {
		reward, _ := b.row.Reward(mcts.Limit(b.turn().Limit))
		all = append(all, reward)
	}
	return all
}
