package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/envs"
	"toolevo/envs/remote"
	"toolevo/envs/remote/openapi"
)

// script is a service that answers one after the other, by the clock of a test. 0 is a service that
// is down, and 1 one that breaks the connection.
type script struct {
	statuses []int
	header   http.Header // of every answer

	sent []string // the keys of requests
	at   []time.Duration
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	status := s.statuses[min(len(s.sent), len(s.statuses)-1)]
	s.sent = append(s.sent, r.Header.Get("Idempotency-Key"))
	s.at = append(s.at, time.Since(begin))

	switch status {
	case 0:
		return nil, unreachable
	case 1:
		return nil, io.ErrUnexpectedEOF
	}

	return &http.Response{
		StatusCode: status, Header: s.header, Request: r, Body: io.NopCloser(strings.NewReader("so it is")),
	}, nil
}

// begin is when the clock of every bubble begins.
var begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// play makes one call, for which there is a minute.
func play(t *testing.T, method string, s *script, parameters ...openapi.Parameter) (envs.Result, error) {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return instance(t, &remote.HTTP{Transport: s}, one(method, "http://x.example", parameters...)).
		Call(ctx, "tool", nil)
}

// What is sent again, after which waits, and what comes of it.
func TestRequestsThatAreSentAgain(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		method   string
		statuses []int
		wait     string        // that the service asks for
		tries    int           // of which the last ends
		took     time.Duration // after so long
		want     string        // the answer, or in the error
	}{
		{"GET", []int{503, 1, 429, 0, 200}, "", 5, 1500 * time.Millisecond, "so it is"},
		{"PUT", []int{502, 200}, "", 2, 100 * time.Millisecond, "so it is"},
		{"DELETE", []int{1, 200}, "", 2, 100 * time.Millisecond, "so it is"},
		{"GET", []int{503, 404}, "", 2, 100 * time.Millisecond, "so it is"},
		{"DELETE", []int{503, 404}, "", 2, 100 * time.Millisecond, "error: what the first one did is not known"},
		{"DELETE", []int{503, 429, 400}, "", 3, 300 * time.Millisecond, "error: the first one did is not known"},
		{"PUT", []int{1, 304}, "", 2, 100 * time.Millisecond, "so it is"},
		{"DELETE", []int{429, 0, 404}, "", 3, 300 * time.Millisecond, "so it is"}, // nobody did anything
		{"POST", []int{503, 200}, "", 1, 0, "error: may have been carried out"},
		{"POST", []int{408, 200}, "", 1, 0, "error: may have been carried out"},
		{"PATCH", []int{1, 200}, "", 1, 0, "error: unexpected EOF: it may have been carried out"},
		{"POST", []int{429, 425, 0, 200}, "", 4, 700 * time.Millisecond, "so it is"},
		{"GET", []int{503, 200}, "7", 2, 7 * time.Second, "so it is"},
		{"GET", []int{503, 200}, "61", 1, 0, "error: to be left alone for 1m1s"},
		{"GET", []int{500}, "", 4, 700 * time.Millisecond, "alone: a service fails at a request"},
		{"GET", []int{500, 500, 500, 200}, "", 4, 700 * time.Millisecond, "so it is"},
		{"GET", []int{0}, "", 12, time.Minute, "error: context deadline exceeded"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{statuses: c.statuses, header: http.Header{}}
			if c.wait != "" {
				s.header.Set("Retry-After", c.wait)
			}

			result, err := play(t, c.method, s)
			got := result.Observation

			switch reason, alone := envs.GivenUp(err); {
			case alone:
				got = "alone: " + reason
			case err != nil:
				got = "error: " + err.Error()
			}

			kind, rest, _ := strings.Cut(c.want, ": ")
			if !strings.HasPrefix(got, kind) || !strings.Contains(got, rest) || err != nil && envs.IsFinal(err) {
				t.Errorf("%s, %v: %s, want %s", c.method, c.statuses, got, c.want)
			}

			if took := time.Since(begin); len(s.sent) != c.tries || took != c.took {
				t.Errorf("%s, %v: %d requests at %v, %v, want %d, %v",
					c.method, c.statuses, len(s.sent), s.at, took, c.tries, c.took)
			}
		})
	}
}

