package drift_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

// ofTables are the silent factors that the tools of tables have something of.
var ofTables = []string{"scale-field", "quote-field", "reorder-date", "shift-time", "rename-field", "move-field",
	"reverse-list", "shorten-list"}

// A silent version keeps every name and refuses no call of before; it means something else, and
// says so in its document alone.
func TestSilentVersions(t *testing.T) {
	t.Parallel()

	c := shipped(t)
	m := maker(t, c, "p_c", 1, allHeld...)

	before, err := c.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range ofTables {
		for i := range 10 {
			s, changes := m.FactorVersion(factor(t, name), i)
			if len(changes) != 1 || len(s.Silent) != 1 || s.Silent[0].Note() != changes[0].To {
				t.Fatalf("%s: %v", s.Version, changes)
			}

			text, err := s.Encode()
			if err != nil {
				t.Fatal(err)
			}

			v, err := shipped(t, toolapi.File{Path: s.Version, Text: string(text)}).Version(s.Version)
			if err != nil {
				t.Fatal(err)
			}

			if v.Cell() != toolapi.SilentLasting {
				t.Errorf("%s is %s", s.Version, v.Cell())
			}

			checkSilent(t, before, v, s.Silent[0].Tools, changes[0].To)
		}
	}
}

// checkSilent compares a version with the one that it was made from.
func checkSilent(t *testing.T, before, v *toolapi.Version, tools []string, note string) {
	t.Helper()

	for _, a := range before.APIs {
		now, ok := v.API(a.Name)
		if !ok {
			t.Errorf("%s has no %s", v.Name, a.Name)
			continue
		}

		about := slices.Contains(tools, a.Tool)
		if said := strings.HasSuffix(now.Description, note); said != about || v.Touches(a) != about {
			t.Errorf("%s: it is about %v, and says of %s: %s", v.Name, tools, a.Name, now.Description)
		}

		for _, condition := range []string{"value 1", "Date>=2008-02-16, Open<5.5, stars=4.5",
			"SELECT MAX(Open), Date, FlightDate, Distance, stars FROM coffee.coffee_data"} {
			call := slices.Clone(a.Sample())
			for k := range call {
				if _, isText := call[k].Value.(string); isText {
					call[k].Value = condition
				}
			}

			if _, wrong := now.Lower(call); wrong != nil {
				t.Errorf("%s refuses %s%v: %s", v.Name, a.Name, call, wrong.Reason)
			}

			lifted, err := now.Lift(call)
			if err != nil {
				t.Errorf("%s: %v", v.Name, err)
				continue
			}

			if back, wrong := now.Lower(lifted); wrong != nil || cmp.Diff(call, back) != "" {
				t.Errorf("%s: %v comes back as %v", v.Name, call, back)
			}
		}
	}
}

// Faults are no changes of calls, and have their cells.
func TestFaultFactors(t *testing.T) {
	t.Parallel()

	c := shipped(t)
	m := maker(t, c, "p_c", 1, allHeld...)

	for name, cell := range map[string]toolapi.Cell{
		"rate-limit": toolapi.ExplicitPassing, "timeout": toolapi.ExplicitPassing,
		"half-answer": toolapi.SilentPassing, "stale-read": toolapi.SilentPassing,
	} {
		s, _ := m.FactorVersion(factor(t, name), 0)

		with, err := c.With(s)
		if err != nil {
			t.Fatal(err)
		}

		v, err := with.Version(s.Version)
		if err != nil || v.Cell() != cell {
			t.Errorf("%s is %s, %v", s.Version, v.Cell(), err)
		}

		for _, a := range v.APIs {
			if name, args, err := v.Lift(a.Tool, a.Sample()); err != nil || name != a.Name ||
				cmp.Diff(envs.Args(a.Sample()), args) != "" {
				t.Errorf("%s: %s%v, %v", s.Version, name, args, err)
			}
		}
	}
}

// Of tools that have nothing of a factor there are no versions of it.
func TestFactorsThatDoNothing(t *testing.T) {
	t.Parallel()

	origin := drift.Origin{
		Shipped: func() (*toolapi.Catalog, error) { return shipped(t), nil }, Prompt: "p_c", Seed: 1,
	}

	all, err := drift.Deploy([]string{"p_c", "factor:all", "factor:tools", "factor:subtle"}, origin)
	if err != nil {
		t.Fatal(err)
	}

	var names []string
	for _, f := range all.Families {
		names = append(names, f.Name)
	}

	left := slices.DeleteFunc(drift.FactorNames(), func(name string) bool { return slices.Contains(names, name) })
	if diff := cmp.Diff([]string{"split-tool", "remove-tool", "permute-values", "withhold-field"}, left); diff != "" {
		t.Errorf("left out: -want +got:\n%s", diff)
	}

	if _, err := drift.Deploy([]string{"factor:permute-values"}, origin); err == nil ||
		!strings.Contains(err.Error(), "nothing to change") {
		t.Errorf("a factor that was named: %v", err)
	}
}

