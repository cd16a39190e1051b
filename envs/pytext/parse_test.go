package pytext

import (
	"math"
	"strings"
	"testing"
)

func TestParseFloat(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want float64
	}{
		{"122.25", 122.25}, {" \t-5\n", -5}, {"+.5", 0.5}, {"1.", 1}, {"1e3", 1000}, {"1E-2", 0.01},
		{"1_000.2_5e1_0", 1000.25e10},
		{"inf", math.Inf(1)}, {"-Infinity", math.Inf(-1)}, {"1e999", math.Inf(1)}, {"-1e999", math.Inf(-1)},
		{"1e-999", 0},
		{"nan", math.NaN()}, {"-NaN", math.NaN()}, {"١٢٣", 123}, {"\u2009１２.５\u3000", 12.5}, {"\u0085𝟗", 9},
	} {
		got, ok := ParseFloat(tt.in)
		if !ok || got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("ParseFloat(%q) = %g, %v, want %g", tt.in, got, ok, tt.want)
		}
	}

	for _, in := range []string{"", " ", ".", "-", "e3", "1e", "1e+", "1 2", "0x10", "0x1p-2", "infinit", "nan_", "_1",
		"1_", "1__0", "1_.5", "1._5", "1e_5",
		"- 1", "--1", "1,000", "\u200b1", "²", "½", "\x1c1", "1\x1f", "\x1c١", "1\x00", "\xff1"} {
		if got, ok := ParseFloat(in); ok {
			t.Errorf("ParseFloat(%q) = %g", in, got)
		}
	}
}

func TestParseFloatAgainstPython(t *testing.T) {
	const script = `
import json, sys
def read(s):
    try: return str(float(s))
    except ValueError: return ""
json.dump([read(s) for s in json.load(sys.stdin)], sys.stdout)
`
	texts := mixed(50_000, 6, "0|1|9|.|-|+|_|e|E|e3|inf|INF|nan|inity|٣|１|²|½| "+
		"|\n|\x1c|\x85|\u00a0|\u3000|\u200b|x|1e400|𝟘")
	var want []string
	python(t, script, texts, &want)

	numbers := 0

	for i, s := range texts {
		got := ""
		if f, ok := ParseFloat(s); ok {
			got = FormatFloat(f)
		}

		if got != want[i] {
			t.Errorf("ParseFloat(%q) = %s, Python says %s", s, got, want[i])
		}

		if got != "" {
			numbers++
		}
	}

	if numbers < len(texts)/20 {
		t.Errorf("only %d of %d texts are numbers: the comparison says little", numbers, len(texts))
	}
}

func TestParseFloatDoesNotAllocate(t *testing.T) {
	texts := []string{"122.25", " -1e5 ", "inf", "bullish", strings.Repeat("9", 300)}

	if n := testing.AllocsPerRun(20, func() {
		for _, s := range texts {
			ParseFloat(s)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParseFloat(f *testing.F) {
	for _, s := range []string{"-1_0.5e-3", "١٢", "\xff", "nan", "\u3000inf", "1e999"} {
		f.Add(s)
	}

	f.Fuzz(func(t *testing.T, s string) {
		x, ok := ParseFloat(s)
		if y, again := ParseFloat("\u3000" + s + " "); again != ok || x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
			t.Errorf("ParseFloat(%q) = %g, %v; with blanks around it %g, %v", s, x, ok, y, again)
		}
	})
}
