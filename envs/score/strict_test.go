package score

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolevo/envs/pytext"
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

// Each rule has the answers that it takes, and their neighbours that it does not.
func TestStrictRules(t *testing.T) {
	type pair struct{ gold, predicted string }

	rules := []struct {
		name         string
		right, wrong []pair
	}{
		{
			"signs have a meaning",
			[]pair{{"C++", "c++"}, {"> 5", ">5"}, {"up 5%", "Up 5 %."},
				{"Cheese + Wine", "cheese+wine"},
				{"A* search", "a * search"}, {"$ 10 off", "$10 off"}},
			[]pair{{">5", "<5"}, {"5", "<5"}, {"C#", "C++"}, {"C", "C++"}, {"A*", "A"},
				{"up $5", "up 5%"},
				{"10^2", "102"}, {"x=1", "x1"}},
		},
		{
			"punctuation between digits has a meaning",
			[]pair{{"5'6", "5'6\""}, {"Atari_2600", "atari2600"}, {"page 7!", "page 7"}},
			[]pair{{"56", "5'6"}, {"12", "1|2"}, {"v12", "v1_2"}},
		},
		{
			"an article stands before a word",
			[]pair{{"The Poetry Foundation", "Poetry Foundation"},
				{"Meeting with a client", "meeting with client"},
				{"Ann, A.", "ann, a"}, {"Vitamin A", "the vitamin A"}},
			[]pair{{"Vitamin", "Vitamin A"}, {"Vitamin C", "Vitamin A"}, {"Plan", "Plan A, B"},
				{"Vitamin", "Vitamin A+"}},
		},
		{
			"per cent is not added",
			[]pair{{"2.79%", "2.79"}, {"2.79%", "2.79 percent"}, {"42.75", "42.75 USD"},
				{"147", "147 minutes"},
				{"10%, 20%", "10, 20"}},
			[]pair{{"42.75", "42.75%"}, {"$42.75", "42.75%"}, {"2.79%", "2.79 minutes"},
				{"10, 20", "10%, 20%"},
				{"0.14", "14%"}, {"14%", "0.14"}},
		},
		{
			"units in lists",
			[]pair{{"$10, $20", "20 USD, 10"}, {"10%, 20%", "20 %; 10 percent"}},
			[]pair{{"$10, $20", "10%, 20%"}, {"10 minutes, 20 minutes", "10 hours, 20 hours"}},
		},
		{
			"digit for digit",
			[]pair{{"12345678901234567.5", "12,345,678,901,234,567.50"},
				{"12345678901234567890", "12345678901234567890.0"},
				{"0.10000000000000000000", "0.1"}, {"1e3", "1000"}, {"0e-999", "0"}},
			[]pair{{"12345678901234567.5", "12345678901234567.6"},
				{"12345678901234567890", "12345678901234567891"},
				{"0", "1e-999"}, {"1e-999", "2e-999"}, {"1e999", "2e999"}},
		},
		{
			"ways to write dollars",
			[]pair{{"138.4", "US$138.4"}, {"$138.4", "US $138.40"},
				{"138.4 usd", "138.4 US dollars"}, {"-$5", "-US$5"}},
			[]pair{{"138.4", "A$138.4"}, {"138.4", "138.4 EUR"}, {"138.4", "US$138.5"},
				{"5", "US$-5"}},
		},
		{
			"days",
			[]pair{{"2001-12-06", "2001-12-6"}, {"2001-12-06", "2001/12/06"},
				{"2001-12-06, 2001-12-07",
					"2001-12-7, 2001-12-6"}, {"2001-2-3", "2001.02.03"}},
			[]pair{{"2001-12-06", "2001-12-16"}, {"2001-12-06", "2001-1-26"},
				{"2001-12-06", "2001-06-12"},
				{"2001-12-06", "20011206"}, {"2001-12-06", "06-12-2001"}},
		},
		{
			"the gold answer decides between thousands and a list",
			[]pair{{"100, 200", "100,200"}, {"100, 200", "200,100"}, {"100,200", "100200"},
				{"1, 152, 3", "1,152,3"},
				{"1,152, 3,000", "3,000, 1,152"}},
			[]pair{{"100,200", "100, 200"}, {"100, 200", "100200"}, {"100, 200", "100,201"},
				{"100, 200", "100"}},
		},
		{
			"the last and of a list",
			[]pair{{"Ann, Bob", "Ann and Bob"}, {"Ann, Bob, Cy", "Cy, Ann, and Bob"},
				{"100, 200", "200 and 100"},
				{"R and D, Bob", "R and D and Bob"}},
			[]pair{{"Ann and Bob", "Ann, Bob"}, {"Ann, Bob", "Ann and Bobby"},
				{"Ann, Bob", "Ann or Bob"},
				{"Ann, Bob, Cy", "Ann and Bob"}},
		},
		{
			"blanks around a hyphen before a number",
			[]pair{{"9:00 AM-10:30 AM", "9:00 AM - 10:30 AM"}, {"9:00 AM-10:30 AM", "9:00 AM– 10:30 am"},
				{"9:00 AM-10:30 AM, 1:00 PM-2:00 PM", "1:00 PM - 2:00 PM and 9:00 AM - 10:30 AM"},
				{"1-2-3", "1 - 2 - 3"}, {"2001-12-06", "2001 - 12 - 6"},
				{"Spa - Nails", "spa nails"}},
			[]pair{{"9:00 AM-10:30 AM", "9:00 AM - 11:30 AM"}, {"5-10", "5 -10"}, {"5-10", "510"},
				{"-10", "10"}, {"down -10", "down-10"}},
		},
		{
			"forms of one character",
			[]pair{{"Doris’s Fresh House", "Doris's fresh house"}, {"“No Place”", "\"No Place\""},
				{"1999–2001", "1999-2001"},
				{"Fernández", "Ferna\u0301ndez"}, {"42.75", "４２．７５"}, {"-10", "−10"},
				{"Ann, Bob", "Ann，Bob"}},
			[]pair{{"102", "10²"}, {"11/2", "1½"}, {"1", "①"}, {"Fernandez", "Fernández"},
				{">5", "＜5"}, {"10", "–10"}},
		},
		{
			"emphasis of Markdown",
			[]pair{{"42.75", "**42.75**"}, {"bullish", "*bullish*."},
				{"Ann, Bob", "**Ann**, **Bob**"}},
			[]pair{{"A", "A*"}, {"23", "2*3"}, {"5", "***"}},
		},
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, p := range r.right {
				if !Strict(p.gold, p.predicted) {
					t.Errorf("Strict(%q, %q) is false", p.gold, p.predicted)
				}
			}

			for _, p := range r.wrong {
				if Strict(p.gold, p.predicted) {
					t.Errorf("Strict(%q, %q) is true", p.gold, p.predicted)
				}
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
		Strict(x, y)

		if !Strict(x, x) || !Strict(x, "  "+x+" ") {
			t.Errorf("Strict(%q) does not match itself", x)
		}

		if (pytext.Strip(x) == "") != (pytext.Strip(y) == "") && Strict(x, y) {
			t.Errorf("Strict(%q, %q): an empty answer matches", x, y)
		}
	})
}

func TestMatchersDoNotAllocate(t *testing.T) {
	pairs := [][2]string{{"122.25", "122.25 USD"}, {"bullish", "The day was Bullish"},
		{"2000-01-03", "2000-01-04"},
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

func BenchmarkStrict(b *testing.B) {
	b.ReportAllocs()

	for b.Loop() {
		Strict("138.4 USD", "138.40 USD")
		Strict("bullish", "The day was bullish.")
	}
}
