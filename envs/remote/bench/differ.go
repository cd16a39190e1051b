package bench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
)

// mostDifferences is how many differences of two answers are listed.
const mostDifferences = 5

// difference says where two answers differ: by JSON pointers if both are JSON, or else by the first
// line.
func difference(a, b string) string {
	one, err := pytext.DecodeStrict(a)
	other, wrong := pytext.DecodeStrict(b)

	if err != nil || wrong != nil {
		return differenceOfLines(a, b)
	}

	places := places(one, other, "")
	if more := len(places) - mostDifferences; more > 0 {
		places = append(places[:mostDifferences], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(places, "; ")
}

func differenceOfLines(a, b string) string {
	one, other := strings.Split(a, "\n"), strings.Split(b, "\n")

	i := 0
	for i < min(len(one), len(other)) && one[i] == other[i] {
		i++
	}

	line := func(all []string) string {
		if i == len(all) {
			return "nothing"
		}
		return display.Line(all[i], mostSaid/3)
	}
	return fmt.Sprintf("line %d is %s, and then %s", i+1, line(one), line(other))
}

// places lists where two JSON values differ.
func places(a, b any, at envs.Pointer) (all []string) {
	switch one := a.(type) {
	case envs.Args:
		if other, ok := b.(envs.Args); ok && slices.Equal(one.Names(), other.Names()) {
			for i, m := range one {
				all = append(all, places(m.Value, other[i].Value, at.Add(m.Name))...)
			}
			return all
		}
	case []any:
		if other, ok := b.([]any); ok && len(one) == len(other) {
			for i := range one {
				all = append(all, places(one[i], other[i], at.Add(strconv.Itoa(i)))...)
			}
			return all
		}
	}

	if first, then := pytext.JSON(a), pytext.JSON(b); first != then {
		all = []string{fmt.Sprintf("%s is %s, and then %s", at, display.Line(first, mostSaid/3),
			display.Line(then, mostSaid/3))}
	}
	return all
}
