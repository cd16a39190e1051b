package chat

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/envs/pytext"
)

// Template is how LLaMA-Factory 0.9.5 renders conversations for a model family, under
// LLaMA-Factory's name. Get one from [ParseTemplate] or [Templates]; the zero Template adds nothing
// to any text.
type Template struct {
	name          string
	bos           string
	defaultSystem string
	stops         []string

	system, user, observation, reply slot
	tools                            slot // around the list of tools; empty if it has no place for them

	codec     action.Codec // nil is ReAct
	call      slot         // around the object of a function call
	arguments string       // what the object calls its arguments; "" without such an object
}

// slot is what is written around a text.
type slot struct{ before, after string }

func (s slot) around(text string) string { return s.before + text + s.after }

// Templates returns the templates by name: chatml, llama3, qwen (Qwen 2 and 2.5) and qwen3_nothink
// (Qwen 3 without thinking).
//
// In llama3 an observation is a message of the role ipython. In qwen and qwen3_nothink it is a user
// message in <tool_response> tags. In chatml, the generic form, it is a message of the role tool.
// All of them write the beginning of the model's next reply right after the question and after
// every observation.
func Templates() []Template {
	return []Template{chatML(), llama3(), qwen("qwen", "You are Qwen, created by Alibaba Cloud. You are a helpful "+
		"assistant."),
		qwen("qwen3_nothink", "")}
}

// ParseTemplate returns the template called name; the error of an unknown name lists the valid
// ones.
func ParseTemplate(name string) (Template, error) {
	all := Templates()

	valid := make([]string, len(all))
	for i, t := range all {
		if valid[i] = t.name; t.name == name {
			return t, nil
		}
	}

	return Template{}, names.Unknown("chat template", name, valid)
}

func llama3() Template {
	const assistant = "<|start_header_id|>assistant<|end_header_id|>\n\n"
	message := func(role, then string) slot {
		return slot{"<|start_header_id|>" + role + "<|end_header_id|>\n\n", "<|eot_id|>" + then}
	}
	return Template{
		name: "llama3", bos: "<|begin_of_text|>", stops: []string{"<|eot_id|>", "<|eom_id|>"},
		system: message("system", ""), user: message("user", assistant), observation: message("ipython", assistant),
		reply: slot{"", "<|eot_id|>"}, arguments: "parameters",
	}
}

func chatML() Template {
	const assistant = "<|im_start|>assistant\n"
	message := func(role, then string) slot { return slot{"<|im_start|>" + role + "\n", "<|im_end|>\n" + then} }
	return Template{
		name: "chatml", stops: []string{"<|im_end|>", "<|im_start|>"},
		system: message("system", ""), user: message("user", assistant), observation: message("tool", assistant),
		reply: slot{"", "<|im_end|>\n"},
	}
}

func qwen(name, defaultSystem string) Template {
	t := chatML()
	t.name, t.defaultSystem, t.stops = name, defaultSystem, []string{"<|im_end|>"}
	t.observation = slot{t.user.before + "<tool_response>\n", "\n</tool_response>" + t.user.after}
	t.tools = slot{qwenToolsBefore, qwenToolsAfter}
	t.call, t.arguments = slot{"<tool_call>\n", "\n</tool_call>"}, "arguments"

	return t
}

// String returns the template's name.
func (t Template) String() string { return t.name }

// In returns the template for replies of a codec. Function calls are then written in the form of
// the model's family, whatever their own form, as LLaMA-Factory writes those it trains on. chatml
// has no such form: a call becomes an Action and an Action Input, which the codec cannot read back.
func (t Template) In(codec action.Codec) Template {
	t.codec = codec
	return t
}

// HoldsCalls reports whether the template writes function calls as their codec reads them.
func (t Template) HoldsCalls() bool { return t.arguments != "" }

// BOS returns the beginning-of-text token that a rendering begins with, or "".
func (t Template) BOS() string { return t.bos }

// Sent returns a rendering as servers get it: without the beginning-of-text token, which they put
// there themselves. vLLM can be told not to; Ollama and llama.cpp cannot, and would read it twice.
func (t Template) Sent(rendering string) string { return strings.TrimPrefix(rendering, t.bos) }

// AddSpecialTokens says whether the server must put the tokenizer's special tokens before what
// [Template.Sent] returns, as it does unless told otherwise. A template that begins with no token
// of its own was trained without: where the tokenizer has one, it must not.
func (t Template) AddSpecialTokens() bool { return t.bos != "" }

// Stops returns the template's stop words, which end a reply, in a new slice.
func (t Template) Stops() []string { return slices.Clone(t.stops) }

// System returns the system text as it is rendered. An empty text gives the template's default, if
// it has one.
func (t Template) System(text string) string {
	if text == "" {
		text = t.defaultSystem
	}

	if text == "" {
		return ""
	}
	return t.system.around(text)
}

// User returns the question's text as it is rendered, the beginning of the reply included.
func (t Template) User(text string) string { return t.user.around(text) }

// Observation returns an observation's text as it is rendered, the beginning of the next reply
// included.
func (t Template) Observation(text string) string { return t.observation.around(text) }

// Reply returns a reply's text as it is rendered, the end included.
func (t Template) Reply(text string) string {
	if t.codec == (action.FunctionCall{}) {
		if call, err := t.codec.Parse(text); err == nil {
			plain := t.codec.Format(t.codec.Thought(text), call)
			text = strings.TrimSuffix(plain, t.codec.Format("", call)) + t.callText(call)
		}
	}

	return t.reply.around(text)
}

func (t Template) callText(c envs.Call) string {
	if t.arguments == "" {
		_, text, _ := strings.Cut(action.ReAct{}.Format("", c), "\n") // without its thought
		return text
	}
	return t.call.around(pytext.JSON(envs.Object("name", c.Name, t.arguments, c.Args)))
}
