package toolcalls

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
)

// Parser is a way to write tool calls as text.
type Parser string

// The parsers.
const (
	// Hermes is that of Hermes, Qwen 2.5 and Qwen 3: a JSON object with name and arguments in
	// <tool_call> tags.
	Hermes Parser = "hermes"
	// Qwen3Coder is that of Qwen3-Coder and Qwen 3.5: <function=NAME> with a <parameter=KEY> for
	// each argument, in <tool_call> tags that may be missing.
	Qwen3Coder Parser = "qwen3_coder"
	// Llama3JSON is that of Llama 3: objects with name and parameters, or arguments, anywhere in
	// the text.
	Llama3JSON Parser = "llama3_json"
	// Mistral is [TOOL_CALLS] before a list of objects with name and arguments, or before
	// name[ARGS]{...}.
	Mistral Parser = "mistral"
	// Qwen25Coder is that of Qwen2.5-Coder, whose template has the tags of Hermes, which the model
	// rarely writes: objects with name and arguments anywhere in the text, mostly in code fences or
	// in a second pair of braces.
	Qwen25Coder Parser = "qwen2.5_coder"
	// Generic takes what any of the others writes.
	Generic Parser = "generic"
)

// Parsers lists the parsers.
func Parsers() []Parser {
	return []Parser{Hermes, Qwen3Coder, Llama3JSON, Mistral, Qwen25Coder, Generic}
}

// Reading is what a text says.
type Reading struct {
	// Message has all calls, and the content: what is between the reasoning and the first call,
	// without the white space around it, or, without a call, all behind the reasoning, unchanged.
	Message action.Message

	// End is the byte of the text at which the first call ends, with its markup; without a call,
	// the text's length.
	End int
}

// Read reads a text. tools are those that the model was shown, as toolapi's API.Function describes
// them: their schemas give the types of values that are written without quotes. Reasoning is left
// out: [action.Part] returns it.
func (p Parser) Read(text string, tools []envs.Args) Reading {
	// The reasoning of a model may begin in its prompt. The content is the last part of the text in
	// any case.
	_, content := action.Part(action.Join("", text))
	calls := p.calls(content, tools)

	if len(calls) == 0 || action.MentionsReasoning(content[:calls[0].begin]) {
		return Reading{Message: action.Message{Content: content}, End: len(text)}
	}

	r := Reading{End: len(text) - len(content) + calls[0].end}
	r.Message.Content = strings.TrimSpace(content[:calls[0].begin])

	for _, f := range calls {
		r.Message.Calls = append(r.Message.Calls, f.call)
	}
	return r
}
