package failure

import (
	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// leastLoop is how many turns have to bring nothing new before they are a loop.
const leastLoop = 3

// Verdict is the class of a failed episode, and what it rests on.
type Verdict struct {
	Class Class  `json:"class"` // why it failed
	Rule  string `json:"rule"`  // the name of the rule that decided
	Turn  int    `json:"turn"`  // where it went wrong, from 1; 0 of an episode without turns
}

// rule decides some episodes. turn is where they went wrong.
type rule struct {
	name  string
	class Class
	holds func(*evidence) (turn int, ok bool)
}

// rules are in order of precedence: the first that holds decides.
var rules = []rule{
	// A failure of the infrastructure lost the episode.
	{"lost", Infrastructure, func(e *evidence) (int, bool) { return len(e.Turns), e.Lost != "" }},

	// The agent wrote nothing more.
	{"silence", InstructionsNotFollowed, func(e *evidence) (int, bool) {
		return len(e.Turns), e.Limit == string(mcts.LimitSilence)
	}},

	// What is in the agent's way at the end, more often than anything else, are calls of deployed
	// tools with wrong arguments or misspelt names.
	{"wrong-calls", InvalidInvocation, func(e *evidence) (int, bool) { return e.prevails(wrongCall) }},

	// … tools of the prompt, after a notice.
	{"ignored-notices", RepeatedDeprecated, func(e *evidence) (int, bool) { return e.prevails(ignoredNotice) }},

	// … tools that do not exist.
	{"invented-tools", ToolMisuse, func(e *evidence) (int, bool) { return e.prevails(inventedTool) }},

	// … texts that cannot be read. One alone, after things had gone well, is a slip.
	{"unreadable-texts", InstructionsNotFollowed, func(e *evidence) (int, bool) {
		turn, ok := e.prevails(unreadableText)
		return turn, ok && (e.count[unreadableText] > 1 || !e.broughtOn)
	}},

	// … valid calls that the tools could not do, several of them.
	{"vain-calls", InvocationLooping, func(e *evidence) (int, bool) {
		turn, ok := e.prevails(vainCall)
		return turn, ok && e.count[vainCall] >= leastLoop
	}},

	// A limit ended it, and at least half of its valid calls had brought nothing new.
	{"nothing-new", InvocationLooping, func(e *evidence) (int, bool) {
		valid, stale, first := e.nothingNew()
		return first, !e.answered() && stale >= leastLoop && 2*stale >= valid
	}},

	// It answered, or gave up, with nothing in its way.
	{"answered", IncorrectOutput, func(e *evidence) (int, bool) { return len(e.Turns), e.answered() }},

	// A limit ended it on its way.
	{"none", Undecided, func(e *evidence) (int, bool) { return len(e.Turns), true }},
}

// Classify says why an episode failed, given the names of the version that it met. ok is false if
// it did not fail: its answer is right by the benchmark's own matcher.
func Classify(e *trajectories.Episode, deployed []string) (v Verdict, ok bool) {
	if e.Official && e.Lost == "" {
		return v, false
	}

	seen := &evidence{e, standingAt(e.Turns, deployed)}

	for _, r := range rules {
		if turn, holds := r.holds(seen); holds {
			return Verdict{Class: r.class, Rule: r.name, Turn: turn}, true
		}
	}

	panic("failure: the last rule holds for every episode")
}

// evidence is what the rules look at.
type evidence struct {
	*trajectories.Episode
	standing
}

// answered reports whether the agent ended the episode.
func (e *evidence) answered() bool {
	return len(e.Turns) > 0 && e.Turns[len(e.Turns)-1].Outcome.Ends()
}

// prevails reports whether no other mistake is in the way more often, and returns the first turn of
// this one. A tie goes to the rule that comes first.
func (e *evidence) prevails(m mistake) (turn int, ok bool) {
	for other := noMistake + 1; other < mistakes; other++ {
		if e.count[other] > e.count[m] {
			return 0, false
		}
	}

	return e.first[m], e.count[m] > 0
}

// nothingNew counts the valid calls and those of them that brought nothing new, and returns the
// first of the latter.
func (e *evidence) nothingNew() (valid, stale, first int) {
	seen := map[string]bool{}
	tool, inARow := "", 0

	for i := range e.Turns {
		t := &e.Turns[i]
		if !bringsOn(t) && t.Outcome != envs.ToolError {
			continue
		}

		if t.Tool != tool {
			tool, inARow = t.Tool, 0
		}

		valid, inARow = valid+1, inARow+1

		if seen[t.Key] || t.Outcome == envs.ToolError || inARow > 2 {
			if stale++; first == 0 {
				first = i + 1
			}
		}

		seen[t.Key] = true
	}
	return valid, stale, first
}
