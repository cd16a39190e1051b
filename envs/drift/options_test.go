package drift_test

import (
	"reflect"
	"testing"

	"toolevo/envs/drift"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// An added option is a number or a text, which the example shows, and changes nothing: a call means
// the same with it and without.
func TestAddedOptions(t *testing.T) {
	t.Parallel()

	operators, err := drift.ParseOperators([]string{"add-option"})
	if err != nil {
		t.Fatal(err)
	}

	numbers, texts := 0, 0
	spec, _ := maker(t, shipped(t), "p_c", 9).Of(drift.Seen).Applied("mine", operators, 0)

	with, err := shipped(t).With(spec)
	if err != nil {
		t.Fatal(err)
	}

	version, err := with.Version(spec.Version)
	if err != nil {
		t.Fatal(err)
	}

	for _, api := range spec.APIs {
		for _, adapter := range api.Adapters {
			option := adapter.Ignored
			if option == nil {
				continue
			}

			if _, isText := option.Value.(string); isText {
				texts++
			} else {
				numbers++
			}

			a, _ := version.ForTool(api.ToolName())

			example, _, err := pytext.DecodeObject(a.Example())
			if err != nil {
				t.Fatal(err)
			}

			if _, shown := example.Get(option.Parameter); !shown {
				t.Errorf("%s: the example %v does not show %s", api.Name, example, option.Parameter)
			}

			full, wrong := a.Lower(example)
			left, alsoWrong := a.Lower(example.Without(option.Parameter))

			if wrong != nil || alsoWrong != nil || !reflect.DeepEqual(full, left) {
				t.Errorf("%s: %v (%v) with the option, %v (%v) without",
					api.Name, full, wrong, left, alsoWrong)
			}
		}
	}

	if numbers == 0 || texts == 0 {
		t.Errorf("%d options are numbers, %d texts", numbers, texts)
	}
}

// Who is trained on made versions should have to read the names of parameters off notices: of none
// may a spelling be so frequent that it could be recited.
func TestParametersHaveManyNames(t *testing.T) {
	t.Parallel()

	const versions = 300

	operators, err := drift.ParseOperators([]string{"rename-parameter"})
	if err != nil {
		t.Fatal(err)
	}

	for _, part := range []drift.Part{drift.Seen, drift.Unseen} {
		names := map[string]map[string]int{} // how often, by parameter and name
		m := maker(t, shipped(t), "p_c", 9).Of(part)

		for i := range versions {
			for name, was := range oldNames(made(m.Applied("mine", operators, i))) {
				if names[was] == nil {
					names[was] = map[string]int{}
				}
				names[was][name]++
			}
		}

		for _, parameter := range []string{
			"DBName", "condition", "column_name", "GraphName", "Node", "SQL",
		} {
			for name, count := range names[parameter] {
				if count > versions/5 {
					t.Errorf("part %d: %s is called %s in %d of %d versions",
						part, parameter, name, count, versions)
				}
			}

			if len(names[parameter]) < 20 {
				t.Errorf("part %d: %s has %d names: %v",
					part, parameter, len(names[parameter]), names[parameter])
			}
		}
	}
}

// oldNames returns the old name of each parameter that has another one.
func oldNames(s *toolapi.Spec) map[string]string {
	all := map[string]string{}

	for _, api := range s.APIs {
		for _, adapter := range api.Adapters {
			for name, was := range adapter.Rename {
				all[name] = was
			}
		}
	}
	return all
}
