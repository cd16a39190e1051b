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
      - name: extras
        type: array
        items:
          type: object
          properties: {fee: {type: number, maximum: 100},
            until: {type: string, const: '2024-05-06'}}
      - {name: max_weight, type: number}
      - {name: weight, type: number, multipleOf: 0.5}
%s
    notice: {example: '{"day": "2024-05-06", "at": "18:30", "price": 80, "guests": 2, "extras": [],
      "max_weight": 9, "weight": 1.5%s}'}
    answer: '{"day": "2024-05-06", "at": "18:30", "price": 80, "guests": 2, "fee": 5,
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
      - {name: rent, type: number, minimum: 1, maximum: 900, optional: true}`

	args := envs.Object("day", "2024-05-06", "at", "18:30", "price", envs.Number("80"),
		"guests", envs.Number("9"),
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
