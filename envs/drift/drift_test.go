package drift_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

var update = flag.Bool("update", false, "write the golden file anew")

// others are tools of which words.yaml knows little, or nothing.
const others = `
version: base
base: true
messages: {deprecated: "{{.Old.Name}} is {{.New.Signature}}: {{.Example}}", invalid: "No."}
apis:
  - name: qux
    description: which does something.
    parameters: [zyx]
  - name: get-weather.v2
    description: which says the weather.
    url: https://weather.test/v1/get
    parameters: [{name: city, type: string, description: where}, {name: days, type: integer, optional: true}]
  - name: Überprüfe
    description: which checks.
    parameters: [größe, Node1, Node2, tags]
  - name: filter_rows
    description: which filters.
    parameters: [filters, table]
  - name: run_code
    description: which runs.
    parameters: [timeout, {name: script, type: string}, {name: env, enum: [a, b], optional: true}]
  - name: search
    description: which searches.
    parameters:
      type: object
      properties: {q: {type: string}, top: {type: integer}}
      required: [q]
      dependentRequired: {top: [q]}
  - name: find_flights
    description: which finds flights.
    parameters:
      - {name: seats, type: integer, description: how many}
      - {name: direct, type: boolean, default: false, optional: true}
      - {name: order_by, type: string, enum: [price, time], default: price, optional: true}
      - {name: most, type: number, optional: true}
      - {name: airport, type: string, description: where from}
      - {name: start_date, type: string}
      - {name: end_date, type: string, optional: true}
      - {name: page, type: integer, default: 1, optional: true}
      - {name: page_size, type: integer, optional: true}
  - name: tag_a_picture_with_words_and_send_it_to_everybody_who_wants_it
    description: which has a name as long as names may be.
    parameters:
      - {name: picture, type: string}
      - {name: tags, type: array, items: {type: string}, description: what to say}
      - {name: keywords, type: string, optional: true}
      - {name: identifier_of_the_picture_in_the_archive_of_all_the_pictures_1, type: string, optional: true}
  - {name: now, description: which says the time., parameters: []}
  - {name: Finish, parameters: [answer], description: which ends the task.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which learns.}
`

// loadShipped loads the shipped versions once for all tests: nothing changes a catalog.
var loadShipped = sync.OnceValues(func() (*toolapi.Catalog, error) { return toolapi.Load(apis.FS()) })

func shipped(t testing.TB, own ...toolapi.File) *toolapi.Catalog {
	t.Helper()

	c, err := loadShipped()
	if len(own) > 0 {
		c, err = toolapi.Load(apis.FS(), own...)
	}

	if err != nil {
		t.Fatal(err)
	}
	return c
}

