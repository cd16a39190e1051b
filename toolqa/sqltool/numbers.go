package sqltool

import (
	"math"
	"strconv"
	"strings"

	"toolevo/envs/exact"
	"toolevo/envs/pytext"
)

// numberFunctions are functions of numbers. FLOOR and CEIL give whole numbers, and FORMAT is
// MySQL's: 1234.5 with one digit is "1,234.5".
func numberFunctions() map[string]function {
	all := map[string]function{
		"floor":   takes(1, func(a []any) any { return rounded(a[0], math.Floor) }),
		"ceil":    takes(1, func(a []any) any { return rounded(a[0], math.Ceil) }),
		"ceiling": takes(1, func(a []any) any { return rounded(a[0], math.Ceil) }),
		"trunc":   takes(1, func(a []any) any { return rounded(a[0], math.Trunc) }),
		"nearest_whole": takes(1, func(a []any) any { // of CAST
			if x, ok := a[0].(float64); ok {
				return math.Round(x)
			}
			return a[0]
		}),
		"round_tens": takes(2, func(a []any) any { // of ROUND, before the decimal point
			tens := math.Pow10(-int(max(wholeOf(a[1]), -308)))
			return finite(float64(math.Round(realOf(a[0])/tens) * tens))
		}),
		"truncate": takes(2, func(a []any) any { return truncate(a[0], wholeOf(a[1])) }),
		"pow":      takes(2, func(a []any) any { return finite(exact.Pow(realOf(a[0]), realOf(a[1]))) }),
		"power":    takes(2, func(a []any) any { return finite(exact.Pow(realOf(a[0]), realOf(a[1]))) }),
		"mod":      takes(2, mod),
		"pi":       takes(0, func([]any) any { return math.Pi }),
		"atan2":    takes(2, func(a []any) any { return finite(math.Atan2(realOf(a[0]), realOf(a[1]))) }),
		"log":      takesTo(1, 2, logarithm),
		"format":   takes(2, func(a []any) any { return grouped(realOf(a[0]), wholeOf(a[1])) }),
		"radians":  takes(1, func(a []any) any { return finite(realOf(a[0]) * (math.Pi / 180)) }),
		"degrees":  takes(1, func(a []any) any { return finite(realOf(a[0]) * (180 / math.Pi)) }),
	}
	for name, f := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": exact.Exp, "ln": exact.Log, "log2": exact.Log2, "log10": exact.Log10, "sin": math.Sin,
		"cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	} {
		all[name] = takes(1, func(a []any) any { return finite(f(realOf(a[0]))) })
	}

	return all
}

// rounded returns a number rounded by to, as an integer if it fits one.
func rounded(v any, to func(float64) float64) any {
	if n, ok := v.(int64); ok {
		return n
	}

	f := to(realOf(v))
	if math.Abs(f) >= 1<<63 {
		return finite(f)
	}
	return int64(f)
}

// truncate cuts a number after the given number of decimal digits, or, if that is negative, before
// the decimal point. The digits are those the number is written with, not those of its binary form.
func truncate(v any, digits int64) any {
	s := strconv.FormatFloat(realOf(v), 'f', -1, 64)
	if n, ok := v.(int64); ok {
		s = strconv.FormatInt(n, 10)
	}

	point := strings.IndexByte(s, '.')
	if point < 0 {
		point = len(s)
	}

	if digits >= int64(len(s)-point) {
		return v
	}

	if digits < 0 {
		kept := max(int64(point)+digits, 0)
		s = s[:kept] + strings.Repeat("0", point-int(kept))
	} else {
		s = s[:point+1+int(digits)]
	}

	f, _ := leadingNumber(s) // nothing is left of a number that is smaller
	if _, ok := v.(int64); ok && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return finite(f)
}

// mod is the remainder, with the sign of the dividend; NULL for the divisor 0.
func mod(a []any) any {
	x, ok1 := a[0].(int64)

	y, ok2 := a[1].(int64)
	if ok1 && ok2 {
		if y == 0 {
			return nil
		}

		if y == -1 {
			return int64(0)
		}
		return x % y
	}
	return finite(math.Mod(realOf(a[0]), realOf(a[1])))
}

// logarithm is LOG(x), the natural one, or LOG(base, x).
func logarithm(a []any) any {
	if len(a) == 1 {
		return finite(exact.Log(realOf(a[0])))
	}
	return finite(exact.Log(realOf(a[1])) / exact.Log(realOf(a[0])))
}

// grouped writes a number with the given number of decimal digits and a comma before every third
// digit of its whole part.
func grouped(f float64, digits int64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}

	s := pytext.FormatFixed(f, int(min(max(digits, 0), 30)))

	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}

	point := strings.IndexByte(s, '.')
	if point < 0 {
		point = len(s)
	}
	var b strings.Builder

	for i := range s {
		if i > 0 && i < point && (point-i)%3 == 0 {
			b.WriteByte(',')
		}

		b.WriteByte(s[i])
	}
	return sign + b.String()
}
