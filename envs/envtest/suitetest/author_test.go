package suitetest

import (
	"slices"
	"testing"

	"toolevo/envs"
)

const listed = `The tools are:

(1) look[field, value, place, dims, ids[]], which finds things.
    field (string, optional): data. and a key, e.g. data.title
    value (string, optional): a text
    place (string, optional): in the form of "Town[Bath], Street[High]"
    dims (array of integer, optional): 0 is the first
    ids[] (string, optional)
(2) Finish[answer], which ends.

Follow these guidelines:
1. Name tools as listed. (3) hidden[x]
`

// An author knows what was said as it was said, and the forms of examples, and nothing else.
func TestAuthor(t *testing.T) {
	t.Parallel()

	a := &Author{
		Tools: Listed(listed), Read: []string{`Find "Green tea" with 12 members, in a \"cup\", at f"/api/{id}/x".`, "title"},
		Known: map[string]bool{"select": true, "from": true},
	}

	for _, test := range []struct {
		call    envs.Call
		missing []string
	}{
		{call("Finish", "answer", "tea"), nil},
		{envs.Call{Name: "Finish"}, []string{"Finish: that answer may be left out"}},
		{call("hidden", "x", "tea"), []string{"the tool hidden"}},
		{call("look", "of", "tea"), []string{"look: the parameter of"}},
		{call("look", "field", "data.members"), nil},
		{call("look", "ids[]", "title"), nil},
		{call("look", "ids", "title"), []string{"look: the parameter ids"}},
		{call("look", "field", "members"), nil},
		{call("look", "field", "data.colour"), []string{`look: field: "data.colour"`}},
		{call("look", "field", "info.members"), []string{`look: field: "info.members"`}},
		{call("look", "value", "Green"), nil},
		{call("look", "value", "Gree"), []string{`look: value: "Gree"`}},
		{call("look", "value", `a "cup"`), nil},
		{call("look", "place", "Town[12], Street[Green tea]"), nil},
		{call("look", "place", "Town[12], Street[Black tea]"),
			[]string{`look: place: "Town[12], Street[Black tea]"`}},
		{call("look", "place", "Place[12]"), []string{`look: place: "Place[12]"`}},
		{envs.Call{Name: "look", Args: envs.Object("dims", []any{envs.Number("12.0"), envs.Number("0")})}, nil},
		{envs.Call{Name: "look", Args: envs.Object("dims", []any{envs.Number("2")})}, []string{"look: dims: 2"}},
		{envs.Call{Name: "look", Args: envs.Object("value", envs.Object("title", nil, "size", true))},
			[]string{"look: value: null", "look: value: the member size"}},
	} {
		if got := a.Call(test.call); !slices.Equal(got, test.missing) {
			t.Errorf("%v: %q, want %q", test.call, got, test.missing)
		}
	}

	for program, missing := range map[string][]string{
		"SELECT title FROM tea WHERE members = 12": {"look: WHERE"},
		"SELECT title FROM 'Green tea'":            nil,
		"'SELECT title FROM tea'":                  nil,
		"mine = 'title.members'":                   {"look: 'title.members'"},
		"SELECT title FROM 'Black tea'":            {"look: 'Black tea'"},
		"mine = 'data.members'":                    nil,
		`"/api/{mine['title']}/x"`:                 nil,
		`"/api/{mine['colour']}/x"`:                {`look: "/api/{mine['colour']}/x"`},
		`"/x/{mine}/api"`:                          {`look: "/x/{mine}/api"`},
		`members == "[.]"`:                         {`look: "[.]"`},
	} {
		if got := a.Code("look", program, "mine"); !slices.Equal(got, missing) {
			t.Errorf("%s: %q, want %q", program, got, missing)
		}
	}
}

// A notice makes its tool known by the new name, and says what the document of the old one did not.
func TestAuthorLearns(t *testing.T) {
	t.Parallel()

	versions, err := (Shop{}).Versions("")
	if err != nil {
		t.Fatal(err)
	}

	deployed, err := versions.Version("new")
	if err != nil {
		t.Fatal(err)
	}

	d, _ := deployed.Deprecation("Price")
	a := &Author{Tools: Listed("(1) Price[item], which returns the price."), Read: []string{"What is a melon?"}}
	quote := call("Quote", "article", "melon")

	if got := a.Call(quote); !slices.Equal(got, []string{"the tool Quote"}) {
		t.Errorf("before the notice %q is missing", got)
	}

	if a.Learn(d, "Invalid Action.") || !a.Learn(d, d.Notice()) {
		t.Error("the notice and nothing else is to be learned")
	}

	if got := a.Call(quote); got != nil {
		t.Errorf("after the notice %q is missing", got)
	}
}
