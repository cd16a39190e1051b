package synth

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"

	"toolevo/envs"
	"toolevo/envs/exact"
	"toolevo/envs/pytext"
)

// numeric are the functions from numbers to numbers.
var numeric = map[string]func(float64) float64{
	"exp": exact.Exp, "log": exact.Log, "sqrt": math.Sqrt, "floor": math.Floor, "abs": math.Abs,
	"sin": math.Sin, "cos": math.Cos, "asin": math.Asin,

	// A minute of some day as the published file writes times: 1425 for 14:25, 2400 for midnight.
	"hhmm": func(minute float64) float64 {
		m := (int(minute)%1440+1439)%1440 + 1
		return float64(m/60*100 + m%60)
	},
}

// functions are the others. Each evaluates those of its arguments that it needs; the package
// comment says what they do.
var functions map[string]func(w *world, args []expr) any

func init() {
	// Not in the declaration: templates call functions, which would be an initialization cycle.
	functions = map[string]func(w *world, args []expr) any{
		// A branch that is not taken is not evaluated, so it draws no random numbers.
		"when": func(w *world, args []expr) any {
			if truth(args[0](w)) {
				return args[1](w)
			}
			return args[2](w)
		},
		"or": func(w *world, args []expr) any {
			for _, a := range args {
				if v := a(w); v != nil {
					return v
				}
			}

			return nil
		},
		"min":   func(w *world, args []expr) any { return w.extreme(args, math.Min) },
		"max":   func(w *world, args []expr) any { return w.extreme(args, math.Max) },
		"pow":   func(w *world, args []expr) any { return exact.Pow(w.number(args[0]), w.number(args[1])) },
		"round": round,

		"chance":      func(w *world, args []expr) any { return w.rng.Float64() < w.number(args[0]) },
		"between":     func(w *world, args []expr) any { return w.between(args) },
		"uniform":     uniform,
		"normal":      func(w *world, _ []expr) any { return max(-3, min(3, w.rng.NormFloat64())) },
		"exponential": func(w *world, _ []expr) any { return w.rng.ExpFloat64() },
		"either":      either,
		"pick":        func(w *world, args []expr) any { return w.pick(args[0](w)) },
		"some":        some,
		"unique":      unique,
		"letters":     letters,
		"fake":        fake,

		"at": func(w *world, args []expr) any {
			l, _ := args[0](w).(*list)
			if i := int(w.number(args[1])); l != nil && i < len(l.items) {
				return w.force(l.items[i])
			}
			return nil
		},
		"find":   find,
		"len":    func(w *world, args []expr) any { return float64(len(args[0](w).(*list).items)) },
		"repeat": repeat,
		"join":   func(w *world, args []expr) any { return w.join(args[0](w).(*list), w.text(args[1])) },

		"upper":   func(w *world, args []expr) any { return strings.ToUpper(w.text(args[0])) },
		"lower":   func(w *world, args []expr) any { return strings.ToLower(w.text(args[0])) },
		"capital": func(w *world, args []expr) any { return capitals(w.text(args[0])) },
		"trim":    func(w *world, args []expr) any { return strings.TrimSpace(w.text(args[0])) },
		"replace": func(w *world, args []expr) any {
			return strings.ReplaceAll(w.text(args[0]), w.text(args[1]), w.text(args[2]))
		},
		"left": func(w *world, args []expr) any {
			runes := []rune(w.text(args[0]))
			return string(runes[:min(len(runes), int(w.number(args[1])))])
		},
		"has":    func(w *world, args []expr) any { return strings.Contains(w.text(args[0]), w.text(args[1])) },
		"format": format,
		"fixed": func(w *world, args []expr) any {
			return pytext.FormatFixed(w.number(args[0]), int(w.number(args[1])))
		},
		"object": object,

		"day": func(w *world, args []expr) any {
			t, err := time.Parse(time.DateOnly, w.text(args[0]))
			if err != nil {
				panic(err)
			}
			return float64(t.Unix() / 86_400)
		},
		// In UTC: the time zone of a machine must not change a corpus.
		"date": func(w *world, args []expr) any {
			return time.Unix(int64(86_400*w.number(args[0])), 0).UTC().Format(w.text(args[1]))
		},
		"clock": func(w *world, args []expr) any {
			return time.Unix(int64(60*w.number(args[0])), 0).UTC().Format(w.text(args[1]))
		},
	}
}

func (w *world) number(e expr) float64 { return number(e(w)) }
func (w *world) text(e expr) string    { return textOf(e(w)) }