// A call that may be sent to an instance only once is given up when the third instance in a row
// fails at it: no pass over the questions would ever end. The folder of an instance is its own, but
// a call that names it is the same call.
func TestCallsThatEveryInstanceFailsAt(t *testing.T) {
	t.Parallel()

	for _, args := range []envs.Args{nil, envs.Object("path", "{dir}/a.txt")} {
		testInstancesThatFailAt(t, args)
	}
}

func testInstancesThatFailAt(t *testing.T, args envs.Args) {
	t.Helper()

	s := &script{statuses: []int{500, 500, 200, 500, 500, 500}, header: http.Header{}}
	path := openapi.Parameter{Name: "path", Wire: "path", In: openapi.Query, Style: "form"}
	from := source(t, &remote.HTTP{Transport: s, ResetCommand: []string{"true", "{dir}"}},
		one("POST", "http://x.example", path))

	var got []string

	for range 6 {
		i, err := from.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		_, err = i.Call(t.Context(), "tool", args)
		reason, _ := envs.GivenUp(err)
		got = append(got, fmt.Sprint(err == nil, " ", reason))

		if err := i.Close(); err != nil {
			t.Error(err)
		}
	}

	want := []string{"false ", "false ", "true ", "false ", "false ",
		"false a service fails at a request"}
	if !slices.Equal(got, want) {
		t.Errorf("%v: got %q, want %q", args, got, want)
	}
}

// A key tells a service which requests are one and the same.
func TestKeysOfRequests(t *testing.T) {
	t.Parallel()

	key := openapi.Parameter{Name: "key", Wire: "idempotency-key", In: openapi.Header, Style: "simple"}

	synctest.Test(t, func(t *testing.T) {
		s := &script{statuses: []int{503, 1, 409, 503, 200, 200}, header: http.Header{}}
		operations := one("POST", "http://x.example", key)
		first := instance(t, &remote.HTTP{Transport: s}, operations)
		second := instance(t, &remote.HTTP{Transport: s}, operations)

		for _, i := range []remote.Instance{first, first, second} {
			if _, err := i.Call(t.Context(), "tool", nil); err != nil {
				t.Error(err)
			}
		}

		if _, err := first.Call(t.Context(), "tool", envs.Object("key", "mine")); err != nil {
			t.Error(err)
		}

		sent := s.sent
		if len(sent) != 7 || sent[0] != sent[1] || sent[1] != sent[2] || sent[3] != sent[4] || sent[6] != "mine" ||
			len(sent[0]) < 16 || len(slices.Compact(slices.Sorted(slices.Values(sent)))) != 4 {
			t.Errorf("the keys are %q", sent)
		}
	})

	synctest.Test(t, func(t *testing.T) {
		s := &script{statuses: []int{200}}
		if _, err := play(t, "POST", s); err != nil || s.sent[0] != "" {
			t.Errorf("%v: a service that knows no keys gets %q", err, s.sent)
		}
	})
}

// A service that is down is waited for, before a task begins and in the middle of it.
func TestServicesThatComeBack(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s := &script{statuses: []int{0, 0, 503, 200, 0, 0, 0, 200, 1, 503, 200}, header: http.Header{}}
		tools := remote.New(source(t, &remote.HTTP{Transport: s, Ready: "/health"}, one("GET", "http://x.example")),
			remote.Options{
				ReadsOnly: func(string) bool { return true }, Most: 1, Timeout: time.Minute, Patience: time.Minute,
			})

		for _, want := range []string{"so it is", "so it is"} {
			if _, result, err := tools.Call(t.Context(), nil, remote.Log{}, "tool", nil); err != nil ||
				result.Observation != want {
				t.Errorf("%+v, %v", result, err)
			}
		}

		if len(s.sent) != len(s.statuses) {
			t.Errorf("%d requests at %v", len(s.sent), s.at)
		}
	})
}

