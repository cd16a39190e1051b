package silent_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
)

func where(fields ...string) silent.Where { return silent.Where{Fields: fields} }

var (
	scaled  = silent.Change{Scaled: &silent.Scaled{Where: where("duration", "price"), Zeros: 3}}
	swapped = silent.Change{Swapped: &silent.Swapped{
		Where: where("kind"), Values: map[string]string{"a": "b", "c": "d"},
	}}
	quoted   = silent.Change{Quoted: &silent.Quoted{Where: where("members")}}
	dated    = silent.Change{Dated: &silent.Dated{Where: where("Date")}}
	zoned    = silent.Change{Zoned: &silent.Zoned{Where: silent.Where{Fields: []string{"start"}}, Hours: 3}}
	renamed  = silent.Change{Renamed: &silent.Renamed{Field: "data", As: "content"}}
	moved    = silent.Change{Moved: &silent.Moved{Field: "data", Into: "details"}}
	reversed = silent.Change{Reversed: &silent.Reversed{Parameter: "order", Value: "oldest_first"}}
	paged    = silent.Change{Paged: &silent.Paged{Parameter: "limit", Size: 2, Value: 1000}}
	withheld = silent.Change{Withheld: &silent.Withheld{
		Field: "data", Elsewhere: silent.Elsewhere{Source: "list", With: []string{"source", "type"}, By: "id"},
	}}
)

var all = []silent.Change{scaled, swapped, quoted, dated, zoned, renamed, moved, reversed, paged, withheld}

