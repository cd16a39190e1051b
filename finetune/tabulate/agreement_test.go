package tabulate

import (
	"math"
	"testing"
)

func TestAgreement(t *testing.T) {
	t.Parallel()

	// Cohen's example of two readers of 50 applications: both yes 20, only the first 5, only the second 10, neither
	// 15.
	var first, second []bool

	add := func(n int, a, b bool) {
		for range n {
			first, second = append(first, a), append(second, b)
		}
	}

	add(20, true, true)
	add(5, true, false)
	add(10, false, true)
	add(15, false, false)

	if share, kappa := Agreement(first, second); math.Abs(share-0.7) > 1e-12 || math.Abs(kappa-0.4) > 1e-12 {
		t.Errorf("share %v and kappa %v, want 0.7 and 0.4", share, kappa)
	}

	// Readers who say yes at different rates, neither of them half of the time: both yes 45, only
	// the first 15, only the second 25, neither 15. Chance is 0.6 * 0.7 + 0.4 * 0.3 = 0.54, so
	// kappa is 0.06 / 0.46.
	first, second = nil, nil

	add(45, true, true)
	add(15, true, false)
	add(25, false, true)
	add(15, false, false)

	for _, pair := range [][2][]bool{{first, second}, {second, first}} {
		if share, kappa := Agreement(pair[0], pair[1]); share != 0.6 || math.Abs(kappa-0.06/0.46) > 1e-12 {
			t.Errorf("share %v and kappa %v, want 0.6 and %v", share, kappa, 0.06/0.46)
		}
	}

	for _, tt := range []struct {
		first, second []bool
		share, kappa  float64
	}{
		{nil, nil, 0, 0},
		{[]bool{true, true}, []bool{true, true}, 1, 0},
		{[]bool{true, false}, []bool{true, false}, 1, 1},
		{[]bool{true, false}, []bool{false, true}, 0, -1},
	} {
		if share, kappa := Agreement(tt.first, tt.second); share != tt.share || kappa != tt.kappa {
			t.Errorf("%v and %v: share %v and kappa %v, want %v and %v", tt.first, tt.second, share, kappa, tt.share,
				tt.kappa)
		}
	}
}
