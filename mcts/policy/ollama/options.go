package ollama

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// Options say which server, which model, and how to speak to it. Window is needed.
type Options struct {
	// Endpoint's URL is as in OLLAMA_HOST: host, host:port or a URL; empty is 127.0.0.1:11434. Its
	// APIKey is for a gateway before the server.
	server.Endpoint

	Window int // num_ctx: tokens of prompt and completion together
	// OmitLogProbs asks for no log-probabilities.
	OmitLogProbs bool
}

// defaultHost is where Ollama listens.
const defaultHost = "127.0.0.1:11434"

// Backend is one server. It is safe for concurrent use.
type Backend struct {
	opts Options  // without key and host, so that no print of a backend shows them
	base *url.URL // without credentials
	link *wire.Link
}

// New returns the backend of one server. It sends nothing. Errors never contain the key or the
// address's credentials.
func New(opts Options) (*Backend, error) {
	address, err := parseHost(opts.URL)
	if err != nil {
		return nil, fmt.Errorf("ollama: the host (host:port, or a URL): %w", err)
	}

	switch {
	case opts.Model == "":
		return nil, errors.New("ollama: no model named")
	case opts.Session != server.SessionKeys{}:
		return nil, errors.New("ollama: server.session: " +
			"only requests of openai:MODEL bear the id of their tree")
	case opts.Window < 1:
		return nil, fmt.Errorf("ollama: a window of %d tokens: it is sent with every request, and at least 1",
			opts.Window)
	}

	link, err := wire.NewLink(address, opts.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("ollama: %w", err)
	}

	opts.APIKey, opts.URL, opts.Headers = "", "", nil
	return &Backend{opts: opts, base: address.URL, link: link}, nil
}

// Address names the server, without credentials.
func (b *Backend) Address() string { return b.link.Address() }

// Close ends the connections that are idle.
func (b *Backend) Close() { b.link.Close() }

// The ports of hosts without one.
var defaultPorts = map[string]string{"": "11434", "http": "80", "https": "443"}

// parseHost reads a host as Ollama's own programs do: a missing port is the scheme's, or Ollama's
// without a scheme. OLLAMA_HOST also says where a server listens, so a host that stands for every
// address of the machine is this machine, and is not left to a proxy. Errors show nothing of the
// text, which may hold a key anywhere.
func parseHost(text string) (wire.Address, error) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	if text == "" {
		text = defaultHost
	}

	if strings.HasPrefix(text, "/") {
		return wire.Address{}, errors.New("it is a path: servers on sockets are not spoken to")
	}

	// Whether a scheme was written is remembered: it decides the port below.
	scheme, _, found := strings.Cut(text, "://")
	if !found {
		scheme = ""

		if ip := net.ParseIP(text); ip != nil && strings.Contains(text, ":") {
			text = "[" + text + "]" // an IPv6 address and no port
		}

		text = "http://" + text
	}

	address, err := wire.ParseAddress(text)
	switch {
	case err != nil:
		return wire.Address{}, err
	case address.URL.RawQuery != "":
		return wire.Address{}, errors.New("it has a query, which Ollama knows none of")
	}

	host, port := address.URL.Hostname(), address.URL.Port()
	if port == "" {
		port = defaultPorts[strings.ToLower(scheme)]
	}

	// 0.0.0.0 and :: are where a server listens, not where it can be asked.
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}

	address.URL.Host = net.JoinHostPort(host, port)
	return address, nil
}
