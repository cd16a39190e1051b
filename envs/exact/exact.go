// Package exact has an exponential, a logarithm and a power whose bits are the same on every
// processor, for everything that enters stored rows: a run made on one machine is checked and
// resumed on another.
//
// Those of the standard library are not: [math.Exp] and [math.Log] are assembly on some
// architectures and Go on others, and Go's compiler fuses x*y + z into one instruction with one
// rounding if the processor has it (arm64, not amd64). Here every product is converted to float64
// before it is added to something: the language defines that the conversion rounds.
//
// # Guarantees
//
//   - Exp and Log differ by at most one unit in the last place from the true value; Pow, whose
//     exponent is split into its whole part and the rest, by what a product of two such values
//     does.
//   - Special values are those of package math.
//
// # Caveats
//
// Other code that multiplies and adds has to round products in the same way if its results are
// stored. Trigonometry stays with package math: its results are rounded to few digits before they
// enter data.
package exact

import "math"

// The natural logarithm of 2 in two parts. The upper one has 32 bits, so that its product with an
// exponent is exact.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = math.Ln2 - ln2High
)

// The numbers between which e^x is neither infinite nor 0.
const (
	largest  = 709.782712893384
	smallest = -745.1332191019412
)

// inverseFactorials are 1/14! to 1/2!: what is left out of the series of e^r is below 2^-63 for
// |r| <= ln(2)/2.
var inverseFactorials = [...]float64{
	1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
	1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2,
}

// Exp returns e^x.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > largest:
		return math.Inf(1)
	case x < smallest:
		return 0
	}

	// x = k ln 2 + r + rest with |r| <= ln(2)/2. The first difference is exact.
	k := math.Round(x * (1 / math.Ln2))
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	rest := (high - r) - low

	series := 0.0
	for _, c := range inverseFactorials {
		series = float64(series*r) + c
	}

	// e^r = 1 + r + r² series. What 1 + r loses is added to the small part.
	sum := 1 + r
	lost := (1 - sum) + r
	small := float64(rest*sum) + float64(float64(r*r)*series)
	return math.Ldexp(sum+(lost+small), int(k))
}

// inverseOdds are 2/21 to 2/3, of the series of 2 artanh(s): what is left out is below 2^-61 for
// |s| <= 3 - 2 sqrt(2).
var inverseOdds = [...]float64{
	2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3,
}

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}

	// x = 2^k (1+f) with sqrt(1/2) <= 1+f < sqrt(2), where the series converges fast.
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		k--
	}

	f := m - 1
	s := f / (2 + f)
	square := s * s

	series := 0.0
	for _, c := range inverseOdds {
		series = float64((series + c) * square)
	}

	// ln(1+f) = 2 artanh(s) = f - f²/2 + s (f²/2 + series): f is exact, and the others are small.
	half := float64(float64(0.5*f) * f)
	small := float64(s*(half+series)) + float64(float64(k)*ln2Low)
	return float64(float64(k)*ln2High) - ((half - small) - f)
}

// Log2 returns the logarithm of x to the base 2, exactly where x is a power of 2.
func Log2(x float64) float64 {
	m, k := math.Frexp(x)
	if m == 0.5 {
		return float64(k - 1)
	}
	return float64(Log(m)*(1/math.Ln2)) + float64(k)
}

// Log10 returns the decimal logarithm of x.
func Log10(x float64) float64 { return Log2(x) * (math.Ln2 / math.Ln10) }

// Pow returns x^y.
func Pow(x, y float64) float64 {
	whole, part := math.Modf(y)
	if part == 0 || math.IsNaN(part) || !(x > 0) || math.IsInf(x, 1) {
		return math.Pow(x, y) // only multiplies there, and has the special values
	}
	return math.Pow(x, whole) * Exp(float64(part*Log(x)))
}
