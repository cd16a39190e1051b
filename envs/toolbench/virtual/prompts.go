package virtual

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// The files of a folder of published prompts, which are not part of this program: prompts.py of
// envs/toolbench/interop takes them out of a checkout of StableToolBench. The modes name theirs.
const (
	requestPrompt = "mirrorapi-request" // with {api_doc} and {request}
	// CompletePrompt is what MirrorAPI's judge of completeness is asked, with {query} and {answer}.
	CompletePrompt  = "fac"
	promptExtension = ".txt"
)

// ReadPrompt reads a published prompt of a folder, which has to have some fields.
func ReadPrompt(dir, name string, fields ...string) (string, error) {
	path := filepath.Join(dir, name+promptExtension)

	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%w: envs/toolbench/interop/prompts.py takes it out of a checkout of "+
			"StableToolBench", err)
	}

	for _, field := range fields {
		if !strings.Contains(string(text), field) {
			return "", fmt.Errorf("%s has no %s, want it where that is filled in", path, field)
		}
	}

	return string(text), nil
}

// Published are the words that MirrorAPI's models were trained on, or other ones in their place.
type Published struct{ instructions, request string }

// ReadPublished reads the prompts of a published mode.
func ReadPublished(dir string, m Mode) (*Published, error) {
	instructions, err := ReadPrompt(dir, string(m))
	if err != nil {
		return nil, err
	}

	request, err := ReadPrompt(dir, requestPrompt, "{api_doc}", "{request}")
	if err != nil {
		return nil, err
	}

	return &Published{instructions, request}, nil
}

// fill returns the request about a call, as the published server writes it: Python's print of the
// document and the arguments, with the names of tools and categories that its client sends.
func (p *Published) fill(d *toolbench.Document, args envs.Args) string {
	named := *d
	named.Tool, named.Category = toolbench.Name(d.Tool), toolbench.CategoryName(d.Category)

	if args == nil {
		args = envs.Args{}
	}

	return pytext.Format(p.request, "{api_doc}", pytext.Repr(wholeDocument(&named)), "{request}", pytext.Repr(args))
}
