package doctor

import (
	"errors"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// errBusy says that timing was inconclusive.
var errBusy = errors.New("this machine or the server is too busy with something else to tell")

// Bounds of a comparison by the clock.
const (
	fewRounds  = 3
	mostRounds = 8
	certainty  = 1 - 1e-4 // of Student's t-test, one-sided, in each round
)

// comparison holds repeated timings of two sides: one minus the other in seconds, taken right after
// each other so that other work of the machine slows both.
type comparison []float64

// add notes a difference.
func (c *comparison) add(d time.Duration) { *c = append(*c, d.Seconds()) }

// side is -1 or 1 if the differences are certain to be below or above 0, and 0 while they are not.
func (c comparison) side() int {
	if len(c) < fewRounds {
		return 0
	}

	mean, deviation := stat.MeanStdDev(c, nil)

	// The deviation of so few differences is uncertain itself: of three, one mean in fifty lies
	// five standard errors away by chance.
	standardErrors := distuv.StudentsT{Sigma: 1, Nu: float64(len(c) - 1)}.Quantile(certainty)

	switch away := standardErrors * stat.StdErr(deviation, float64(len(c))); {
	case mean < -away:
		return -1
	case mean > away:
		return 1
	}

	return 0
}
