package toolapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// several has a tool of two APIs, two tools of one name, and lacks a tool.
const several = `
version: next
deprecates: [then]
removed: [{tool: Now, source: Note, with: [text], by: id}]
apis:
  - name: Forecast
    parameters:
      - {name: city, type: string, minLength: 2, examples: [Oslo]}
      - {name: unit, enum: [celsius, kelvin], optional: true}
    notice: {example: '{"city": "Oslo"}'}
  - name: ForecastOfDays
    tool: Forecast
    parameters:
      - {name: city, type: string, minLength: 2, examples: [Oslo]}
      - {name: days, type: integer, minimum: 1, maximum: 14}
      - {name: unit, enum: [celsius, kelvin], optional: true}
    notice: {example: '{"city": "Oslo", "days": 3}'}
  - name: Do
    tool: Find
    parameters:
      type: object
      properties:
        where: {type: object}
        limit: {type: [integer, "null"]}
        tags: {type: array, items: {type: string}}
        what: {enum: [find]}
      required: [where, tags, what]
    adapters: [{chosen: {parameter: what, value: find}}]
    notice: {example: '{"where": {"op": "="}, "tags": [], "what": "find"}'}
  - name: Do
    tool: Note
    parameters: [text, {name: tag, optional: true}, {name: what, enum: [note]}]
    adapters: [{chosen: {parameter: what, value: note}}]
    notice: {example: '{"text": "a", "what": "note"}'}
` + systemTools

func severalVersions(t *testing.T) (then, next *toolapi.Version) {
	t.Helper()

	c, err := typed(t, typedBase, several)
	if err != nil {
		t.Fatal(err)
	}

	then, next, err = c.Pair("then", "next")
	if err != nil {
		t.Fatal(err)
	}
	return then, next
}

// Each call of a tool is one of the API that takes it, and comes back as it was.
func TestCallsOfSeveralAPIs(t *testing.T) {
	t.Parallel()

	_, next := severalVersions(t)

	for _, test := range []struct{ tool, call, name, lifted string }{
		{"Forecast", `{"city": "Oslo"}`, "Forecast", `{"city": "Oslo"}`},
		{"Forecast", `{"city": "Oslo", "unit": "kelvin"}`, "Forecast", `{"city": "Oslo", "unit": "kelvin"}`},
		{"Forecast", `{"city": "Oslo", "days": 2}`, "ForecastOfDays", `{"city": "Oslo", "days": 2}`},
		{"Find", `{"where": {"op": "<"}, "tags": []}`, "Do", `{"where": {"op": "<"}, "tags": [], "what": "find"}`},
		{"Note", `{"text": "a", "tag": "b"}`, "Do", `{"text": "a", "tag": "b", "what": "note"}`},
	} {
		call, _, err := pytext.DecodeObject(test.call)
		if err != nil {
			t.Fatal(err)
		}

		name, lifted, err := next.Lift(test.tool, call)
		if err != nil || name != test.name || pytext.JSON(lifted) != test.lifted {
			t.Errorf("%s%s becomes %s%s, %v", test.tool, test.call, name, pytext.JSON(lifted), err)
			continue
		}

		api, _ := next.Called(name, lifted)

		lowered, wrong := api.Lower(lifted)
		if wrong != nil || api.Tool != test.tool || pytext.JSON(lowered) != test.call {
			t.Errorf("%s%s means %s%s, %v", name, pytext.JSON(lifted), api.Tool, pytext.JSON(lowered), wrong)
		}
	}

	if _, _, err := next.Lift("Now", nil); err == nil || !strings.Contains(err.Error(), `no tool "Now"`) {
		t.Errorf("a tool that is gone: %v", err)
	}

	api, _ := next.Called("Do", envs.Object("text", "a"))
	if _, wrong := api.Lower(envs.Object("text", "a")); wrong == nil {
		t.Error("a call that chooses nothing is taken")
	}
}

