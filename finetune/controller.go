package finetune

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
)

// The kinds of controllers (ToolLLM, section 3.2; StableToolBench's CoT@n and DFS_woFilter_w2).
const (
	// Chain is CoT@n: a chain of turns from the question on, and another from the question on when
	// it ends without an answer, n at most.
	Chain = "cot"
	// DepthFirst is DFSDT: where a chain ends without an answer, the policy acts again further up,
	// and is shown what it did there before.
	DepthFirst = "dfsdt"
)

// Controller says how an episode continues when a chain of turns ends without an answer: the agent
// gives up, or a limit is reached. The zero Controller plays a single chain. No controller knows
// whether an answer is right.
type Controller struct {
	Kind  string // Chain, or DepthFirst; "" is Chain
	Tries int    // of Chain: the most chains, the n of CoT@n; 0 is 1. Several are sampled
	Calls int    // of DepthFirst: the most calls to the model, at least 1
}

// several reports whether chains may begin at the question again, where greedy decoding would only
// repeat the first one.
func (c Controller) several() bool { return c.Kind != DepthFirst && c.Tries > 1 }

// chains plays chains from the question on until one ends with an answer. It returns the last.
func (p *player) chains(ctx context.Context, start chain) (last chain, err error) {
	for try := range max(p.limits.Controller.Tries, 1) {
		last = start

		for before := try; !p.isOver(last); before = 0 {
			if last, err = p.turn(ctx, last, before, ""); err != nil {
				return last, err
			}
		}

		if last.answered() {
			break
		}
	}
	return last, nil
}

const (
	beam         = 2 // turns that are tried at one place
	backAtGiveUp = 2 // turns that are taken back where the agent gave up
	backAtEnd    = 1 // and where a chain ended otherwise
)

// descend searches below the end of a chain, first turn first, until a chain ends with an answer.
// It returns the chain that ended last, and how many turns are to be taken back from the end of c.
func (p *player) descend(ctx context.Context, c chain) (last chain, back int, err error) {
	if p.isOver(c) {
		// Terminated without an answer, that is: with one the number does not matter.
		if c.state.Status() == envs.Terminated {
			return c, backAtGiveUp, nil
		}
		return c, backAtEnd, nil
	}

	last = c
	var tried []envs.Turn

	for before := range beam {
		// The limit is checked before each call: a branch below may have used up the rest.
		if p.calls >= p.limits.Controller.Calls {
			break
		}

		next, err := p.turn(ctx, c, before, remarkOn(tried))
		if err != nil {
			return next, 0, err
		}

		last, back, err = p.descend(ctx, next)

		// More than one turn to take back means that this place is left as well, untried actions
		// included.
		if err != nil || last.answered() || back > 1 {
			return last, back - 1, err
		}

		// A policy that fell silent made no turn that could be shown to it.
		history := next.state.History()
		if turn, ok := history.Last(); ok && history.Len() > c.state.History().Len() {
			tried = append(tried, turn)
		}
	}
	return last, backAtEnd, nil
}

// widthOfTried is how many columns of a turn are shown.
const widthOfTried = 300

// remarkOn tells the policy what it already tried at a place; it is "" before the first try.
func remarkOn(tried []envs.Turn) string {
	if len(tried) == 0 {
		return ""
	}

	var b strings.Builder
	b.WriteString("You have been at this point before. What you did then led to no answer:\n")

	for _, turn := range tried {
		fmt.Fprintf(&b, "\n- %s", display.Line(string(turn.Action), widthOfTried))
		fmt.Fprintf(&b, "\n  gave: %s", display.Line(turn.Observation, widthOfTried))
	}

	b.WriteString("\n\nDo something else now.")
	return b.String()
}