// bounded has fields whose parameters refuse them where they are written in another way, and
// room for others.
const bounded = `
version: base
base: true
messages: {deprecated: "{{.Old.Name}} is {{.New.Signature}}: {{.Example}}", invalid: "No."}
apis:
  - name: add_stay
    description: which adds a stay.
    parameters:
      - {name: day, type: string, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'}
      - {name: at, type: string, enum: ['18:30', '20:00']}
      - {name: price, type: number, exclusiveMaximum: 500}
      - {name: guests, type: integer, maximum: 9}
      - {name: nights, type: integer}
      - name: extras
        type: array
        items:
          type: object
          properties: {fee: {type: number, maximum: 100},
            until: {type: string, const: '2024-05-06'}}
      - {name: max_weight, type: number}
      - {name: weight, type: number, multipleOf: 0.5}
%s
    notice: {example: '{"day": "2024-05-06", "at": "18:30", "price": 80, "guests": 2, "nights": 3,
      "extras": [], "max_weight": 9, "weight": 1.5%s}'}
    answer: '{"day": "2024-05-06", "at": "18:30", "price": 80, "guests": 2, "nights": 3, "fee": 5,
      "until": "2024-05-06", "weight": 3%s}'
  - {name: Finish, parameters: [answer], description: which ends the task.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which learns.}
`

// A field that the tools' own schemas hold to the way in which it is written is not recoded: a call
// of somebody who knows would be refused.
func TestBoundedFieldsAreNotRecoded(t *testing.T) {
	t.Parallel()

	const parameters = `      - {name: born, type: string}
      - {name: since, type: string}
      - {name: rent, type: number, minimum: 20, maximum: 900}`

	args := envs.Object("day", "2024-05-06", "at", "18:30", "price", envs.Number("80"),
		"guests", envs.Number("9"), "nights", envs.Number("3"),
		"extras", []any{envs.Object("fee", envs.Number("60"), "until", "2024-05-06")},
		"max_weight", envs.Number("9"), "weight", envs.Number("1.5"))
	others := envs.Object("born", "1999-12-31", "since", "09:15", "rent", envs.Number("30"))
	free := slices.Concat(args, others)

	for name, field := range map[string]string{"reorder-date": "born", "shift-time": "since",
		"scale-field": "rent"} {
		bound := catalogOf(t, fmt.Sprintf(bounded, "", "", ""))
		origin := drift.Origin{Shipped: func() (*toolapi.Catalog, error) { return bound, nil },
			Prompt: "base", Seed: 1}

		if _, err := drift.Deploy([]string{"factor:" + name},
			origin); !errors.Is(err, drift.ErrNothing) {
			t.Errorf("%s of bounded fields: %v", name, err)
		}

		more := `, "born": "1999-12-31", "since": "09:15", "rent": 30`
		text := fmt.Sprintf(bounded, parameters, more, more)
		loose := catalogOf(t, text)
		origin.Shipped = func() (*toolapi.Catalog, error) { return loose, nil }

		deployed, err := drift.Deploy([]string{"factor:" + name}, origin)
		if err != nil {
			t.Fatal(err)
		}

		for _, f := range deployed.Files {
			v, err := catalogOf(t, text, f).Version(strings.TrimSuffix(f.Path, ".yaml"))
			if err != nil {
				t.Fatal(err)
			}

			a, _ := v.API("add_stay")

			lifted, err := a.Lift(free)
			if err != nil || cmp.Equal(lifted, free) || cmp.Diff(args, lifted[:len(args)]) != "" {
				t.Errorf("%s: %v becomes %v, %v; want another %s alone", f.Path, free, lifted,
					err, field)
			}

			if back, wrong := a.Lower(lifted); wrong != nil || cmp.Diff(free, back) != "" {
				t.Errorf("%s: %v comes back as %v, %v", f.Path, lifted, back, wrong)
			}
		}
	}
}

// times has two fields that are times, of which one has conditions on it.
const times = `
version: base
base: true
messages: {deprecated: "{{.Old.Name}} is {{.New.Signature}}: {{.Example}}", invalid: "No."}
apis:
  - name: list_flights
    description: which lists flights.
    parameters: [{name: city, type: string}]
    answer: '[{"arrival": "09:15"}]'
  - name: filter_flights
    description: which filters flights.
    parameters: [{name: condition, type: string}]
    conditions: condition
    of: list_flights
  - name: list_shops
    description: which lists shops.
    parameters: [{name: city, type: string}]
    answer: '[{"opens": "10:00"}]'
  - {name: Finish, parameters: [answer], description: which ends the task.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which learns.}
`

// Conditions on one time are shifted whatever other times there are.
func TestConditionsOnOneOfSeveralTimes(t *testing.T) {
	t.Parallel()

	s, _ := maker(t, catalogOf(t, times), "base", 1).FactorVersion(factor(t, "shift-time"), 0)
	a, _ := loaded(t, times, s).API("filter_flights")
	call := envs.Object("condition", "arrival>=09:15")

	lifted, err := a.Lift(call)
	if err != nil || cmp.Equal(call, lifted) {
		t.Errorf("%v becomes %v, %v", call, lifted, err)
	}

	if back, wrong := a.Lower(lifted); wrong != nil || cmp.Diff(call, back) != "" {
		t.Errorf("%v comes back as %v, %v", lifted, back, wrong)
	}
}

