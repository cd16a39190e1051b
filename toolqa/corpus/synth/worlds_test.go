package synth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"toolevo/toolqa"
)

// Every description can be read, and every variable that it uses has a value somewhere.
func TestWorldsAreComplete(t *testing.T) {
	for _, ds := range toolqa.Datasets() {
		t.Run(string(ds), func(t *testing.T) {
			if _, err := worlds.ReadFile("worlds/" + string(ds) + ".yaml"); err != nil {
				t.Skip(err)
			}

			w := newWorld(ds, rand.New(rand.NewPCG(1, 2)), 1_000)
			for i := range 100 {
				w.make(i)
			}

			made := []string{"topic", "title", "task", "method", "material", "metric", "score", "list", "low", "high"}

			set := map[int]bool{0: true, 1: true, 2: true, w.slot("count"): true, w.slot("accept"): true}
			for _, a := range w.first {
				set[a.slot] = true
			}

			for slot := range w.words {
				set[slot] = true
			}

			for _, table := range w.tables {
				set[table.slot] = true
				for _, a := range table.row {
					set[a.slot] = true
				}
			}

			for _, a := range w.row {
				set[a.slot] = true
			}

			for name, slot := range w.names {
				if !set[slot] && (w.row != nil && name != "topic" || !slices.Contains(made, name)) {
					t.Errorf("%s has no value", name)
				}
			}
		})
	}
}

func TestExpressions(t *testing.T) {
	w := &world{description: &description{names: names{"key": 0, "l": 1, "r": 2}}, rng: rand.New(rand.NewPCG(1, 2))}
	w.vars = []any{nil, newList([]any{"a", "b"}), &record{values: map[string]any{"x": 3.0}}}

	for text, want := range map[string]any{
		"1 + 2 * 3":                       7.0,
		"-5 % 3":                          1.0,
		"missing + 1":                     nil,
		`"a" + 1.5`:                       "a1.5",
		"r.x * 2":                         6.0,
		"r.y":                             nil,
		"at(l, 1)":                        "b",
		"at(l, 2)":                        nil,
		`when(2 > 1 && !false, "y", "n")`: "y",
		"or(r.y, r.x)":                    3.0,
		"between(4, 4)":                   4.0,
		`"<{r.x}-{at(l, 0)}>"`:            "<3-a>",
		`capital("red fox, bigCat")`:      "Red Fox, Big Cat",
		`object(l, key == "a")`:           "{'a': True, 'b': False}",
		`object(l, when(key == "a", missing, "1"))`: "{'b': '1'}",
		"hhmm(0)":                            2400.0,
		"hhmm(-61)":                          2259.0,
		"hhmm(1500)":                         100.0,
		"unique(1, min(2, 1))":               1.0,
		`date(day("2022-02-28") + 1, "1/2")`: "3/1",
		`clock(870, "3:04 PM")`:              "2:30 PM",
		`join(repeat(2, "x"), "-")`:          "x-x",
		`format("%02d", 3)`:                  "03",
		`round(2.345, 2) + len(l)`:           4.35,
		`left("äbc", 2) + lower("X")`:        "äbx",
	} {
		w.taken = map[[2]string]bool{}
		if got := w.compile(text)(w); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}

	for _, text := range []string{"1 +", "nothing(1)", "a[1:2]", "1 << 2"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is an expression", text)
				}
			}()

			w.compile(text)
		}()
	}
}

func TestWeights(t *testing.T) {
	w := &world{rng: rand.New(rand.NewPCG(1, 2))}
	drawn := map[string]int{}
	r := &record{names: []string{"a", "b", "c"}, values: map[string]any{"a": 1.0, "b": 0.0, "c": 3.0}}
	r.sums = sumUp(r.names, func(name string) float64 { return number(r.values[name]) })

	for range 10_000 {
		drawn[w.pick(r).(string)]++
	}

	if drawn["b"] != 0 || drawn["a"] < 2_200 || drawn["a"] > 2_800 {
		t.Errorf("weights 1, 0, 3 are drawn %v times", drawn)
	}
}