// What is never answered ends with its caller's patience, and a service that begins is asked again
// whether it is ready.
func TestServicesThatHang(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		asked := 0
		h := &remote.HTTP{Ready: "/health", Transport: by(func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked != 2 {
				<-r.Context().Done()
			}
		})}

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		_, err := instance(t, h, one("GET", "http://x.example")).Call(ctx, "tool", nil)
		if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute || asked != 3 {
			t.Errorf("%d requests in %v: %v", asked, took, err)
		}
	})
}

// Nor does anybody wait longer for those who are asked before.
func TestServicesThatHangForOthers(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s := source(t, &remote.HTTP{Concurrent: 1, Transport: by(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		})}, one("GET", "http://x.example"))

		var all sync.WaitGroup

		for n := range 2 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(2-n)*time.Minute)
				defer cancel()

				i, err := s.Start(ctx)
				if err == nil {
					_, err = i.Call(ctx, "tool", nil)
				}

				if want := time.Duration(2-n) * time.Minute; !errors.Is(err, context.DeadlineExceeded) ||
					time.Since(begin) != want {
					t.Errorf("after %v, want %v: %v", time.Since(begin), want, err)
				}
			})
			synctest.Wait()
		}

		all.Wait()
	})
}

// A host is asked no more often than it may be, whichever instances ask, and each host by itself.
func TestRates(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var (
			mu   sync.Mutex
			most int
			now  = map[string]int{}
			asks = map[string][]time.Duration{}
			all  sync.WaitGroup
		)

		h := &remote.HTTP{Rate: 10, Concurrent: 2, Transport: by(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asks[r.URL.Host] = append(asks[r.URL.Host], time.Since(begin))
			now[r.URL.Host]++
			most = max(most, now[r.URL.Host])
			mu.Unlock()

			<-time.After(time.Second)

			mu.Lock()
			now[r.URL.Host]--
			mu.Unlock()
		})}

		operations := one("GET", "http://x.example")
		operations["other"] = openapi.Operation{Method: "GET", Server: "http://y.example", Path: "/"}
		s := source(t, h, operations)

		for n := range 6 {
			i, err := s.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			all.Go(func() {
				if _, err := i.Call(t.Context(), []string{"tool", "other"}[n%2], nil); err != nil {
					t.Error(err)
				}
			})
		}

		all.Wait()

		// Two are inside at once, 100 ms apart; the third waits until the first has its answer.
		want := []time.Duration{0, 100 * time.Millisecond, time.Second}
		if !slices.Equal(asks["x.example"], want) || !slices.Equal(asks["y.example"], want) || most != 2 {
			t.Errorf("hosts are asked at %v, and %d times at once", asks, most)
		}
	})
}

// Who cannot wait as long as it takes is told at once, and is in nobody's way.
func TestRatesThatAreTooLow(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		i := instance(t, &remote.HTTP{
			Rate: 0.1, Concurrent: 1, Transport: by(func(http.ResponseWriter, *http.Request) {}),
		}, one("GET", "http://x.example"))

		call := func(patience time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()

			_, err := i.Call(ctx, "tool", nil)
			return err
		}

		if err := call(time.Second); err != nil {
			t.Error(err)
		}

		if err := call(time.Second); err == nil || !strings.Contains(err.Error(), "one of 0.1 requests a second") ||
			time.Since(begin) != 0 {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}

		if err := call(time.Minute); err != nil || time.Since(begin) != 10*time.Second {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
	})
}

