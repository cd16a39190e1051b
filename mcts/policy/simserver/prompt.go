package simserver

import (
	"strings"

	"toolevo/envs"
	"toolevo/mcts/policy"
)

// The markers of a prompt (see policy.Prompt).
const (
	questionMarker    = "Question:"
	thoughtMarker     = "Thought:"
	actionMarker      = "Action:"
	inputMarker       = "Action Input:"
	observationMarker = policy.StopMarker
	turnHeading       = "Now it is your turn."
	learnedHeading    = "Tools described by you since:"
	blank             = "\n\n"
)

// readPrompt reads a prompt of plain text: a rendered few-shot prompt in either layout, or any text with less in it.
// The question asked is the one after the heading that ends the demonstrations, else the last one. The tools that were
// learned are those that the turns teach; of a prompt whose turns teach none, those listed after the question.
func readPrompt(text string) envs.History {
	text = "\n" + strings.TrimSpace(text)
	if _, after, ok := strings.Cut(text, "\n"+turnHeading+"\n"); ok {
		text = after
		if at := strings.Index(text, "\n"+questionMarker); at >= 0 {
			text = text[at+1+len(questionMarker):]
		}
	} else if at := strings.LastIndex(text, "\n"+questionMarker); at >= 0 {
		text = text[at+1+len(questionMarker):]
	}
	question, rest, _ := strings.Cut(text, blank)
	h := envs.NewHistory(envs.Task{Question: strings.TrimSpace(question)})
	rest = strings.TrimSpace(rest)
	var listed []string
	if after, ok := strings.CutPrefix(rest, learnedHeading); ok {
		var list string
		list, rest = cutTurns(after)
		listed = readNumbered(list)
	}
	h = readTurns(h, rest)
	if h.Learned() == nil {
		for _, l := range listed {
			h = h.Learn(l)
		}
	}
	return h
}

// cutTurns splits what stands before the first turn from the turns.
func cutTurns(text string) (before, turns string) {
	at := strings.Index(text, blank+thoughtMarker)
	if at < 0 {
		return text, ""
	}
	return text[:at], text[at+len(blank):]
}

// readTurns appends the turns in a text: actions and observations in alternation, blank lines between them. An action
// begins with a Thought; one that does not is what stands between two observations after the last blank line. Text
// after the last observation that is no action is dropped, and so is an action without an observation.
func readTurns(h envs.History, text string) envs.History {
	action, rest, ok := strings.Cut(text, blank+observationMarker)
	for ok {
		var observation, next string
		observation, next, ok = strings.Cut(rest, blank+observationMarker)
		at := strings.Index(observation, blank+thoughtMarker)
		if at < 0 && ok {
			at = strings.LastIndex(observation, blank)
		}
		following := ""
		if at >= 0 {
			observation, following = observation[:at], observation[at+len(blank):]
		}
		h = retell(h, action, observation)
		action, rest = following, next
	}
	return h
}

// readNumbered reads lines "(14) text"; lines without a number continue the text before them.
func readNumbered(list string) []string {
	var items []string
	for line := range strings.SplitSeq(strings.TrimSpace(list), "\n") {
		number, text, ok := strings.Cut(line, ") ")
		if ok && len(number) > 1 && number[0] == '(' && strings.Trim(number[1:], "0123456789") == "" {
			items = append(items, text)
		} else if len(items) > 0 {
			items[len(items)-1] += "\n" + line
		}
	}
	return items
}
