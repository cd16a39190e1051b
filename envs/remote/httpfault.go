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
	"time"
)

// fault is why a request was not answered as services answer, and may be when it is sent again.
type fault struct {
	text    string
	reached bool          // the service may have carried it out
	wait    time.Duration // that the service asks for
}

func (f *fault) Error() string { return f.text }

// alone is about a request that is not answered, while others are.
type alone struct {
	error
	reason string
}

// GivenUp implements what [envs.GivenUp] asks for.
func (a *alone) GivenUp() string { return a.reason }

// hopeless is what has to be changed before any request is answered.
type hopeless struct{ error }

// Final implements what [envs.IsFinal] asks for.
func (h *hopeless) Final() bool { return true }

// judge says what it means that there is no answer. What err wraps may show a URL, and that a
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
		return &alone{r.failed(text), "a service redirects to another host"}
	}

	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if untrusted || errors.Is(err, http.ErrSchemeMismatch) {
		return &hopeless{r.failed(text)}
	}

	dial, ok := errors.AsType[*net.OpError](err)
	return &fault{text: text, reached: !ok || dial.Op != "dial"}
}

// judgeStatus says which answers are none, though they have a status.
func (i *httpInstance) judgeStatus(r *request, a answer, wait time.Duration) error {
	switch a.status {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		if len(r.Secrets) == 0 {
			return nil // the agent's own, as of a tool that logs in
		}
		return &hopeless{r.failed(i.answered(a) + ": secrets has to name variables of the environment " +
			"with those that the service knows")}
	case http.StatusTooManyRequests, http.StatusTooEarly:
		return &fault{text: i.answered(a), wait: wait}
	}

	if a.status == http.StatusRequestTimeout || a.status >= http.StatusInternalServerError {
		return &fault{text: i.answered(a), reached: true, wait: wait}
	}
	return nil
}

// redirected is a redirection to where nobody may be asked.
type redirected struct{ to, why string }

func (r *redirected) Error() string { return "the service redirects to " + r.to + ", " + r.why }

const mostRedirects = 10

// checkRedirect follows what stays at the hosts that may be asked. Secrets stay at their host.
func (i *httpInstance) checkRedirect(next *http.Request, before []*http.Request) error {
	first, to := before[0].URL, next.URL.Scheme+"://"+next.URL.Host

	switch {
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
