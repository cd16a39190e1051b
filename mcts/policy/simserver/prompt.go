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
	blank             = "\n\n"
)

// readPrompt reads a prompt of plain text: a rendered few-shot prompt in either layout, or any text with less in it.
// The question asked is the one after the heading that ends the demonstrations, else the last one. The tools that were
// learned are those that the turns teach.
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

	return readTurns(h, strings.TrimSpace(rest))
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
