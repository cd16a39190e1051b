package suite

import "fmt"

// most is the largest number of any setting: in nanoseconds, or in bytes where it counts MiB, it
// still fits 64 bits.
const most = 1e9

// Within returns an error for a number that is less than least, more than most, or none.
func Within(n, least float64) error {
	if !(n >= least) {
		return fmt.Errorf("is %v, want at least %v", n, least)
	}

	if n > most {
		return fmt.Errorf("is %v, want at most %v", n, most)
	}
	return nil
}
