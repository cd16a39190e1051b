package drift

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"

	"toolevo/envs/toolapi"
	"toolevo/envs/yamltext"
)

// Script is the file of a version as operators, with everything chosen that operators would draw:
//
//	version: p_s_in
//	about: one line for people
//	tools:
//	  RetrieveAgenda:
//	    - add-count: {parameter: return_num, value: 3}
//	    - rename-parameter: {keyword: Query}
//	    - rename-api: Fetch_Agenda_Data
//
// Each step is about the API as the one before left it.
type Script struct {
	Version string                  `yaml:"version"`
	About   string                  `yaml:"about"`
	Tools   map[string][]ScriptStep `yaml:"tools"` // by the tool's name
}

// ScriptStep is an operator and what is chosen for it. It has exactly one of its fields.
type ScriptStep struct {
	RenameAPI       string                 `yaml:"rename-api"`
	RenameParameter map[string]string      `yaml:"rename-parameter"` // old name to new name
	NumberList      map[string]string      `yaml:"number-list"`      // the first parameter to its items' name
	PrefixText      *toolapi.Prefix        `yaml:"prefix-text"`
	MergeParameters *toolapi.BracketedSpec `yaml:"merge-parameters"`
	AddFlag         string                 `yaml:"add-flag"`
	AddCount        *toolapi.Ignored       `yaml:"add-count"`
}

// ParseScript reads a script.
func ParseScript(f toolapi.File) (*Script, error) {
	s := new(Script)
	if err := yamltext.Decode([]byte(f.Text), s, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("drift: %s: %w", f.Path, err)
	}

	if s.Version == "" {
		return nil, fmt.Errorf("drift: %s: no version: say what the version is called", f.Path)
	}

	for _, tool := range slices.Sorted(maps.Keys(s.Tools)) {
		for i, step := range s.Tools[tool] {
			if _, err := step.operator(); err != nil {
				return nil, fmt.Errorf("drift: %s: %s, step %d: %w", f.Path, tool, i+1, err)
			}
		}
	}

	return s, nil
}

// Scripted makes the version of a script, and says what has changed. A step that cannot be applied
// is an error.
func (m *Maker) Scripted(s *Script) (*toolapi.Spec, []Change, error) {
	p := plan{ofTool: map[string][]Operator{}}

	for tool, steps := range s.Tools {
		for _, step := range steps {
			o, err := step.operator()
			if err != nil {
				return nil, nil, err
			}

			p.ofTool[tool] = append(p.ofTool[tool], o)
		}
	}

	// The number 0 decides nothing: scripted operators draw nothing.
	made, changes := m.version(s.Version, 0, p)
	made.About = s.About

	// The maker skips an operator that cannot be applied; a script needs all of its own.
	for _, tool := range slices.Sorted(maps.Keys(p.ofTool)) {
		isOther := func(c Change) bool { return c.Tool != tool }
		done := slices.DeleteFunc(slices.Clone(changes), isOther)

		for i, o := range p.ofTool[tool] {
			if i >= len(done) || done[i].Operator != o.Name {
				return nil, nil, fmt.Errorf("drift: %s, step %d: %s cannot be applied: is it "+
					"about a tool of %s, and parameters that the API has by then?",
					tool, i+1, o.Name, m.source.Version)
			}
		}
	}

	return made, changes, nil
}

// operator returns the operator that a step names, with its choices made.
func (s ScriptStep) operator() (Operator, error) {
	var all []Operator

	add := func(is bool, name string, apply func(a toolapi.APISpec) (Step, bool)) {
		if is {
			all = append(all, Operator{
				Name:  name,
				Apply: func(a toolapi.APISpec, _ *Draws) (Step, bool) { return apply(a) },
			})
		}
	}

	add(s.RenameAPI != "", "rename-api", func(a toolapi.APISpec) (Step, bool) {
		return called(a, s.RenameAPI), true
	})
	add(s.RenameParameter != nil, "rename-parameter", func(a toolapi.APISpec) (Step, bool) {
		// rename would silently skip an unknown name.
		for name := range s.RenameParameter {
			if !slices.Contains(toolapi.ParameterNames(a.Parameters.All), name) {
				return Step{}, false
			}
		}

		return rename(a, func(_ toolapi.APISpec, p toolapi.Parameter) string {
			return cmp.Or(s.RenameParameter[p.Name], p.Name)
		})
	})
	// The field is a map only to read well; a step is about one parameter.
	add(len(s.NumberList) == 1, "number-list", func(a toolapi.APISpec) (Step, bool) {
		list := slices.Collect(maps.Keys(s.NumberList))[0]
		return numbered(a, list, s.NumberList[list])
	})
	add(s.PrefixText != nil, "prefix-text", func(a toolapi.APISpec) (Step, bool) {
		return prefixed(a, *s.PrefixText)
	})
	add(s.MergeParameters != nil, "merge-parameters", func(a toolapi.APISpec) (Step, bool) {
		return merged(a, *s.MergeParameters)
	})
	add(s.AddFlag != "", "add-flag", func(a toolapi.APISpec) (Step, bool) {
		return flagged(a, s.AddFlag)
	})
	add(s.AddCount != nil, "add-count", func(a toolapi.APISpec) (Step, bool) {
		return counted(a, s.AddCount)
	})

	// A step with two operators would leave their order open.
	if len(all) != 1 {
		return Operator{}, errors.New("want one operator: rename-api, rename-parameter, " +
			"number-list (of one parameter), prefix-text, merge-parameters, add-flag or add-count")
	}
	return all[0], nil
}
