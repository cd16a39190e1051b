package questions

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"toolevo/envs/yamltext"
	"toolevo/toolqa"
)

// templateFiles are the templates of the benchmark, a file for each dataset.
//
//go:embed templates/*.yaml
var templateFiles embed.FS

// templateFile is a file of templates.
type templateFile struct {
	Dataset toolqa.Dataset    `yaml:"dataset"`
	Parts   map[string]string `yaml:"parts"` // texts that replace {NAME} in queries and plans
	From    string            `yaml:"from"`  // what is drawn from where a template does not say so
	Draw    string            `yaml:"draw"`  // how slots are drawn where a template does not say so
	Lines   bool              `yaml:"lines"` // whether their values must be lines

	Slots map[string]*slotOrigin `yaml:"slots"` // what they are drawn from
	Easy  []definition           `yaml:"easy"`
	Hard  []definition           `yaml:"hard"`
}

// definition is a template as its file has it. CONTRIBUTING.md explains the keys.
type definition struct {
	Name      string        `yaml:"name"`
	Text      string        `yaml:"text"`
	Fault     string        `yaml:"fault"`
	Corrected bool          `yaml:"corrected"`
	Avoided   bool          `yaml:"avoided"`
	Gold      string        `yaml:"gold"`
	Official  string        `yaml:"official"`
	Unique    bool          `yaml:"unique"` // if the query finds several rows there is no answer
	Join      string        `yaml:"join"`   // the text between the rows of an answer
	From      string        `yaml:"from"`
	Draw      string        `yaml:"draw"`
	Only      string        `yaml:"only"` // a query that finds 1 for the questions that are drawn
	Plan      []plannedStep `yaml:"plan"`
}

// plannedStep is a step of a plan as a file has it: a thought, the call of a tool by the tool's
// name, and what is read from its result.
type plannedStep struct {
	thought string
	tool    string
	args    []string
	gives   [][]field // the values that each row of the result must have
	unit    string    // the text after the number that a program prints
	read    string    // the reader that takes the values instead
	then    string    // the reader that takes more values after these
	when    string    // a value that must be known for the step to be taken
	repeat  string    // a list or a number of values; the step is taken for each, with its number for #
	first   int       // the number that repeat begins with: 2 in "names from 2"
}

// UnmarshalYAML reads a step. Its tool is the key that is not one of the others.
func (s *plannedStep) UnmarshalYAML(node ast.Node) error {
	var entries yaml.MapSlice

	err := yaml.NodeToValue(node, &entries)
	if err == nil {
		err = s.fill(entries)
	}

	if err != nil {
		at := node.GetToken().Position
		return fmt.Errorf("[%d:%d] %w", at.Line, at.Column, err)
	}
	return nil
}

func (s *plannedStep) fill(entries yaml.MapSlice) error {
	texts := map[string]*string{
		"thought": &s.thought, "unit": &s.unit, "read": &s.read, "then": &s.then, "when": &s.when, "repeat": &s.repeat,
	}

	for _, e := range entries {
		key := fmt.Sprint(e.Key)
		switch to := texts[key]; {
		case to != nil:
			*to = fmt.Sprint(e.Value)
		case key == "gives":
			s.gives = parseFields(fmt.Sprint(e.Value))
		case toolArguments[key] == nil:
			return fmt.Errorf("%s is neither a tool nor one of thought, gives, unit, read, then, when and repeat", key)
		case s.tool != "":
			return fmt.Errorf("a step calls one tool, not both %s and %s", s.tool, key)
		default:
			s.tool, s.args = key, argumentTexts(e.Value)
		}
	}

	if n := len(toolArguments[s.tool]); n != len(s.args) || n == 0 {
		return fmt.Errorf("the step %q: want a tool with its %d arguments, not %d", s.thought, n, len(s.args))
	}
	return nil
}

// argumentTexts returns the arguments of a call: a list of them, or a single one.
func argumentTexts(value any) []string {
	list, ok := value.([]any)
	if !ok {
		return []string{fmt.Sprint(value)}
	}

	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = fmt.Sprint(item)
	}
	return texts
}