func catalogOf(t testing.TB, text string, own ...toolapi.File) *toolapi.Catalog {
	t.Helper()

	c, err := toolapi.Load(fstest.MapFS{}, append([]toolapi.File{{Path: "base.yaml", Text: text}}, own...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func specOf(t rapid.TB, c *toolapi.Catalog, name string) *toolapi.Spec {
	t.Helper()

	s, err := c.Spec(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func maker(t testing.TB, c *toolapi.Catalog, source string, seed uint64, heldOut ...string) *drift.Maker {
	t.Helper()

	m, err := drift.NewMaker(c, source, heldOut, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// file returns the file of a made version.
func file(t testing.TB, m *drift.Maker, i int) toolapi.File {
	t.Helper()

	s, _ := m.Version(i)

	text, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return toolapi.File{Path: s.Version + ".yaml", Text: string(text)}
}

// allHeld are the shipped versions beside p_c.
var allHeld = []string{"p_s_in", "p_s_ood", "p_s_ood_proprietary"}

// Made versions load as shipped ones do, which checks names, adapters and examples; of any source,
// and of made ones.
func TestMadeVersionsLoad(t *testing.T) {
	t.Parallel()

	for _, source := range []string{"p_c", "p_s_in", "p_s_ood"} {
		var files []toolapi.File
		m := maker(t, shipped(t), source, 7)
		for i := range 15 {
			files = append(files, file(t, m, i))
		}

		c := shipped(t, files...)

		again := maker(t, c, "made_7_003", 8)
		shipped(t, append(files, file(t, again, 0), file(t, again, 1))...)
	}

	var files []toolapi.File
	plain := maker(t, catalogOf(t, others), "base", 7)
	for i := range 30 {
		files = append(files, file(t, plain, i))
	}

	catalogOf(t, others, files...)
}

// The system tools stay, every other API has a name that no source has, and notices lead from every
// name of the source.
func TestNames(t *testing.T) {
	t.Parallel()

	c := shipped(t)

	for i := range 5 {
		f := file(t, maker(t, c, "p_s_in", 3), i)

		v, err := shipped(t, f).Version("made_3_" + f.Path[len("made_3_"):len(f.Path)-len(".yaml")])
		if err != nil {
			t.Fatal(err)
		}

		for _, a := range v.APIs {
			system := a.Tool == envs.FinishTool || a.Tool == envs.UpdateTool
			if system != (a.Name == a.Tool) {
				t.Errorf("%s: the tool %s is %s", f.Path, a.Tool, a.Signature())
			}

			for _, old := range []string{"p_c", "p_s_in"} {
				was, _ := c.Version(old)
				before, _ := was.ForTool(a.Tool)

				d, ok := v.Deprecation(before.Name)
				if ok == system || ok && !strings.Contains(d.Notice(), a.Signature()) {
					t.Errorf("%s: the notice about %s is %q", f.Path, before.Name, d.Notice())
				}
			}
		}
	}
}

// The same seed gives the same bytes, whatever else is made, and in whatever order the input comes.
func TestSameBytes(t *testing.T) {
	t.Parallel()

	c := shipped(t)
	want := file(t, maker(t, c, "p_c", 1, allHeld...), 11)

	for i := range 11 {
		if got := file(t, maker(t, c, "p_c", 1, allHeld...), i); got.Text == want.Text {
			t.Errorf("versions %d and 11 are the same", i)
		}
	}

	if other := file(t, maker(t, c, "p_c", 2, allHeld...), 11); other.Text == want.Text {
		t.Error("two seeds give the same version")
	}

	turned := slices.Clone(allHeld)
	slices.Reverse(turned)

	if again := file(t, maker(t, c, "p_c", 1, turned...), 11); again != want {
		t.Errorf("the order of held-out versions changes\n%s", cmp.Diff(want.Text, again.Text))
	}

	base := *specOf(t, c, "p_c")
	base.APIs = slices.Clone(base.APIs)
	slices.Reverse(base.APIs)

	text, err := base.Encode()
	if err != nil {
		t.Fatal(err)
	}

	from := func(c *toolapi.Catalog) []toolapi.APISpec {
		s, _ := maker(t, c, "p_c", 1).Version(4)
		slices.SortFunc(s.APIs, func(a, b toolapi.APISpec) int { return strings.Compare(a.Tool+a.Name, b.Tool+b.Name) })
		return s.APIs
	}

	straight := catalogOf(t, string(mustRead(t, "../../configs/apis/p_c.yaml")))
	if diff := cmp.Diff(from(straight), from(catalogOf(t, string(text))), ignored); diff != "" {
		t.Errorf("the order of the APIs changes\n%s", diff)
	}
}

var ignored = cmpopts.IgnoreUnexported(toolapi.Parameters{})

func mustRead(t testing.TB, path string) []byte {
	t.Helper()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A made version is what it was when it was looked at last: other words, or other draws, make other
// data.
func TestGolden(t *testing.T) {
	t.Parallel()

	got := file(t, maker(t, shipped(t), "p_c", 1, allHeld...), 0)
	path := filepath.Join("testdata", got.Path)

	if *update {
		if err := os.WriteFile(path, []byte(got.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	if diff := cmp.Diff(string(mustRead(t, path)), got.Text); diff != "" {
		t.Error(diff)
	}
}

// No identifier of a held-out version occurs in 200 made ones.
func TestHoldOut(t *testing.T) {
	t.Parallel()

	var (
		c    = shipped(t)
		held = map[string]bool{} // and other spellings of them, but for those of the source
	)

	for _, version := range allHeld {
		for _, name := range drift.Identifiers(specOf(t, c, version)) {
			held[name], held[spelling(name)] = true, true
		}
	}

	for _, name := range drift.Identifiers(specOf(t, c, "p_c")) {
		delete(held, name)
		delete(held, spelling(name))
	}

	if !held["dofilterondatabase"] || !held["filtercriteria"] || !held["vertex1"] || !held["thisisthesqlcode"] {
		t.Fatalf("held out are %v", held)
	}

	m := maker(t, c, "p_c", 5, allHeld...)

	for i := range 200 {
		s, _ := m.Version(i)
		for _, name := range drift.Identifiers(s) {
			if held[name] || held[spelling(name)] {
				t.Errorf("%s has %s", s.Version, name)
			}
		}

		text, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}

		if name := anywhere.Find(text); name != nil {
			t.Errorf("%s has %s", s.Version, name)
		}
	}
}

// anywhere finds some held-out identifiers wherever they stand, also where Identifiers does not
// look.
var anywhere = regexp.MustCompile(`(?i)\b(DoFilter_OnDatabase|filterCriteria|searchTerm|CheckInfos|Vertex1|` +
	`databaseIdentifier|ReturnValue|This is the SQL code|Init_LocalDB|ReturnResult)[0-9]*\b`)

func spelling(name string) string {
	return strings.NewReplacer("_", "", " ", "", ":", "").Replace(strings.ToLower(name))
}

// Lower(Lift(c)) = c, for each operator and for compositions of up to five in any order, and of
// each adapter alone.
func TestLaws(t *testing.T) {
	t.Parallel()

	sources := []*toolapi.Catalog{shipped(t), catalogOf(t, others)}
	called, inexpressible := 0, 0
	operators := everyOperator()

	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 1).Draw(t, "source")
		base := specOf(t, sources[k], []string{"p_c", "base"}[k])
		before, tool := predecessor(sources[k], base, rapid.IntRange(0, len(base.APIs)-3).Draw(t, "API"))
		d := drift.NewDraws(rapid.Uint64().Draw(t, "seed"))
		a := before

		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			o := rapid.SampledFrom(operators).Draw(t, "operator")
			was := deepCopy(a)

			step, ok := o.Apply(a, d)
			if diff := cmp.Diff(was, a, ignored); diff != "" {
				t.Fatalf("%s changed its input:\n%s", o.Name, diff)
			}

			if ok {
				a = step.API
			}
		}

		made := toolapi.Spec{Version: "made", Loose: base.Loose, APIs: slices.Clone(base.APIs)}
		for i := range made.APIs {
			made.APIs[i].Description = ""
			if made.APIs[i].Name == before.Name {
				made.APIs[i] = a
			}
		}

		api := load(t, base, &made, before.Name)

		for range 200 {
			call := drawCall(t, tool.Parameters)
			if _, wrong := tool.Lower(call); wrong != nil {
				continue
			}

			lifted, err := api.Lift(call)
			if err != nil {
				if inexpressible++; !limited(a) {
					t.Fatalf("%s cannot express %v: %v", api.Signature(), call, err)
				}

				continue
			}

			called++

			lowered, wrong := api.Lower(lifted)
			if wrong != nil || !reflect.DeepEqual(meant(tool, lowered), meant(tool, call)) {
				t.Fatalf("%s: %v becomes %v and then %v (%v)", api.Signature(), call, lifted, lowered, wrong)
			}
		}
	})

	if called < 10000 || inexpressible > called {
		t.Errorf("%d calls came back, and %d could not be expressed", called, inexpressible)
	}
}

// meant is a call without what it says of defaults: it means the same.
func meant(tool *toolapi.API, call envs.Args) envs.Args {
	return slices.DeleteFunc(slices.Clone(call), func(arg envs.Arg) bool {
		i := slices.IndexFunc(tool.Parameters, func(p toolapi.Parameter) bool { return p.Name == arg.Name })
		usual, ok := tool.Parameters[i].Schema.Get("default")
		return ok && usual == arg.Value
	})
}

// A call of the predecessor means the same under its successor, or is answered with an error: an
// operator never changes silently what a call does, but for flip-default, which is about that.
func TestStaleCalls(t *testing.T) {
	t.Parallel()

	sources := []*toolapi.Catalog{shipped(t), catalogOf(t, others)}
	kept, refused := 0, 0

	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 1).Draw(t, "source")
		base := specOf(t, sources[k], []string{"p_c", "base"}[k])
		before, tool := predecessor(sources[k], base, rapid.IntRange(0, len(base.APIs)-3).Draw(t, "API"))
		o := rapid.SampledFrom(everyOperator()).Draw(t, "operator")

		step, ok := o.Apply(before, drift.NewDraws(rapid.Uint64().Draw(t, "seed")))
		if !ok || o.Name == "flip-default" {
			return
		}

		made := toolapi.Spec{Version: "made", Loose: base.Loose, APIs: slices.Clone(base.APIs)}
		for i := range made.APIs {
			made.APIs[i].Description = ""
			if made.APIs[i].Name == before.Name {
				made.APIs[i] = step.API
			}
		}

		api := load(t, base, &made, before.Name)

		for range 20 {
			call := drawCall(t, tool.Parameters)
			if _, wrong := tool.Lower(call); wrong != nil {
				continue
			}

			lowered, wrong := api.Lower(call)

			switch {
			case wrong != nil:
				refused++
			case !reflect.DeepEqual(lowered, call):
				t.Fatalf("%s: under %s the stale call %v does %v", o.Name, api.Signature(), call, lowered)
			default:
				kept++
			}
		}
	})

	if kept < 100 || refused < 100 {
		t.Errorf("%d stale calls mean the same and %d are refused: too few to tell", kept, refused)
	}
}

// Each operator changes an API of the shipped tools or of the others: TestLaws holds for something.
func TestEachOperatorApplies(t *testing.T) {
	t.Parallel()

	changes := map[string]bool{}

	for k, c := range []*toolapi.Catalog{shipped(t), catalogOf(t, others)} {
		base := specOf(t, c, []string{"p_c", "base"}[k])

		for i := range len(base.APIs) - 2 {
			a, _ := predecessor(c, base, i)

			for _, o := range everyOperator() {
				for seed := range uint64(20) {
					_, ok := o.Apply(a, drift.NewDraws(seed))
					changes[o.Name] = changes[o.Name] || ok
				}
			}
		}
	}

	for _, o := range everyOperator() {
		if !changes[o.Name] {
			t.Errorf("%s changes no API", o.Name)
		}
	}
}

// everyOperator are those that change an API.
func everyOperator() []drift.Operator {
	return slices.DeleteFunc(drift.Operators(), func(o drift.Operator) bool { return o.Apply == nil })
}

// predecessor is API i of a base, as operators take one, and as it is loaded.
func predecessor(c *toolapi.Catalog, base *toolapi.Spec, i int) (toolapi.APISpec, *toolapi.API) {
	a := base.APIs[i]
	v, _ := c.Version(base.Version)
	api, _ := v.ForTool(a.Name)
	a.Tool, a.Notice.Example = a.Name, string(pytext.AppendJSON(nil, api.Sample()))
	return a, api
}

// limited reports whether there may be calls that an API cannot express.
func limited(a toolapi.APISpec) bool {
	return slices.ContainsFunc(a.Adapters, func(s toolapi.AdapterSpec) bool {
		return s.Bracketed != nil || s.Enumerated != nil
	})
}

func deepCopy(a toolapi.APISpec) toolapi.APISpec {
	a.Parameters.All, a.Adapters = slices.Clone(a.Parameters.All), slices.Clone(a.Adapters)

	for i, s := range a.Adapters {
		if s.Rename != nil {
			renames := toolapi.Rename{}
			for k, v := range s.Rename {
				renames[k] = v
			}

			a.Adapters[i].Rename = renames
		}
	}
	return a
}

// load returns what exposes a tool in a made version, as it is read from its file.
func load(t *rapid.T, base, made *toolapi.Spec, tool string) *toolapi.API {
	var files []toolapi.File

	for _, s := range []*toolapi.Spec{base, made} {
		text, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}

		files = append(files, toolapi.File{Path: s.Version, Text: string(text)})
	}

	c, err := toolapi.Load(fstest.MapFS{}, files...)
	if err != nil {
		t.Fatalf("%v\n%s", err, files[1].Text)
	}

	v, err := c.Version("made")
	if err != nil {
		t.Fatal(err)
	}

	a, _ := v.ForTool(tool)
	return a
}

// texts are what the values of parameters are made of, among them what adapters look for.
var texts = rapid.Custom(func(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{
		", ", ",", " ", "\n", "x", "rule1", "[", "]", "Node1[a]", "SQL code: ", "Python", "'", "\"", "{", "True",
		"Ann Lee", "é", "Date>=2004-01-16", "\u2028", "}",
	}), rapid.String()), 0, 6).Draw(t, "parts")
	return pytext.Strip(strings.ToValidUTF8(strings.Join(parts, ""), "?")) // a prefix does not keep white space
})

