package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	shared "toolevo/envs/wire"
	"toolevo/mcts/policy/server"
)

// The defaults of an endpoint.
const (
	defaultTimeout     = 10 * time.Minute
	defaultDialTimeout = 10 * time.Second
)

// Bounds of what is read, in bytes after decompression.
const (
	documentLimit = 16 << 20  // of a reply whose call names no limit
	refusalLimit  = 1 << 20   // of an answer that is not a 2xx
	headerLimit   = 256 << 10 // of an answer's header
)

// Link is the way to one server. It is safe for concurrent use.
type Link struct {
	address       string // without secrets
	authorization string
	headers       []server.Header
	secrets       shared.Secrets
	timeout       time.Duration
	client        *http.Client
}

// NewLink returns the link to an endpoint whose URL is the address. It sends nothing. Errors
// contain no secret.
func NewLink(a Address, e server.Endpoint) (*Link, error) {
	key, err := cleanKey(e.APIKey)
	if err != nil {
		return nil, err
	}

	if e.Timeout < 0 || e.DialTimeout < 0 {
		return nil, fmt.Errorf("negative limit: timeout %v, dial timeout %v", e.Timeout, e.DialTimeout)
	}

	if e.Transport == nil {
		e.Transport = newTransport(cmp.Or(e.DialTimeout, defaultDialTimeout))
	}

	// All of them, before anything is shown: a server may echo whatever it was sent.
	plain := append(a.secrets(), key)
	for _, h := range e.Headers {
		plain = append(plain, h.Secrets...)
	}

	hide := shared.NewSecrets(plain, a.User)

	// Redirects are not followed: they would carry the headers to another server, and may turn a
	// POST into a GET.
	return &Link{
		address:       hide.Hide(a.shown()),
		authorization: authorization(key, a.User),
		headers:       e.Headers,
		secrets:       hide,
		timeout:       cmp.Or(e.Timeout, defaultTimeout),
		client: &http.Client{
			Transport:     e.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func newTransport(dial time.Duration) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: dial, KeepAlive: 30 * time.Second}).DialContext
	t.MaxIdleConns = 0           // no bound: a limiter above bounds the requests
	t.MaxIdleConnsPerHost = 4096 // the default of 2 would open a connection for nearly every request
	t.MaxResponseHeaderBytes = headerLimit

	return t
}

// Address names the server, without secrets.
func (l *Link) Address() string { return l.address }

// String is the address, so that a link in a log line shows no secret.
func (l *Link) String() string { return l.address }

// GoString is String.
func (l *Link) GoString() string { return l.address }

// Close ends the connections that are idle.
func (l *Link) Close() { l.client.CloseIdleConnections() }

// Client returns a client for requests that are no calls, such as those that send files: it sends
// what opens the server with each of them, and has no timeout.
func (l *Link) Client() *http.Client {
	c := *l.client
	c.Transport = l
	return &c
}

// RoundTrip implements [http.RoundTripper] for [Link.Client].
func (l *Link) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	l.open(req)
	return l.client.Transport.RoundTrip(req)
}

// open sets the headers that open the server.
func (l *Link) open(req *http.Request) {
	if l.authorization != "" {
		req.Header.Set("Authorization", l.authorization)
	}

	for _, h := range l.headers {
		req.Header.Set(h.Name, h.Value)
	}
}

// Call is one request, and how its answer is read.
type Call struct {
	URL  *url.URL
	Body any // posted as JSON; nil asks for a document
	// Header is sent beside what all requests have.
	Header map[string]string
	Limit  int64 // bytes of the reply after decompression; 0 is 16 MiB

	// Read reads the body of an answer whose status is a 2xx, to its end. An error that is not a
	// fault means that the reply is spoiled, which is transient.
	Read func(body io.Reader) error
	// Refused returns the fault of an answer whose status is not a 2xx; see [Link.StatusFault].
	Refused func(a Answer) *server.Fault
}

