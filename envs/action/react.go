package action

import (
	"errors"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// The markers of ReAct text (ToolEvo, A.1 and D.2).
const (
	ThoughtMarker     = "Thought:"
	ActionMarker      = "Action:"
	InputMarker       = InputWords + ":"
	ObservationMarker = "Observation:"

	InputWords = "Action Input" // of the marker: no name of a tool can hold them
)

// ReAct is the [Codec] of Thought, Action and Action Input. A call ends with the first complete
// JSON object, because models write on after it: a code fence or another Thought. Reasoning is not
// part of it, unless LastBrace reads as published.
type ReAct struct {
	LastBrace  bool // an input reaches to the last brace of the text, as in the published code
	EmptyInput bool // {} is an input; in the published code something has to be between the braces
}

// String implements [Codec].
func (ReAct) String() string { return "react" }

// Parse implements [Codec].
func (r ReAct) Parse(text string) (envs.Call, error) {
	c, _, err := r.parse(text)
	return c, err
}

// parse returns the call and the text after it.
func (r ReAct) parse(text string) (c envs.Call, after string, err error) {
	if !r.LastBrace {
		_, text = Part(text)
	}

	name, input, ok := r.split(text)
	if !ok {
		return c, "", ErrMalformed
	}

	c.Name = name

	args, rest, err := pytext.DecodeObject(input)
	if err == nil && r.LastBrace {
		_, err = pytext.Decode(input)
	}

	var notJSON *pytext.Error
	if errors.As(err, &notJSON) {
		return c, "", notJSON
	}

	c.Args = args
	return c, rest + text[strings.LastIndexByte(text, '}')+1:], nil
}

// Trim implements [Codec]. The published code never shortens a text.
func (r ReAct) Trim(text string) string {
	_, after, err := r.parse(text)
	if err != nil || r.LastBrace {
		return text
	}
	return trim(text, after)
}

// split returns the name and the JSON text of an action. ok is false if either is missing.
func (r ReAct) split(text string) (name, input string, ok bool) {
	_, after, ok := strings.Cut(text, ActionMarker)
	if !ok {
		return "", "", false
	}

	name, _, ok = strings.Cut(after, InputWords)
	if !ok {
		return "", "", false
	}

	if name = pytext.Strip(name); name == "" {
		return "", "", false
	}

	input, ok = findInput(text)
	return name, input, ok && (input != "{}" || r.EmptyInput)
}

// findInput returns the text from the first brace that directly follows an input marker to the last
// brace.
func findInput(text string) (input string, ok bool) {
	end := strings.LastIndexByte(text, '}')
	for rest := text; ; {
		_, after, found := strings.Cut(rest, InputMarker)
		if !found {
			return "", false
		}

		object := strings.TrimLeftFunc(after, pytext.IsSpace)
		if !strings.HasPrefix(object, "{") {
			rest = after
			continue
		}

		start := len(text) - len(object)
		if end <= start {
			return "", false
		}
		return text[start : end+1], true
	}
}

// ParseStrict is Parse for texts that teach the format. It accepts a Thought, an Action and an
// Action Input on lines of their own, one JSON object, and nothing after it. The error says what is
// wrong.
func (ReAct) ParseStrict(text string) (envs.Call, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), ThoughtMarker)
	if !ok {
		return envs.Call{}, fmt.Errorf("action does not begin with %q", ThoughtMarker)
	}

	// A text that continues with its own observation would teach models to invent answers.
	if strings.Contains(text, ObservationMarker) {
		return envs.Call{}, fmt.Errorf("action contains %q", ObservationMarker)
	}

	_, rest, ok = strings.Cut(rest, "\n"+ActionMarker)
	if !ok {
		return envs.Call{}, fmt.Errorf("action has no line %q", ActionMarker)
	}

	name, input, ok := strings.Cut(rest, "\n"+InputMarker)
	if !ok {
		return envs.Call{}, fmt.Errorf("action has no line %q", InputMarker)
	}

	args, tail, err := pytext.DecodeObject(input)
	if err != nil {
		return envs.Call{}, fmt.Errorf("action input: %w", err)
	}

	// Models would learn to write on after a call.
	if tail = strings.TrimSpace(tail); tail != "" {
		return envs.Call{}, fmt.Errorf("action input: text after the object: %q", tail)
	}
	return envs.Call{Name: strings.TrimSpace(name), Args: args}, nil
}

// Thought returns the text between the first "Thought:" and the "Action:" that follows it, or the
// end.
func (ReAct) Thought(text string) string {
	_, content := Part(text)
	_, after, _ := strings.Cut(content, ThoughtMarker)
	thought, _, _ := strings.Cut(after, ActionMarker)
	return strings.TrimSpace(thought)
}

// Format implements [Codec]. No arguments are written as "{ }", which Parse reads as such.
func (ReAct) Format(thought string, c envs.Call) string {
	b := make([]byte, 0, 256+len(thought))
	b = append(b, ThoughtMarker+" "...)
	b = append(b, thought...)
	b = append(b, "\n"+ActionMarker+" "...)
	b = append(b, c.Name...)
	b = append(b, "\n"+InputMarker+" "...)

	if len(c.Args) == 0 {
		return string(append(b, "{ }"...))
	}
	return string(pytext.AppendJSON(b, c.Args))
}

// Stop implements [Codec].
func (ReAct) Stop() []string { return []string{ObservationMarker} }
