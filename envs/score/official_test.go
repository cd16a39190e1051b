package score

import (
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

func TestOfficial(t *testing.T) {
	tests := []struct {
		name            string
		gold, predicted string
		want            bool
	}{
		{"equal", "122.25", "122.25", true},
		{"blanks around", " 122.25\n", "\u00a0122.25", true},
		{"float and integer", "124.0", "124", true},
		{"different numbers", "124.0", "125", false},
		{"dollar and comma", "$1,152", "1152", true},
		{"USD", "138.4 USD", "138.40", true},
		{"exponent", "1e3", "1000", true},
		{"underscore", "1_000", "1000", true},
		{"double underscore falls to text", "1__000", "1000", true}, // the text rule deletes the underscores
		{"infinities", "inf", "Infinity", true},
		{"overflow is infinite", "1e999", "inf", true},
		{"nan is no number, but a text", "nan", "nan", true},
		{"NaN in two cases", "nan", "NaN", true},
		{"signed nan falls to text", "+nan", "-nan", true},
		{"signed nan is not zero", "-nan", "0", false},
		{"Arabic-Indic digits", "١٢٣", "123", true},
		{"fullwidth digits", "１２.５", "12.5", true},
		{"no hexadecimal", "0x10", "16", false},
		{"negative zero", "-0.0%", "0.0%", true},
		{"articles", "The Broadway Show", "a broadway show", true},
		{"article inside a word", "theatre", "atre", false},
		{"article beside punctuation", "the-show", "the show", false},
		{"words joined by a hyphen", "theshow", "the-show", true},
		{"usd is a word", "4 usd cents", "4 cents", true},
		{"case and punctuation", "Yes!", "yes", true},
		{"capital sigma at the end", "ΟΔΟΣ", "οδος", true},
		{"capital sigma inside", "ΣΟΦΙΑ", "σοφια", true},
		{"dotted capital I", "İ", "i\u0307", true},
		{"separator control is a blank", "a\x1cb", "b", true},
		{"both empty", "", "", true},
		{"empty and text", "", "bullish", false},

		// The verified false positives of the published matcher.
		{"false positive: sign", "-10.0", "10.0", true},
		{"false positive: point", "1.5", "15", true},
		{"false positive: 10.0 and 100", "10.0", "100", true},
		{"false positive: percentage", "6.9%", "69%", true},
		{"false positive: negative percentage", "-2.79%", "2.79%", true},
		{"false positive: money", "$42450.0", "424500", true},
		{"false positive: time", "20:31", "2031", true},
		{"false positive: articles", "a", "the", true},
		{"false positive: empty gold", "", "a", true},

		// The verified false negatives.
		{"false negative: fraction", "0.14", "14%", false},
		{"false negative: unit", "90.2 minutes", "90.2", false},
		{"false negative: lower-case usd", "138.4 usd", "138.40", false},
		{"false negative: order", "Ann, Bob", "Bob, Ann", false},
		{"false negative: seconds", "20:31", "20:31:00", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Official(tt.gold, tt.predicted); got != tt.want {
				t.Errorf("Official(%q, %q) = %v, want %v", tt.gold, tt.predicted, got, tt.want)
			}
		})
	}
}

// oracle is the published matcher's rule, run by the language it was written for.
const oracle = `
import json, re, string, sys
def normal(s):
    s = ''.join(c for c in s.lower() if c not in set(string.punctuation))
    return ' '.join(re.sub(r'\b(a|an|the|usd)\b', ' ', s).split())
def match(g, p):
    g, p = g.strip(), p.strip()
    try:
        x, y = (float(s.replace('USD', '').replace('$', '').replace(',', '')) for s in (g, p))
        if x == y:
            return True
    except ValueError:
        pass
    return normal(g) == normal(p)
json.dump([match(g, p) for g, p in json.load(sys.stdin)], sys.stdout)
`

func TestOfficialAgainstPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so there is nothing to compare with")
	}

	pieces := strings.Split("0|1|2|5|10|.|.|-|-|+|,|_|e|E3|%|$| | "+
		"|USD|usd|a|an|the|The|A|inf|infinity|nan|NaN|x|bull|İ|Σ|ΑΣ|'|:|٣|１|²|½|é|\u0301|\u00a0|\u3000|\x1c|\n|"+
		"\u2028|漢|#|🙂|Ⅷ|ǅ", "|")
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() string {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}

	pairs := make([][2]string, 30000)
	for i := range pairs {
		pairs[i] = [2]string{draw(), draw()}
		if i%2 == 0 { // near misses: one piece more, somewhere
			s := pairs[i][0]
			at := r.IntN(len(s) + 1)
			pairs[i][1] = strings.ToValidUTF8(s[:at], "") + pieces[r.IntN(len(pieces))] +
				strings.ToValidUTF8(s[at:], "")
		}
	}

	input, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.Command(python, "-c", oracle)
	cmd.Stdin = strings.NewReader(string(input))

	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("running the oracle: %v", err)
	}

	var want []bool
	if err := json.Unmarshal(output, &want); err != nil {
		t.Fatal(err)
	}

	matched := 0

	for i, p := range pairs {
		if got := Official(p[0], p[1]); got != want[i] {
			t.Errorf("Official(%q, %q) = %v, Python says %v", p[0], p[1], got, want[i])
		}

		if want[i] {
			matched++
		}
	}

	if matched < len(pairs)/20 {
		t.Errorf("only %d of %d pairs match: the comparison says little", matched, len(pairs))
	}
}

func FuzzOfficial(f *testing.F) {
	for _, s := range []string{"-2.79%", "1_0.5e-3", "The Σ", "$1,152", "\xff\x00", "", "a", "inf", "20:31"} {
		f.Add(s, "2.79")
	}

	f.Fuzz(func(t *testing.T, x, y string) {
		if Official(x, y) != Official(y, x) {
			t.Errorf("Official(%q, %q) is not symmetric", x, y)
		}

		if !Official(x, x) || !Official(x, "  "+x+" ") {
			t.Errorf("Official(%q) does not match itself", x)
		}

		if isASCII(x) && !Official(x, strings.ToUpper(x)) && !strings.Contains(strings.ToUpper(x), "USD") {
			t.Errorf("Official(%q) does not match its upper case", x) // only USD in capitals is money
		}
	})
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func BenchmarkOfficial(b *testing.B) {
	b.ReportAllocs()

	for b.Loop() {
		Official("138.4 USD", "138.40 USD")
		Official("bullish", "The day was bullish.")
	}
}