// Answer is what a server sent back to a request that it did not carry out.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // the beginning of it
	proxy  string // that carried the request; "" for none
}

// Do makes a call. The error is ctx's own when that has ended, or a [*server.Fault].
func (l *Link) Do(ctx context.Context, c Call) error {
	req, err := c.request()
	if err != nil {
		return l.NotSent(err)
	}

	limited, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()

	err = l.exchange(req.WithContext(limited), c)

	fault := server.FaultOf(err)

	// The caller's end comes first: whatever the request met after it is not the server's fault.
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case fault != nil:
		return fault
	case limited.Err() != nil:
		// Not wrapped: the deadline is ours, and must not be taken for the caller's.
		fault = l.Fault(server.Transient, 0, fmt.Sprintf("no answer within %v", l.timeout), nil)
	default:
		fault = l.Fault(transportKind(err), 0, "", err)
	}

	fault.Proxy = l.proxyOf(req)
	return fault
}

// proxyOf returns the proxy that carries a request, without credentials, or "".
func (l *Link) proxyOf(req *http.Request) string {
	t, ok := l.client.Transport.(*http.Transport)
	if !ok || t.Proxy == nil {
		return ""
	}

	proxy, err := t.Proxy(req)
	if err != nil || proxy == nil {
		return ""
	}
	return (&url.URL{Scheme: proxy.Scheme, Host: proxy.Host}).String()
}

// request writes the request of a call.
func (c Call) request() (*http.Request, error) {
	if c.Body == nil {
		return http.NewRequest(http.MethodGet, c.URL.String(), nil)
	}

	// Without the escapes for HTML, which make a prompt full of <|markers|> longer.
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)

	if err := enc.Encode(c.Body); err != nil {
		return nil, err
	}

	req, err := http.NewRequest(http.MethodPost, c.URL.String(), &body)
	if err != nil {
		return nil, err
	}

	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")

	for name, value := range c.Header {
		req.Header.Set(name, value)
	}
	return req, nil
}

// exchange sends a request, with what opens the server, and reads the answer. An error that is not
// a fault happened on the way.
func (l *Link) exchange(req *http.Request, c Call) error {
	l.open(req)

	resp, err := l.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()

	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		a := Answer{Status: resp.StatusCode, Header: resp.Header, proxy: l.proxyOf(req)}
		if a.Status != http.StatusSwitchingProtocols { // whose body is a connection, and has no end
			// Whatever can be read of it will do.
			a.Body, _ = io.ReadAll(io.LimitReader(resp.Body, refusalLimit))
		}

		return c.Refused(a)
	}

	limit := cmp.Or(c.Limit, documentLimit)
	body := &bounded{r: resp.Body, left: limit}
	err = c.Read(body)

	// What cut the body off comes first: to the reader both only look like JSON that ends early.
	switch {
	case body.failed != nil:
		return fmt.Errorf("reading the reply: %w", body.failed)
	case body.left < 0:
		return l.Fault(server.Transient, resp.StatusCode,
			fmt.Sprintf("the reply is longer than the bound of %d bytes", limit), nil)
	case err == nil || server.FaultOf(err) != nil:
		return err
	default:
		// A page instead of JSON may be the proxy's.
		f := l.Fault(server.Transient, resp.StatusCode, "", err)
		if !strings.Contains(resp.Header.Get("Content-Type"), "json") {
			f.Proxy = l.proxyOf(req)
		}
		return f
	}
}

// bounded is a body that is read up to a limit.
type bounded struct {
	r      io.Reader
	left   int64 // of the limit; below 0 once there was more
	failed error // of the reader itself, except its end
}

// errTooLong ends the reading of a body beyond its limit.
var errTooLong = errors.New("the reply is too long")

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLong
	}

	p = p[:min(int64(len(p)), b.left+1)]

	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLong
	}

	if err != nil && err != io.EOF {
		b.failed = err
	}
	return n, err
}
