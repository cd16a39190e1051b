package ollama

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options say which server, which model, and how to speak to it. Model and Window are needed.
type Options struct {
	Host   string // as in OLLAMA_HOST: host, host:port or a URL; empty is 127.0.0.1:11434
	APIKey string // sent as a bearer token, for a gateway before the server; empty sends none
	Model  string // as the server names it
	Window int    // num_ctx: tokens of prompt and completion together

	KeepAlive time.Duration // how long the model stays loaded after a request: 0 is the server's choice, negative is forever
	Parallel  int           // requests of one completion at the same time; 0 is as many as samples
	Timeout   time.Duration // of one request, loading the model and waiting included; 0 is 10 minutes
	MaxReply  int64         // bytes of one reply; 0 is 64 MiB
	// Transport carries the requests; nil is one of the backend's own that keeps a connection for each request in flight.
	Transport http.RoundTripper
}

// The defaults of Options.
const (
	DefaultHost     = "127.0.0.1:11434"
	DefaultTimeout  = 10 * time.Minute
	DefaultMaxReply = 64 << 20
)

// dialTimeout bounds the making of one connection.
const dialTimeout = 10 * time.Second

// defaultPort is Ollama's.
const defaultPort = "11434"

// Backend is one server. It is safe for concurrent use.
type Backend struct {
	opts          Options
	base          *url.URL // without credentials
	http          *http.Client
	authorization string
	secrets       secrets
}

// New returns the backend of one server. It sends nothing. Errors never contain the key or the address's credentials.
func New(opts Options) (*Backend, error) {
	base, user, err := parseHost(opts.Host)
	if err != nil {
		return nil, err
	}
	opts.APIKey = strings.TrimSpace(opts.APIKey)
	switch {
	case strings.ContainsFunc(opts.APIKey, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, errors.New("ollama: the API key contains a control character")
	case opts.Model == "":
		return nil, errors.New("ollama: no model named")
	case opts.Window < 1:
		return nil, fmt.Errorf("ollama: a window of %d tokens: it is sent with every request, and at least 1", opts.Window)
	case opts.Parallel < 0 || opts.Timeout < 0 || opts.MaxReply < 0:
		return nil, fmt.Errorf("ollama: negative limit: %d parallel requests, timeout %v, reply of %d bytes",
			opts.Parallel, opts.Timeout, opts.MaxReply)
	}
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.MaxReply == 0 {
		opts.MaxReply = DefaultMaxReply
	}
	if opts.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DialContext = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
		t.MaxIdleConns = 0           // no bound: a limiter above bounds the requests
		t.MaxIdleConnsPerHost = 4096 // the default of 2 would open a connection for nearly every request
		opts.Transport = t
	}
	return &Backend{
		opts: opts,
		base: base,
		http: &http.Client{
			Transport: opts.Transport,
			// A redirected POST would carry the key to wherever the reply says, or lose its body.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		authorization: authorization(opts.APIKey, user),
		secrets:       newSecrets(opts.APIKey, user),
	}, nil
}

// Address names the server, without credentials.
func (b *Backend) Address() string { return b.secrets.hide(b.base.String()) }

// Close ends the connections that are idle.
func (b *Backend) Close() { b.http.CloseIdleConnections() }

// parseHost reads a host as Ollama's own programs do: a port that is missing is the scheme's, or Ollama's when there is
// no scheme. Its errors say nothing of the text, which may hold a key anywhere.
func parseHost(text string) (*url.URL, *url.Userinfo, error) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	if text == "" {
		text = DefaultHost
	}
	bare := !strings.Contains(text, "://")
	if bare {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, nil, errors.New("ollama: the host is not host:port or a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, nil, errors.New("ollama: the host's scheme is neither http nor https")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, nil, errors.New("ollama: the host has a query or a fragment")
	}
	host, port := u.Hostname(), u.Port()
	if host == "" {
		host = "127.0.0.1"
	}
	switch {
	case port == "" && bare:
		port = defaultPort
	case port == "" && u.Scheme == "https":
		port = "443"
	case port == "":
		port = "80"
	}
	base := &url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(host, port)}
	base.Path, base.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return base, u.User, nil
}

// authorization is the header that opens the server, empty when it is open.
func authorization(key string, user *url.Userinfo) string {
	switch {
	case key != "":
		return "Bearer " + key
	case user != nil:
		password, _ := user.Password()
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
	default:
		return ""
	}
}