// parseFields reads the fields that the rows of a result must have, e.g. "Date1:date, Close1;
// Date2:date, Close2". Those without a kind are numbers.
func parseFields(text string) [][]field {
	var rows [][]field

	for line := range strings.SplitSeq(text, "; ") {
		var row []field

		for part := range strings.SplitSeq(line, ", ") {
			name, kind, ok := strings.Cut(part, ":")
			if !ok {
				kind = "number"
			}

			row = append(row, field{name, kind})
		}

		rows = append(rows, row)
	}
	return rows
}

// shippedTemplates decodes the templates of all datasets. It panics on a mistake in a file, which
// is part of the program.
func shippedTemplates() library {
	var all library

	for _, ds := range slices.Sorted(slices.Values(toolqa.Datasets())) {
		path := "templates/" + string(ds) + ".yaml"

		ts, err := yamltext.DecodeFile[templateFile](templateFiles, path).compile()
		if err != nil {
			panic(fmt.Sprintf("questions: %s: %v", path, err))
		}

		all = append(all, ts...)
	}
	return all
}

// compile makes the templates of a file, those of easy questions first.
func (f *templateFile) compile() (library, error) {
	var replacements []string
	for _, name := range slices.Sorted(maps.Keys(f.Parts)) {
		replacements = append(replacements, "{"+name+"}", f.Parts[name])
	}

	parts := strings.NewReplacer(replacements...)
	var ts library

	// ParseTemplates counts on this order to find the place of a template in its file.
	for _, level := range []struct {
		difficulty  toolqa.Difficulty
		definitions []definition
	}{{toolqa.Easy, f.Easy}, {toolqa.Hard, f.Hard}} {
		for i, d := range level.definitions {
			t := &Template{
				Name:       fmt.Sprintf("%s-%s/%s", f.Dataset, level.difficulty, d.Name),
				dataset:    f.Dataset,
				difficulty: level.difficulty,
				text:       d.Text,
				fault:      d.Fault,
				corrected:  d.Corrected,
				avoided:    d.Avoided,
			}
			// The error has the place in the file, from which ParseTemplates finds the line.
			if key, err := t.complete(f, d, parts); err != nil {
				return nil, &definitionError{
					place: fmt.Sprintf("$.%s[%d].%s", level.difficulty, i, key),
					err:   fmt.Errorf("template %s: %s: %w", t.Name, key, err),
				}
			}

			ts = append(ts, t)
		}
	}
	return ts, nil
}

// complete adds the rules, the draw and the plan of a template. An error is about the definition's
// key.
func (t *Template) complete(f *templateFile, d definition, parts *strings.Replacer) (key string, err error) {
	// First, because the rules and the plan take the slots that it finds.
	if err := t.parse(); err != nil {
		return "text", err
	}

	if d.Gold == "" {
		return "gold", fmt.Errorf("want a query")
	}

	t.queries = map[string]string{}
	for key, text := range map[string]string{"gold": d.Gold, "official": d.Official, "only": d.Only,
		"from": cmp.Or(d.From, f.From), "draw": cmp.Or(d.Draw, f.Draw)} {
		if text != "" {
			t.queries[key] = parts.Replace(text)
		}
	}

	// unique is for the right rule alone: the published one answers with whatever it finds.
	t.gold = t.rule(t.queries["gold"], d.Unique, d.Join)
	if d.Official != "" {
		t.official = t.rule(t.queries["official"], false, d.Join)
	}

	if d.Only != "" {
		t.only = t.rule(t.queries["only"], false, "")
	}

	t.drawing = newDrawing(f, t.queries["from"], t.queries["draw"], t.slots)

	step := 0
	if t.plan, step, err = compilePlan(d.Plan, parts); err == nil {
		step, err = checkNames(t.slots, d.Plan)
	}
	return fmt.Sprintf("plan[%d]", step), err
}

// namesOf lists the valid names.
func namesOf[T any](all map[string]T) string {
	return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}