// extreme is the least or the greatest number.
func (w *world) extreme(args []expr, choose func(a, b float64) float64) any {
	x := w.number(args[0])
	for _, a := range args[1:] {
		x = choose(x, w.number(a))
	}
	return x
}

func (w *world) between(args []expr) float64 {
	low, high := int(w.number(args[0])), int(w.number(args[1]))
	return float64(low + w.rng.IntN(high-low+1))
}

func uniform(w *world, args []expr) any {
	low, high := w.number(args[0]), w.number(args[1])
	return low + float64((high-low)*w.rng.Float64())
}

// round rounds to the given number of digits.
func round(w *world, args []expr) any {
	unit := 1.0
	if len(args) > 1 {
		unit = math.Pow(10, w.number(args[1]))
	}
	return math.Round(w.number(args[0])*unit) / unit
}

// either draws one of the values, each of which follows its weight.
func either(w *world, args []expr) any {
	sum := 0.0
	for i := 0; i < len(args); i += 2 {
		sum += w.number(args[i])
	}

	x := w.rng.Float64() * sum
	for i := 0; i < len(args)-2; i += 2 {
		if x -= w.number(args[i]); x < 0 {
			return args[i+1](w)
		}
	}

	return args[len(args)-1](w)
}

// find returns the record of a list whose field has a value.
func find(w *world, args []expr) any {
	field, value := w.text(args[1]), args[2](w)
	for _, item := range args[0](w).(*list).items {
		if r := item.(*record); r.values[field] == value {
			return r
		}
	}

	return nil
}

// some draws up to n different items of a list, in any order.
func some(w *world, args []expr) any {
	n, l := int(w.number(args[0])), args[1](w).(*list)
	chosen := &list{}

	for _, i := range w.rng.Perm(len(l.items))[:min(n, len(l.items))] {
		chosen.items = append(chosen.items, w.force(l.items[i]))
	}
	return chosen
}

// unique draws texts until one is new among those of the same kind.
func unique(w *world, args []expr) any {
	kind := w.text(args[0])
	for {
		v := args[1](w)
		if key := [2]string{kind, textOf(v)}; !w.taken[key] {
			w.taken[key] = true
			return v
		}
	}
}

func letters(w *world, args []expr) any {
	alphabet, n := w.text(args[0]), int(w.number(args[1]))
	drawn := make([]byte, n)

	for i := range drawn {
		drawn[i] = alphabet[w.rng.IntN(len(alphabet))]
	}
	return string(drawn)
}

// fake calls a function of gofakeit.
func fake(w *world, args []expr) any {
	name := w.text(args[0])

	info := gofakeit.GetFuncLookup(name)
	if info == nil {
		panic("gofakeit has no " + name)
	}

	v, err := info.Generate(w.fake, gofakeit.NewMapParams(), info)
	if err != nil {
		panic(err)
	}
	return fmt.Sprint(v)
}

// repeat makes a list by evaluating a value that many times.
func repeat(w *world, args []expr) any {
	l := &list{}
	for range int(w.number(args[0])) {
		l.items = append(l.items, args[1](w))
	}
	return l
}

func (w *world) join(l *list, separator string) string {
	texts := make([]string, len(l.items))
	for i, item := range l.items {
		texts[i] = textOf(w.force(item))
	}
	return strings.Join(texts, separator)
}

// capitals begins every word of a name with a capital, also where words are run together.
func capitals(s string) string {
	var b strings.Builder
	before := ' '

	for _, r := range s {
		switch {
		case before == ' ':
			r = []rune(strings.ToUpper(string(r)))[0]
		case before >= 'a' && before <= 'z' && r >= 'A' && r <= 'Z':
			b.WriteByte(' ')
		}

		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// format is fmt.Sprintf; whole numbers are ints to it.
func format(w *world, args []expr) any {
	var values []any

	for _, a := range args[1:] {
		v := a(w)
		if f, ok := v.(float64); ok && f == math.Trunc(f) {
			v = int(f)
		}

		values = append(values, v)
	}
	return fmt.Sprintf(w.text(args[0]), values...)
}

// object makes a dict as Python prints it, from a list of keys and the value of each. A key whose
// value is missing is left out, and so is a repeated one.
func object(w *world, args []expr) any {
	var o envs.Args

	keys, values := args[0](w).(*list), args[1]
	for _, k := range keys.items {
		key := textOf(w.force(k))
		w.vars[w.names["key"]] = key

		_, twice := o.Get(key)
		if v := values(w); v != nil && !twice {
			o = append(o, envs.Arg{Name: key, Value: v})
		}
	}

	return pytext.Repr(slices.Clip(o))
}