// What each kind makes of an answer, and of the arguments of a tool's call.
func TestKinds(t *testing.T) {
	for _, test := range []struct {
		change             silent.Change
		tool, deployed     string // what is answered
		args, deployedArgs string
	}{
		{scaled, `{"a": [{"duration": 1.5}, {"duration": 2}], "n": 1.5}`,
			`{"a": [{"duration": 1500.0}, {"duration": 2000}], "n": 1.5}`,
			`{"price": 0.25, "n": 1}`, `{"price": 250.0, "n": 1}`},
		{scaled, `{"price": ["0.5", "12", "1234.5678", "none", "-3.25", "1e2"]}`,
			`{"price": ["500.0", "12000", "1234567.8", "none", "-3250.0", "1e+5"]}`, `{}`, `{}`},
		{swapped, `[{"kind": "a"}, {"kind": "d"}, {"kind": "z"}]`, `[{"kind": "b"}, {"kind": "c"}, {"kind": "z"}]`,
			`{"kind": "c", "other": "c"}`, `{"kind": "d", "other": "c"}`},
		{quoted, `{"data": {"members": 12}, "members": "7"}`, `{"data": {"members": "12"}, "members": 7}`,
			`{"data": {"members": "3"}, "members": "3"}`, `{"data": {"members": 3}, "members": "3"}`},
		{dated, `{"Date": ["2023-05-17", "2023-05-17 10:00", "soon"]}`,
			`{"Date": ["17/05/2023", "17/05/2023 10:00", "soon"]}`, `{"Date": "2023-05-17"}`, `{"Date": "17/05/2023"}`},
		{zoned, `{"start": ["10:00", "22:30:15", "2023-12-31T23:15:00Z", "24:00", "noon"], "end": "10:00"}`,
			`{"start": ["13:00", "01:30:15", "2024-01-01T02:15:00Z", "24:00", "noon"], "end": "10:00"}`,
			`{"start": "00:05"}`, `{"start": "03:05"}`},
		{renamed, `{"id": 1, "data": {"data": 2}}`, `{"id": 1, "content": {"content": 2}}`,
			`{"data": {"data": 2}}`, `{"data": {"content": 2}}`},
		{renamed, `{"content": 1}`, `{"data": 1}`, `{}`, `{}`},
		{moved, `{"id": 1, "data": {"data": 2}}`, `{"id": 1, "details": {"data": {"data": 2}}}`, `{}`, `{}`},
		{moved, `{"data": 1, "details": 2}`, `{"data": 1, "details": 2}`, `{}`, `{}`},
		{reversed, `[1, 2, 3]`, `[3, 2, 1]`, `{"a": 1}`, `{"a": 1, "order": "oldest_first"}`},
		{reversed, `{"a": [1, 2], "b": 3}`, `{"a": [1, 2], "b": 3}`, `{}`, `{"order": "oldest_first"}`},
		{reversed, `{"a": [1, 2], "b": [3, 4]}`, `{"a": [2, 1], "b": [4, 3]}`, `{}`, `{"order": "oldest_first"}`},
		{paged, `[1, 2, 3]`, `[1, 2]`, `{"a": 1}`, `{"a": 1, "limit": 1000}`},
		{reversed, "In degree: 0; 2 neighbors: ['a', \"b's\"]; all",
			"In degree: 0; 2 neighbors: [\"b's\", 'a']; all", `{}`, `{"order": "oldest_first"}`},
		{paged, `3 neighbors: [('a', 'weight: 2'), ('b', 1), ()]; Paper list: x [y]`,
			`3 neighbors: [('a', 'weight: 2'), ('b', 1)]; Paper list: x [y]`, `{}`, `{"limit": 1000}`},
		{paged, "Open: 1\nOpen: 2\nOpen: 3", "Open: 1\nOpen: 2", `{}`, `{"limit": 1000}`},
		{paged, "Open: 1", "Open: 1", `{}`, `{"limit": 1000}`},
		{scaled, `{'price': [1, 2.5], 'of': "it's"}; Degree: 3`, `{'price': [1000, 2500.0], 'of': "it's"}; Degree: 3`,
			`{}`, `{}`},
		{scaled, `{'price':  1}; not as Python prints it`, `{'price':  1}; not as Python prints it`, `{}`, `{}`},
		{renamed, `{'data': None, 'x': [('a', {'data': 1})]}`, `{'content': None, 'x': [('a', {'data': 1})]}`, `{}`, `{}`},
		{withheld, `[{"id": 1, "data": {"a": 1}}]`, `[{"id": 1, "data": null}]`, `{"id": 1}`, `{"id": 1}`},
	} {
		changes := silent.Changes{test.change}

		got, _ := changes.Answer(nil, test.tool)
		if diff := cmp.Diff(test.deployed, got); diff != "" {
			t.Errorf("%s -want +got:\n%s", test.change.Note(), diff)
		}

		args := object(t, test.args)
		lifted := changes.Lift(args)

		if diff := cmp.Diff(test.deployedArgs, pytext.JSON(lifted)); diff != "" {
			t.Errorf("%s -want +got:\n%s", test.change.Note(), diff)
		}

		if diff := cmp.Diff(args, changes.Lower(lifted)); diff != "" {
			t.Errorf("%s, the call lowered: -want +got:\n%s", test.change.Note(), diff)
		}

		if isView := test.change.Reversed != nil || test.change.Paged != nil || test.change.Withheld != nil; isView {
			continue
		}

		if diff := cmp.Diff(test.tool, strings.ReplaceAll(changes.Restore(got), "1e+2", "1e2")); diff != "" {
			t.Errorf("%s, restored: -want +got:\n%s", test.change.Note(), diff)
		}
	}
}

func object(t *testing.T, text string) envs.Args {
	t.Helper()

	args, _, err := pytext.DecodeObject(text)
	if err != nil {
		t.Fatal(err)
	}
	return args
}

// Views give the former answer to who asks for it.
func TestViewsGiveTheFormerAnswer(t *testing.T) {
	for _, change := range []silent.Change{reversed, paged} {
		changes := silent.Changes{change}
		call := changes.Lift(object(t, `{"source": "x"}`))

		got, notes := changes.Answer(call, `[1, 2, 3]`)
		if got != `[1, 2, 3]` || notes != nil {
			t.Errorf("%s: %s, %q", change.Note(), got, notes)
		}
	}
}

