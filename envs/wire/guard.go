package wire

import (
	"cmp"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Guard says who may come in. It is safe for concurrent use.
type Guard struct {
	Key      string // that clients have to send; "" means none: then only this machine may ask
	MaxBytes int64  // of the body of a request; 0 is no limit

	// Refuse answers a request that may not come in; nil answers in plain text.
	Refuse func(w http.ResponseWriter, status int, why string)
}

// ErrOpen means that other machines could use a server without a key.
var ErrOpen = errors.New("other machines can reach it, and it asks for no key")

// ParseAddress returns an address PORT, :PORT or HOST:PORT to listen on as HOST:PORT. Without a
// host, only this machine can reach it. If other machines could reach it, err is [ErrOpen].
func ParseAddress(text string) (address string, err error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil && !strings.Contains(text, ":") {
		port = text
	}

	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("the address %q: want PORT or HOST:PORT, e.g. 8080", text)
	}

	host = cmp.Or(host, "127.0.0.1")
	address = net.JoinHostPort(host, port)

	if !IsLocal(host) {
		return address, ErrOpen
	}
	return address, nil
}

// Handler returns the handler with the guard before it. The guard leaves it to [Guard.WithKey] to
// ask for the key.
func (g *Guard) Handler(h http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case g.Key == "" && !IsLocal(hostOf(r.Host)):
			g.refuse(w, http.StatusForbidden,
				"ask for this server as localhost: it has no key, and answers under no other name")
		case origins.Check(r) != nil || isForeign(r):
			g.refuse(w, http.StatusForbidden, "a page of another site may not ask this server")
		case g.MaxBytes > 0 && r.ContentLength > g.MaxBytes:
			w.Header().Set("Connection", "close") // nobody reads the rest
			g.refuse(w, http.StatusRequestEntityTooLarge, TooLarge(g.MaxBytes).Error())
		default:
			if g.MaxBytes > 0 {
				r.Body = http.MaxBytesReader(w, r.Body, g.MaxBytes)
			}

			h.ServeHTTP(w, r)
		}
	})
}

// WithKey lets requests with the right key pass.
func (g *Guard) WithKey(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.IsKey(Bearer(r)) {
			g.refuse(w, http.StatusUnauthorized,
				"the key is missing or wrong: send it as Authorization: Bearer KEY")
			return
		}

		h.ServeHTTP(w, r)
	})
}

// IsKey reports whether a key is right. Without a key of the guard, any is.
func (g *Guard) IsKey(key string) bool {
	return g.Key == "" || subtle.ConstantTimeCompare([]byte(key), []byte(g.Key)) == 1
}

// Bearer returns the key that a request was sent with.
func Bearer(r *http.Request) string {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return key
}

func (g *Guard) refuse(w http.ResponseWriter, status int, why string) {
	if g.Refuse != nil {
		g.Refuse(w, status, why)
	} else {
		http.Error(w, why, status)
	}
}

// isForeign reports whether a page of another origin asks, by whatever method: a websocket begins
// with a GET.
func isForeign(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}

	u, err := url.Parse(origin)
	return err != nil || u.Host != r.Host
}

// hostOf returns a host without its port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// IsLocal reports whether a host is this machine, by its name or a loopback address. The owner of
// any other name could point it to this machine.
func IsLocal(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
