package release_test

import (
	"cmp"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/drift/release"
	"toolevo/envs/stategen/session"
	"toolevo/envs/stategen/voice"
	"toolevo/envs/toolapi"
)

// bases are tools of several kinds: of an order service, of state machines, and of ToolQA, whose
// types are for readers.
func bases(t testing.TB) map[string]*toolapi.Spec {
	t.Helper()

	text, err := os.ReadFile("testdata/orders.yaml")
	if err != nil {
		t.Fatal(err)
	}

	orders, err := toolapi.Parse(toolapi.File{Path: "orders.yaml", Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}

	shipped, err := toolapi.Load(apis.FS())
	if err != nil {
		t.Fatal(err)
	}

	toolqa, err := shipped.Spec("p_c")
	if err != nil {
		t.Fatal(err)
	}

	all := map[string]*toolapi.Spec{"orders": orders, "p_c": toolqa}

	for name, tools := range map[string][]toolapi.APISpec{
		"session": session.New().APIs(), "voice": voice.Domain{}.APIs(),
	} {
		s := *orders
		s.Version = name
		s.APIs = slices.Concat(tools, orders.APIs[len(orders.APIs)-2:])
		all[name] = &s
	}

	return all
}

// listed is a version as others see it: names, parameters and descriptions.
func listed(base, made *toolapi.Spec) (all []toolapi.APISpec) {
	for _, a := range made.APIs {
		if envs.IsSystem(a.ToolName()) {
			continue
		}

		i := slices.IndexFunc(base.APIs, func(b toolapi.APISpec) bool {
			return b.ToolName() == a.ToolName()
		})
		all = append(all, toolapi.APISpec{
			Name: a.Name, Parameters: a.Parameters, Loose: a.Loose,
			Description: cmp.Or(a.Description, base.APIs[i].Description),
		})
	}

	return all
}

// saying is how much of a version's documents others see.
type saying int

const (
	everything   saying = iota
	noParameters        // what is said of parameters is left out
	nothing             // and of tools
)

// told is a list of tools whose documents say less.
func (s saying) told(all []toolapi.APISpec) []toolapi.APISpec {
	for k := range all {
		if s >= nothing {
			all[k].Description = "A tool."
		}

		if s >= noParameters {
			all[k].Parameters.All = slices.Clone(all[k].Parameters.All)
			for i, p := range all[k].Parameters.All {
				all[k].Parameters.All[i].Schema = muted(p.Schema)
			}
		}
	}

	return all
}

// muted is a schema without descriptions.
func muted(schema envs.Args) (out envs.Args) {
	for _, k := range schema {
		if inside, ok := k.Value.(envs.Args); ok {
			k.Value = append(envs.Args{}, muted(inside)...)
		}

		if _, isText := k.Value.(string); !isText || k.Name != "description" {
			out = append(out, k)
		}
	}
	return out
}

// known is a made version, whose adapters are known, and what is inferred of its list.
type known struct {
	base        *toolapi.Spec
	made, guess *toolapi.Version
	inferred    *release.Inferred
}

func infer(t rapid.TB, base *toolapi.Spec, operators []drift.Operator, i int, s saying) known {
	t.Helper()

	catalog, err := toolapi.NewCatalog(base)
	if err != nil {
		t.Fatal(err)
	}

	maker, err := drift.NewMaker(catalog, base.Version, nil, 7)
	if err != nil {
		t.Fatal(err)
	}

	made, _ := maker.Applied("made", operators, i)

	k := known{base: base}
	if k.inferred, err = release.Between(base, s.told(listed(base, made)), "inferred"); err != nil {
		t.Fatal(err)
	}

	text, err := k.inferred.Version.Encode()
	if err != nil {
		t.Fatal(err)
	}

	file := toolapi.File{Path: "inferred.yaml", Text: string(text)}
	if catalog, err = catalog.With(made); err == nil {
		catalog, err = catalog.WithFiles(file)
	}

	if err != nil {
		t.Fatal(err)
	}

	if k.made, k.guess, err = catalog.Pair(made.Version, "inferred"); err != nil {
		t.Fatal(err)
	}
	return k
}

// sure is how sure the inference is of a tool.
func (k known) sure(tool string) float64 {
	sure := 1.0
	for _, c := range k.inferred.Changes {
		if c.Tool == tool {
			sure = min(sure, c.Sure)
		}
	}

	return sure
}

// claimed reports whether the inferred version takes a call of the made one, and whether it means
// the same.
func (k known) claimed(a *toolapi.API, call envs.Args) (takes, same bool) {
	guess, ok := k.guess.API(a.Name)
	if !ok {
		return false, false
	}

	got, wrong := guess.Lower(call)
	if wrong != nil {
		return false, false
	}

	want, wrong := a.Lower(call)

	same = wrong == nil && guess.Tool == a.Tool &&
		reflect.DeepEqual(k.withoutDefaults(a.Tool, got), k.withoutDefaults(a.Tool, want))
	return true, same
}

// withoutDefaults is a call of a tool without what it says of defaults, which means the same.
func (k known) withoutDefaults(tool string, call envs.Args) envs.Args {
	return slices.DeleteFunc(slices.Clone(call), func(arg envs.Arg) bool {
		p := parameterOf(k.base, tool, arg.Name)
		usual, ok := p.Schema.Get("default")
		return p.Optional && ok && reflect.DeepEqual(usual, arg.Value)
	})
}

// Nearly all of what operators change is understood where documents say as much as before. Where
// they say less, less is understood, and hardly anything is taken for what it is not.
func TestMadeVersionsAreUnderstood(t *testing.T) {
	t.Parallel()

	rename := []string{"rename-api", "rename-parameter"}

	for _, tt := range []struct {
		operators []string
		said      saying
		least     float64 // of the tools, whose calls are understood
	}{
		{rename, everything, 1},
		{append(rename, "nest-parameters"), everything, 1},
		{
			append(rename, "type-to-string", "swap-required", "flip-default", "nest-parameters"),
			everything, 0.95,
		},
		{[]string{"number-list", "add-flag"}, everything, 0.95},
		{[]string{"nest-parameters"}, nothing, 1},
		{[]string{"rename-api"}, noParameters, 1},
		{rename, noParameters, 0.7},
		{[]string{"rename-parameter"}, nothing, 0.7},
		{append(rename, "shorten-description"), everything, 0.5},
	} {
		operators, err := drift.ParseOperators(tt.operators)
		if err != nil {
			t.Fatal(err)
		}

		tools, right := 0, 0

		for _, base := range bases(t) {
			for i := range 5 {
				k := infer(t, base, operators, i, tt.said)

				for _, a := range k.made.APIs {
					call, err := a.Lift(a.Sample())
					if envs.IsSystem(a.Tool) || err != nil {
						continue
					}

					tools++

					switch takes, same := k.claimed(a, call); {
					case takes && same:
						right++
					case takes && k.sure(a.Tool) > 0.5:
						t.Errorf("%v: %s is taken for what it is not, and it is sure of that:\n%v",
							tt.operators, a.Tool, k.inferred.Changes)
					}
				}
			}
		}

		share := float64(right) / float64(tools)
		t.Logf("%v, told %d: %.3f of %d", tt.operators, tt.said, share, tools)

		if share < tt.least {
			t.Errorf("%v, told %d: %.3f of the tools are understood, want %.2f",
				tt.operators, tt.said, share, tt.least)
		}
	}
}

// Whatever operators make of a base, any call that an inferred version takes means what it means to
// the version whose list it was inferred from, unless it says that it is not sure. What is inferred
// does not depend on the order of the list.
func TestClaims(t *testing.T) {
	t.Parallel()

	all := bases(t)
	names := slices.Sorted(maps.Keys(all))
	operators := slices.DeleteFunc(drift.Operators(), func(o drift.Operator) bool {
		return o.Apply == nil || o.Name == "prefix-text" // of which descriptions alone speak
	})

	rapid.Check(t, func(t *rapid.T) {
		base := all[rapid.SampledFrom(names).Draw(t, "base")]
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(operators), 1, 4,
			func(o drift.Operator) string { return o.Name }).Draw(t, "operators")
		said := rapid.SampledFrom([]saying{everything, noParameters, nothing}).Draw(t, "said")
		k := infer(t, base, chosen, rapid.IntRange(0, 9).Draw(t, "number"), said)

		for _, a := range k.made.APIs {
			meant := slices.DeleteFunc(a.Sample(), func(arg envs.Arg) bool {
				return rapid.Bool().Draw(t, "left out") && parameterOf(base, a.Tool, arg.Name).Optional
			})

			call, err := a.Lift(meant)
			if err != nil || envs.IsSystem(a.Tool) {
				continue
			}

			if takes, same := k.claimed(a, call); takes && !same && k.sure(a.Tool) > 0.5 {
				t.Errorf("%s%v is taken for what it is not:\n%v", a.Name, call, k.inferred.Changes)
			}
		}
	})
}

func parameterOf(base *toolapi.Spec, tool, parameter string) toolapi.Parameter {
	for _, a := range base.APIs {
		for _, p := range a.Parameters.All {
			if a.ToolName() == tool && p.Name == parameter {
				return p
			}
		}
	}

	return toolapi.Parameter{}
}
