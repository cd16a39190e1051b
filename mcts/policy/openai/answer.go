package openai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"toolevo/envs/action"
	"toolevo/mcts/policy/internal/wire"
)

// answer is the message of a choice. Its content is a text, null if the model said nothing, or a
// list of parts. A server that separates reasoning sends it in a field of its own: reasoning (vLLM,
// OpenRouter, Ollama), reasoning_content (older vLLM, SGLang, llama.cpp, DeepSeek) or thinking;
// some send it in two of them.
type answer struct {
	Content          spoken `json:"content"`
	Reasoning        spoken `json:"reasoning"`
	ReasoningContent spoken `json:"reasoning_content"`
	Thinking         spoken `json:"thinking"`
	Refusal          spoken `json:"refusal"` // said in place of the content

	Calls wire.Lenient[[]wire.Lenient[called]] `json:"tool_calls"`
}

// called is a native call. Its arguments are the text of an object, or the object itself.
type called struct {
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"function"`
}

// message returns what was said beside the reasoning, and the reasoning.
func (a *answer) message() (m action.Message, reasoning string) {
	content, reasoning := a.parts()
	reasoning, m.Content = action.Part(action.Join(reasoning, content))

	if len(a.Calls.V) > 0 { // the white space before a call is the template's, which writes it again
		m.Content = strings.TrimSpace(m.Content)
	}

	for _, c := range a.Calls.V {
		f := c.V.Function

		arguments := string(f.Arguments)
		if f.Arguments.Kind() == jsontext.KindString {
			_ = json.Unmarshal(f.Arguments, &arguments) // what cannot be read stays as it is
		}

		m.Calls = append(m.Calls, action.ToolCall{Name: f.Name, Arguments: arguments})
	}
	return m, reasoning
}

// parts returns the content, and the reasoning that is sent apart from it.
func (a *answer) parts() (content, reasoning string) {
	reasoning = cmp.Or(a.Reasoning.all(), a.ReasoningContent.all(), a.Thinking.all(), a.Content.reasoning)
	return cmp.Or(a.Content.text, a.Refusal.all()), reasoning
}

// spoken is what a member of a message says.
type spoken struct{ text, reasoning string }

// all returns its whole text, whatever the parts are called.
func (s *spoken) all() string { return s.reasoning + s.text }

// part is one of a list. A server calls the text of reasoning as it likes: Mistral's is a list of
// parts again.
type part struct {
	Type      string `json:"type"`
	Text      spoken `json:"text"`
	Thinking  spoken `json:"thinking"`
	Reasoning spoken `json:"reasoning"`
	Content   spoken `json:"content"`
}

// reasoningTypes are the types of parts that are not content.
var reasoningTypes = []string{"thinking", "reasoning", "reasoning_text", "reasoning_content"}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom]. A value that is neither a text nor a list of
// parts is skipped.
func (s *spoken) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}

	var parts []part

	switch value.Kind() {
	case jsontext.KindString:
		return json.Unmarshal(value, &s.text)
	case jsontext.KindBeginArray:
		err = json.Unmarshal(value, &parts)
	}

	var text, reasoning strings.Builder

	for _, p := range parts {
		into := &text
		if slices.Contains(reasoningTypes, p.Type) {
			into = &reasoning
		}

		into.WriteString(cmp.Or(p.Text.all(), p.Thinking.all(), p.Reasoning.all(), p.Content.all()))
	}

	s.text, s.reasoning = text.String(), reasoning.String()
	return err
}
