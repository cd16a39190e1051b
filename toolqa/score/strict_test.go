package score

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
)

func TestStrict(t *testing.T) {
	tests := []struct {
		name            string
		gold, predicted string
		want            bool
	}{
		{"equal", "bullish", "bullish", true},
		{"case, article, full stop", "bullish", "The Bullish.", true},
		{"other word", "bullish", "bearish", false},
		{"unit left out", "90.2 minutes", "90.2", true},
		{"lower-case usd", "138.4 usd", "138.40", true},
		{"usd and dollar sign", "138.4 USD", "$138.4", true},
		{"dollar sign and comma", "$1,152", "1152", true},
		{"thousands", "1,152,000.50", "1152000.5", true},
		{"negative money", "-$5", "$-5", true},
		{"negative money, sign lost", "-$5", "$5", false},
		{"other unit", "3 minutes", "3 hours", false},
		{"singular unit", "1 minute", "1 minutes", true},
		{"unknown unit", "4", "4 Privet Drive", false},
		{"percentage without sign", "2.79%", "2.79", true},
		{"percentage in words", "2.79%", "2.79 percent", true},
		{"percentage and money", "2.79%", "$2.79", false},
		{"fraction", "0.14", "14%", false},
		{"sign of a percentage", "2.79%", "-2.79%", false},
		{"sign", "-10.0", "10.0", false},
		{"Unicode minus", "-10.0", "−10", true},
		{"plus", "+10", "10", true},
		{"point", "1.5", "15", false},
		{"trailing zeros", "10.0", "10", true},
		{"10.0 and 100", "10.0", "100", false},
		{"point in a percentage", "6.9%", "69%", false},
		{"point in money", "$42450.0", "424500", false},
		{"negative zero", "-0.0", "0.0", true},
		{"negative zero per cent", "-0.0%", "0.0%", true},
		{"exponent", "1e3", "1000", true},
		{"no leading digit", ".5", "0.5", true},
		{"time as text", "20:31", "2031", false},
		{"time with seconds", "20:31", "20:31:00", false},
		{"time with leading zero", "06:40", "6:40", false},
		{"date", "2000-01-03", "2000-01-03", true},
		{"other date", "2000-01-03", "2000-01-30", false},
		{"date without hyphens", "2000-01-03", "20000103", false},
		{"postal code", "02134", "2134", false},
		{"long identifiers", "12345678901234567890", "12345678901234567891", false},
		{"list in order", "Ann, Bob", "ann, bob", true},
		{"list reordered", "Ann, Bob, Cy", "Cy, Ann, Bob", true},
		{"list with semicolons", "Ann; Bob", "Bob, Ann", true},
		{"list in brackets", "Ann, Bob", "['Bob', 'Ann']", true},
		{"list of numbers reordered", "12, 340", "340, 12.0", true},
		{"list of large numbers", "1,152, 3,000", "3000, 1152", true},
		{"list too short", "Ann, Bob", "Ann", false},
		{"list element repeated", "Ann, Ann, Bob", "Ann, Bob, Bob", false},
		{"signs in a list", "-1, 2", "1, -2", false},
		{"comma left out", "Main Street, Suite 4", "main street suite 4", true},
		{"punctuation in a name", "Mizutani's", "mizutanis", true},
		{"point in a text", "up 6.9 today", "up 69 today", false},
		{"both empty", "", " ", true},
		{"empty gold", "", "a", false},
		{"empty answer", "a", "", false},
		{"articles are not empty", "a", "the", false},
		{"one article", "a", "A", true},
		{"articles and dashes", "a", "--", false},
		{"nan", "nan", "NaN", true},
		{"quoted", "Rafa", "\"Rafa\"", true},
		{"only brackets", "()", "[]", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Strict(tt.gold, tt.predicted); got != tt.want {
				t.Errorf("Strict(%q, %q) = %v, want %v", tt.gold, tt.predicted, got, tt.want)
			}

			if got := Strict(tt.predicted, tt.gold); got != tt.want {
				t.Errorf("Strict(%q, %q) = %v, want %v", tt.predicted, tt.gold, got, tt.want)
			}
		})
	}
}

