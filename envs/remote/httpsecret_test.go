package remote_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"toolevo/envs"
	"toolevo/envs/remote"
	"toolevo/envs/remote/openapi"
)

// schemes are those of a document, of every kind.
var schemes = map[string]openapi.Secret{
	"header": {Name: "header", Type: "apiKey", In: openapi.Header, Wire: "X-Key"},
	"query":  {Name: "query", Type: "apiKey", In: openapi.Query, Wire: "key"},
	"cookie": {Name: "cookie", Type: "apiKey", In: openapi.Cookie, Wire: "key"},
	"basic":  {Name: "basic", Type: "http", Scheme: "basic"},
	"bearer": {Name: "bearer", Type: "oauth2"},
}

func locked(scheme string) map[string]openapi.Operation {
	operations := one("GET", "http://x.example")
	o := operations["tool"]
	o.Secrets = [][]openapi.Secret{{schemes[scheme]}}
	operations["tool"] = o
	return operations
}

// Whatever a service does with a secret, nothing shows it.
func TestSecretsAreNotShown(t *testing.T) {
	const user, password = "me", `p@ss "w\ord"/é&%`

	for scheme := range schemes {
		value := password
		if scheme == "basic" {
			value = user + ":" + password
		}

		if scheme != "query" && scheme != "cookie" {
			value = strings.ReplaceAll(value, "é", "")
		}

		t.Setenv("TEST_SECRET", " "+value+"\n")

		bare := strings.TrimPrefix(value, user+":")
		spelled := []string{
			value, bare, url.QueryEscape(bare), url.PathEscape(bare),
			strings.ReplaceAll(url.QueryEscape(bare), "+", "%20"), base64.StdEncoding.EncodeToString([]byte(value)),
			text("it", bare)[8 : len(text("it", bare))-2],
		}

		for _, status := range []int{200, 302, 400, 401, 500, 503, 0} {
			asked := false
			h := &remote.HTTP{Secrets: map[string]string{scheme: "TEST_SECRET"}}
			h.Transport = by(func(w http.ResponseWriter, r *http.Request) {
				asked = true

				w.Header().Set("Location", "http://evil.example/?"+url.QueryEscape(bare))
				w.WriteHeader(max(status, 200))

				for _, s := range spelled {
					fmt.Fprintln(w, s)
				}

				fmt.Fprintln(w, r.URL, r.Header)
			})

			if status == 0 {
				h.Transport = failing{value}
			}

			if status >= 500 || status == 0 { // nobody waits
				operations := locked(scheme)
				o := operations["tool"]
				o.Method = "POST"
				operations["tool"] = o
				checkHidden(t, scheme, status, h, operations, spelled)

				continue
			}

			if checkHidden(t, scheme, status, h, locked(scheme), spelled); !asked {
				t.Errorf("%s %d: nobody was asked", scheme, status)
			}
		}
	}
}

// failing is a transport whose errors quote a secret.
type failing struct{ secret string }

func (f failing) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("cannot reach %s with %s: %w", r.URL, f.secret, io.ErrUnexpectedEOF)
}

func checkHidden(
	t *testing.T, scheme string, status int, h *remote.HTTP, operations map[string]openapi.Operation, spelled []string,
) {
	t.Helper()

	result, err := instance(t, h, operations).Call(t.Context(), "tool", nil)
	if (err == nil) != (status == 200 || status == 400) {
		t.Errorf("%s %d: %v", scheme, status, err)
	}

	shown := result.Observation
	for ; err != nil; err = unwrapped(err) {
		shown += fmt.Sprintf("%v %+v %#v", err, err, err)
	}

	if !strings.Contains(shown, "[hidden]") && status != 302 {
		t.Errorf("%s %d: nothing is hidden in %s", scheme, status, shown)
	}

	for _, s := range spelled {
		if strings.Contains(shown, s) {
			t.Errorf("%s %d: %s is shown in %s", scheme, status, s, shown)
		}
	}
}

func unwrapped(err error) error {
	u, ok := err.(interface{ Unwrap() error })
	if !ok {
		return nil
	}
	return u.Unwrap()
}

// A service is reset with the secrets that its tools need, and a wrong one ends everything also
// where a request is sent again.
func TestSecretsOfRequestsBesides(t *testing.T) {
	t.Setenv("TEST_SECRET", "right-key")

	operations := locked("header")
	operations["a"] = openapi.Operation{Method: "GET", Server: "http://x.example", Path: "/a"}
	operations["z"] = operations["a"]

	o := operations["tool"]
	o.Method = "DELETE"
	operations["tool"] = o

	synctest.Test(t, func(t *testing.T) {
		var sent []string

		h := &remote.HTTP{Reset: "POST /reset", Ready: "/health", Secrets: map[string]string{"header": "TEST_SECRET"}}
		h.Transport = by(func(w http.ResponseWriter, r *http.Request) {
			sent = append(sent, r.Method+" "+r.URL.Path+" "+r.Header.Get("X-Key"))
			w.WriteHeader([]int{200, 200, 503, 401}[len(sent)-1])
		})

		_, err := instance(t, h, operations).Call(t.Context(), "tool", nil)
		if want := []string{
			"GET /health ", "POST /reset right-key", "DELETE /thing right-key", "DELETE /thing right-key",
		}; !envs.IsFinal(err) || !slices.Equal(sent, want) {
			t.Errorf("%v, requests %q", err, sent)
		}
	})
}

// Secrets are sent where the document says. One that is missing or wrong ends everything; what a
// right one does not open is the agent's business.
func TestSecretsAreAskedFor(t *testing.T) {
	h := &remote.HTTP{Secrets: map[string]string{"header": "TEST_SECRET", "bearer": "TEST_NO_SECRET"}}
	h.Transport = by(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Key") {
		case "right-key":
			fmt.Fprint(w, "come in")
		case "small-key":
			w.WriteHeader(http.StatusForbidden)
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	})

	call := func(scheme, value string) (envs.Result, error) {
		t.Setenv("TEST_SECRET", value)
		return instance(t, h, locked(scheme)).Call(t.Context(), "tool", nil)
	}

	if got, err := call("header", "right-key"); err != nil || got.Observation != "come in" {
		t.Errorf("%+v, %v", got, err)
	}

	if got, err := call("header", "small-key"); err != nil || got.Outcome != envs.ToolError {
		t.Errorf("%+v, %v", got, err)
	}

	for scheme, value := range map[string]string{"header": "wrong-key", "bearer": "right-key", "query": "right-key"} {
		if _, err := call(scheme, value); !envs.IsFinal(err) || strings.Contains(err.Error(), value) {
			t.Errorf("%s: %v", scheme, err)
		}
	}

	h.Secrets = nil // the service knows its users by something else
	if _, err := call("header", "right-key"); !envs.IsFinal(err) || !strings.Contains(err.Error(), "401") {
		t.Errorf("without a secret: %v", err)
	}
}
