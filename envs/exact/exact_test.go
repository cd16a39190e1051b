package exact

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// precise is how many bits the values that results are compared with have.
const precise = 240

// bigExp is e^x by the series of e^(x/2^40), squared forty times.
func bigExp(x float64) *big.Float {
	r := new(big.Float).SetPrec(precise).SetFloat64(x)
	r.SetMantExp(r, -40)

	sum, term := big.NewFloat(1).SetPrec(precise), big.NewFloat(1).SetPrec(precise)
	for i := 1; i < 12; i++ {
		term.Mul(term, r)
		term.Quo(term, big.NewFloat(float64(i)))
		sum.Add(sum, term)
	}

	for range 40 {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog is ln x by a step of Newton's method from the nearest number: y + 2(x - e^y)/(x + e^y),
// whose error is the third power of that of y.
func bigLog(x float64) *big.Float {
	y := math.Log(x)
	e, b := bigExp(y), new(big.Float).SetPrec(precise).SetFloat64(x)
	step := new(big.Float).Sub(b, e)
	step.Quo(step, e.Add(e, b))
	step.Mul(step, big.NewFloat(2))

	return step.Add(step, big.NewFloat(y))
}

// units is how far a result is from the true value, in units of the true value's last place.
func units(got float64, want *big.Float) float64 {
	near, _ := want.Float64()
	unit := math.Abs(math.Nextafter(near, math.Inf(1)) - near)
	off, _ := new(big.Float).Sub(new(big.Float).SetPrec(precise).SetFloat64(got), want).Float64()
	return math.Abs(off) / unit
}

// drawn are numbers of every size, many of them where a reduction ends or numbers cancel.
func drawn(n int) (exponents, positives []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		k := float64(rng.IntN(2000) - 1000)
		exponents = append(exponents,
			-20*rng.Float64(), -rng.Float64(), float64(1400*rng.Float64())-700,
			math.Ldexp(rng.Float64()-0.5, -i%60), (k+0.5)*math.Ln2*0.7, k*math.Ln2*0.7)
		positives = append(positives,
			rng.Float64(), 1+math.Ldexp(rng.Float64()-0.5, -i%52), 1e6*rng.Float64(),
			math.Ldexp(0.5+rng.Float64()/2, int(k)), math.Sqrt2/2+math.Ldexp(rng.Float64()-0.5, -i%50))
	}

	return exponents, positives
}

func TestAccuracy(t *testing.T) {
	exponents, positives := drawn(1000)

	worst := 0.0
	for _, x := range exponents {
		off := units(Exp(x), bigExp(x))
		if worst = max(worst, off); off > 1 {
			t.Errorf("Exp(%v) = %v is off by %.2f units", x, Exp(x), off)
		}
	}

	t.Logf("Exp: at most %.3f units", worst)

	worst = 0
	for _, x := range positives {
		if Log(x) == 0 {
			continue
		}

		off := units(Log(x), bigLog(x))
		if worst = max(worst, off); off > 1 {
			t.Errorf("Log(%v) = %v is off by %.2f units", x, Log(x), off)
		}
	}

	t.Logf("Log: at most %.3f units", worst)
}

func TestMonotonic(t *testing.T) {
	exponents, positives := drawn(20_000)
	for _, x := range exponents {
		if next := math.Nextafter(x, math.Inf(1)); Exp(next) < Exp(x) {
			t.Errorf("Exp falls from %v to %v", x, next)
		}
	}

	for _, x := range positives {
		if next := math.Nextafter(x, math.Inf(1)); Log(next) < Log(x) {
			t.Errorf("Log falls from %v to %v", x, next)
		}
	}
}

func TestKnown(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	least := math.SmallestNonzeroFloat64

	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"Exp(0)", Exp(0), 1},
		{"Exp(1)", Exp(1), math.E},
		{"Exp(-0)", Exp(math.Copysign(0, -1)), 1},
		{"Exp(least)", Exp(least), 1},
		{"Exp(inf)", Exp(inf), inf},
		{"Exp(-inf)", Exp(-inf), 0},
		{"Exp(nan)", Exp(nan), nan},
		{"Exp(710)", Exp(710), inf},
		{"Exp(largest)", Exp(largest), 0x1.fffffffffff2ap+1023},
		{"Exp(-746)", Exp(-746), 0},
		{"Exp(-745)", Exp(-745), least},
		{"Exp(-740)", Exp(-740), 4.2e-322},
		{"Log(1)", Log(1), 0},
		{"Log(e)", Log(math.E), 1},
		{"Log(2)", Log(2), math.Ln2},
		{"Log(10)", Log(10), math.Ln10},
		{"Log(0)", Log(0), -inf},
		{"Log(-0)", Log(math.Copysign(0, -1)), -inf},
		{"Log(-1)", Log(-1), nan},
		{"Log(inf)", Log(inf), inf},
		{"Log(nan)", Log(nan), nan},
		{"Log(least)", Log(least), -744.4400719213812},
		{"Log(greatest)", Log(math.MaxFloat64), 709.782712893384},
		{"Log2(8)", Log2(8), 3},
		{"Log2(least)", Log2(least), -1074},
		{"Log2(0)", Log2(0), -inf},
		{"Log2(inf)", Log2(inf), inf},
		{"Log2(-1)", Log2(-1), nan},
		{"Log10(100)", Log10(100), 2},
		{"Log10(0.1)", Log10(0.1), -1},
		{"Pow(2, 10)", Pow(2, 10), 1024},
		{"Pow(4, 0.5)", Pow(4, 0.5), 2},
		{"Pow(4, -1.5)", Pow(4, -1.5), 0.125},
		{"Pow(-8, 1/3)", Pow(-8, 1.0/3), nan},
		{"Pow(0, -0.5)", Pow(0, -0.5), inf},
		{"Pow(inf, 0.5)", Pow(inf, 0.5), inf},
		{"Pow(2, inf)", Pow(2, inf), inf},
		{"Pow(0.5, inf)", Pow(0.5, inf), 0},
		{"Pow(2, nan)", Pow(2, nan), nan},
	} {
		if tt.got != tt.want && !(math.IsNaN(tt.got) && math.IsNaN(tt.want)) {
			t.Errorf("%s = %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

// The bits were taken on amd64. This test is also run on arm64, by make test-dist.
func TestBits(t *testing.T) {
	exponents, positives := drawn(2000)
	h := fnv.New64a()

	for i, x := range exponents {
		y := positives[i*5/6]
		for _, z := range []float64{Exp(x), Log(y), Log2(y), Log10(y), Pow(y, x/100)} {
			binary.Write(h, binary.LittleEndian, math.Float64bits(z))
		}
	}

	if got, want := fmt.Sprintf("%016x", h.Sum64()), "e1b459b8802d0742"; got != want {
		t.Errorf("the bits of 60,000 results hash to %s, want %s", got, want)
	}
}

func BenchmarkExp(b *testing.B) {
	benchmark(b, map[string]func(float64) float64{"exact": Exp, "math": math.Exp})
}

func BenchmarkLog(b *testing.B) {
	benchmark(b, map[string]func(float64) float64{"exact": Log, "math": math.Log})
}

func benchmark(b *testing.B, of map[string]func(float64) float64) {
	for name, f := range of {
		b.Run(name, func(b *testing.B) {
			x, sum := 0.1, 0.0
			for b.Loop() {
				sum += f(x)
				x += 1e-6
			}

			if sum < 0 && x < 0 {
				b.Log(sum)
			}
		})
	}
}
