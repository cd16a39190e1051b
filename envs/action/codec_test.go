package action

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
)

// calls draws calls that every codec can write.
func calls() *rapid.Generator[envs.Call] {
	return rapid.Custom(func(t *rapid.T) envs.Call {
		name := rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_ .]{0,20}[a-z]`).Draw(t, "name")
		return envs.Call{Name: name, Args: object(t, 3)}
	})
}

func object(t *rapid.T, depth int) envs.Args {
	args := envs.Args{}
	for _, name := range rapid.SliceOfNDistinct(rapid.String(), 0, 4, rapid.ID).Draw(t, "names") {
		args = append(args, envs.Arg{Name: name, Value: value(t, depth)})
	}
	return args
}

func value(t *rapid.T, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}

	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return envs.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "n"))
	case 3:
		return rapid.String().Draw(t, "text")
	case 4:
		return object(t, depth-1)
	}

	list := []any{}
	for range rapid.IntRange(0, 3).Draw(t, "length") {
		list = append(list, value(t, depth-1))
	}
	return list
}

// callsOf generates calls that a codec can hold: a program is the answer to a task.
func callsOf(codec Codec) *rapid.Generator[envs.Call] {
	switch codec {
	case Tools{}:
		return rapid.Custom(func(t *rapid.T) envs.Call {
			return envs.Call{Name: rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`).Draw(t, "name"), Args: object(t, 3)}
		})
	case Python{}:
	default:
		return calls()
	}

	return rapid.Custom(func(t *rapid.T) envs.Call {
		code := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(" {0,4}`{0,5}[a-z]{0,2}")))
		return call(envs.FinishTool, "answer", strings.Join(code.Draw(t, "lines"), "\n"))
	})
}

func TestFormatIsReadBack(t *testing.T) {
	for _, codec := range Codecs() {
		t.Run(codec.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := callsOf(codec).Draw(t, "call")
				thought := rapid.StringMatching(`[^:{]*`).Draw(t, "thought")
				text := codec.Format(thought, want)

				got, err := codec.Parse(text)
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Fatalf("%q: %v\n%s", text, err, diff)
				}

				if got, want := Key(codec, text), Canonical(want); got != want {
					t.Fatalf("the key of %q is %q, want %q", text, got, want)
				}

				if got, want := codec.Thought(text), strings.TrimSpace(thought); got != want {
					t.Fatalf("the thought of %q is %q, want %q", text, got, want)
				}
			})
		})
	}
}

// A key is not the text of a call, so no action can pass for another by writing its key.
func TestKeysTellCallsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := calls().Draw(t, "a"), calls().Draw(t, "b")
		if (Canonical(a) == Canonical(b)) != cmp.Equal(a, b) {
			t.Fatalf("%q and %q", Canonical(a), Canonical(b))
		}

		for _, codec := range Codecs() {
			if Key(codec, Canonical(a)) == Canonical(a) {
				t.Fatalf("the text %q passes for a call", Canonical(a))
			}
		}
	})
}
