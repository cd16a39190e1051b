package instruct

import (
	"embed"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"text/template"

	"toolevo/envs/yamltext"
)

//go:embed words/*.yaml
var files embed.FS

// lexicon has the words for the instructions of a domain; words/tensor.yaml explains its parts.
type lexicon struct {
	Scene  string               `yaml:"scene"`
	Define string               `yaml:"define"`
	Nouns  map[string]string    `yaml:"nouns"`
	Edits  []string             `yaml:"edits"`
	Tools  map[string]toolWords `yaml:"tools"`

	wordings map[string]*template.Template // by their text
}

// toolWords are the words of a tool.
type toolWords struct {
	Name   string              `yaml:"name"`   // of its result, if it needs one
	Result string              `yaml:"result"` // what has the name
	Just   []string            `yaml:"just"`   // the result, said right after the call
	Item   string              `yaml:"item"`   // an element of the result, which is a list
	Nouns  map[string]string   `yaml:"nouns"`  // of parts of such an element, if they differ
	Parts  []string            `yaml:"parts"`  // parameters that name a part of something
	Like   map[string]string   `yaml:"like"`   // the parameter with that part of another thing
	Whole  map[string][]string `yaml:"whole"`  // parameters that may be parts of one thing, by noun
	Some   map[string][]string `yaml:"some"`   // the same for parameters that a call may leave out
	Aims   []string            `yaml:"aims"`   // of programs that call it once | more often: "to …"
	Small  bool                `yaml:"small"`  // it is hardly ever the purpose of a program
	Say    []string            `yaml:"say"`
	Each   []string            `yaml:"each"` // of a call for each element of a list

	// Overwrites says that the service may then have other data for an element than its list says.
	Overwrites bool `yaml:"overwrites"`
}

// frame has the words for instructions of every domain.
type frame struct {
	Aims                              []string
	Goals                             struct{ Always, Also, Apart, Either []string }
	First, Then, Finally, Merge, Keep []string
	Conditions, Members, Where        []string
	Result, List                      []string
	Branches                          []branchWords
	Headings, Constants, Loaded       []string
}

// branchWords begin the two ends of a program.
type branchWords struct{ If, Else string }

// library holds the words of all domains.
type library struct {
	frame   frame
	domains map[string]*lexicon
}

// words reads the files once.
var words = sync.OnceValue(func() *library {
	l := &library{*yamltext.DecodeFile[frame](files, "words/common.yaml"), map[string]*lexicon{}}

	paths, _ := fs.Glob(files, "words/*.yaml") // the pattern is a good one
	for _, name := range paths {
		if domain := strings.TrimSuffix(path.Base(name), ".yaml"); domain != "common" {
			l.domains[domain] = newLexicon(name)
		}
	}

	return l
})

// newLexicon reads the words of a domain. It panics if they are invalid.
func newLexicon(path string) *lexicon {
	x := yamltext.DecodeFile[lexicon](files, path)
	x.wordings = map[string]*template.Template{}
	base := template.Must(template.New(path).Option("missingkey=zero").Funcs(helpers).Parse(x.Define))

	all := x.Edits
	for _, name := range slices.Sorted(maps.Keys(x.Tools)) {
		all = slices.Concat(all, x.Tools[name].Say, x.Tools[name].Each)
	}

	for _, wording := range all {
		x.wordings[wording] = template.Must(template.Must(base.Clone()).Parse(wording))
	}
	return x
}

// helpers are the functions of wordings.
var helpers = template.FuncMap{"label": label, "series": series}

// label says what an argument is for, or nothing if there is none, or if the tool assumes it
// anyway.
func label(what string, a *argument, assumed ...string) string {
	if a == nil || slices.Contains(assumed, a.literal()) {
		return ""
	}
	return what + " " + a.String()
}

// series joins what there is to say.
func series(parts ...string) string {
	return join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }))
}
