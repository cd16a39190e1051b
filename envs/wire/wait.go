package wire

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestAsked bounds the wait that is shown.
const longestAsked = 1000 * time.Hour

// Wait returns how long a server asks clients to wait, by the headers of an answer, or 0 if it does
// not say.
func Wait(status int, h http.Header) time.Duration {
	wait := retryAfter(h)
	if wait > 0 || status != http.StatusTooManyRequests {
		return wait // many send with every reply when their counts begin anew
	}
	return untilReset(h)
}

// retryAfter returns the wait of a Retry-After: milliseconds, seconds, or until a date.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}

	text := strings.TrimSpace(h.Get("Retry-After"))
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return seconds(number)
	}

	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return seconds(until.Sub(clock(h)).Seconds())
}

// Numbers from these on are moments since 1970, in seconds and in milliseconds.
const (
	fromUnix   = 1e9
	fromUnixMS = 1e12
)

// untilReset returns how long it takes until the server's counts begin anew: seconds, a moment
// since 1970, or a text such as 1m30s.
func untilReset(h http.Header) time.Duration {
	text := strings.TrimSpace(cmp.Or(h.Get("X-RateLimit-Reset"), h.Get("RateLimit-Reset")))
	if d, err := time.ParseDuration(text); err == nil {
		return seconds(d.Seconds())
	}

	number, err := strconv.ParseFloat(text, 64)

	switch {
	case err != nil:
		return 0
	case number >= fromUnixMS:
		number /= 1000
		fallthrough
	case number >= fromUnix:
		number -= float64(clock(h).UnixMilli()) / 1000
	}

	return seconds(number)
}

// clock returns the time by the server's clock, or by ours if it does not say.
func clock(h http.Header) time.Time {
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return time.Now()
	}
	return now
}

// seconds returns a wait of some seconds, or 0 if the number is not a time.
func seconds(n float64) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	return time.Duration(min(n, longestAsked.Seconds()) * float64(time.Second))
}
