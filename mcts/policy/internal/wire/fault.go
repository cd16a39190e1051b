package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"toolevo/envs/display"
	"toolevo/mcts/policy/server"
)

// longestMessage bounds a fault's message, in characters.
const longestMessage = 400

// longestWait bounds what a Retry-After may ask for.
const longestWait = 24 * time.Hour

// Fault is a fault of this server's. Message and cause are freed of secrets, and the message is shortened.
func (l *Link) Fault(kind server.Kind, status int, message string, cause error) *server.Fault {
	return &server.Fault{
		Kind:    kind,
		Address: l.address,
		Status:  status,
		Message: Shorten(l.secrets.hide(message)),
		Err:     l.secrets.hideError(cause),
	}
}

// NotSent is the fault of a request that cannot be sent as it is meant, and why.
func (l *Link) NotSent(why error) *server.Fault {
	return l.Fault(server.Refused, 0, "not sent", why)
}

// StatusFault is the fault of an answer that is not a 2xx. The message is the server's.
func (l *Link) StatusFault(a *Answer, kind server.Kind, message string) *server.Fault {
	if a.Status >= 300 && a.Status < 400 {
		message = fmt.Sprintf("the server redirects to %q, which is not followed: make that its address", a.Header.Get("Location"))
	}
	if (a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden) && l.authorization == "" {
		message += " (the server wants a key that it accepts)"
	}
	f := l.Fault(kind, a.Status, message, nil)
	f.RetryAfter = retryAfter(a.Header)
	return f
}

// wayKind is the kind of a failure on the way to the server. A certificate that is not trusted stays so.
func wayKind(err error) server.Kind {
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch) {
		return server.Refused
	}
	return server.Transient
}

// retryAfter is how long the server, or a gateway before it, asks to wait: milliseconds, seconds, or until a date by
// the server's own clock.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return wait(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return wait(seconds)
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return wait(until.Sub(now).Seconds())
}

func wait(seconds float64) time.Duration {
	if math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second))
}

// Shorten returns a server's text as one line for people, cut to its bound.
func Shorten(text string) string { return display.Line(text, longestMessage) }
