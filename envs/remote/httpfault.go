package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// fault is why a request has no answer, though it may have one when it is sent again.
type fault struct {
	text    string
	reached bool          // the service may have carried it out
	wait    time.Duration // that the service asks for
}

func (f *fault) Error() string { return f.text }

// givenUp is an error about one request that other requests may not meet.
type givenUp struct {
	error
	reason string
}

// GivenUp implements what [envs.GivenUp] asks for.
func (g *givenUp) GivenUp() string { return g.reason }

// hopeless is an error that has to be mended before any request is answered.
type hopeless struct{ error }

// Final implements what [envs.IsFinal] asks for.
func (h *hopeless) Final() bool { return true }

// judge says what it means that there is no answer. A wrapped error may show a URL, and a URL a
// secret.
func (i *httpInstance) judge(ctx context.Context, r *request, err error) error {
	if named, ok := errors.AsType[*url.Error](err); ok {
		err = named.Err
	}

	text := i.hide(err.Error())

	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", r.failed("no answer"), ctx.Err())
	}

	if _, ok := errors.AsType[*redirected](err); ok {
		return &givenUp{r.failed(text), "a service redirects to where it may not be followed"}
	}

	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if untrusted || errors.Is(err, http.ErrSchemeMismatch) {
		return &hopeless{r.failed(text)}
	}

	dial, ok := errors.AsType[*net.OpError](err)
	return &fault{text: text, reached: !ok || dial.Op != "dial"}
}

// judgeStatus returns an error for a status that is a failure, and not an answer.
func (i *httpInstance) judgeStatus(r *request, a answer, wait time.Duration) error {
	switch a.status {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		if len(r.Secrets) == 0 {
			return nil // the agent's own, as of a tool that logs in
		}
		return &hopeless{r.failed(i.describeAnswer(a) + ": secrets has to name variables of the " +
			"environment with those that the service knows")}
	case http.StatusTooManyRequests, http.StatusTooEarly:
		return &fault{text: i.describeAnswer(a), wait: wait}
	}

	if a.status == http.StatusRequestTimeout || a.status >= http.StatusInternalServerError {
		return &fault{text: i.describeAnswer(a), reached: true, wait: wait}
	}
	return nil
}

// redirected is a redirection that is not followed.
type redirected struct{ to, why string }

func (r *redirected) Error() string { return "the service redirects to " + r.to + ", " + r.why }

const mostRedirects = 10

// isLost reports whether a redirection says that a request belongs elsewhere, and its method and
// body are lost on the way there. One to another path, or by 303, shows what the request has done.
func isLost(next, last *http.Request) bool {
	if next.Method == last.Method || next.Response.StatusCode == http.StatusSeeOther {
		return false
	}

	place := func(u *url.URL) string { return strings.TrimSuffix(u.Path, "/") }
	return next.Response.StatusCode == http.StatusMovedPermanently ||
		place(next.URL) == place(last.URL) && next.URL.RawQuery == last.URL.RawQuery &&
			next.URL.String() != last.URL.String()
}

// checkRedirect follows redirections among the hosts that may be asked. Secrets stay at their host.
func (i *httpInstance) checkRedirect(next *http.Request, before []*http.Request) error {
	first, to := before[0].URL, next.URL.Scheme+"://"+next.URL.Host

	switch {
	case isLost(next, before[len(before)-1]):
		return &redirected{to + next.URL.EscapedPath(), "which makes a GET of a " + before[0].Method +
			": name that address in the document"}
	case len(before) > mostRedirects:
		return &redirected{to, fmt.Sprintf("after %d redirections before", mostRedirects)}
	case first.Scheme == "https" && next.URL.Scheme != "https":
		return &redirected{to, "where others could read the request"}
	case next.URL.Host == first.Host:
		return nil
	case !slices.Contains(i.Hosts, next.URL.Host):
		return &redirected{to, "which is no host of the document: list it under hosts to go there"}
	}

	header := http.Header{}
	for _, name := range []string{"Accept", "Content-Type"} {
		header[name] = next.Header[name]
	}

	next.Header = header
	return nil
}
