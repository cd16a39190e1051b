package tabulate_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"toolevo/finetune/tabulate"
)

// reference is what statsmodels and SciPy say: interop/reference.py writes it.
type reference struct {
	McNemar []struct {
		B, C                   int
		Exact, Chi2, Corrected float64
	}
	Holm []struct {
		P, Adjusted []float64
	}
	Passes []struct {
		K, N, C int
		At, All float64
	}
	Differences []struct {
		First, Second, N int
		Low, High        float64
	}
}

func TestReference(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}

	var r reference
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}

	for _, m := range r.McNemar {
		chi2, p := tabulate.McNemarCorrected(m.B, m.C)
		near(t, 1e-9, tabulate.McNemarExact(m.B, m.C), m.Exact, "McNemarExact(%d, %d)", m.B, m.C)
		near(t, 1e-9, chi2, m.Chi2, "McNemarCorrected(%d, %d): chi²", m.B, m.C)
		near(t, 1e-9, p, m.Corrected, "McNemarCorrected(%d, %d): p", m.B, m.C)
	}

	for _, h := range r.Holm {
		for i, p := range tabulate.Holm(h.P) {
			near(t, 1e-9, p, h.Adjusted[i], "Holm(%v)[%d]", h.P, i)
		}
	}

	for _, p := range r.Passes {
		near(t, 1e-9, tabulate.PassAt(p.K, p.N, p.C), p.At, "PassAt(%d, %d, %d)", p.K, p.N, p.C)
		near(t, 1e-9, tabulate.PassAll(p.K, p.N, p.C), p.All, "PassAll(%d, %d, %d)", p.K, p.N, p.C)
	}

	for _, d := range r.Differences {
		got := tabulate.Counted(d.First, d.Second, d.N)
		near(t, 1e-9, got.Low, d.Low, "low end of %d and %d of %d", d.First, d.Second, d.N)
		near(t, 1e-9, got.High, d.High, "high end of %d and %d of %d", d.First, d.Second, d.N)
	}
}

func near(t *testing.T, tolerance, got, want float64, format string, args ...any) {
	t.Helper()

	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf(format+" = %v, want %v", append(args, got, want)...)
	}
}
