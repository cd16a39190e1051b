package simserver

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
)

// Thoughts says how a model reasons before its action, and how the server sends that.
type Thoughts string

// The ways to reason. Completions of raw prompts always have it in tags.
const (
	NoThoughts       Thoughts = ""                  // it does not reason
	TagThoughts      Thoughts = "tags"              // in <think> tags, in the text
	EmptyTags        Thoughts = "empty-tags"        // the same tags with nothing in them, as training templates write
	PromptThoughts   Thoughts = "begun"             // the template has written the beginning tag already
	FieldThoughts    Thoughts = "reasoning"         // in a field of this name: vLLM
	ContentThoughts  Thoughts = "reasoning_content" // in a field of this name: llama.cpp, SGLang, older vLLM
	ThinkingThoughts Thoughts = "thinking"          // in a field of this name: Ollama
	PartThoughts     Thoughts = "parts"             // in parts of the content: Mistral
)

// ThoughtsKinds lists them, without NoThoughts.
func ThoughtsKinds() []Thoughts {
	return []Thoughts{TagThoughts, EmptyTags, PromptThoughts, FieldThoughts, ContentThoughts, ThinkingThoughts,
		PartThoughts}
}

// thought returns the model's reasoning before an action: a draft of a call that is not the action,
// and more text.
func (s *Server) thought(chat bool, codec action.Codec, more string) string {
	const begin, end = "<think>\n", "\n</think>\n\n"

	draft := "I could give up.\n" + codec.Format("", envs.Finish("unknown")) + more

	switch {
	case s.o.Thoughts == NoThoughts:
		return ""
	case s.o.Thoughts == EmptyTags:
		return begin + end
	case s.o.Thoughts == PromptThoughts && chat:
		return draft + end
	}

	return begin + draft + end
}

// message returns a completion as a chat has it.
func (d *drawn) message(thoughts Thoughts) *openAIMessage {
	m := &openAIMessage{Role: "assistant", Content: d.text, ToolCalls: d.calls}

	reasoning, content := action.Part(d.text)
	if content == d.text && len(d.calls) == 0 {
		return m
	}

	switch thoughts {
	case FieldThoughts:
		m.Content, m.Reasoning = content, reasoning
	case ContentThoughts:
		m.Content, m.ReasoningContent = "\n\n"+content, reasoning
	case ThinkingThoughts:
		m.Content, m.Thinking = content, reasoning
	case PartThoughts:
		type part = map[string]any

		inner := []part{{"type": "text", "text": reasoning}}
		m.Content = []part{{"type": "thinking", "thinking": inner}, {"type": "text", "text": content}}
	}

	if m.Content == "" {
		m.Content = nil
	}
	return m
}

// splitTurn returns where in a text between two observations an action begins: at its opening, or
// at the reasoning before it; -1 if it has neither.
func (r reader) splitTurn(text string) int {
	begin := strings.Index(text, blank+r.opening())
	if before := strings.Index(text, blank+"<think>"); before >= 0 && (begin < 0 || before < begin) {
		return before
	}
	return begin
}
