package export

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// templatesYAML has the verdicts of TEMPLATES.md, as the programs of the trainers gave them.
//
//go:embed templates.yaml
var templatesYAML []byte

// verdict says what a chat template makes of samples: exact, or what is wrong.
type verdict string

const (
	exact           verdict = "exact"
	exactAsSteps    verdict = "exact as steps"
	withoutThinking         = ", without thinking"
)

// is reports whether the verdict is another, with thinking or without.
func (v verdict) is(other verdict) bool {
	return strings.TrimSuffix(string(v), withoutThinking) == string(other)
}

// fits reports whether something can be trained as it is asked.
func (v verdict) fits() bool { return v.is(exact) || v.is(exactAsSteps) }

// judged are templates of which the same is true.
type judged struct {
	Names       []string `yaml:"names"`
	React       verdict  `yaml:"react"`
	FaultyReact verdict  `yaml:"react-faulty"`
	Calls       verdict  `yaml:"function-call"`
	FaultyCalls verdict  `yaml:"function-call-faulty"`
}

// chatTemplates is what is known of a trainer's chat templates.
type chatTemplates struct {
	Versions  map[string]string `yaml:"versions"`
	Templates []judged          `yaml:"templates"`

	// Forms has, by value of server.form, the templates under which a server is asked so, by codec
	// or format: "all" that are exact, or a list.
	Forms map[string]map[string]any `yaml:"forms"`

	SHA256 map[string]string `yaml:"sha256"` // of the files, where the trainer has some
}

var templates = sync.OnceValue(func() (all map[Trainer]chatTemplates) {
	// The file is ours.
	if err := yaml.UnmarshalWithOptions(templatesYAML, &all, yaml.Strict()); err != nil {
		panic(err)
	}

	return all
})

// of returns what is known of a template.
func (t *chatTemplates) of(name string) (judged, bool) {
	i := slices.IndexFunc(t.Templates, func(j judged) bool { return slices.Contains(j.Names, name) })
	if i < 0 {
		return judged{}, false
	}

	return t.Templates[i], true
}

// names are those of the templates that meet a condition.
func (t *chatTemplates) names(meet func(judged) bool) []string {
	var all []string

	for _, j := range t.Templates {
		if meet(j) {
			all = append(all, j.Names...)
		}
	}

	slices.Sort(all)

	return all
}
