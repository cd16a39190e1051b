package session

import (
	"math/rand/v2"
	"slices"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Condition implements [stategen.Schema]: it compares a member of the newest list's sessions that
// the list's query did not decide, or the list's length.
func (s *schema) Condition(rng *rand.Rand) (t stategen.Test, constant stategen.Variable, ok bool) {
	r, ok := s.newest()
	if !ok {
		return t, constant, false
	}

	s.used[r.name] = true
	list := s.Values[r.name].([]any)
	data := list[0].(envs.Args).Object("data")
	open := slices.DeleteFunc(data.Names(), func(key string) bool { return key == r.key })

	if len(open) == 0 || len(list) > 1 && rng.IntN(4) == 0 {
		length := stategen.Expr{Func: stategen.Length, List: []stategen.Expr{stategen.Var(r.name)}}
		return stategen.Compared("a number", length)
	}

	key := stategen.Pick(rng, open)
	part := []string{"data", key}

	if len(list) > 1 && rng.IntN(2) == 0 {
		return stategen.Compared(typeOf(key), stategen.Var(r.name), part...)
	}
	return stategen.Compared(typeOf(key), stategen.Var(r.name, append([]string{"0"}, part...)...))
}
