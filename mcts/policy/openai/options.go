package openai

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"
)

// Options say which server, which model, and how to speak to it. BaseURL and Model are needed.
type Options struct {
	// BaseURL ends in the version of the protocol: http://host:8000/v1. One without a path gets /v1. Credentials in it
	// are used for basic authentication when there is no APIKey.
	BaseURL string
	APIKey  string // sent as a bearer token; empty sends none
	Model   string // as the server names it

	// Chat sends messages to /chat/completions, where the server applies the model's chat template. Otherwise prompts go
	// to /completions as they are.
	Chat bool
	// Extensions sends vLLM's own fields. Without them, a parameter that needs one is refused unless it is off.
	Extensions bool
	// AddSpecialTokens says whether vLLM puts the beginning-of-text token before the prompt; nil is its default, which is
	// true for prompts and false for chats. It needs Extensions.
	AddSpecialTokens *bool
	// OmitLogProbs asks for no log-probabilities, for servers that refuse the field.
	OmitLogProbs bool

	Timeout     time.Duration // of one request, waiting in the server's queue included; 0 is 10 minutes
	DialTimeout time.Duration // of one connection; 0 is 10 seconds
	MaxReply    int64         // bytes of one reply; 0 is 64 MiB
	// Transport carries the requests; nil is one of the backend's own that keeps a connection for each request in flight.
	Transport http.RoundTripper
}

// The defaults of Options.
const (
	DefaultTimeout     = 10 * time.Minute
	DefaultDialTimeout = 10 * time.Second
	DefaultMaxReply    = 64 << 20
)

// Backend is one server. It is safe for concurrent use.
type Backend struct {
	opts    Options
	base    *url.URL // without credentials
	root    *url.URL // base without its /v1, where a server keeps what is not OpenAI's
	client  *api.Client
	http    *http.Client
	secrets secrets
	keyed   bool // requests carry a key or credentials
}

// New returns the backend of one server. It sends nothing. Errors never contain the key or the address's credentials.
func New(opts Options) (*Backend, error) {
	base, user, err := parseBase(opts.BaseURL)
	if err != nil {
		return nil, err
	}
	opts.APIKey = strings.TrimSpace(opts.APIKey)
	if strings.ContainsFunc(opts.APIKey, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, errors.New("openai: the API key contains a control character")
	}
	if opts.Model == "" {
		return nil, errors.New("openai: no model named")
	}
	if opts.AddSpecialTokens != nil && !opts.Extensions {
		return nil, errors.New("openai: add_special_tokens is one of vLLM's own fields, and those are switched off")
	}
	if opts.Timeout < 0 || opts.DialTimeout < 0 || opts.MaxReply < 0 {
		return nil, fmt.Errorf("openai: negative limit: timeout %v, dial timeout %v, reply of %d bytes",
			opts.Timeout, opts.DialTimeout, opts.MaxReply)
	}
	withDefaults(&opts)

	b := &Backend{opts: opts, base: base, root: rootOf(base), secrets: newSecrets(opts.APIKey, user)}
	b.http = &http.Client{
		Transport: &transport{
			base:          opts.Transport,
			authorization: authorization(opts.APIKey, user),
			maxReply:      opts.MaxReply,
		},
		// A redirected POST would carry the key to wherever the reply says, or lose its body.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	b.keyed = authorization(opts.APIKey, user) != ""
	config := api.DefaultConfig("") // the transport authorizes
	config.BaseURL = base.String()
	config.HTTPClient = b.http
	b.client = api.NewClientWithConfig(config)
	return b, nil
}

// Address names the server, without credentials.
func (b *Backend) Address() string { return b.secrets.hide(b.base.String()) }

// Close ends the connections that are idle.
func (b *Backend) Close() { b.http.CloseIdleConnections() }

// parseBase reads a base URL. Its errors say nothing of the text, which may hold a key anywhere.
func parseBase(text string) (*url.URL, *url.Userinfo, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return nil, nil, errors.New("openai: the base URL is not a URL")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, nil, errors.New("openai: the base URL does not begin with http:// or https:// and a host")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, nil, errors.New("openai: the base URL has a query or a fragment")
	}
	user := u.User
	base := &url.URL{Scheme: u.Scheme, Host: u.Host}
	base.Path, base.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	if base.Path == "" {
		base.Path = "/v1"
	}
	return base, user, nil
}

// rootOf is the address below which /metrics, /health and /version are.
func rootOf(base *url.URL) *url.URL {
	root := *base
	root.Path, root.RawPath = strings.TrimSuffix(root.Path, "/v1"), strings.TrimSuffix(root.RawPath, "/v1")
	return &root
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

func withDefaults(opts *Options) {
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.DialTimeout == 0 {
		opts.DialTimeout = DefaultDialTimeout
	}
	if opts.MaxReply == 0 {
		opts.MaxReply = DefaultMaxReply
	}
	if opts.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DialContext = (&net.Dialer{Timeout: opts.DialTimeout, KeepAlive: 30 * time.Second}).DialContext
		t.MaxIdleConns = 0           // no bound: a limiter above bounds the requests
		t.MaxIdleConnsPerHost = 4096 // the default of 2 would open a connection for nearly every request
		opts.Transport = t
	}
}
