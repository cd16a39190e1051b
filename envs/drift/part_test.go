package drift_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

// manyTools are typed tools in the number and of the kind that ToolBench has: 1,420 APIs of 400
// services, with parameters that many of them share.
func manyTools(t testing.TB, n int) *toolapi.Catalog {
	t.Helper()

	verbs := []string{"get", "list", "search", "find", "create", "convert", "check", "info", "latest", "by_id"}
	nouns := []string{"city", "quote", "match", "player", "image", "tweet", "recipe", "video", "currency", "weather"}
	parameters := []string{
		"id", "city", "url", "page", "limit", "format", "symbol", "name", "phone", "q", "lang", "type", "keyword",
		"text", "domain", "country", "username", "year", "offset", "from", "to", "lat", "lon", "userId", "date",
	}

	base := &toolapi.Spec{Version: "base", Base: true, Messages: toolapi.Messages{
		Deprecated: "{{.Old.Name}} is {{.New.Signature}}: {{.Example}}", Invalid: "No.",
	}}

	for i := range n {
		a := toolapi.APISpec{
			Name:        fmt.Sprintf("%s_%s_for_service%d", verbs[i%10], nouns[i/10%10], i/4),
			Description: "which does something.",
			URL:         fmt.Sprintf("https://service%d.test/v1/%s", i/4, verbs[i%10]),
			Parameters:  toolapi.Parameters{All: []toolapi.Parameter{}},
		}

		for k := range i % 5 {
			name, kind := parameters[(i*7+k*11)%len(parameters)], "string"
			if k == 1 {
				kind = "number"
			}

			p := toolapi.Parameter{Name: name, Optional: k > 1}
			p.Schema = append(p.Schema, envs.Arg{Name: "type", Value: kind},
				envs.Arg{Name: "description", Value: "The " + name + "."})
			a.Parameters.All = append(a.Parameters.All, p)
		}

		base.APIs = append(base.APIs, a)
	}

	for _, name := range []string{"Finish", "UpdateTool"} {
		base.APIs = append(base.APIs, toolapi.APISpec{
			Name: name, Description: "which ends.",
			Parameters: toolapi.Parameters{All: []toolapi.Parameter{{Name: "x"}}},
		})
	}

	text, err := base.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return catalogOf(t, string(text))
}

// Versions of the two parts share no new identifier, however many are made and by whatever
// operators, and they load.
func TestPartsShareNoIdentifier(t *testing.T) {
	t.Parallel()

	for _, source := range []struct {
		catalog *toolapi.Catalog
		name    string
		count   int
	}{{shipped(t), "p_c", 100}, {catalogOf(t, others), "base", 100}, {manyTools(t, 300), "base", 8}} {
		m := maker(t, source.catalog, source.name, 9)
		first := map[string]string{} // version by identifier

		old := map[string]bool{}
		for _, name := range drift.Identifiers(specOf(t, source.catalog, source.name)) {
			first, size := utf8.DecodeRuneInString(name)
			old[name], old[string(unicode.ToUpper(first))+name[size:]] = true, true // the latter is a label
		}

		for part, word := range map[drift.Part]string{drift.Seen: "made_9_", drift.Unseen: "made_unseen_9_"} {
			for i := range source.count {
				all := []*toolapi.Spec{made(m.Of(part).Version(i))}
				if i%10 == 0 {
					all = append(all, made(m.Of(part).Applied("made", drift.Operators(), i)))
				}

				for _, s := range all {
					if !strings.HasPrefix(s.Version, word) {
						t.Fatalf("%s does not begin with %s", s.Version, word)
					}

					for _, name := range drift.Identifiers(s) {
						other, ok := first[name]
						if ok && strings.HasPrefix(other, word) != strings.HasPrefix(s.Version, word) && !old[name] {
							t.Errorf("%s and %s have %s", other, s.Version, name)
						}

						first[name] = s.Version
					}
				}
			}
		}
	}
}

func made(s *toolapi.Spec, _ []drift.Change) *toolapi.Spec { return s }

