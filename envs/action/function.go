package action

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// The tags of function calls. Models of the Qwen family write them as tokens of their own.
const (
	thinkTag    = "<think>"
	thinkEndTag = "</think>"
	callTag     = "<tool_call>"
	callEndTag  = "</tool_call>"
)

// FunctionCall is the [Codec] of a thought in tags and a call as a JSON object, as trainers and
// servers use it.
type FunctionCall struct{}

// String implements [Codec].
func (FunctionCall) String() string { return "function-call" }

// Parse implements [Codec].
func (f FunctionCall) Parse(text string) (envs.Call, error) {
	c, _, err := f.parse(text)
	return c, err
}

// parse returns the call and the text after it.
func (FunctionCall) parse(text string) (c envs.Call, after string, err error) {
	_, object := splitObject(text)
	if object == "" {
		return c, "", ErrMalformed
	}

	members, after, err := pytext.DecodeObject(object)
	if err != nil {
		return c, "", err
	}

	name, _ := members.Text("name")
	c.Name = pytext.Strip(name)

	arguments, ok := members.Get("arguments")
	if !ok {
		// Some models, Llama's among them, call them parameters.
		arguments, _ = members.Get("parameters")
	}

	// Servers with OpenAI's interface give the arguments as a text of JSON. Without a name the
	// action is malformed, whatever is wrong with them.
	if text, ok := arguments.(string); ok {
		if arguments, err = pytext.Decode(text); err != nil && c.Name != "" {
			return c, "", err
		}
	}

	if c.Args, ok = arguments.(envs.Args); !ok || c.Name == "" {
		return envs.Call{}, "", ErrMalformed
	}
	return c, after, nil
}

// Trim implements [Codec]. The tag that ends a call belongs to it.
func (f FunctionCall) Trim(text string) string {
	_, after, err := f.parse(text)
	if err != nil {
		return text
	}

	if rest, ok := strings.CutPrefix(strings.TrimLeft(after, " \n"), callEndTag); ok {
		after = rest
	}
	return trim(text, after)
}

// splitObject returns the text before the first brace after the thought in tags, and the text from
// there on, or "" if there is no brace.
func splitObject(text string) (before, object string) {
	start := 0
	if _, content := Part(text); content != "" || strings.Contains(text, thinkEndTag) {
		start = len(text) - len(content)
	}

	at := strings.IndexByte(text[start:], '{')
	if at < 0 {
		return text, ""
	}
	return text[:start+at], text[start+at:]
}

// Thought returns the text between the tags, or the text before the call if there are no tags.
func (FunctionCall) Thought(text string) string {
	if reasoning, content := Part(text); content != text && content != "" {
		return reasoning
	}

	before, _ := splitObject(text)
	before, _, _ = strings.Cut(before, callTag)
	before = strings.TrimPrefix(strings.TrimSpace(before), thinkTag)
	thought, _, _ := strings.Cut(before, thinkEndTag)
	return strings.TrimSpace(thought)
}

// Format implements [Codec].
func (f FunctionCall) Format(thought string, c envs.Call) string {
	return f.Think(thought, pytext.JSON(envs.Object("name", c.Name, "arguments", c.Args)))
}

// Think returns a thought in tags and the text that follows it. Without a thought there are no
// tags.
func (FunctionCall) Think(thought, text string) string {
	if thought == "" {
		return text
	}
	return thinkTag + "\n" + thought + "\n" + thinkEndTag + "\n\n" + text
}

// Stop implements [Codec].
func (FunctionCall) Stop() []string { return []string{ObservationMarker} }
