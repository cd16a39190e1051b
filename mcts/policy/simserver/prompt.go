package simserver

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/policy/prompt"
)

const blank = "\n\n"

// reader reads prompts whose actions are written in a codec.
type reader struct{ codec action.Codec }

// opening is what an action with a thought begins with.
func (r reader) opening() string {
	before, _, _ := strings.Cut(r.codec.Format("x", envs.Call{}), "x")
	return strings.TrimSpace(before)
}

// prompt reads a prompt of plain text: a rendered few-shot prompt in either layout, or any text
// with less in it. The question asked is the one after the heading that ends the demonstrations,
// else the last one. The tools that were learned are those that the turns teach.
func (r reader) prompt(text string) envs.History {
	text = "\n" + strings.TrimSpace(text)
	if _, after, ok := strings.Cut(text, "\n"+prompt.TurnHeading+"\n"); ok {
		text = after
		if i := strings.Index(text, "\n"+prompt.QuestionMarker); i >= 0 {
			text = text[i+1+len(prompt.QuestionMarker):]
		}
	} else if i := strings.LastIndex(text, "\n"+prompt.QuestionMarker); i >= 0 {
		text = text[i+1+len(prompt.QuestionMarker):]
	}

	question, rest, _ := strings.Cut(text, blank)
	h := envs.NewHistory(envs.Task{Question: strings.TrimSpace(question)})
	return r.turns(h, strings.TrimSpace(rest))
}

// turns appends the turns in a text: actions and observations in alternation, blank lines between
// them. An action begins with its opening; one without it is what follows the last blank line
// between two observations. Text after the last observation that is not an action is dropped, and
// so is an action without an observation.
func (r reader) turns(h envs.History, text string) envs.History {
	written, rest, ok := strings.Cut(text, blank+action.ObservationMarker)
	for ok {
		var observation, next string
		observation, next, ok = strings.Cut(rest, blank+action.ObservationMarker)

		end := r.splitTurn(observation)
		if end < 0 && ok {
			end = strings.LastIndex(observation, blank)
		}

		following := ""
		if end >= 0 {
			observation, following = observation[:end], observation[end+len(blank):]
		}

		h = r.appendTurn(h, written, observation)
		written, rest = following, next
	}
	return h
}