// Documents show what has one name as one API.
func TestShown(t *testing.T) {
	t.Parallel()

	_, next := severalVersions(t)

	var names []string
	for _, a := range toolapi.Shown(next.APIs) {
		names = append(names, a.Signature())
	}

	if diff := cmp.Diff([]string{
		"Forecast[city, unit]", "ForecastOfDays[city, days, unit]", "Do[where, limit, tags, text, tag, what]",
		"Finish[answer]", "UpdateTool[newtool_desc]",
	}, names); diff != "" {
		t.Error(diff)
	}

	do, _ := next.API("Do")

	want := `{"type": "object", "properties": {"where": {"type": "object"}, "limit": {"type": ["integer", "null"]}, ` +
		`"tags": {"type": "array", "items": {"type": "string"}}, "text": {}, "tag": {}, ` +
		`"what": {"type": "string", "enum": ["find", "note"]}}, "required": ["what"]}`
	if got := pytext.JSON(do.Schema()); got != want {
		t.Errorf("the schema is %s", got)
	}

	if want := `Does several things. what "find": Finds. what "note": Notes.`; do.Sentence() != want {
		t.Errorf("the document says %s", do.Sentence())
	}
}

// A notice names every API that has taken over, and what has the answer of a tool that is gone.
func TestNoticesOfSeveralAPIs(t *testing.T) {
	t.Parallel()

	then, next := severalVersions(t)

	days, ok := next.Outdated("Forecast", envs.Object("city", "Oslo", "days", envs.Number("2")))
	if want := `Forecast is Forecast. Or use ForecastOfDays[city, days, unit], param example: ` +
		`{"city": "Oslo", "days": 3}.`; !ok || days.Notice() != want {
		t.Errorf("the notice of a part is %q", days.Notice())
	}

	for name, want := range map[string]string{
		"Note": "Note is Do.", "Now": "Error: Now[] was removed. Note[text] has it, by id.",
	} {
		if d, ok := next.Deprecation(name); !ok || d.Notice() != want || d.PublishedNotice() != want {
			t.Errorf("the notice of %s is %q", name, d.Notice())
		}
	}

	for tool, touched := range map[string]bool{
		"Forecast": true, "Find": true, "Note": true, "Now": true, "Finish": false,
	} {
		a, _ := then.ForTool(tool)
		if next.Touches(a) != touched || next.Lacks(tool) != (tool == "Now") {
			t.Errorf("%s: touched is %v, lacking %v", tool, next.Touches(a), next.Lacks(tool))
		}
	}
}

// A version of which nobody could tell what a call means, or that loses a tool without a word, is
// not whole.
func TestSeveralThatAreNotWhole(t *testing.T) {
	t.Parallel()

	for _, test := range []struct{ old, new, want string }{
		{"value: note", "value: find", "the name is exposed twice, and no argument chooses"},
		{"{parameter: what, value: note}", "{parameter: text, value: note}", "no argument chooses"},
		{"name: Do\n    tool: Note", "name: Forecast\n    tool: Note", "no argument chooses"},
		{"value: note}", "value: ''}", "chosen wants a parameter and a value"},
		{"tool: Now", "tool: Find", "removed: Find is no tool of then, or exposed"},
		{"tool: Now", "tool: Later", "removed: Later is no tool of then"},
		{"source: Note", "source: Now", "removed: Now is not exposed"},
		{"removed:", "about: x # ", "the tool Now is not exposed"},
		{"{name: days, type: integer, minimum: 1, maximum: 14}\n      - {name: unit, enum: [celsius, kelvin], " +
			"optional: true}\n    notice: {example: '{\"city\": \"Oslo\", \"days\": 3}'}",
			"{name: night, type: integer}", "it takes no call"},
	} {
		changed := strings.Replace(several, test.old, test.new, 1)
		if changed == several {
			t.Fatalf("%q is not in the file", test.old)
		}

		if _, err := typed(t, typedBase, changed); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.new, err, test.want)
		}
	}
}
