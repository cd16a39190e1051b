package pytext

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"toolevo/envs"
)

// AppendCanonical appends AppendJSON(v) with the members of objects sorted by name, and with one
// spelling of each number: values that mean the same give the same text.
func AppendCanonical(dst []byte, v any) []byte { return AppendJSON(dst, sorted(v)) }

func sorted(v any) any {
	byName := func(a, b envs.Arg) int { return cmp.Compare(a.Name, b.Name) }
	return envs.Map(v, func(part any) (any, bool) {
		switch part := part.(type) {
		case envs.Args:
			object := slices.Clone(part)
			slices.SortFunc(object, byName)
			return object, false
		case envs.Number:
			return spelled(part), true
		}
		return part, false
	})
}

// spelled returns a number in one spelling: an integer in digits, whatever its length, and else the
// shortest text.
func spelled(n envs.Number) envs.Number {
	if !strings.ContainsAny(string(n), ".eENI") {
		if i, ok := new(big.Int).SetString(string(n), 10); ok {
			return envs.Number(i.String())
		}
	}

	f, ok := ParseFloat(string(n))

	switch {
	case !ok || math.IsInf(f, 0) || math.IsNaN(f):
		return n
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return envs.Number(big.NewInt(int64(f)).String())
	}

	return envs.Number(FormatFloat(f))
}
