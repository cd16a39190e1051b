package failure

import (
	"toolevo/envs"
	"toolevo/envs/names"
	"toolevo/trajectories"
)

// mistake is what was wrong with a turn.
type mistake int

const (
	noMistake      mistake = iota
	wrongCall              // of a deployed tool: arguments that do not fit, or a misspelt name
	ignoredNotice          // a deprecated tool, although a notice had just been given
	inventedTool           // a name unlike any that is deployed
	unreadableText         // no call, or more than one, could be read
	vainCall               // valid, but the tool could not do it
	mistakes               // how many there are
)

// mistakeOf returns what was wrong with a turn by itself. Whether a notice was ignored depends on
// the turns before.
func mistakeOf(t *trajectories.Turn, deployed []string) mistake {
	if t.Unreadable() {
		return unreadableText
	}

	switch t.Outcome {
	case envs.Deprecated:
		return ignoredNotice
	case envs.ToolError:
		return vainCall
	case envs.InvocationError:
		return wrongCall
	case envs.InvalidAction:
		return wrongName(t, deployed)
	}

	return noMistake
}

// wrongName tells a misspelt name from an invented one, and from several actions in one text.
func wrongName(t *trajectories.Turn, deployed []string) mistake {
	name, ok := t.UnknownTool()
	if !ok {
		return unreadableText
	}

	if _, misspelt := names.Closest(name, deployed); misspelt {
		return wrongCall
	}
	return inventedTool
}

// bringsOn reports whether a turn brings the agent on.
func bringsOn(t *trajectories.Turn) bool { return t.Outcome == envs.OK && !t.IsUpdate() }

// standing is what is in the agent's way when an episode ends.
type standing struct {
	broughtOn bool          // in some turn
	count     [mistakes]int // of the turns since then
	first     [mistakes]int // the first of these turns, from 1
}

// standingAt returns what is in the way at the end of the turns.
func standingAt(turns []trajectories.Turn, deployed []string) standing {
	var s standing

	notified := false

	for i := range turns {
		if bringsOn(&turns[i]) {
			s, notified = standing{broughtOn: true}, false
			continue
		}

		m := mistakeOf(&turns[i], deployed)
		if m == ignoredNotice && !notified { // the first notice is how an agent learns of it
			m, notified = noMistake, true
		}

		if s.count[m]++; s.count[m] == 1 {
			s.first[m] = i + 1
		}
	}
	return s
}
