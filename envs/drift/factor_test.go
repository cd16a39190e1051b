package drift_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
)

func factor(t *testing.T, name string) drift.Factor {
	t.Helper()

	f, err := drift.ParseFactor(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// onlyLetters is a name without special characters.
func onlyLetters(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-@.#%?&", r) {
			return -1
		}
		return r
	}, name)
}

// names are those of the APIs of a version by tool, and of their parameters by tool and position.
func namesOf(s *toolapi.Spec) (apis, parameters map[string]string) {
	apis, parameters = map[string]string{}, map[string]string{}

	for _, a := range s.APIs {
		tool := a.Tool
		if tool == "" {
			tool = a.Name
		}

		apis[tool] = a.Name
		for i, p := range a.Parameters.All {
			parameters[tool+" "+string(rune('1'+i))] = p.Name
		}
	}

	return apis, parameters
}

// A factor of names changes every one of a kind, in one way, and none of the other kind; a
// parameter of several APIs gets the same name in all; and the versions load, which checks adapters
// and examples.
func TestFactors(t *testing.T) {
	t.Parallel()

	c := shipped(t)
	m := maker(t, c, "p_c", 1, allHeld...)
	apisBefore, parametersBefore := namesOf(specOf(t, c, "p_c"))

	for _, f := range drift.Factors()[:4] {
		var files []toolapi.File

		for i := range 10 {
			s, _ := m.FactorVersion(f, i)

			text, err := s.Encode()
			if err != nil {
				t.Fatal(err)
			}

			again, _ := maker(t, c, "p_c", 1, allHeld...).FactorVersion(f, i)
			if other, err := again.Encode(); err != nil || string(other) != string(text) {
				t.Errorf("%s: made again, it is %s", s.Version, cmp.Diff(string(text), string(other)))
			}

			files = append(files, toolapi.File{Path: s.Version, Text: string(text)})
			apis, parameters := namesOf(s)
			changed, before, other, otherBefore := apis, apisBefore, parameters, parametersBefore

			if strings.HasPrefix(f.Name, "parameters") {
				changed, before, other, otherBefore = other, otherBefore, changed, before
			}

			if diff := cmp.Diff(otherBefore, other); diff != "" {
				t.Errorf("%s changes something else:\n%s", s.Version, diff)
			}

			checkChanged(t, f, s.Version, before, changed)
		}

		shipped(t, files...)
	}
}

// checkChanged wants all names to have changed in the way of a factor, and equal names to be equal
// still.
func checkChanged(t *testing.T, f drift.Factor, version string, before, after map[string]string) {
	t.Helper()

	byName := map[string]string{}

	for key, was := range before {
		now := after[key]
		if tool, _, _ := strings.Cut(key, " "); tool == "Finish" || tool == "UpdateTool" {
			if now != was {
				t.Errorf("%s: %s of a system tool is %s", version, was, now)
			}

			continue
		}

		sameLetters := onlyLetters(now) == onlyLetters(was)
		if now == was || sameLetters != strings.HasSuffix(f.Name, "-character") {
			t.Errorf("%s: %s is %s", version, was, now)
		}

		if first, ok := byName[was]; ok && first != now {
			t.Errorf("%s: %s is %s and %s", version, was, first, now)
		}

		byName[was] = now
	}
}

// The response is the only thing that differs from a version that changes nothing: texts get the
// published form, and answers that have it already get others.
func TestResponseFactor(t *testing.T) {
	t.Parallel()

	published, others := wire.AnswerForm{State: "State", Message: "Message"}, map[wire.AnswerForm]bool{}
	again := maker(t, shipped(t), "b2_response", 1, allHeld...)
	m := maker(t, shipped(t), "p_c", 1, allHeld...)
	apisBefore, parametersBefore := namesOf(specOf(t, shipped(t), "p_c"))

	for i := range 10 {
		other, _ := again.FactorVersion(factor(t, "response"), i)
		if others[*other.Response] = true; other.Response.State == "State" || other.Response.Message == "Message" {
			t.Errorf("the published form becomes %v", *other.Response)
		}

		s, changes := m.FactorVersion(factor(t, "response"), i)
		if len(changes) != 1 || changes[0].String() != "all: wrap-response "+s.Response.Wrap(true, "…") {
			t.Errorf("%s: changes are %v", s.Version, changes)
		}

		apis, parameters := namesOf(s)
		if diff := cmp.Diff(apisBefore, apis) + cmp.Diff(parametersBefore, parameters); diff != "" {
			t.Errorf("%s changes something else:\n%s", s.Version, diff)
		}

		text, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}

		v, err := shipped(t, toolapi.File{Path: s.Version, Text: string(text)}).Version(s.Version)
		if err != nil || *v.Response != *s.Response {
			t.Errorf("%s is read with the response %v, %v", text, v.Response, err)
		}

		if *v.Response != published {
			t.Errorf("%s answers as %v", s.Version, *v.Response)
		}
	}

	if len(others) < 3 {
		t.Errorf("ten versions of one that answers in the published form have the forms %v", others)
	}
}

