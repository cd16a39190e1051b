package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolevo/mcts/policy/simserver"
)

// limited is a server that answers some of its completions with something else.
type limited struct {
	http.Handler
	asked atomic.Int64
	other func(w http.ResponseWriter, asked int64) bool // whether it answered
	first func(w http.ResponseWriter)                   // what answers for its models, if set
}

func (s *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch post := r.Method == http.MethodPost; {
	case !post && s.first != nil && strings.HasSuffix(r.URL.Path, "/models"):
		s.first(w)
	case !post || !s.other(w, s.asked.Add(1)):
		s.Handler.ServeHTTP(w, r)
	}
}

// TestLimits collects from servers that want to be asked less, in all the ways in which they say
// it, and from one whose account may not ask any more: that ends the run at once, and the same
// command goes on when it may.
func TestLimits(t *testing.T) {
	t.Parallel()

	answer := func(status int, body string, header ...string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}

			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	often := func(say func(http.ResponseWriter)) func(http.ResponseWriter, int64) bool {
		return func(w http.ResponseWriter, asked int64) bool {
			if asked%10 == 0 {
				say(w)
			}
			return asked%10 == 0
		}
	}
	date := func(w http.ResponseWriter) {
		now := time.Now().UTC()
		answer(429, "slow down", "Date", now.Format(http.TimeFormat),
			"Retry-After", now.Add(time.Second).Format(http.TimeFormat))(w)
	}

	var empty atomic.Bool

	empty.Store(true)

	for _, test := range []struct {
		name  string
		first func(http.ResponseWriter)
		other func(http.ResponseWriter, int64) bool
		ends  bool // at once, until the account is filled
	}{
		{name: "seconds", other: often(answer(429, "slow down", "Retry-After", "1"))},
		{name: "date", other: often(date)},
		{name: "reset", other: often(answer(429, "slow down", "X-RateLimit-Reset", "1"))},
		{name: "in a reply", other: often(answer(200, `{"error":{"message":"Rate limit exceeded","code":429,
			"metadata":{"headers":{"X-RateLimit-Reset":"1"}}}}`))},
		{
			name:  "from the beginning",
			first: answer(429, "slow down", "Retry-After", "1"),
			other: func(w http.ResponseWriter, asked int64) bool {
				if asked < 3 {
					answer(429, "slow down", "X-RateLimit-Reset", "1")(w)
				}
				return asked < 3
			},
		},
		{name: "a quota that comes back", other: often(answer(429, `{"error":{"message":
			"Quota exceeded for requests per minute"}}`))},
		{name: "no quota", ends: true, other: func(w http.ResponseWriter, asked int64) bool {
			gone := asked > 5 && empty.Load()
			if gone {
				answer(429, `{"error":{"message":"You exceeded your current quota, check your plan",
					"type":"insufficient_quota","code":"insufficient_quota"}}`)(w)
			}

			return gone
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			sim := serve(t, simserver.Options{Slots: 16})
			s := &limited{Handler: sim, other: test.other, first: test.first}
			web := httptest.NewServer(s)
			t.Cleanup(web.Close)

			args := []string{
				"collect", "--data", smallData(t), "--policy", "openai:sim", "--server", web.URL, "--limit", "1",
				"--trees", "1", "--set", "search.simulations=4", "--set", "server.window=32768",
				"--progress", "none", "--out", filepath.Join(t.TempDir(), "run"),
			}

			r := cli(t, args...)
			if test.ends {
				if r.code != exitGaveUp {
					t.Errorf("exit %d\n%s", r.code, r.err)
				}

				says(t, "collect", r.err, "check your plan", "--resume")
				empty.Store(false)

				r = cli(t, append(args, "--resume")...)
			}

			if r.code != exitDone || strings.Contains(r.err, "trees given up") {
				t.Errorf("exit %d\n%s", r.code, r.err)
			}
		})
	}
}
