package ollama

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"toolevo/mcts/policy/server"
)

// longestMessage bounds a fault's message, in characters.
const longestMessage = 400

// longestWait bounds what a Retry-After may ask for.
const longestWait = 24 * time.Hour

// clientGone is the status with which a server notes that its client went away; one that arrives is a gateway's.
const clientGone = 499

// fault is a fault without secrets.
func (b *Backend) fault(kind server.Kind, status int, message string, cause error) *server.Fault {
	f := &server.Fault{Kind: kind, Address: b.Address(), Status: status, Message: shorten(b.secrets.hide(message))}
	if cause != nil {
		f.Err = cause
		if text := cause.Error(); b.secrets.hide(text) != text {
			f.Err = errors.New(b.secrets.hide(text)) // the cause's own text has the secret too
		}
	}
	return f
}

// statusFault is the fault of an answer that is not a 2xx.
func (b *Backend) statusFault(a answer) *server.Fault {
	message := complaint(a.body)
	kind := kindOf(a.status, message)
	if message == "" {
		message = http.StatusText(a.status)
	}
	switch {
	case a.status >= 300 && a.status < 400:
		message = fmt.Sprintf("the server redirects to %q, which is not followed: make that the host",
			a.header.Get("Location"))
	case a.status == http.StatusNotFound && strings.Contains(message, "not found") && strings.Contains(message, "model"):
		message = fmt.Sprintf("%s (on the server's machine: ollama pull %s)", message, b.opts.Model)
	case a.status == http.StatusNotFound:
		message += " (is this an Ollama server?)"
	}
	f := b.fault(kind, a.status, message, nil)
	f.RetryAfter = retryAfter(a.header)
	return f
}

// sampleFault is the fault of an answer with a good status that is no sample.
func (b *Backend) sampleFault(a answer, err error) *server.Fault {
	var c complaintInReply
	switch {
	case errors.As(err, &c):
		// It comes from the middle of a stream, where the status was sent already: 500 is what it would have been.
		return b.fault(kindOf(http.StatusInternalServerError, string(c)), a.status, string(c), nil)
	case errors.Is(err, errWindow):
		return b.fault(server.TooLong, a.status, err.Error(), nil)
	case errors.Is(err, errNoSample):
		return b.fault(server.Refused, a.status, err.Error(), nil)
	default:
		return b.fault(server.Transient, a.status, "", err)
	}
}

// complaint is what the server says in an error: {"error":"text"}, the nested form of its /v1, or the body itself.
func complaint(body []byte) string {
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil || len(outer.Error) == 0 {
		return string(body)
	}
	var text string
	if json.Unmarshal(outer.Error, &text) == nil {
		return text
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	return string(body)
}

// kindOf is the kind of a complaint under a status. The server answers 500 to some requests that no second try helps.
func kindOf(status int, message string) server.Kind {
	text := strings.ToLower(message)
	contains := func(words ...string) bool {
		for _, w := range words {
			if !strings.Contains(text, w) {
				return false
			}
		}
		return true
	}
	client := status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge
	broken := status == http.StatusInternalServerError
	switch {
	case (client || broken) && (contains("exceeds", "context length") || contains("exceeds", "context size") ||
		contains("exceed_context_size") || contains("context window")):
		return server.TooLong
	case broken && (contains("option", "must be of type") || contains("requires more system memory")):
		return server.Refused
	case status == clientGone:
		return server.Transient
	default:
		return server.KindOfStatus(status)
	}
}

// wayKind is the kind of a failure on the way to the server. A certificate that is not trusted stays so.
func wayKind(err error) server.Kind {
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch) {
		return server.Refused
	}
	return server.Transient
}

// retryAfter is how long the server, or a gateway before it, asks to wait: seconds, or until a date by its own clock.
func retryAfter(h http.Header) time.Duration {
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

// shorten is a message on one line, without control characters, cut to its bound.
func shorten(text string) string {
	// Only the beginning is looked at: an error page can be megabytes.
	if len(text) > 16*longestMessage {
		text = text[:16*longestMessage]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longestMessage {
		return string(runes[:longestMessage]) + "…"
	}
	return text
}