// A page is as long as a whole number says, however it is written.
func TestPagesOfWholeNumbers(t *testing.T) {
	for said, want := range map[envs.Number]string{
		"5.0": `[1, 2, 3]`, "1e3": `[1, 2, 3]`, "1e300": `[1, 2, 3]`, "1.0": `[1]`, "-2.0": `[]`,
	} {
		call := envs.Object("limit", said)
		if got, _ := (silent.Changes{paged}).Answer(call, `[1, 2, 3]`); got != want {
			t.Errorf("%s items are %s, want %s", said, got, want)
		}
	}
}

// Conditions are recoded where they are about a field.
func TestConditions(t *testing.T) {
	price := silent.Change{Scaled: &silent.Scaled{Where: silent.Where{
		Fields: []string{"Open"}, Conditions: "condition",
	}, Zeros: 2}}
	date := silent.Change{Dated: &silent.Dated{Where: silent.Where{
		Fields: []string{"Date"}, Conditions: "condition",
	}}}

	changes := silent.Changes{price, date}
	call := object(t, `{"condition": "Date>=2020-01-02, Open < 5.5, Close=5.5, name=a=b, Date=none"}`)

	for _, change := range changes {
		if got, ok := silent.ParseNote(change.Note()); !ok || !reflect.DeepEqual(got, change) {
			t.Errorf("%s is read as %+v", change.Note(), got)
		}
	}

	text, _ := changes.Answer(object(t, `{"condition": "Date=17/05/2023"}`), "There is no Date=2023-05-17.")
	if text != "There is no Date=17/05/2023." {
		t.Errorf("the caller reads %s", text)
	}

	lifted := changes.Lift(call)
	want := `{"condition": "Date>=02/01/2020, Open < 550.0, Close=5.5, name=a=b, Date=none"}`

	if diff := cmp.Diff(want, pytext.JSON(lifted)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	if diff := cmp.Diff(call, changes.Lower(lifted)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Conditions may have numbers and times as people write them, and blanks around them. What comes
// back means the same.
func TestConditionsAsPeopleWriteThem(t *testing.T) {
	where := silent.Where{Fields: []string{"Open", "start"}, Conditions: "condition"}
	changes := silent.Changes{
		{Scaled: &silent.Scaled{Where: where, Zeros: 2}}, {Zoned: &silent.Zoned{Where: where, Hours: 3}},
	}

	for call, want := range map[string][2]string{
		"Open>12225 , Open<13000": {"Open>1222500 , Open<1300000", "Open>12225 , Open<13000"},
		"Open>+5":                 {"Open>+500", "Open>+5"},
		"Open>=.5":                {"Open>=50.0", "Open>=0.5"},
		"Open>5. ":                {"Open>500 ", "Open>5 "},
		"Open>., Open>e5":         {"Open>., Open>e5", "Open>., Open>e5"},
		"start>=9:00 AM":          {"start>=12:00:00", "start>=09:00:00"},
		"start<11 pm , start>1pm": {"start<02:00:00 , start>1pm", "start<23:00:00 , start>1pm"},
		"start=12:05 am":          {"start=03:05:00", "start=00:05:00"},
	} {
		lifted := changes.Lift(envs.Object("condition", call))
		lowered := changes.Lower(lifted)

		got, _ := lifted.Text("condition")
		back, _ := lowered.Text("condition")

		if diff := cmp.Diff(want, [2]string{got, back}); diff != "" {
			t.Errorf("%s: lifted and lowered -want +got:\n%s", call, diff)
		}
	}
}

// A note says all that there is to know of a change.
func TestNotes(t *testing.T) {
	blanks := []silent.Change{
		{Renamed: &silent.Renamed{Field: "number of reviews", As: "reviews in all"}},
		{Moved: &silent.Moved{Field: "number of reviews", Into: "more info"}},
		{Quoted: &silent.Quoted{Where: where("number of reviews", "stars")}},
		{Withheld: &silent.Withheld{Field: "number of reviews", Elsewhere: silent.Elsewhere{
			Source: "list", With: []string{"a"}, By: "the id",
		}}},
	}

	for _, change := range slices.Concat(all, blanks) {
		got, ok := silent.ParseNote(change.Note())
		if diff := cmp.Diff(change, got); diff != "" || !ok {
			t.Errorf("%s: %v, -want +got:\n%s", change.Note(), ok, diff)
		}
	}

	for _, text := range []string{"", "duration is longer.", "Error: data: it is called content"} {
		if c, ok := silent.ParseNote(text); ok {
			t.Errorf("%q is read as %+v", text, c)
		}
	}
}

// Only what shows is noted.
func TestNotesOfWhatShows(t *testing.T) {
	changes := silent.Changes{scaled, swapped, renamed}

	_, notes := changes.Answer(object(t, `{"kind": "a"}`), `{"duration": 1}`)
	if diff := cmp.Diff([]string{scaled.Note(), swapped.Note()}, notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	answer, notes := changes.Answer(object(t, `{"kind": "a"}`), `no JSON`)
	if diff := cmp.Diff([]string{swapped.Note()}, notes); diff != "" || answer != "no JSON" {
		t.Errorf("%s, -want +got:\n%s", answer, diff)
	}
}

// Several changes compose, and the way back is that of each, the last first.
func TestComposed(t *testing.T) {
	changes := silent.Changes{scaled, quoted, swapped, dated, renamed, moved}
	tool := `[{"duration": 1.25, "members": 3, "kind": "a", "Date": "2020-02-03", "data": {"members": "4"}}]`

	answer, _ := changes.Answer(nil, tool)
	if answer == tool {
		t.Fatal("nothing has changed")
	}

	if diff := cmp.Diff(tool, changes.Restore(answer)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	for i := range all {
		c := all[i]
		c.Tools = []string{"tool"}

		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", c.Note(), err)
		}
	}

	for name, c := range map[string]silent.Change{
		"no kind":   {Tools: []string{"a"}},
		"two kinds": {Tools: []string{"a"}, Renamed: renamed.Renamed, Moved: moved.Moved},
		"no tool":   {Renamed: renamed.Renamed},
		"no field":  {Tools: []string{"a"}, Quoted: &silent.Quoted{}},
		"no zeros":  {Tools: []string{"a"}, Scaled: &silent.Scaled{Where: where("a")}},
		"to itself": {Tools: []string{"a"}, Renamed: &silent.Renamed{Field: "a", As: "a"}},
		"a value once": {Tools: []string{"a"}, Swapped: &silent.Swapped{
			Where: where("a"), Values: map[string]string{"x": "y", "y": "z"},
		}},
		"no size":   {Tools: []string{"a"}, Paged: &silent.Paged{Parameter: "limit", Value: 5}},
		"no source": {Tools: []string{"a"}, Withheld: &silent.Withheld{Field: "a"}},
	} {
		if c.Check() == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// FuzzScaled: numbers as they are usually written come back, and anything else stays what it is.
func FuzzScaled(f *testing.F) {
	for _, text := range []string{"0", "0.0", "1.5", "-2.25", "100", "0.001", "1e+5", "x", "12.", ".5", "-0"} {
		f.Add(text, 3)
	}

	f.Fuzz(func(t *testing.T, text string, zeros int) {
		zeros = 1 + (zeros%6+6)%6
		changes := silent.Changes{{Scaled: &silent.Scaled{Where: where("x"), Zeros: zeros}}}
		v := envs.Object("x", text)

		once := changes.Lift(v)
		twice := changes.Lift(changes.Lower(once))

		if !reflect.DeepEqual(once, twice) { // who lifts, lowers and lifts again has said the same
			t.Errorf("%v is %v, and then %v", v, once, twice)
		}

		var number float64
		if n, err := fmt.Sscanf(text, "%g", &number); n != 1 || err != nil || fmt.Sprint(number) != text {
			return
		}

		if back := changes.Lower(once); !reflect.DeepEqual(back, v) {
			t.Errorf("%v comes back as %v", v, back)
		}
	})
}
