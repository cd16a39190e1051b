package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	"toolevo/envs/display"
	"toolevo/mcts/policy/server"
)

// longestMessage bounds a fault's message, in characters.
const longestMessage = 400

// longestWait bounds the wait that a server may ask for. A server that wants more is asked again
// sooner than it likes, and can then say so again.
const longestWait = time.Minute

// Fault returns a fault of this server. Message and cause are freed of secrets, and shortened.
func (l *Link) Fault(kind server.FaultKind, status int, message string, cause error) *server.Fault {
	return &server.Fault{
		Kind:    kind,
		Address: l.address,
		Status:  status,
		Message: Shorten(l.secrets.Hide(message)),
		Err:     l.cleaned(cause),
	}
}

// cleaned returns the cause, or a new error with its text shortened and its secrets hidden. The new
// error wraps nothing: the errors below the cause hold the same text.
func (l *Link) cleaned(cause error) error {
	if cause == nil {
		return nil
	}

	text := cause.Error()
	shown := Shorten(l.secrets.Hide(text))

	if shown == text {
		return cause
	}
	return errors.New(shown)
}

// NotSent is the fault of a request that cannot be sent as it is meant.
func (l *Link) NotSent(why error) *server.Fault {
	return l.Fault(server.Refused, 0, "not sent", why)
}

// StatusFault is the fault of an answer that is not a 2xx. The message is the server's.
func (l *Link) StatusFault(a Answer, kind server.FaultKind, message string) *server.Fault {
	// No API answers like this itself, so the body would only mislead: it is a proxy, or a wrong
	// address.
	status := fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))
	switch to := a.Header.Get("Location"); {
	case a.Status == http.StatusNotModified:
		message = status + ", the answer to a question that was not asked: look at the proxy or cache before the server"
	case a.Status >= 300 && a.Status < 400 && to == "":
		message = fmt.Sprintf("the server redirects (%s) and does not say where to: look at what is in front of it, "+
			"or give its own address", status)
	case a.Status >= 300 && a.Status < 400:
		message = fmt.Sprintf("the server redirects to %q, which is not followed: make that its address", to)
	case a.Status < 200:
		message = status + ": the server wants to speak another protocol; is this the address of an HTTP API?"
	}

	// An answer in the server's own words did not come from the proxy.
	proxy := a.proxy
	if ReadComplaint(a.Body).Known {
		proxy = ""
	}

	// A wrong key is the server's to explain; that none was sent, only this side knows.
	if (a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden) && proxy == "" &&
		l.authorization == "" && len(l.headers) == 0 {
		message += " (the server wants a key that it accepts)"
	}

	asked := a.Wait()
	if asked > longestWait {
		message = fmt.Sprintf("it wants to be left alone for %v, and is asked again after %v: %s",
			asked.Round(time.Second), longestWait, message)
	}

	f := l.Fault(kind, a.Status, message, nil)
	f.RetryAfter = min(asked, longestWait)
	f.Proxy = proxy
	return f
}

// transportKind returns the kind of a failure to reach the server. An untrusted certificate is not
// worth a retry.
func transportKind(err error) server.FaultKind {
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch) {
		return server.Refused
	}
	return server.Transient
}

// Shorten returns a server's text as one line for people, cut to its bound.
func Shorten(text string) string { return display.Line(text, longestMessage) }
