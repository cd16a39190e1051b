package pystr

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestFloat(t *testing.T) {
	for _, tt := range []struct {
		in   float64
		want string
	}{
		{124, "124.0"}, {122.25, "122.25"}, {0, "0.0"}, {math.Copysign(0, -1), "-0.0"}, {0.30000000000000004, "0.30000000000000004"},
		{1e-4, "0.0001"}, {1e-5, "1e-05"}, {1e16, "1e+16"}, {9999999999999998, "9999999999999998.0"}, {1e22, "1e+22"},
		{123456789012345680, "1.2345678901234568e+17"}, {5e-324, "5e-324"}, {1e100, "1e+100"},
		{math.NaN(), "nan"}, {math.Inf(1), "inf"}, {math.Inf(-1), "-inf"},
	} {
		if got := Float(tt.in); got != tt.want {
			t.Errorf("Float(%g) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestFloatReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		back, err := strconv.ParseFloat(Float(f), 64)
		if err != nil || back != f {
			t.Fatalf("Float(%g) = %q reads back as %g, %v", f, Float(f), back, err)
		}
	})
}

func TestAppendJSON(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", `""`}, {"USD", `"USD"`}, {"a\"b\\c", `"a\"b\\c"`}, {"\n\r\t\b\f\x00", `"\n\r\t\b\f\u0000"`},
		{"\x7f", `"\u007f"`}, {"é\u2028", `"\u00e9\u2028"`}, {"😀", `"\ud83d\ude00"`}, {"a\xffb", `"a\ufffdb"`},
	} {
		if got := string(AppendJSON(nil, tt.in)); got != tt.want {
			t.Errorf("AppendJSON(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzAppendJSON(f *testing.F) {
	f.Add("plain")
	f.Add("é😀\"\\\x00\xff")
	f.Fuzz(func(t *testing.T, s string) {
		out := AppendJSON(nil, s)
		var back string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("AppendJSON(%q) = %s: %v", s, out, err)
		}
		if want := string([]rune(s)); back != want {
			t.Errorf("AppendJSON(%q) reads back as %q", s, back)
		}
	})
}
