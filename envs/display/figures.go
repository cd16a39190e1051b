package display

import (
	"fmt"
	"math"
	"time"
)

// Count returns a number in at most four columns, from 0 to 999 million.
func Count(x float64) string {
	switch x = max(x, 0); {
	case x < 9999.5:
		return fmt.Sprintf("%.0f", x)
	case x < 999.5e3:
		return fmt.Sprintf("%.0fk", x/1e3)
	}

	return fmt.Sprintf("%.0fM", x/1e6)
}

// Rate returns how often something happens, e.g. "120 calls/s", or by the minute if it is less than
// once a second: "7 calls/min".
func Rate(perSecond float64, what string) string {
	if perSecond < 1 {
		return fewDigits(60*perSecond) + " " + what + "/min"
	}
	return fewDigits(perSecond) + " " + what + "/s"
}

// fewDigits returns a number in at most four columns, and a small one with two digits.
func fewDigits(x float64) string {
	if x < 0.05 || x >= 99.5 {
		return Count(x)
	}
	return fmt.Sprintf("%.2g", x)
}

// Duration returns a duration in one unit.
func Duration(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 99.5:
		return fmt.Sprintf("%.0fs", s)
	case s < 99.5*60:
		return fmt.Sprintf("%.0fm", s/60)
	default:
		return fmt.Sprintf("%.0fh", math.Round(s/3600))
	}
}

// Bytes returns a number of bytes in at most six columns, up to 999 GB.
func Bytes(bytes int64) string {
	switch b := float64(bytes); {
	case b < 999.5e3:
		return fmt.Sprintf("%.0f kB", math.Ceil(b/1e3))
	case b < 999.5e6:
		return fmt.Sprintf("%.3g MB", b/1e6)
	default:
		return fmt.Sprintf("%.3g GB", b/1e9)
	}
}
