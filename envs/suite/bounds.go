package suite

import "fmt"

// most is the largest value of any setting: seconds in nanoseconds, and MiB in bytes, still fit 64
// bits.
const most = 1e9

// Within returns an error for a number that is less than least, more than most, or NaN.
func Within(n, least float64) error {
	if !(n >= least) {
		return fmt.Errorf("is %v, want at least %v", n, least)
	}

	if n > most {
		return fmt.Errorf("is %v, want at most %v", n, most)
	}
	return nil
}
