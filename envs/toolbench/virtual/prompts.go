package virtual

import (
	"errors"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// published is the words that MirrorAPI's models were trained on, or others in their place.
type published struct{ instructions, request string }

// publishedWords finds the prompts of a published mode among a user's.
func publishedWords(p kept.Prompts, m Mode) (*published, error) {
	instructions, err := p.Need(prompts[m])
	if err != nil {
		return nil, err
	}

	request, err := p.Need(requestPrompt, "{api_doc}", "{request}")
	if err != nil {
		return nil, err
	}
	return &published{instructions, request}, nil
}

// fill returns the request about a call as the published server writes it: the document and the
// arguments as Python prints them, with the names of tools and categories that its client sends.
func (p *published) fill(d *toolbench.Document, args envs.Args) string {
	if args == nil {
		args = envs.Args{}
	}
	return p.print(wholeDocument(d), args)
}

// print is fill for a document with the members of [wholeDocument].
func (p *published) print(document, args envs.Args) string {
	tool, _ := document.Text("tool_name")
	category, _ := document.Text("tool_category")
	document = slices.Concat(document.Without("tool_name", "tool_category"), envs.Object(
		"tool_name", toolbench.Name(tool), "tool_category", toolbench.CategoryName(category)))
	return pytext.Format(p.request, "{api_doc}", pytext.Repr(document), "{request}", pytext.Repr(args))
}

// Reword turns a request of the mode sft, such as those of MirrorAPI's test sets, into what a model
// is asked in another mode: the system's text and the request. A request of another form stays as
// it is. It is an error if the words of a published mode are missing.
func (m Mode) Reword(request string, p kept.Prompts) (instructions, reworded string, err error) {
	if !m.IsPublished() {
		return m.Instructions(p), request, nil
	}

	words, err := publishedWords(p, m)
	if err != nil {
		return "", "", err
	}

	text, isDocument := strings.CutPrefix(request, documentHeading)
	document, rest, wrong := pytext.DecodeObject(text)
	input, isRequest := strings.CutPrefix(rest, requestHeading)
	args, rest, wrongArgs := pytext.DecodeObject(input)

	if errors.Join(wrong, wrongArgs) != nil || !isDocument || !isRequest || rest != "" {
		return words.instructions, request, nil
	}
	return words.instructions, words.print(document, args), nil
}
