package wire

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longestAsked bounds the wait that is shown.
const longestAsked = 1000 * time.Hour

// Wait is how long the server, or a gateway before it, asks to be left alone: 0 where it does not
// say. Many send with every reply when their counts begin anew, so that says it only of a 429.
func (a Answer) Wait() time.Duration {
	wait := retryAfter(a.Header)
	if wait > 0 || a.Status != http.StatusTooManyRequests {
		return wait
	}

	// OpenRouter repeats the headers of whom it asked in the error.
	return cmp.Or(untilReset(a.Header), untilReset(ReadComplaint(a.Body).Header))
}

// retryAfter is the wait of a Retry-After: milliseconds, seconds, or until a date.
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

// untilReset is how long it takes until the server's counts begin anew: seconds, a moment since
// 1970, or a text such as 1m30s.
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

// clock is the time by the server's own clock, or by ours where it does not say.
func clock(h http.Header) time.Time {
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return time.Now()
	}

	return now
}

// seconds is a wait of so many seconds, 0 where that is none.
func seconds(n float64) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}

	return time.Duration(min(n, longestAsked.Seconds()) * float64(time.Second))
}

// How servers say, in small letters, that an account may not ask any more: by codes, and in words.
// The words are also used of what may be asked in a minute, and then others of these stand by.
var (
	quotaCodes = []string{
		"insufficient_quota", "insufficient_user_quota", "insufficient_balance",
		"insufficient_credits", "billing_hard_limit_reached", "billing_not_active",
	}
	quotaWords = []string{
		"quota exceeded", "exceeded your current quota", "exceeded your monthly",
		"quota has been exceeded", "quota exhausted", "insufficient quota",
		"insufficient balance", "insufficient credit", "insufficient funds",
		"credit balance is too low", "out of credits", "billing hard limit",
	}
	passingWords = []string{
		"per second", "per minute", "/min", "per hour", "rate limit", "retry in", "retry after",
		"try again", "retrydelay", "replenish",
	}
)

// OutOfQuota reports whether a complaint under a status says that the account may not ask any more,
// which no wait helps. waits says that the server asks for a wait.
func (c Complaint) OutOfQuota(status int, waits bool) bool {
	switch status {
	case http.StatusPaymentRequired:
		return true
	case http.StatusOK, http.StatusBadRequest, http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return false
	}

	text := strings.ToLower(c.Message + " " + c.Code)
	mentioned := func(words string) bool { return strings.Contains(text, words) }

	return slices.ContainsFunc(quotaCodes, mentioned) || !waits &&
		slices.ContainsFunc(quotaWords, mentioned) && !slices.ContainsFunc(passingWords, mentioned)
}
