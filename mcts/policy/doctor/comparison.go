package doctor

import (
	"errors"
	"math"
	"time"
)

// errBusy says that the clock did not tell.
var errBusy = errors.New("this machine or the server is too busy with something else to tell")

// Bounds of a comparison by the clock.
const (
	fewRounds  = 3
	mostRounds = 8
	certainty  = 5 // standard errors
)

// comparison is one by the clock, made again and again: one side minus the other, taken right after each other so
// that what else a machine does is met by both.
type comparison struct {
	rounds       int
	sum, squares float64
}

// add notes a difference.
func (c *comparison) add(d time.Duration) {
	c.rounds++
	c.sum += d.Seconds()
	c.squares += d.Seconds() * d.Seconds()
}

// side is -1 or 1 when the differences are certain to be below or above 0, and 0 while they are not.
func (c *comparison) side() int {
	if c.rounds < fewRounds {
		return 0
	}

	n := float64(c.rounds)
	mean := c.sum / n

	deviation := math.Sqrt(max(0, c.squares/n-mean*mean) / (n - 1)) // of the mean
	switch {
	case mean < -certainty*deviation:
		return -1
	case mean > certainty*deviation:
		return 1
	}

	return 0
}
