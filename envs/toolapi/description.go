package toolapi

import (
	"strings"

	"toolevo/envs/pytext"
	"toolevo/envs/wire"
)

// ParseDescription reads what a model tells UpdateTool about an API: a function as chat APIs
// describe it, with or without its wrapper, or a signature with a description, as in tool lists.
// The API can be shown, but not called. ok is false if the text describes no API.
func ParseDescription(text string) (a *API, ok bool) {
	if function, _, err := pytext.DecodeObject(text); err == nil {
		if inner := function.Object("function"); inner != nil {
			function = inner
		}

		a, err = parseFunction(function)
		return a, err == nil && a.Name != ""
	}

	name, names, signature, ok := wire.ParseSignature(text)
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
