package toolapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// Items of a list are parameters from the first one on, without a gap; none is an empty list, or no
// text.
func TestEnumerated(t *testing.T) {
	t.Parallel()

	args := func(pairs ...any) envs.Args {
		all := envs.Args{}
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, envs.Arg{Name: pairs[i].(string), Value: pairs[i+1]})
		}
		return all
	}
	list := toolapi.Enumerated{Item: "tag", To: "tags", Most: 3}
	text := toolapi.Enumerated{Item: "tag", To: "tags", Most: 3, Text: true}

	for name, test := range map[string]struct {
		adapter        toolapi.Enumerated
		deployed, tool envs.Args
	}{
		"items":    {list, args("x", "y", "tag1", "a", "tag2", nil), args("x", "y", "tags", []any{"a", nil})},
		"no items": {list, args("x", "y"), args("x", "y", "tags", []any{})},
		"texts":    {text, args("tag1", "a", "tag2", "b"), args("tags", "a, b")},
		"the most": {text, args("tag1", "a", "tag2", "b", "tag3", "c"), args("tags", "a, b, c")},
		"no text":  {text, args("x", "y"), args("x", "y")},
		"an empty": {text, args("tag1", ""), args("tags", "")},
	} {
		lowered, wrong := test.adapter.Lower(test.deployed)
		if diff := cmp.Diff(test.tool, lowered); wrong != nil || diff != "" {
			t.Errorf("%s: lowered (%v):\n%s", name, wrong, diff)
		}

		lifted, err := test.adapter.Lift(test.tool)
		if diff := cmp.Diff(test.deployed, lifted); err != nil || diff != "" {
			t.Errorf("%s: lifted (%v):\n%s", name, err, diff)
		}
	}

	for name, wrong := range map[string]envs.Args{
		"a gap":        args("tag1", "a", "tag3", "c"),
		"not a text":   args("tag1", 7),
		"only a later": args("tag2", "b"),
	} {
		if lowered, err := text.Lower(wrong); err == nil {
			t.Errorf("%s becomes %v", name, lowered)
		}
	}

	for name, call := range map[string]envs.Args{
		"too many": args("tags", "a, b, c, d"), "a list for a text": args("tags", []any{"a"}),
	} {
		if lifted, err := text.Lift(call); err == nil {
			t.Errorf("%s becomes %v", name, lifted)
		}
	}
}