func TestStrictProperties(t *testing.T) {
	t.Run("numbers", rapid.MakeCheck(func(t *rapid.T) {
		x := rapid.IntRange(-1_000_000, 1_000_000).Draw(t, "x")
		y := rapid.IntRange(-1_000_000, 1_000_000).Draw(t, "y")
		unit := rapid.SampledFrom([]string{"", "%", " USD", " minutes"}).Draw(t, "unit")

		text := func(n int) string { return strconv.FormatFloat(float64(n)/100, 'f', 2, 64) }
		if got, want := Strict(text(x)+unit, text(y)), x == y; got != want {
			t.Fatalf("Strict(%q, %q) = %v", text(x)+unit, text(y), got)
		}
	}))
	t.Run("lists", rapid.MakeCheck(func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z]{2,6} ?[1-9]{0,3}`), 2, 8).Draw(t, "list")
		shuffled := append([]string(nil), list...)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })

		if a, b := strings.Join(list, ", "), strings.Join(shuffled, "; "); !Strict(a, b) {
			t.Fatalf("Strict(%q, %q) is false", a, b)
		}

		if a, b := strings.Join(list, ", "), strings.Join(append(shuffled, "zzz"), ", "); Strict(a, b) {
			t.Fatalf("Strict(%q, %q) is true", a, b)
		}
	}))
}

func FuzzStrict(f *testing.F) {
	for _, s := range []string{"-2.79%", "1,152, 3", "The Σ; an a", "$1,152", "\xff\x00", "", "a", "[(", "20:31",
		"USD -", "-"} {
		f.Add(s, "2.79")
	}

	f.Fuzz(func(t *testing.T, x, y string) {
		if Strict(x, y) != Strict(y, x) {
			t.Errorf("Strict(%q, %q) is not symmetric", x, y)
		}

		if !Strict(x, x) || !Strict(x, "  "+x+" ") {
			t.Errorf("Strict(%q) does not match itself", x)
		}

		if (pytext.Strip(x) == "") != (pytext.Strip(y) == "") && Strict(x, y) {
			t.Errorf("Strict(%q, %q): an empty answer matches", x, y)
		}
	})
}

func TestMatchersDoNotAllocate(t *testing.T) {
	pairs := [][2]string{{"122.25", "122.25 USD"}, {"bullish", "The day was Bullish"}, {"2000-01-03", "2000-01-04"},
		{"-2.79%", "2.79"}}
	for _, p := range pairs {
		if n := testing.AllocsPerRun(20, func() { Official(p[0], p[1]) }); n > 0 {
			t.Errorf("Official(%q, %q) allocates %v times", p[0], p[1], n)
		}

		if n := testing.AllocsPerRun(20, func() { Strict(p[0], p[1]) }); n > 1 { // one for a unit in capitals
			t.Errorf("Strict(%q, %q) allocates %v times", p[0], p[1], n)
		}
	}
}

func TestGrader(t *testing.T) {
	g, err := NewGrader([]toolqa.Question{{ID: "q1", Answer: "-2.79%"}, {ID: "q2", Answer: ""},
		{ID: "q1", Answer: "-2.79%"}})
	if err != nil {
		t.Fatal(err)
	}

	if !g.Known(envs.Task{ID: "q1"}) || !g.Known(envs.Task{ID: "q2"}) || g.Known(envs.Task{ID: "q3"}) {
		t.Error("Known is wrong about q1, q2 or q3")
	}

	got, err := g.Grade(context.Background(), toolqa.Session{}, envs.NewHistory(envs.Task{ID: "q1"}), "2.79%")
	if want := (envs.Grade{Answer: "2.79%", Official: true}); err != nil || got != want {
		t.Errorf("Grade = %+v, %v, want %+v", got, err, want)
	}

	_, err = g.Grade(context.Background(), toolqa.Session{}, envs.NewHistory(envs.Task{ID: "q3"}), "2.79%")
	if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageEnvironment {
		t.Errorf("grading an unknown task: error %v, want a failure of the environment", err)
	}

	if _, err := NewGrader([]toolqa.Question{{ID: "q1", Answer: "1"}, {ID: "q1", Answer: "2"}}); err == nil {
		t.Error("two answers to one question are accepted")
	}
}

func BenchmarkStrict(b *testing.B) {
	b.ReportAllocs()

	for b.Loop() {
		Strict("138.4 USD", "138.40 USD")
		Strict("bullish", "The day was bullish.")
	}
}
