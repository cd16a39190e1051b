package display

import (
	"fmt"
	"testing"
	"time"
)

func TestShortNumbers(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0: "0", -1: "0", 9999: "9999", 9999.6: "10k", 26_543: "27k",
		999_400: "999k", 999_600: "1M", 5e8: "500M"} {
		if got := Count(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}

	for d, want := range map[time.Duration]string{0: "0s", 99 * time.Second: "99s", 100 * time.Second: "2m",
		99 * time.Minute: "99m", 100 * time.Minute: "2h"} {
		if got := fmt.Sprint(Duration(d)); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// What happens seven times a minute is not "0 a second".
func TestRate(t *testing.T) {
	t.Parallel()

	for perSecond, want := range map[float64]string{
		0: "0 calls/min", 7. / 60: "7 calls/min", 0.5: "30 calls/min", 0.9: "54 calls/min", 0.01 / 60: "0 calls/min",
		0.25 / 60: "0.25 calls/min", 1: "1 calls/s", 3.24: "3.2 calls/s", 99.4: "99 calls/s", 99.6: "100 calls/s",
		26_543: "27k calls/s",
	} {
		if got := Rate(perSecond, "calls"); got != want {
			t.Errorf("%v a second is %q, want %q", perSecond, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()

	for bytes, want := range map[int64]string{
		0: "0 kB", 1: "1 kB", 999_000: "999 kB", 999_600: "1 MB", 12_340_000: "12.3 MB", 3_456_000_000: "3.46 GB",
	} {
		if got := Bytes(bytes); got != want {
			t.Errorf("%d bytes are %q, want %q", bytes, got, want)
		}
	}
}
