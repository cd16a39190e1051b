package suite

import "fmt"

// Most is the largest number of any setting: in nanoseconds, or in bytes where it counts MiB, it still fits 64 bits.
const Most = 1e9

// Within returns an error for a number that is less than least, more than Most, or none.
func Within(n, least float64) error {
	if !(n >= least) {
		return fmt.Errorf("is %v, want at least %v", n, least)
	}

	if n > Most {
		return fmt.Errorf("is %v, want at most %v", n, Most)
	}

	return nil
}