// Versions of other tools load, too: names of one word, of letters that are not English, with
// separators.
func TestFactorsOfOtherTools(t *testing.T) {
	t.Parallel()

	m := maker(t, catalogOf(t, others), "base", 3)

	// These tools do not say what they answer.
	ofAnswers := []string{"scale-field", "permute-values", "quote-field", "reorder-date", "shift-time", "rename-field",
		"move-field", "reverse-list", "shorten-list", "withhold-field", "merge-tools", "remove-tool",
		"shorten-description"}

	for _, f := range drift.Factors() {
		for i := range 10 {
			s, changes := m.FactorVersion(f, i)
			if nothing := slices.Contains(ofAnswers, f.Name); nothing != (len(changes) == 0) {
				t.Errorf("%s changes %v", s.Version, changes)
			}

			text, err := s.Encode()
			if err != nil {
				t.Fatal(err)
			}

			catalogOf(t, others, toolapi.File{Path: s.Version, Text: string(text)})
		}
	}
}

// storage has tools of which one shows an object that another one lists, and others change it.
const storage = `
version: base
base: true
messages: {deprecated: "{{.Old.Name}} is {{.New.Signature}}: {{.Example}}", invalid: "No."}
apis:
  - name: update_item
    description: which changes an item.
    parameters: [{name: shop, type: string}, {name: id, type: integer}, {name: name, type: string}]
    answer: '{"id": 7, "shop": "north", "name": "pen"}'
  - name: delete_item
    description: which deletes an item.
    url: DELETE https://shop.test/items/{id}
    parameters: [{name: shop, type: string}, {name: id, type: integer}]
    answer: '{"id": 7, "shop": "north", "name": "pen"}'
  - name: get_item
    description: which shows an item.
    url: GET https://shop.test/items/{id}
    parameters: [{name: shop, type: string}, {name: id, type: integer}]
    answer: '{"id": 7, "shop": "north", "name": "pen"}'
  - name: list_items
    description: which lists items.
    url: GET https://shop.test/items
    parameters: [{name: shop, type: string}]
    answer: '[{"id": 7, "shop": "north", "name": "pen"}]'
  - {name: Finish, parameters: [answer], description: which ends the task.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which learns.}
`

// No list does what a tool does that writes, though that answers with an object of the list.
func TestRemovedToolsOnlyRead(t *testing.T) {
	t.Parallel()

	for seed := range uint64(21) {
		_, changes := maker(t, catalogOf(t, storage), "base", seed).
			FactorVersion(factor(t, "remove-tool"), 0)
		if len(changes) != 1 || changes[0].From != "get_item" {
			t.Errorf("seed %d: %v", seed, changes)
		}
	}
}

// Which tools change, and how, does not depend on their order.
func TestFactorsOfToolsInAnyOrder(t *testing.T) {
	t.Parallel()

	for _, text := range []string{others, storage} {
		c := catalogOf(t, text)
		turned := *specOf(t, c, "base")
		turned.APIs = slices.Clone(turned.APIs)
		slices.Reverse(turned.APIs)

		reversed, err := turned.Encode()
		if err != nil {
			t.Fatal(err)
		}

		of := func(c *toolapi.Catalog, name string, i int) ([]toolapi.APISpec, []drift.Change) {
			s, changes := maker(t, c, "base", 1).FactorVersion(factor(t, name), i)
			slices.SortFunc(s.APIs, func(a, b toolapi.APISpec) int {
				return strings.Compare(a.ToolName()+" "+a.Name, b.ToolName()+" "+b.Name)
			})
			return s.APIs, changes
		}

		for _, name := range []string{"split-tool", "add-tool", "merge-tools", "remove-tool"} {
			for i := range 5 {
				want, changes := of(c, name, i)
				got, again := of(catalogOf(t, string(reversed)), name, i)

				if diff := cmp.Diff(changes, again) + cmp.Diff(want, got, ignored); diff != "" {
					t.Errorf("%s %d: the order of the APIs changes\n%s", name, i, diff)
				}
			}
		}
	}
}

func TestParseFactor(t *testing.T) {
	t.Parallel()

	if f := factor(t, "names-text"); f.Name != "names-text" || !slices.Contains(drift.FactorNames(), f.Name) {
		t.Errorf("names-text is %+v", f)
	}

	if _, err := drift.ParseFactor("names"); err == nil || !strings.Contains(err.Error(), "names-character") {
		t.Errorf("an unknown factor: %v", err)
	}
}

// Styles and words are drawn, never the published ones, and a version that has a form keeps it.
func TestAnswersInAStyle(t *testing.T) {
	t.Parallel()

	operators, err := drift.ParseOperators([]string{"style-response"})
	if err != nil {
		t.Fatal(err)
	}

	m, forms := maker(t, shipped(t), "p_c", 1, allHeld...), map[wire.AnswerForm]bool{}
	for i := range 10 {
		s, changes := m.Applied("style", operators, i)
		if r := *s.Response; r.Style == "" || r.State == "State" || r.Message == "Message" || len(changes) != 1 {
			t.Errorf("%s answers as %+v after %v", s.Version, r, changes)
		}

		text, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}

		v, err := shipped(t, toolapi.File{Path: s.Version, Text: string(text)}).Version(s.Version)
		if err != nil || *v.Response != *s.Response {
			t.Errorf("%s is read with the response %v, %v", text, v.Response, err)
		}

		forms[*s.Response] = true
	}

	if len(forms) < 3 {
		t.Errorf("ten versions have the forms %v", forms)
	}

	formed := maker(t, shipped(t), "b2_response", 1, allHeld...)
	if s, changes := formed.Applied("style", operators, 0); s.Response.Style != "" || len(changes) > 0 {
		t.Errorf("a version with objects answers as %+v after %v", *s.Response, changes)
	}
}
