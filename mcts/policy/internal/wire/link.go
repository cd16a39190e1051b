package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"toolevo/mcts/policy/server"
)

// Options say how a server is reached. Zero values mean the defaults below.
type Options struct {
	Address     Address
	APIKey      string        // sent as a bearer token; without one the address's credentials are sent, if any
	Timeout     time.Duration // of one request
	DialTimeout time.Duration // of one connection
	MaxReply    int64         // bytes of one answer
	// Transport carries the requests; nil is one of the link's own that keeps a connection for each request in flight.
	Transport http.RoundTripper
}

// The defaults of Options.
const (
	DefaultTimeout     = 10 * time.Minute
	DefaultDialTimeout = 10 * time.Second
	DefaultMaxReply    = 64 << 20
)

// Link is the way to one server. It is safe for concurrent use.
type Link struct {
	address       string // without secrets
	authorization string
	secrets       secrets
	timeout       time.Duration
	maxReply      int64
	client        *http.Client
}

// NewLink returns the link. It sends nothing. Errors contain no secret.
func NewLink(o Options) (*Link, error) {
	key, err := cleanKey(o.APIKey)
	if err != nil {
		return nil, err
	}
	if o.Timeout < 0 || o.DialTimeout < 0 || o.MaxReply < 0 {
		return nil, fmt.Errorf("negative limit: timeout %v, dial timeout %v, reply of %d bytes", o.Timeout, o.DialTimeout, o.MaxReply)
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.DialTimeout == 0 {
		o.DialTimeout = DefaultDialTimeout
	}
	if o.MaxReply == 0 {
		o.MaxReply = DefaultMaxReply
	}
	if o.Transport == nil {
		o.Transport = newTransport(o.DialTimeout)
	}
	hide := newSecrets(key, o.Address.User)
	return &Link{
		address:       hide.hide(o.Address.URL.String()),
		authorization: authorization(key, o.Address.User),
		secrets:       hide,
		timeout:       o.Timeout,
		maxReply:      o.MaxReply,
		client: &http.Client{
			Transport:     o.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func newTransport(dial time.Duration) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: dial, KeepAlive: 30 * time.Second}).DialContext
	t.MaxIdleConns = 0           // no bound: a limiter above bounds the requests
	t.MaxIdleConnsPerHost = 4096 // the default of 2 would open a connection for nearly every request
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

// Answer is what a server sent back: the whole of it.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// OK reports whether the status is a 2xx.
func (a *Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

// Do calls send with a context that ends when the link's timeout has passed, and returns its answer, whatever the
// answer's status. The error is ctx's own when that has ended, the fault that send returned, or one that says what
// happened on the way.
func (l *Link) Do(ctx context.Context, send func(context.Context) (*Answer, error)) (*Answer, error) {
	limited, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	a, err := send(limited)
	var fault *server.Fault
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &fault):
		return nil, fault
	case limited.Err() != nil:
		// Not wrapped: the deadline is ours, and must not be taken for the caller's.
		return nil, l.Fault(server.Transient, 0, fmt.Sprintf("no answer within %v", l.timeout), nil)
	default:
		return nil, l.Fault(wayKind(err), 0, "", err)
	}
}

// Send sends one request, with what opens the server, and reads the whole answer. To be called within Do.
func (l *Link) Send(req *http.Request) (*Answer, error) {
	if l.authorization != "" {
		req.Header.Set("Authorization", l.authorization)
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, l.maxReply+1))
	if err != nil {
		return nil, fmt.Errorf("reading the reply: %w", err)
	}
	if int64(len(body)) > l.maxReply {
		return nil, fmt.Errorf("the reply is longer than the bound of %d bytes", l.maxReply)
	}
	return &Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}
