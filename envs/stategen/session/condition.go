package session

import (
	"math/rand/v2"
	"slices"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Condition implements [stategen.Schema]: a member of what the newest list has, or how long it is, that its query did
// not decide.
func (s *schema) Condition(rng *rand.Rand) (t stategen.Test, constant stategen.Variable, ok bool) {
	r, ok := s.newest()
	if !ok {
		return t, constant, false
	}

	s.used[r.name] = true
	list := s.values[r.name].([]any)
	constant = stategen.Variable{Name: "user_constant_0", Role: stategen.Constant, Type: "a text"}
	t.Right = stategen.Var(constant.Name)

	v, _ := list[0].(envs.Args).Get("data")
	open := slices.DeleteFunc(v.(envs.Args).Names(), func(key string) bool { return key == r.key })

	if len(open) == 0 || len(list) > 1 && rng.IntN(4) == 0 {
		constant.Type = "a number"
		t.Left = stategen.Expr{Func: stategen.Length, List: []stategen.Expr{stategen.Var(r.name)}}

		return t, constant, true
	}

	part := []string{"data", pick(rng, open)}

	if len(list) > 1 && rng.IntN(2) == 0 {
		t.Left, t.Any = stategen.Var(r.name), part
		return t, constant, true
	}

	t.Left = stategen.Var(r.name, append([]string{"0"}, part...)...)

	return t, constant, true
}
