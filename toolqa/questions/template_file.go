package questions

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs/yamltext"
	"toolevo/toolqa"
)

// TemplateFile is a file of templates that somebody has written, in the form of those that are
// shipped.
type TemplateFile struct {
	path      string
	text      []byte
	templates library
	places    map[*Template]string // where each is, as a path of YAML: $.easy[0]
}

// Example is a question of a template.
type Example struct {
	Template string `json:"template"`           // its name
	Question string `json:"question"`           // drawn from the corpus
	Answer   string `json:"answer"`             // the right one
	Official string `json:"official,omitempty"` // that of the published rule, where the template has one
}

// ParseTemplates reads a file of templates. Its errors name the line.
func ParseTemplates(path string, text []byte) (*TemplateFile, error) {
	f := &TemplateFile{path: path, text: text, places: map[*Template]string{}}

	// Strict, since a misspelt key would otherwise be left out without a word.
	var parsed templateFile
	if err := yamltext.Decode(text, &parsed, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("questions: %s: %w", path, err)
	}

	if _, err := toolqa.ParseDataset(string(parsed.Dataset)); err != nil {
		return nil, f.fault("$.dataset", err)
	}

	var err error
	if f.templates, err = parsed.compile(); err != nil {
		place := "$"
		if at := new(definitionError); errors.As(err, &at) {
			place = at.place
		}
		return nil, f.fault(place, err)
	}

	if len(f.templates) == 0 {
		return nil, fmt.Errorf("questions: %s: it has no templates", path)
	}

	for i, t := range f.templates {
		// The easy ones come first, and each level counts from 0 in the file.
		f.places[t] = fmt.Sprintf("$.%s[%d]", t.difficulty, i)
		if t.difficulty == toolqa.Hard {
			f.places[t] = fmt.Sprintf("$.%s[%d]", t.difficulty, i-len(parsed.Easy))
		}
	}

	return f, nil
}

// lastKey is the last key of a path of YAML.
var lastKey = regexp.MustCompile(`(\.\w+|\[\d+\])$`)

// fault adds to an error the line of a place in the file, or of the nearest place above it.
func (f *TemplateFile) fault(place string, err error) error {
	for at := place; at != "$" && at != ""; at = lastKey.ReplaceAllString(at, "") {
		path, pathErr := yaml.PathString(at)
		if pathErr != nil {
			break
		}

		if node, noNode := path.ReadNode(bytes.NewReader(f.text)); noNode == nil {
			return fmt.Errorf("questions: %s:%d: %w", f.path, node.GetToken().Position.Line, err)
		}
	}
	return fmt.Errorf("questions: %s: %w", f.path, err)
}

// Dataset is what the templates ask about.
func (f *TemplateFile) Dataset() toolqa.Dataset { return f.templates[0].dataset }

// Examples draws a question of each template from a corpus of their dataset. The same random
// numbers give the same questions.
func (f *TemplateFile) Examples(r *rand.Rand, c *Corpus) ([]Example, error) {
	// Among the shipped ones, too: a question that two templates fit equally well cannot be read.
	known := f.templates.with(shipped())
	var examples []Example

	for _, t := range f.templates {
		for _, key := range slices.Sorted(maps.Keys(t.queries)) {
			// Before a question is drawn, so that the error names the line of the wrong query.
			if _, err := c.prepare(t.queries[key]); err != nil {
				return nil, f.fault(f.places[t]+"."+key, fmt.Errorf("template %s: %s: %w", t.Name, key, err))
			}
		}

		q, err := known.newGenerator(r, c).draw(t)
		if errors.Is(err, errExhausted) {
			err = fmt.Errorf("template %s: no question can be drawn that has an answer and that no other template fits",
				t.Name)
		}

		if err != nil {
			return nil, f.fault(f.places[t], err)
		}

		example := Example{Template: t.Name, Question: q.Text, Answer: q.Answer}
		// That the published rule finds no answer may just be its fault.
		if t.official != nil {
			m, _ := known.recognise(q.Text)
			if example.Official, err = officialAnswer(m, c); ignoreNoAnswer(err) != nil {
				return nil, f.fault(f.places[t]+".official", err)
			}
		}

		examples = append(examples, example)
	}
	return examples, nil
}

// with returns the templates and those of others that have other names.
func (l library) with(others library) library {
	names := map[string]bool{}
	for _, t := range l {
		names[t.Name] = true
	}

	all := append(library{}, l...)
	for _, t := range others {
		if !names[t.Name] {
			all = append(all, t)
		}
	}

	return all
}

// definitionError is what is wrong with a part of a template's definition.
type definitionError struct {
	place string // a path of YAML
	err   error
}

func (e *definitionError) Error() string { return e.err.Error() }

func (e *definitionError) Unwrap() error { return e.err }

// checkNames returns the first step whose texts name a value that is not known, as far as that can
// be told: what readers take from a result only they know.
func checkNames(slots []slot, planned []plannedStep) (step int, err error) {
	var known slotValues

	// slotValues.derived may add these to the slots of a question.
	for _, name := range []string{"carrier", "number", "date_in_words", "start24", "end24"} {
		known = append(known, slotValue{name, ""})
	}

	for _, s := range slots {
		known = append(known, slotValue{s.name, ""})
	}

	if n := len(planned); n == 0 || !strings.EqualFold(planned[n-1].tool, "Finish") {
		return max(n-1, 0), fmt.Errorf("the last step is not Finish")
	}

	for i, p := range planned {
		for _, text := range append([]string{p.thought}, p.args...) {
			if _, err := expand(text, known); err != nil {
				return i, err
			}
		}

		// From here on readers add names of their own, which nobody can tell without the results.
		if p.read != "" || p.then != "" || p.repeat != "" {
			return 0, nil
		}

		for _, row := range p.fields() {
			for _, f := range row {
				known = append(known, slotValue{f.name, ""})
			}
		}
	}
	return 0, nil
}