// statuses has tools whose parameters of one name have different values.
const statuses = `
version: base
base: true
messages: {deprecated: "{{.Old.Name}} is {{.New.Signature}}: {{.Example}}", invalid: "No."}
apis:
  - name: find_pets
    description: which finds pets.
    parameters: [{name: status, type: string, enum: [available, pending, sold]}]
    answer: '[{"name": "Rex", "status": "sold"}]'
  - name: place_order
    description: which places an order.
    parameters: [{name: status, type: string, enum: [%s]}]
    answer: '{"id": 7, "status": "placed"}'
  - {name: Finish, parameters: [answer], description: which ends the task.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which learns.}
`

// Values trade places with those alone that each tool takes wherever it takes them.
func TestPermutedWithinEnumerations(t *testing.T) {
	t.Parallel()

	for _, values := range []string{
		"placed, approved, delivered", "available, pending", "available",
	} {
		text := fmt.Sprintf(statuses, values)
		m := maker(t, catalogOf(t, text), "base", 1)

		for i := range 10 {
			s, changes := m.FactorVersion(factor(t, "permute-values"), i)
			if len(changes) != 1 {
				t.Fatalf("%s: %v", values, changes)
			}

			for _, a := range loaded(t, text, s).APIs {
				checkValues(t, a)
			}
		}
	}

	text := fmt.Sprintf(strings.Replace(statuses, ", pending, sold", "", 1), "placed")
	if s, changes := maker(t, catalogOf(t, text), "base", 1).FactorVersion(
		factor(t, "permute-values"), 0); len(changes) > 0 {
		t.Errorf("one value in each enumeration trades places: %v", s.Silent.Notes())
	}
}

// loaded is a version that was made of a base, as it is read from its file.
func loaded(t *testing.T, base string, made *toolapi.Spec) *toolapi.Version {
	t.Helper()

	text, err := made.Encode()
	if err != nil {
		t.Fatal(err)
	}

	c := catalogOf(t, base, toolapi.File{Path: made.Version, Text: string(text)})

	v, err := c.Version(made.Version)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkValues checks that calls with each value that an API lists can be made.
func checkValues(t *testing.T, a *toolapi.API) {
	t.Helper()

	for _, p := range a.Parameters {
		for _, value := range p.Schema.List("enum") {
			call := envs.Object(p.Name, value)

			lifted, err := a.Lift(call)
			if err != nil {
				t.Errorf("%s%v: %v", a.Name, call, err)
				continue
			}

			if back, wrong := a.Lower(lifted); wrong != nil || cmp.Diff(call, back) != "" {
				t.Errorf("%s%v comes back as %v, %v", a.Name, call, back, wrong)
			}
		}
	}
}

// lines has members of answers that calls have inside a list, and room for others.
const lines = `
version: base
base: true
messages: {deprecated: "{{.Old.Name}} is {{.New.Signature}}: {{.Example}}", invalid: "No."}
apis:
  - name: place_order
    description: which places an order.
    parameters:
      - name: lines
        type: array
        items:
          type: object
          properties: {quantity: {type: integer}, item: {type: string}}
          required: [quantity, item]
          additionalProperties: false
    answer: '{"quantity": 3, "item": "a"%s}'
  - {name: Finish, parameters: [answer], description: which ends the task.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which learns.}
`

// What calls have inside an argument stays what it is where answers alone change.
func TestMembersOfCallsStay(t *testing.T) {
	t.Parallel()

	call := envs.Object("lines", []any{envs.Object("quantity", envs.Number("2"), "item", "b")})

	for _, name := range []string{"quote-field", "rename-field", "move-field"} {
		m := maker(t, catalogOf(t, fmt.Sprintf(lines, "")), "base", 1)
		if s, changes := m.FactorVersion(factor(t, name), 0); len(changes) > 0 {
			t.Errorf("%s changes what calls have, too: %v", name, s.Silent.Notes())
		}

		text := fmt.Sprintf(lines, `, "total": 6`)
		m = maker(t, catalogOf(t, text), "base", 1)

		for i := range 10 {
			s, changes := m.FactorVersion(factor(t, name), i)
			if len(changes) != 1 {
				t.Fatalf("%s: %v", name, changes)
			}

			a, _ := loaded(t, text, s).API("place_order")
			if lifted, err := a.Lift(call); err != nil || cmp.Diff(call, lifted) != "" {
				t.Errorf("%s: %v becomes %v, %v", s.Version, call, lifted, err)
			}

			if back, wrong := a.Lower(call); wrong != nil || cmp.Diff(call, back) != "" {
				t.Errorf("%s: %v comes back as %v, %v", s.Version, call, back, wrong)
			}
		}
	}
}
