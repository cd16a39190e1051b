package wire

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// served returns how a guard answers a request, which a header of these names and values goes with.
func served(g *Guard, method, host, body string, header ...string) int {
	h := g.Handler(g.WithKey(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	})))

	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.Host = host

	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}

	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// Without a key, only programs of this machine may ask, and pages that the server itself sent.
func TestGuardWithoutKey(t *testing.T) {
	t.Parallel()

	g := &Guard{MaxBytes: 4}

	for _, host := range []string{"localhost", "LOCALHOST:80", "127.0.0.1:8080", "127.3.2.1", "[::1]:80", "[::1]"} {
		if got := served(g, "GET", host, ""); got != http.StatusOK {
			t.Errorf("%s is answered %d", host, got)
		}

		if got := served(g, "GET", host, "", "Origin", "http://"+host); got != http.StatusOK {
			t.Errorf("a page of %s is answered %d", host, got)
		}
	}

	for _, host := range []string{
		"", "rebound.example", "rebound.example:8080", "127.0.0.1.rebound.example", "localhost.rebound.example",
		"192.168.1.2:80", "[fe80::1]:80", "0.0.0.0",
	} {
		if got := served(g, "GET", host, "", "Origin", "http://"+host); got != http.StatusForbidden {
			t.Errorf("%q is answered %d", host, got)
		}
	}

	for _, method := range []string{"GET", "POST", "DELETE"} {
		for _, origin := range []string{
			"https://page.example", "http://localhost:81", "null", "http://localhost:80 x",
		} {
			if got := served(g, method, "localhost:80", "", "Origin", origin); got != http.StatusForbidden {
				t.Errorf("%s of a page of %s is answered %d", method, origin, got)
			}
		}
	}

	if got := served(g, "POST", "localhost", "", "Sec-Fetch-Site", "cross-site"); got != http.StatusForbidden {
		t.Errorf("a form of another site is answered %d", got)
	}

	if got := served(g, "POST", "localhost", "12345"); got != http.StatusRequestEntityTooLarge {
		t.Errorf("5 bytes are answered %d", got)
	}
}

// The key opens the server under any name, and nothing else does; it makes no foreign page welcome.
func TestGuardWithKey(t *testing.T) {
	t.Parallel()

	g := &Guard{Key: "secret"}

	for _, host := range []string{"trainer.internal:8083", "10.0.0.7:8083", "localhost"} {
		for key, want := range map[string]int{
			"": http.StatusUnauthorized, "Bearer wrong": http.StatusUnauthorized, "Bearer secret": http.StatusOK,
		} {
			if got := served(g, "POST", host, strings.Repeat("x", 99), "Authorization", key); got != want {
				t.Errorf("%s with %q is answered %d, want %d", host, key, got, want)
			}
		}
	}

	got := served(g, "GET", "trainer.internal", "", "Authorization", "Bearer secret", "Origin", "http://page.example")
	if got != http.StatusForbidden {
		t.Errorf("a page of another site is answered %d", got)
	}
}

func TestParseAddress(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"127.0.0.1:0": "127.0.0.1:0", "localhost:80": "localhost:80", "[::1]:80": "[::1]:80",
		"8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080", "0": "127.0.0.1:0",
	} {
		if address, err := ParseAddress(text); err != nil || address != want {
			t.Errorf("%s: %s, %v, want %s", text, address, err, want)
		}
	}

	for _, text := range []string{"0.0.0.0:80", "[::]:80", "192.168.1.2:80", "machine:80"} {
		if address, err := ParseAddress(text); !errors.Is(err, ErrOpen) || address != text {
			t.Errorf("%s: %s, %v", text, address, err)
		}
	}

	for _, text := range []string{"", "localhost", "8777x", "localhost:", "localhost:http", "65536", "::1"} {
		if _, err := ParseAddress(text); err == nil || errors.Is(err, ErrOpen) {
			t.Errorf("%q, which is no address: %v", text, err)
		}
	}
}
