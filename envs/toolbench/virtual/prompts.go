package virtual

import (
	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// published are the words that MirrorAPI's models were trained on, or other ones in their place.
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

// fill returns the request about a call, as the published server writes it: Python's print of the
// document and the arguments, with the names of tools and categories that its client sends.
func (p *published) fill(d *toolbench.Document, args envs.Args) string {
	named := *d
	named.Tool, named.Category = toolbench.Name(d.Tool), toolbench.CategoryName(d.Category)

	if args == nil {
		args = envs.Args{}
	}

	return pytext.Format(p.request, "{api_doc}", pytext.Repr(wholeDocument(&named)), "{request}", pytext.Repr(args))
}