// Names of tools as ToolBench has them are made of words and not of letters, and of the same bytes
// in whatever order the tools come.
func TestManyTools(t *testing.T) {
	t.Parallel()

	c := manyTools(t, 1420)

	turned := *specOf(t, c, "base")
	turned.APIs = slices.Clone(turned.APIs)
	slices.Reverse(turned.APIs)

	text, err := turned.Encode()
	if err != nil {
		t.Fatal(err)
	}

	m, again := maker(t, c, "base", 1), maker(t, catalogOf(t, string(text)), "base", 1)

	for _, part := range []drift.Part{drift.Whole, drift.Seen, drift.Unseen} {
		s, changes := m.Of(part).Version(3)
		other, _ := again.Of(part).Version(3)

		if diff := cmp.Diff(byTool(s), byTool(other), ignored); diff != "" {
			t.Errorf("the order of the tools changes\n%s", diff)
		}

		renamed, lettered := 0, 0

		for _, change := range changes {
			if change.Operator == "rename-api" {
				renamed++
			}

			if change.Operator == "rename-parameter" && strings.ToLower(change.To) != change.To &&
				change.To[len(change.To)-1] < 'a' && change.To[len(change.To)-1] >= 'A' {
				lettered++
			}
		}

		if renamed != 1420 || lettered > 0 {
			t.Errorf("%d APIs have another name, and %d parameters one that ends in a letter", renamed, lettered)
		}
	}
}

// byTool are the APIs of a version by tool and name.
func byTool(s *toolapi.Spec) map[string]toolapi.APISpec {
	apis := map[string]toolapi.APISpec{}
	for _, a := range s.APIs {
		apis[a.Tool+" "+a.Name] = a
	}
	return apis
}

// Operators that are named are applied in their order, and to nothing else than they are for.
func TestAppliedInOrder(t *testing.T) {
	t.Parallel()

	operators, err := drift.ParseOperators([]string{"move-url", "type-to-string", "wrap-response", "nest-parameters"})
	if err != nil {
		t.Fatal(err)
	}

	c := catalogOf(t, others)
	s, changes := maker(t, c, "base", 2).Applied("mine", operators, 0)

	var got []string
	for _, change := range changes {
		got = append(got, change.Operator)
	}

	// find_flights has numbers, and objects to make; get-weather.v2 has a URL and a number.
	want := []string{"type-to-string", "nest-parameters", "move-url", "type-to-string", "wrap-response"}
	if diff := cmp.Diff(want, got); diff != "" || s.Version != "mine_2_000" {
		t.Errorf("%s: %s", s.Version, diff)
	}

	text, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalogOf(t, others, toolapi.File{Path: "mine.yaml", Text: string(text)}).Version(s.Version)
	if err != nil {
		t.Fatal(err)
	}

	if a, _ := v.API("get-weather.v2"); a == nil || a.URL != "https://weather.test/v2/get" {
		t.Errorf("the weather is %+v", a)
	}

	before, _ := c.Version("base")
	for _, d := range drift.Diff(before, v) {
		if d.Tool != "get-weather.v2" && d.Tool != "find_flights" {
			t.Errorf("%s: %+v", d.Tool, d)
		}
	}

	if _, err := drift.ParseOperators([]string{"rename"}); err == nil || !strings.Contains(err.Error(), "rename-api") {
		t.Errorf("an unknown operator: %v", err)
	}
}

// What neither names nor parameters show is a difference all the same: code that has to begin with
// some words.
func TestDiffSeesPrefixes(t *testing.T) {
	operators, err := drift.ParseOperators([]string{"prefix-text"})
	if err != nil {
		t.Fatal(err)
	}

	s, changes := maker(t, shipped(t), "p_c", 1, allHeld...).Applied("prefixed", operators, 0)

	text, err := s.Encode()
	if err != nil || len(changes) == 0 {
		t.Fatal(changes, err)
	}

	c := shipped(t, toolapi.File{Path: "prefixed.yaml", Text: string(text)})
	was, _ := c.Version("p_c")

	now, err := c.Version(s.Version)
	if err != nil {
		t.Fatal(err)
	}

	all := drift.Diff(was, now)
	if len(all) != len(changes) {
		t.Errorf("%d differences of %d changes", len(all), len(changes))
	}

	for _, d := range all {
		if d.From != d.To || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "as before is refused") {
			t.Errorf("%+v", d)
		}
	}
}

// BenchmarkManyVersions makes a version of 1,420 APIs, and its file.
func BenchmarkManyVersions(b *testing.B) {
	m := maker(b, manyTools(b, 1420), "base", 1)

	for _, part := range []struct {
		name string
		file bool
	}{{"version", false}, {"file", true}} {
		b.Run(part.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				s, _ := m.Version(i)
				if !part.file {
					continue
				}

				if _, err := s.Encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
