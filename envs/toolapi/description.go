package toolapi

import (
	"strings"

	"toolevo/envs/pytext"
)

// ParseDescription reads what a model tells UpdateTool about an API: a function as chat APIs describe it, with or
// without what stands around it, or a signature with what follows it, as tool lists have it. The API can be shown, not
// called. ok is false of text that describes none.
func ParseDescription(text string) (a *API, ok bool) {
	if function, _, err := pytext.DecodeObject(text); err == nil {
		if inner := function.Object("function"); inner != nil {
			function = inner
		}

		a, err = parseFunction(function)

		return a, err == nil && a.Name != ""
	}

	name, names, signature, ok := ParseSignature(text)
	if !ok || name == signature { // any word would do
		return nil, false
	}

	_, said, _ := strings.Cut(text, signature)
	a = &API{Name: name, Tool: name, Description: strings.TrimLeft(said, "`, ")}

	for _, name := range names {
		a.Parameters = append(a.Parameters, Parameter{Name: name})
	}

	return a, true
}

// ParseSignature reads "Name[p1, p2]" or "Name" at the beginning of text, as [API.Signature] and models write it.
func ParseSignature(text string) (name string, params []string, signature string, ok bool) {
	text = strings.TrimLeft(text, " \n`")

	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}

	if !strings.HasPrefix(text[n:], "[") { // a full stop ends the sentence
		n = len(strings.TrimRight(text[:n], "."))
	}

	if n == 0 {
		return "", nil, "", false
	}

	name, rest := text[:n], text[n:]
	if !strings.HasPrefix(rest, "[") {
		return name, nil, name, true
	}

	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return "", nil, "", false
	}

	for p := range strings.SplitSeq(rest[1:end], ",") {
		if p = strings.Trim(p, " <>"); p != "" {
			params = append(params, p)
		}
	}

	return name, params, text[:n+end+1], true
}

// isNameByte allows what appendices B.2 and D.1 put into names.
func isNameByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("_-@%#.", c) >= 0 || c >= 0x80
}