func drawCall(t *rapid.T, parameters []toolapi.Parameter) envs.Args {
	call := envs.Args{}

	for _, p := range parameters {
		if p.Optional && rapid.Bool().Draw(t, "leave out") {
			continue
		}

		var value any = texts.Draw(t, p.Name)

		switch kind, _ := p.Schema.Text("type"); kind {
		case "integer":
			value = envs.Number(rapid.SampledFrom([]string{"0", "1", "7", "-3"}).Draw(t, p.Name))
		case "number":
			value = envs.Number(rapid.SampledFrom([]string{"0", "2.50", "-1e-3"}).Draw(t, p.Name))
		case "boolean":
			value = rapid.Bool().Draw(t, p.Name)
		case "array":
			items := []any{}
			for range rapid.IntRange(0, 5).Draw(t, p.Name) {
				items = append(items, texts.Draw(t, p.Name))
			}

			value = items
		}

		if enum, ok := p.Schema.Get("enum"); ok {
			value = rapid.SampledFrom(enum.([]any)).Draw(t, p.Name)
		}

		call = append(call, envs.Arg{Name: p.Name, Value: value})
	}
	return call
}

func TestMistakes(t *testing.T) {
	t.Parallel()

	for source, heldOut := range map[string]string{"p_x": "p_c", "p_c": "p_s_odd"} {
		_, err := drift.NewMaker(shipped(t), source, []string{heldOut}, 1)
		if err == nil || !strings.Contains(err.Error(), "unknown API version") {
			t.Errorf("from %s without %s: %v", source, heldOut, err)
		}
	}
}

func BenchmarkVersion(b *testing.B) {
	m := maker(b, shipped(b), "p_c", 1, allHeld...)

	for i := 0; b.Loop(); i++ {
		m.Version(i)
	}
}
