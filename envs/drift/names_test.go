package drift_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/toolapi"
)

// No made name is longer than servers take, however long those are that it was made of. That names
// are distinct is what loading checks.
func TestNamesAreShort(t *testing.T) {
	t.Parallel()

	long := strings.NewReplacer("who_wants_it", "who_wants_it_1", "all_the_pictures_1", "all_the_pictures_01").
		Replace(others)
	m := maker(t, catalogOf(t, long), "base", 3)

	var made []*toolapi.Spec

	for i := range 40 {
		s, _ := m.Version(i)
		made = append(made, s)
	}

	for _, f := range drift.Factors() {
		s, _ := m.FactorVersion(f, 0)
		made = append(made, s)
	}

	for _, o := range drift.Operators() {
		s, _ := m.Applied("by_"+o.Name, []drift.Operator{o}, 0)
		made = append(made, s)
	}

	longest := 0

	for _, s := range made {
		for _, a := range s.APIs {
			names := []string{a.Name}
			for _, p := range a.Parameters.All {
				names = append(names, p.Name)
			}

			longest = max(longest, slices.Max(lengths(names)))
		}
	}

	if longest != toolapi.MostName {
		t.Errorf("the longest name has %d characters, want %d, as many as the source has", longest, toolapi.MostName)
	}

	var files []toolapi.File

	for _, s := range made {
		text, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}

		files = append(files, toolapi.File{Path: s.Version, Text: string(text)})
	}

	catalogOf(t, long, files...)
}

// Names of made versions keep the sense of the published ones.
func TestMadeNames(t *testing.T) {
	t.Parallel()

	suitetest.Names(t, shipped(t), "p_c", "words.yaml", 20, "scirex")
}

// Operators look at what was published: a limit that is called a maximum by now is still one of a
// page.
func TestOperatorsSeeWhatWasPublished(t *testing.T) {
	t.Parallel()

	operators, err := drift.ParseOperators([]string{"rename-parameter", "type-to-string", "nest-parameters"})
	if err != nil {
		t.Fatal(err)
	}

	c := catalogOf(t, strings.Replace(others, "  - {name: now, description: which says the time., parameters: []}", `
  - name: list_goods
    description: which lists goods.
    parameters: [{name: skip, type: integer}, {name: limit, type: integer}]`, 1))

	for i := range 20 {
		s, _ := maker(t, c, "base", 4).Applied("mine", operators, i)
		for _, a := range s.APIs {
			isNested := func(s toolapi.AdapterSpec) bool { return s.Nested != nil }
			if a.Tool == "list_goods" && !slices.ContainsFunc(a.Adapters, isNested) {
				t.Errorf("%d: %v", i, toolapi.ParameterNames(a.Parameters.All))
			}
		}
	}
}

// A list of mixed forms is one parameter by the signature, and several by the notice's example;
// calls of both forms are taken.
func TestMixForms(t *testing.T) {
	t.Parallel()

	operators, err := drift.ParseOperators([]string{"rename-api", "mix-forms"})
	if err != nil {
		t.Fatal(err)
	}

	s, _ := maker(t, shipped(t), "p_c", 9).Applied("mine", operators, 0)

	with, err := shipped(t).With(s)
	if err != nil {
		t.Fatal(err)
	}

	version, err := with.Version(s.Version)
	if err != nil {
		t.Fatal(err)
	}

	a, _ := version.ForTool("GetValue")

	if got := a.Signature(); got != "query_column[property]" {
		t.Errorf("the signature is %s", got)
	}

	if want := `{"property1": "price", "property2": "service fee"}`; a.Example() != want {
		t.Errorf("the example is %s, want %s", a.Example(), want)
	}

	for _, call := range []envs.Args{
		envs.Object("property", "price, service fee"),
		envs.Object("property1", "price", "property2", "service fee"),
	} {
		lowered, wrong := a.Lower(call)
		want := envs.Object("column_name", "price, service fee")

		if wrong != nil || !reflect.DeepEqual(lowered, want) {
			t.Errorf("%v becomes %v (%v)", call, lowered, wrong)
		}
	}
}

func lengths(names []string) []int {
	all := make([]int, len(names))
	for i, name := range names {
		all[i] = utf8.RuneCountInString(name)
	}
	return all
}

// A name may be all punctuation, of a tool as well as of a parameter: every operator applies to
// such tools too, and what it makes loads.
func TestNamesWithoutWords(t *testing.T) {
	t.Parallel()

	const now = "  - {name: now, description: which says the time., parameters: []}"
	c := catalogOf(t, strings.Replace(others, now, `
  - name: --
    description: which does something.
    parameters: [{name: "-", type: string}, {name: __, type: integer, optional: true}]
  - name: _-
    description: which does something else.
    parameters: [{name: "-", type: string}, {name: ___, type: array, optional: true}]`, 1))

	for _, o := range drift.Operators() {
		for i := range 3 {
			s, changes := maker(t, c, "base", 4).Applied("mine", []drift.Operator{o}, i)
			if _, err := c.With(s); err != nil {
				t.Errorf("%s %d: %v (%v)", o.Name, i, err, changes)
			}
		}
	}
}
