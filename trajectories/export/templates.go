package export

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/envs/yamltext"
)

// templates.yaml has the verdicts of TEMPLATES.md, as the programs of the trainers gave them.
//
//go:embed formats.yaml private.yaml templates.yaml
var files embed.FS

// verdict says what a chat template does to samples: exact, or what is wrong.
type verdict string

const (
	exact           verdict = "exact"
	exactAsSteps    verdict = "exact as steps"
	withoutThinking         = ", without thinking"
)

// is reports whether the verdict equals another, with thinking or without.
func (v verdict) is(other verdict) bool {
	return strings.TrimSuffix(string(v), withoutThinking) == string(other)
}

// fits reports whether something can be trained in the form in which it is asked later.
func (v verdict) fits() bool { return v.is(exact) || v.is(exactAsSteps) }

// judged are templates with the same verdicts.
type judged struct {
	Names []string `yaml:"names"`

	// Verdicts has the verdicts on samples by codec, with the suffix "-text" if the arguments of
	// calls are texts, and "-faulty" if no action can be read from some reply.
	Verdicts map[string]verdict `yaml:"verdicts"`
}

// chatTemplates is what is known about a trainer's chat templates.
type chatTemplates struct {
	Versions  map[string]string `yaml:"versions"`
	Templates []judged          `yaml:"templates"`

	// Forms has, for each value of server.form, the templates under which a server is asked in that
	// form, by codec or format: "all" that are exact, or a list.
	Forms map[string]map[string]any `yaml:"forms"`

	// Servers has, for each template, the templates of servers that write tools and native calls as
	// the trainer does under it. Without any, the template cannot be used for them.
	Servers map[string][]string `yaml:"servers"`

	SHA256 map[string]string `yaml:"sha256"` // the first digits of the hash of each template that is a file
}

var templates = yamltext.Once[map[Trainer]chatTemplates](files, "templates.yaml")

// find returns what is known about a template.
func (t *chatTemplates) find(name string) (judged, bool) {
	i := slices.IndexFunc(t.Templates,
		func(j judged) bool { return slices.Contains(j.Names, name) })
	if i < 0 {
		return judged{}, false
	}

	return t.Templates[i], true
}

// names returns the names of the templates that meet a condition.
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

// ParseChatTemplate refuses the name of a chat template unless it is known what the trainer does to
// samples under it, as it is for those of TEMPLATES.md.
func ParseChatTemplate(t Trainer, name string) error {
	known := templates()[t]
	all := known.names(func(judged) bool { return true })
	_, err := names.Parse("chat template of "+string(t), name, all)
	return err
}

// ChatTemplateOf returns the name that a trainer has for a model's chat template, or "" if it is
// not a known one.
func ChatTemplateOf(t Trainer, text string) string {
	sum := envs.SHA256(text)
	for name, begin := range templates()[t].SHA256 {
		if strings.HasPrefix(sum, begin) {
			return name
		}
	}

	return ""
}

// Fit says how to train an export under a chat template that spoils none of it.
type Fit struct {
	template        string
	AsSteps         bool // only samples of single actions train what prompts show
	WithoutThinking bool // enable_thinking has to be false, in training and at the server
}

// Advice returns a sentence for each thing that whoever trains has to know.
func (f Fit) Advice() []string {
	var all []string

	if f.AsSteps {
		all = append(all, fmt.Sprintf("Under the chat template %s a whole trajectory trains replies to "+
			"other texts than the prompts that are asked later: export with --format %s.", f.template,
			SFTStep))
	}

	if f.WithoutThinking {
		all = append(all, fmt.Sprintf("The chat template %s writes think blocks that are not in the "+
			"samples, unless enable_thinking is false, in training and at the server.", f.template))
	}
	return all
}

// TemplateError means that a chat template spoils what an export holds.
type TemplateError struct {
	template string
	trainer  Trainer
	verdict  verdict
	calls    bool     // the export holds calls, and texts would not be spoilt
	Fitting  []string // the templates of the trainer that spoil nothing
}

// Error implements error.
func (e *TemplateError) Error() string {
	does := string(e.verdict)
	if why, ok := strings.CutPrefix(does, "cannot: "); ok {
		does = "refuses such messages (" + why + ")"
	}

	otherwise := "a model with one of " + strings.Join(e.Fitting, ", ")
	if e.calls {
		otherwise += ", or collect with environment.codec=react"
	}
	return fmt.Sprintf("the chat template %s of %s %s: take %s", e.template, e.trainer, does,
		otherwise)
}

// CheckTemplate says how to train the export under a chat template of its trainer. The error is a
// [TemplateError] if nothing that is trained would be right.
func (m *Manifest) CheckTemplate(name string) (Fit, error) {
	f, t := m.Format, m.Trainer
	if err := ParseChatTemplate(t, name); err != nil {
		return Fit{}, err
	}

	known := templates()[t]
	j, _ := known.find(name)
	v := m.verdictOf(j)

	if !v.fits() {
		return Fit{}, &TemplateError{
			template: name, trainer: t, verdict: v, calls: m.Calls &&
				j.Verdicts[action.ReAct{}.String()].fits(),
			Fitting: known.names(func(j judged) bool { return m.verdictOf(j).fits() }),
		}
	}

	return Fit{
		template: name, AsSteps: (f.form().whole || f.form().tree) && v.is(exactAsSteps),
		WithoutThinking: strings.HasSuffix(string(v), withoutThinking),
	}, nil
}

// CheckServer refuses a model with whose own chat template, given as text, servers write tools and
// native calls differently from the trainer under the named template.
func (m *Manifest) CheckServer(name, text string) error {
	return m.checkServer(name, ChatTemplateOf(TRL, text))
}

func (m *Manifest) checkServer(name, server string) error {
	same := templates()[m.Trainer].Servers[name]
	if !m.Tools || m.Trainer != LlamaFactory || server == "" || slices.Contains(same, server) {
		return nil
	}
	return fmt.Errorf("the model's own chat template is %s, by which servers write tools and calls otherwise than "+
		"%s under %s: train models with %s so, or export for %s",
		server, m.Trainer, name, strings.Join(same, ", "), TRL)
}

// verdictOf returns the verdict on the export under some templates. Transcripts are texts.
func (m *Manifest) verdictOf(j judged) verdict {
	form, codec := m.Format.form(), action.Codec(action.ReAct{})

	switch {
	case form.transcripts:
	case m.Tools:
		codec = action.Tools{}
	case m.Calls:
		codec = action.FunctionCall{}
	}

	what := codec.String()
	if m.Arguments == ArgumentText && codec != (action.ReAct{}) {
		what += "-text"
	}

	if form.whole && m.Unreadable+m.SkippedUnreadable > 0 {
		what += "-faulty"
	}
	return j.Verdicts[what]
}