// Redirections are followed where the document's requests go anyway, and to hosts that the user
// names; nowhere else.
func TestRedirections(t *testing.T) {
	t.Parallel()

	var sent []string

	h := &remote.HTTP{Hosts: []string{"files.example"}, Transport: by(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, fmt.Sprintf("%s %s %s%s%s", r.Method, r.URL, r.Header.Get("X-Key"), r.Header.Get("Cookie"),
			r.Header.Get("Referer")))

		switch r.URL.Path {
		case "/thing":
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		default:
			fmt.Fprint(w, "there")
		}
	})}
	to := []openapi.Parameter{
		{Name: "to", Wire: "to", In: openapi.Query, Style: "form"},
		{Name: "key", Wire: "X-Key", In: openapi.Header, Style: "simple"},
		{Name: "session", Wire: "session", In: openapi.Cookie, Style: "form"},
	}

	operations := one("GET", "https://x.example", to...)
	operations["other"] = openapi.Operation{Method: "GET", Server: "https://y.example", Path: "/"}
	i := instance(t, h, operations)

	for to, want := range map[string]string{
		"/here":                                "GET https://x.example/here K1session=S",
		"https://y.example/here":               "GET https://y.example/here ",
		"https://files.example/here":           "GET https://files.example/here ",
		"https://evil.example/here?secret=S":   "https://evil.example, which is no host of the document",
		"https://files.example.evil.example/x": "no host of the document",
		"https://files.example:8443/x":         "no host of the document",
		"http://x.example/here":                "where others could read",
		"ftp://x.example/here":                 "where others could read",
		"/round":                               "after 10 redirections",
	} {
		sent = nil
		result, err := i.Call(t.Context(), "tool", envs.Object("to", to, "key", "K1", "session", "S"))

		if strings.HasPrefix(want, "GET ") {
			if err != nil || result.Observation != "there" || !strings.HasPrefix(sent[1], want) ||
				!strings.HasPrefix(to, "/") && sent[1] != want {
				t.Errorf("%s: %+v, %v, %q", to, result, err, sent)
			}

			continue
		}

		if reason, ok := envs.GivenUp(err); !ok || reason == "" || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "secret=") {
			t.Errorf("%s: %v, %q", to, err, sent)
		}
	}
}

// A redirection that would make a GET of a request, which then has done nothing, is not followed;
// one that shows what it has done is.
func TestRedirectionsOfRequestsThatChange(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		status int
		to     string
		isLost bool
	}{
		{http.StatusMovedPermanently, "/elsewhere", true},
		{http.StatusFound, "/thing/", true},
		{http.StatusFound, "https://files.example/thing", true},
		{http.StatusFound, "/things/7", false},
		{http.StatusSeeOther, "/thing/", false},
		{http.StatusTemporaryRedirect, "/thing/", false},
		{http.StatusPermanentRedirect, "https://files.example/thing", false},
	} {
		var sent []string

		h := &remote.HTTP{Hosts: []string{"files.example"}, Transport: by(func(w http.ResponseWriter, r *http.Request) {
			if sent = append(sent, r.Method); len(sent) == 1 {
				http.Redirect(w, r, test.to, test.status)
			}
		})}

		_, err := instance(t, h, one("POST", "https://x.example")).Call(t.Context(), "tool", nil)

		_, isGivenUp := envs.GivenUp(err)
		if isGivenUp != test.isLost || len(sent) != map[bool]int{true: 1, false: 2}[test.isLost] {
			t.Errorf("%d to %s: %v, %q", test.status, test.to, err, sent)
		}
	}
}

// A service that nobody vouches for is not asked again and again.
func TestServicesThatAreNotTrusted(t *testing.T) {
	t.Parallel()

	web := httptest.NewUnstartedServer(http.NotFoundHandler())
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.StartTLS()
	t.Cleanup(web.Close)

	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)

	for _, server := range []string{web.URL, strings.Replace(plain.URL, "http", "https", 1)} {
		_, err := instance(t, &remote.HTTP{}, one("GET", server)).Call(t.Context(), "tool", nil)
		if !envs.IsFinal(err) {
			t.Errorf("%s: %v", server, err)
		}
	}
}
