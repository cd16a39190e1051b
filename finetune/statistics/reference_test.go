package statistics_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"toolevo/finetune/statistics"
)

// reference is what statsmodels and SciPy say: interop/reference.py writes it.
type reference struct {
	Wilson []struct {
		Successes, Trials int
		Low, High         float64
	}
	McNemar []struct {
		B, C                   int
		Exact, Chi2, Corrected float64
	}
	Holm []struct {
		P, Adjusted []float64
	}
	Bootstrap []struct {
		Strata    [][][2]int
		Low, High float64
	}
	Passes []struct {
		K, N, C int
		At, All float64
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

	for _, w := range r.Wilson {
		low, high := statistics.Wilson(w.Successes, w.Trials)
		near(t, 1e-9, low, w.Low, "Wilson(%d, %d): low", w.Successes, w.Trials)
		near(t, 1e-9, high, w.High, "Wilson(%d, %d): high", w.Successes, w.Trials)
	}

	for _, m := range r.McNemar {
		chi2, p := statistics.McNemarCorrected(m.B, m.C)
		near(t, 1e-9, statistics.McNemarExact(m.B, m.C), m.Exact, "McNemarExact(%d, %d)", m.B, m.C)
		near(t, 1e-9, chi2, m.Chi2, "McNemarCorrected(%d, %d): chi²", m.B, m.C)
		near(t, 1e-9, p, m.Corrected, "McNemarCorrected(%d, %d): p", m.B, m.C)
	}

	for _, h := range r.Holm {
		for i, p := range statistics.Holm(h.P) {
			near(t, 1e-9, p, h.Adjusted[i], "Holm(%v)[%d]", h.P, i)
		}
	}

	for _, b := range r.Bootstrap {
		low, high := statistics.Bootstrap(clusters(b.Strata), 40_000, rand.New(rand.NewPCG(1, 2)))
		near(t, 0.01, low, b.Low, "Bootstrap(%v): low", b.Strata)
		near(t, 0.01, high, b.High, "Bootstrap(%v): high", b.Strata)
	}

	for _, p := range r.Passes {
		near(t, 1e-9, statistics.PassAt(p.K, p.N, p.C), p.At, "PassAt(%d, %d, %d)", p.K, p.N, p.C)
		near(t, 1e-9, statistics.PassAll(p.K, p.N, p.C), p.All, "PassAll(%d, %d, %d)", p.K, p.N, p.C)
	}
}

func clusters(strata [][][2]int) [][]statistics.Cluster {
	all := make([][]statistics.Cluster, len(strata))

	for i, s := range strata {
		for _, c := range s {
			all[i] = append(all[i], statistics.Cluster{Successes: c[0], Trials: c[1]})
		}
	}

	return all
}

func near(t *testing.T, tolerance, got, want float64, format string, args ...any) {
	t.Helper()

	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf(format+" = %v, want %v", append(args, got, want)...)
	}
}
