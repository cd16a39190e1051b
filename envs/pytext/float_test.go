package pytext

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestFormatFloat(t *testing.T) {
	for _, tt := range []struct {
		in   float64
		want string
	}{
		{124, "124.0"}, {122.25, "122.25"}, {0, "0.0"}, {math.Copysign(0, -1), "-0.0"},
		{0.30000000000000004, "0.30000000000000004"},
		{1e-4, "0.0001"}, {1e-5, "1e-05"}, {1e16, "1e+16"}, {9999999999999998, "9999999999999998.0"}, {1e22, "1e+22"},
		{123456789012345680, "1.2345678901234568e+17"}, {5e-324, "5e-324"}, {1e100, "1e+100"},
		{math.NaN(), "nan"}, {math.Inf(1), "inf"}, {math.Inf(-1), "-inf"},
	} {
		if got := FormatFloat(tt.in); got != tt.want {
			t.Errorf("FormatFloat(%g) = %q, want %q", tt.in, got, tt.want)
		}
	}

	if got := string(AppendFloat([]byte("1.5 "), 2)); got != "1.5 2.0" {
		t.Errorf("AppendFloat after a point: %q", got)
	}
}

func TestFormatFloatReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")

		back, ok := ParseFloat(FormatFloat(f))
		if !ok || back != f {
			t.Fatalf("FormatFloat(%g) = %q reads back as %g, %v", f, FormatFloat(f), back, ok)
		}
	})
}

func TestFormatFixed(t *testing.T) {
	for _, tt := range []struct {
		in     float64
		digits int
		want   string
	}{
		{2.25, 1, "2.2"}, {2.35, 1, "2.4"}, {-0.04, 1, "-0.0"}, {3, 0, "3"}, {1e16, 2, "10000000000000000.00"},
		{math.NaN(), 1, "nan"}, {math.Inf(1), 1, "inf"}, {math.Inf(-1), 1, "-inf"},
	} {
		if got := FormatFixed(tt.in, tt.digits); got != tt.want {
			t.Errorf("FormatFixed(%g, %d) = %q, want %q", tt.in, tt.digits, got, tt.want)
		}
	}
}

// TestFloatsAgainstPython has floats of every size, short decimals, and halves, where rounding goes
// wrong.
func TestFloatsAgainstPython(t *testing.T) {
	const script = `
import json, struct, sys
floats = [struct.unpack(">d", bytes.fromhex(h))[0] for h in json.load(sys.stdin)]
json.dump([[str(f), "%.1f" % f, str(round(f, 2)), str(round(f, 0))] for f in floats], sys.stdout)
`
	r := rand.New(rand.NewPCG(1, 2))

	floats := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
		math.SmallestNonzeroFloat64}
	for range 5000 {
		floats = append(floats, math.Float64frombits(r.Uint64()), math.Round(r.NormFloat64()*1e5)/1000,
			float64(r.IntN(4000)-2000)/8)
	}

	bits := make([]string, len(floats))
	for i, f := range floats {
		bits[i] = fmt.Sprintf("%016x", math.Float64bits(f))
	}
	var want [][4]string
	python(t, script, bits, &want)

	for i, f := range floats {
		got := [4]string{FormatFloat(f), FormatFixed(f, 1), FormatFloat(Round(f, 2)), FormatFloat(Round(f, 0))}
		if got != want[i] {
			t.Errorf("%g: %q, Python says %q", f, got, want[i])
		}
	}
}
