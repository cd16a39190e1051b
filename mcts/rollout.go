package mcts

import (
	"context"
	"math/rand/v2"

	"toolevo/envs"
)

// rolloutNew is lines 16-17 of Algorithm 1: it rolls out one random new child of the leaf, or each
// of them, as the configuration says, and returns where the rollouts came from and ended.
func (g *growth) rolloutNew(ctx context.Context, leaf *Node, rng *rand.Rand) ([]rolled, error) {
	if len(leaf.Children) == 0 {
		return nil, nil
	}

	chosen := g.worthwhile(leaf.Children)
	if g.Config.Rollouts == OneRandom {
		chosen = []*Node{g.pick(rng, chosen)}
	}

	results := make([]rolled, 0, len(chosen))
	for _, child := range chosen {
		end, err := g.rollout(ctx, child, rng)
		if err != nil {
			return nil, err
		}

		results = append(results, rolled{child, end})
	}
	return results, nil
}

// rolled is a rollout: the new child it began with, and the node at which it ended.
type rolled struct{ child, end *Node }

// settle backs up what a rollout found. One that ended in silence, or for lack of completions, has
// no reward.
func (g *growth) settle(r rolled) {
	from := r.child
	if g.Config.RolloutNodes == Visible {
		for n := r.end.Parent; n != r.child.Parent; n = n.Parent {
			n.Expanded = true
		}

		from = r.end
	}

	if r.end.Status != envs.Running && !r.end.silent() {
		backup(from, r.end.Reward)
	}

	if g.Config.CloseAtOnce {
		closeExhausted(from.Parent)
	}
}

// pick draws one of some siblings. Where siblings are actions, each is drawn as often as the policy
// chose it, so that a rollout is a draw of the policy. Where they are texts each counts once, as in
// the published code.
func (g *growth) pick(rng *rand.Rand, children []*Node) *Node {
	if g.Config.Duplicates == SameText {
		return children[rng.IntN(len(children))]
	}

	draws := 0
	for _, child := range children {
		draws += child.Draws
	}

	drawn, i := rng.IntN(draws), 0
	for ; drawn >= children[i].Draws; i++ {
		drawn -= children[i].Draws
	}
	return children[i]
}

// rollout follows the policy from n to the end of the task, or of the question's completions, and
// returns the node there. Each node it makes stays in the tree (paper, A.3), so a later rollout
// through the same node walks what is there, and a later expansion uses it.
func (g *growth) rollout(ctx context.Context, n *Node, rng *rand.Rand) (end *Node, err error) {
	for n.Status == envs.Running {
		if n.Drawn == 0 {
			k := min(g.found.samples(g.Config, g.Config.samplesInRollout()), g.left())
			if k == 0 {
				break
			}

			if err := g.generate(ctx, n, k); err != nil {
				return nil, err
			}
		}

		if len(n.Children) == 0 {
			break
		}

		n = g.pick(rng, g.worthwhile(n.Children))
	}
	return n, nil
}
