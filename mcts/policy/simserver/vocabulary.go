package simserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// vocabulary holds the ids by which clients know tokens, in the order in which they learned of
// them.
type vocabulary struct {
	mu    sync.Mutex
	ids   map[string]int
	texts []string
}

// encode returns the ids of tokens.
func (v *vocabulary) encode(tokens []string) []int {
	v.mu.Lock()
	defer v.mu.Unlock()

	ids := make([]int, len(tokens))

	for i, token := range tokens {
		id, known := v.ids[token]
		if !known {
			id = len(v.texts)
			v.ids[token], v.texts = id, append(v.texts, token)
		}

		ids[i] = id
	}
	return ids
}

// decode returns the text of ids; ok is false if one of them was never returned.
func (v *vocabulary) decode(ids []int) (text string, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()

	var b strings.Builder

	for _, id := range ids {
		if id < 0 || id >= len(v.texts) {
			return "", false
		}

		b.WriteString(v.texts[id])
	}
	return b.String(), true
}

// tokenizeChat answers with the tokens of a chat's prompt.
func (x *exchange) tokenizeChat() {
	q, ok := x.request()
	if !ok {
		return
	}

	q.ToolChoice = json.RawMessage(`"none"`) // no calls are parsed

	p, bad := x.prompt(q, true)
	if bad != nil {
		x.refuse(http.StatusBadRequest, bad.text, bad.param)
		return
	}

	ids := x.s.vocabulary.encode(p.tokens.strings(p.text))
	x.answer("application/json", map[string]any{
		"count": len(ids), "max_model_len": x.s.o.MaxModelLen, "tokens": ids, "token_strs": nil,
	})
}

// toolsIn returns the tools in the system text of a rendered prompt, or nil.
func toolsIn(text string) *toolUse {
	_, text, titled := strings.Cut(text, toolsTitle)
	_, text, begun := strings.Cut(text, toolsTag)
	text, _, ended := strings.Cut(text, toolsEndTag)

	if !titled || !begun || !ended {
		return nil
	}

	u := toolUse{choice: "none"} // calls stay in the text

	for line := range strings.Lines(text) {
		var t tool
		if json.Unmarshal([]byte(line), &t) == nil {
			u.tools = append(u.tools, t)
		}
	}

	return &u
}
