package mcts

import (
	"context"
	"math/rand/v2"

	"toolevo/envs"
)

// rolled is a new child and the reward of its rollout.
type rolled struct {
	child  *Node
	reward float64
}

// rolloutNew is lines 16-17 of Algorithm 1: it rolls out one random new child of the leaf, or each of them, as the
// configuration says. A rollout that ends in silence has no reward and is left out.
func (g *growth) rolloutNew(ctx context.Context, leaf *Node, rng *rand.Rand) ([]rolled, error) {
	if len(leaf.Children) == 0 {
		return nil, nil
	}
	chosen := leaf.Children
	if g.Config.Rollouts == OneRandom {
		chosen = []*Node{g.pick(rng, leaf.Children)}
	}
	results := make([]rolled, 0, len(chosen))
	for _, child := range chosen {
		reward, ok, err := g.rollout(ctx, child, rng)
		if err != nil {
			return nil, err
		}
		if ok {
			results = append(results, rolled{child, reward})
		}
	}
	return results, nil
}

// pick draws one of a node's children. Where siblings are actions, each is drawn as often as the policy chose it, so that
// a rollout is a draw of the policy. Where they are texts each counts once, as in the published code.
func (g *growth) pick(rng *rand.Rand, children []*Node) *Node {
	if g.Config.Duplicates == SameText {
		return children[rng.IntN(len(children))]
	}
	draws := 0
	for _, child := range children {
		draws += child.Draws
	}

	at, i := rng.IntN(draws), 0
	for ; at >= children[i].Draws; i++ {
		at -= children[i].Draws
	}
	return children[i]
}

// rollout follows the policy from n to the end of the task and returns the reward there. Each node it makes stays in
// the tree as a cache (paper, A.3), so a later rollout through the same node walks what is there, and a later
// expansion uses it. ok is false when the policy fell silent.
func (g *growth) rollout(ctx context.Context, n *Node, rng *rand.Rand) (reward float64, ok bool, err error) {
	for n.Status == envs.Running {
		if n.Drawn == 0 {
			if err := g.generate(ctx, n, g.Config.samplesInRollout()); err != nil {
				return 0, false, err
			}
		}
		if len(n.Children) == 0 {
			break
		}
		n = g.pick(rng, n.Children)
	}
	return n.Reward, !n.silent(), nil
}
