package stateeval

import (
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
)

// checkRun returns how a run differs from what a case says.
func checkRun(d stategen.Domain, run code.Run, c TestCase) error {
	if v := run.Verdict; !v.Passed() {
		return fmt.Errorf("the program fails (%s, line %d): %s", v.Cause, v.Line, v.Text)
	}

	want, left := c.Result.Any, d.Same(run.Effects, c.StateOracle.Any)

	switch d.Name() {
	case Session:
		want, left = d.Content(nil, want), leaves(d, run.Effects, c.StateOracle.Any)
	case Voice:
		want, left = speeches(want), d.Same(run.Effects, recorder(c.StateOracle.Any))
	case Tensor:
		if t, err := tensorOf(want); err == nil {
			want = t
		}
	}

	switch {
	case !left:
		return fmt.Errorf("the calls leave %.200s, the case says %.200s", plain(run.Effects),
			plain(c.StateOracle.Any))
	case !d.Same(run.Content, want):
		return fmt.Errorf("RESULT is %.200s, the case says %.200s", plain(run.Content), plain(want))
	}

	return nil
}

// leaves reports whether the service holds what a case says of each source and type that it names.
func leaves(d stategen.Domain, effects, oracle any) bool {
	got := byPair(entries(effects))
	pairs, _ := d.Content(nil, oracle).(envs.Args)
	return !slices.ContainsFunc(pairs, func(pair envs.Arg) bool {
		list, _ := got.Get(pair.Name)
		all, _ := list.([]any)
		return !anyOrder.Same(append([]any{}, all...), pair.Value)
	})
}

var anyOrder = stategen.Comparison{Loose: func(string) bool { return true }}

// recorder returns the phone calls of a case, which are pairs there.
func recorder(oracle any) any {
	calls := []any{}

	list, _ := oracle.([]any)
	for _, item := range list {
		if pair, _ := item.([]any); len(pair) == 2 {
			calls = append(calls, envs.Object("speech", speeches(pair[0]), "voice_name", pair[1]))
		}
	}

	return calls
}

// plain writes a content for people.
func plain(content any) string { return pytext.JSON(December.written(content)) }
