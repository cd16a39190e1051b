package release_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/drift/release"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

var update = flag.Bool("update", false, "write the golden file anew")

func specOf(t testing.TB, path string) *toolapi.Spec {
	t.Helper()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	s, err := toolapi.Parse(toolapi.File{Path: path, Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// next infers the next release of the order service.
func next(t testing.TB) (base *toolapi.Spec, inferred *release.Inferred, v *toolapi.Version) {
	t.Helper()

	base = specOf(t, "testdata/orders.yaml")

	inferred, err := release.Between(base, specOf(t, "testdata/next.yaml").APIs, "next")
	if err != nil {
		t.Fatal(err)
	}

	catalog, err := toolapi.NewCatalog(base, inferred.Version)
	if err != nil {
		t.Fatal(err)
	}

	if v, err = catalog.Version("next"); err != nil {
		t.Fatal(err)
	}
	return base, inferred, v
}

// What is said of a release, and the version that is made of it.
func TestGolden(t *testing.T) {
	t.Parallel()

	_, inferred, _ := next(t)

	var b strings.Builder
	for _, c := range inferred.Changes {
		fmt.Fprintln(&b, c)
	}

	for _, n := range inferred.Broken {
		fmt.Fprintf(&b, "broken: %s %s: %s (gone: %v)\n", n.Tool, n.Parameter, n.Why, n.Gone)
	}

	fmt.Fprintf(&b, "equal %q, added %q, removed %q\n", inferred.Equal, inferred.Added, inferred.Removed)

	text, err := inferred.Version.Encode()
	if err != nil {
		t.Fatal(err)
	}

	b.Write(text)

	const path = "testdata/next.txt"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Calls of the release become calls of the tools as they are. What the tools have nothing of is
// refused, and so is what would mean something else.
func TestCallsOfARelease(t *testing.T) {
	t.Parallel()

	_, _, v := next(t)

	for _, tt := range []struct{ api, call, want string }{
		{"search_orders", `{}`, `{"limit": 50}`},
		{
			"search_orders", `{"state": "paid", "limit": 10, "period": {"until": "x"}}`,
			`{"status": "paid", "end_date": "x"}`,
		},
		{"search_orders", `{"state": "sent"}`, ""},
		{"search_orders", `{"page": 2}`, ""},
		{"get_order", `{"order_id": "7"}`, `{"id": 7}`},
		{"get_order", `{"order_id": "seven"}`, ""},
		{
			"create_order", `{"customer": "a", "product1": "b", "product2": "c",
				"address": {"street": "d", "city": "e"}, "express": false, "terms": "accepted"}`,
			`{"customer": "a", "products": ["b", "c"], "street": "d", "city": "e"}`,
		},
		{
			"create_order", `{"customer": "a", "product1": "b",
				"address": {"street": "d", "city": "e", "country": "f"}, "express": true, "terms": "accepted"}`, "",
		},
		{"cancel_orders", `{"ids": [7], "reason": "late"}`, `{"id": 7, "reason": "late"}`},
		{"cancel_orders", `{"ids": [7, 8], "reason": "late"}`, ""},
		{
			"ship_order", `{"id": 7, "weight": 1.5, "height": 2}`,
			`{"id": 7, "parcel": {"weight": 1.5, "height": 2}}`,
		},
	} {
		a, ok := v.API(tt.api)
		if !ok {
			t.Fatalf("no %s", tt.api)
		}

		got, wrong := a.Lower(argsOf(t, tt.call))
		if tt.want == "" {
			if wrong == nil {
				t.Errorf("%s%s becomes %v, want a refusal", tt.api, tt.call, got)
			}

			continue
		}

		if wrong != nil || !reflect.DeepEqual(got, argsOf(t, tt.want)) {
			t.Errorf("%s%s becomes %v (%v), want %s", tt.api, tt.call, got, wrong, tt.want)
		}
	}

	for name, call := range map[string]string{
		"list_orders": `{}`, "print_label": `{"id": 7}`, "get_order": `{"id": 7}`,
	} {
		_, deprecated := v.Deprecation(name)
		if _, outdated := v.Outdated(name, argsOf(t, call)); !deprecated && !outdated {
			t.Errorf("the call %s%s of before is not answered with a notice", name, call)
		}
	}
}

func argsOf(t testing.TB, text string) envs.Args {
	t.Helper()

	args, _, err := pytext.DecodeObject(text)
	if err != nil {
		t.Fatal(err)
	}
	return args
}

// What is inferred does not depend on the order of the list, and a base is the same release as
// itself.
func TestOrders(t *testing.T) {
	t.Parallel()

	base, inferred, _ := next(t)
	list := specOf(t, "testdata/next.yaml").APIs
	slices.Reverse(list)

	again, err := release.Between(base, list, "next")
	if err != nil {
		t.Fatal(err)
	}

	slices.Reverse(again.Added)

	slices.Reverse(again.Version.APIs[:len(again.Version.APIs)-2])

	if diff := cmp.Diff(inferred.Changes, again.Changes); diff != "" {
		t.Errorf("in another order:\n%s", diff)
	}

	if !reflect.DeepEqual(inferred.Version, again.Version) ||
		!reflect.DeepEqual(inferred.Broken, again.Broken) || !slices.Equal(inferred.Added, again.Added) {
		t.Errorf("in another order: %+v", again)
	}

	for name, base := range bases(t) {
		same, err := release.Between(base, base.APIs, "next")
		if err != nil {
			t.Fatal(err)
		}

		others := len(same.Changes) + len(same.Broken) + len(same.Added) + len(same.Removed)
		if len(same.Equal) != len(base.APIs)-2 || others > 0 {
			t.Errorf("%s and itself: %+v", name, same)
		}
	}
}

// A release that has nothing of a base, one that is empty, and lists that make no sense.
func TestOtherReleases(t *testing.T) {
	t.Parallel()

	base := specOf(t, "testdata/orders.yaml")

	weather := toolapi.APISpec{Name: "weather", Description: "Says the weather."}

	for _, list := range [][]toolapi.APISpec{nil, {weather}} {
		inferred, err := release.Between(base, list, "next")
		if err != nil {
			t.Fatal(err)
		}

		if len(inferred.Removed) != len(base.APIs)-2 || len(inferred.Added) != len(list) {
			t.Errorf("%+v", inferred)
		}
	}

	twice := append(slices.Clone(base.APIs), base.APIs[0])
	if _, err := release.Between(base, twice, "next"); err == nil {
		t.Error("a list with two tools of a name is taken")
	}

	if _, err := release.Between(base, nil, base.Version); err == nil {
		t.Error("a version is called as its base")
	}

	if _, err := release.Between(&toolapi.Spec{Version: "x"}, nil, "next"); err == nil {
		t.Error("a version that is no base is taken for one")
	}
}

// Tools of other names are taken for successors where they are clearly alike, and not because they
// are about the same.
func TestSuccessors(t *testing.T) {
	t.Parallel()

	base := specOf(t, "testdata/orders.yaml")
	cancel := slices.IndexFunc(base.APIs, func(a toolapi.APISpec) bool { return a.Name == "cancel_order" })

	for _, tt := range []struct {
		name, about, url string
		is               bool
	}{
		{"revoke_order", "Cancels an order that was not shipped.", "", true},
		{"cancelOrder", "Takes back what a customer has asked for.", "", true},
		{
			"revoke_order", "Takes back what a customer has asked for.",
			"DELETE https://x.example/v7/orders/{number}", true,
		},
		{"archive_order", "Hides an order that was shipped long ago.", "", false},
		{"approve_order", "Approves an order.", "POST https://x.example/v7/orders/{number}", false},
		{"delete_customer", "Forgets a customer.", "", false},
	} {
		list := slices.Clone(base.APIs)
		list[cancel].Name, list[cancel].Description, list[cancel].URL = tt.name, tt.about, tt.url

		inferred, err := release.Between(base, list, "next")
		if err != nil {
			t.Fatal(err)
		}

		if is := len(inferred.Removed) == 0 && len(inferred.Added) == 0; is != tt.is {
			t.Errorf("%+v: removed %q, added %q, %v", tt, inferred.Removed, inferred.Added, inferred.Changes)
		}
	}
}

// A tool that loses an option works on, though nothing is said of the parameter that is left.
func TestOptionsThatAreGone(t *testing.T) {
	t.Parallel()

	number := toolapi.Parameter{Name: "limit", Optional: true, Schema: envs.Object("type", "integer", "default", 10)}
	search := toolapi.APISpec{
		Name: "search", Tool: "search", Description: "Searches the archive.",
		Parameters: toolapi.Parameters{All: []toolapi.Parameter{{Name: "q"}, number}},
	}

	base := specOf(t, "testdata/orders.yaml")
	base.APIs = append(base.APIs, search)

	next := slices.Clone(base.APIs)
	next[len(next)-1].Parameters.All = search.Parameters.All[:1]

	inferred, err := release.Between(base, next, "next")
	if err != nil {
		t.Fatal(err)
	}

	for _, n := range inferred.Broken {
		if n.Tool == "search" && n.Parameter == "" {
			t.Errorf("%+v", n)
		}
	}
}

// An object of before of which a member is gone cannot be said.
func TestMembersThatAreGone(t *testing.T) {
	t.Parallel()

	base := specOf(t, "testdata/orders.yaml")
	next := specOf(t, "testdata/next.yaml").APIs
	ship := slices.IndexFunc(next, func(a toolapi.APISpec) bool { return a.Name == "ship_order" })
	next[ship].Parameters.All = next[ship].Parameters.All[:2]

	inferred, err := release.Between(base, next, "next")
	if err != nil {
		t.Fatal(err)
	}

	if !slices.ContainsFunc(inferred.Broken, func(n release.NotUnderstood) bool {
		return n.Tool == "ship_order" && n.Parameter == "parcel" && n.Gone
	}) {
		t.Errorf("%+v", inferred.Broken)
	}
}

// changedTo infers a release in which one parameter of a tool has changed.
func changedTo(t *testing.T, old, now toolapi.Parameter) (*release.Inferred, *toolapi.API) {
	t.Helper()

	search := toolapi.APISpec{Name: "search", Tool: "search", Description: "Searches the archive."}
	search.Parameters.All = []toolapi.Parameter{old}

	base := specOf(t, "testdata/orders.yaml")
	base.APIs = append(base.APIs, search)

	next := slices.Clone(base.APIs)
	next[len(next)-1].Parameters.All = []toolapi.Parameter{now}

	inferred, err := release.Between(base, next, "next")
	if err != nil {
		t.Fatal(err)
	}

	catalog, err := toolapi.NewCatalog(base, inferred.Version)
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version("next")
	if err != nil {
		t.Fatal(err)
	}

	a, ok := v.API("search")
	if !ok {
		t.Fatalf("there is no search: %+v", inferred.Broken)
	}
	return inferred, a
}

// Calls that left a parameter out say its old default where it is required, in the form that the
// release wants.
func TestDefaultsThatAreRequired(t *testing.T) {
	t.Parallel()

	old := toolapi.Parameter{
		Name: "days", Optional: true,
		Schema: envs.Object("type", "integer", "default", envs.Number("3")),
	}

	for now, want := range map[string]string{
		`{"type": "integer"}`:                             `{"days": 3}`,
		`{"type": "string"}`:                              `{"days": "3"}`,
		`{"type": "array", "items": {"type": "integer"}}`: `{"days": [3]}`,
	} {
		_, a := changedTo(t, old, toolapi.Parameter{Name: "days", Schema: argsOf(t, now)})

		lifted, err := a.Lift(nil)
		if err != nil || pytext.JSON(lifted) != want {
			t.Errorf("%s: a call without it becomes %v, %v, want %s", now, lifted, err, want)
		}

		if back, wrong := a.Lower(lifted); wrong != nil || len(back) > 0 {
			t.Errorf("%s: %v comes back as %v, %v", now, lifted, back, wrong)
		}
	}
}

// The default of a release stays only where the tool takes it: a call that leaves the parameter out
// never says what the tool would refuse.
func TestDefaultsThatTheToolTakes(t *testing.T) {
	t.Parallel()

	for _, test := range []struct{ old, now, kept string }{
		{`{"type": "string", "enum": ["asc", "desc"], "default": "asc"}`,
			`{"type": "string", "default": "desc"}`, `{"x": "desc"}`},
		{`{"type": "string", "enum": ["asc", "desc"], "default": "asc"}`,
			`{"type": "string", "default": "relevance"}`, `{}`},
		{`{"type": "string", "enum": ["asc", "desc"], "default": "asc"}`,
			`{"type": ["string", "null"], "default": "relevance"}`, `{}`},
		{`{"type": "string", "enum": ["asc", "desc"]}`,
			`{"type": "string", "default": "relevance"}`, `{}`},
		{`{"type": "integer", "maximum": 100, "default": 10}`,
			`{"type": "integer", "maximum": 1000, "default": 500}`, `{}`},
		{`{"type": "integer", "default": 10}`, `{"type": "string", "default": "auto"}`, `{}`},
		{`{"type": "integer", "default": 10}`, `{"type": "string", "default": "20"}`, `{"x": 20}`},
	} {
		inferred, a := changedTo(t,
			toolapi.Parameter{Name: "x", Optional: true, Schema: argsOf(t, test.old)},
			toolapi.Parameter{Name: "x", Optional: true, Schema: argsOf(t, test.now)})

		got, wrong := a.Lower(envs.Args{})
		if wrong != nil || pytext.JSON(append(envs.Args{}, got...)) != test.kept {
			t.Errorf("%s to %s: a call without it becomes %v, %v", test.old, test.now, got, wrong)
		}

		if !slices.ContainsFunc(inferred.Changes, func(c release.Change) bool {
			return c.Tool == "search" && c.Operator == release.FlipDefault
		}) {
			t.Errorf("%s to %s: the default is left out silently", test.old, test.now)
		}
	}
}

// A number or a boolean that is one of several texts now is understood as far as the texts spell
// values of the tool.
func TestSpelledEnumerations(t *testing.T) {
	t.Parallel()

	for _, test := range []struct{ old, now, kept, refused, said string }{
		{`{"type": "integer", "maximum": 3}`, `{"type": "string", "enum": ["1", "4", "low"]}`,
			`{"x": "1"}`, `{"x": "low"}`, ""},
		{`{"type": "integer", "maximum": 3}`, `{"type": "string", "enum": ["1", "4", "low"]}`,
			`{}`, `{"x": "4"}`, ""},
		{`{"type": "integer"}`, `{"type": "string", "enum": ["low", "high"]}`, `{}`, `{"x": "low"}`,
			"no adapter"},
		{`{"type": "boolean"}`, `{"type": "string", "enum": ["on", "off"]}`, `{}`, `{"x": "on"}`,
			"no adapter"},
		{`{"type": "integer"}`, `{"type": "string", "format": "date-time"}`, `{}`, `{"x": "7"}`,
			"no adapter"},
		{`{"type": "integer", "format": "int64"}`, `{"type": "string", "format": "int64"}`,
			`{"x": "7"}`, `{"x": "low"}`, ""},
	} {
		inferred, a := changedTo(t,
			toolapi.Parameter{Name: "x", Optional: true, Schema: argsOf(t, test.old)},
			toolapi.Parameter{Name: "x", Optional: true, Schema: argsOf(t, test.now)})

		if _, wrong := a.Lower(argsOf(t, test.kept)); wrong != nil {
			t.Errorf("%s to %s: %s is refused: %v", test.old, test.now, test.kept, wrong)
		}

		if got, wrong := a.Lower(argsOf(t, test.refused)); wrong == nil {
			t.Errorf("%s to %s: %s becomes %v", test.old, test.now, test.refused, got)
		}

		said := fmt.Sprint(inferred.Broken)
		if !strings.Contains(said, test.said) ||
			test.said == "" && strings.Contains(said, "search") {
			t.Errorf("%s to %s: broken %s, want %q", test.old, test.now, said, test.said)
		}
	}
}

// Enumerated values may be lists.
func TestNullAmongLists(t *testing.T) {
	t.Parallel()

	_, a := changedTo(t, toolapi.Parameter{Name: "x", Optional: true,
		Schema: argsOf(t, `{"enum": [["a"], ["b"]]}`)},
		toolapi.Parameter{Name: "x", Schema: argsOf(t, `{"enum": [["a"], ["b"], null]}`)})

	if got, wrong := a.Lower(argsOf(t, `{"x": null}`)); wrong != nil || len(got) > 0 {
		t.Errorf("null becomes %v, %v", got, wrong)
	}
}

// A release that takes other types, too, may take less of what the tool takes: the version has what
// both do, and what is gone is said.
func TestWidenedAndNarrowed(t *testing.T) {
	t.Parallel()

	for _, test := range []struct{ old, now, kept, refused, broken string }{
		{`{"type": "string", "enum": ["a", "b"]}`,
			`{"type": ["string", "null"], "enum": ["a", null]}`, `{"x": "a"}`, `{"x": "b"}`, `"b"`},
		{`{"type": "string"}`,
			`{"anyOf": [{"type": "string", "enum": ["asc", "desc"]}, {"type": "null"}]}`,
			`{"x": "asc"}`, `{"x": "up"}`, ""},
		{`{"type": "integer"}`, `{"type": "number", "maximum": 10}`, `{"x": 10}`, `{"x": 50}`, ""},
		{`{"type": "array", "items": {"type": "string", "maxLength": 3}}`,
			`{"anyOf": [{"type": "array", "items": {"type": "string"}, "maxItems": 1},
				{"type": "null"}]}`,
			`{"x": ["a"]}`, `{"x": ["a", "b"]}`, ""},
		{`{"type": "integer"}`, `{"type": ["integer", "null"]}`, `{"x": 50}`, `{"x": null}`, ""},
	} {
		inferred, a := changedTo(t, toolapi.Parameter{Name: "x", Schema: argsOf(t, test.old)},
			toolapi.Parameter{Name: "x", Schema: argsOf(t, test.now)})

		if _, wrong := a.Lower(argsOf(t, test.kept)); wrong != nil {
			t.Errorf("%s to %s: %s is refused: %v", test.old, test.now, test.kept, wrong)
		}

		if _, wrong := a.Lower(argsOf(t, test.refused)); wrong == nil {
			t.Errorf("%s to %s: %s is taken", test.old, test.now, test.refused)
		}

		if said := fmt.Sprint(inferred.Broken); !strings.Contains(said, test.broken) {
			t.Errorf("%s to %s: broken %s, want %s", test.old, test.now, said, test.broken)
		}
	}
}
