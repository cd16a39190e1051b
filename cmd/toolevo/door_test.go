package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// askAs asks a server by another name, as a page does whose name was made to point to this machine.
func askAs(t *testing.T, host, method, url string, header ...string) (status int) {
	t.Helper()

	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}

	r.Host = host
	r.Header.Set("Content-Type", "application/json")

	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()

	return reply.StatusCode
}

// No page of a foreign site does anything at any of our servers, by whatever route.
func TestServersRefuseForeignPages(t *testing.T) {
	t.Parallel()

	for name, server := range map[string]struct{ args, routes []string }{
		"env": {
			[]string{"serve", "env", "--data", smallData(t), "--dataset", "coffee"},
			[]string{"GET /ws", "GET /tasks", "POST /reset", "GET /metrics", "GET /health"},
		},
		"tools": {
			[]string{"serve", "tools", "--data", smallData(t), "--split", "train"},
			[]string{"POST /virtual", "POST /mcp", "GET /metrics"},
		},
		"sessions": {
			[]string{"serve", "sessions"},
			[]string{"GET /api/sessions/a/b", "POST /api/sessions/a/b"},
		},
		"voice": {[]string{"serve", "voice"}, []string{"POST /mcp"}},
		"simulated": {
			[]string{"bench", "serve", "--data", smallData(t)},
			[]string{"POST /v1/chat/completions", "GET /v1/models", "GET /metrics"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := startServing(t, nil, server.args...)
			_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
			port, _, _ = strings.Cut(port, "/")
			url := "http://127.0.0.1:" + port

			for _, route := range server.routes {
				method, path, _ := strings.Cut(route, " ")

				rebound := "rebound.example:" + port

				got := askAs(t, rebound, method, url+path, "Origin", "http://"+rebound)
				if got != http.StatusForbidden {
					t.Errorf("%s under a name that was made to point here is answered %d", route, got)
				}

				got = askAs(t, "127.0.0.1:"+port, method, url+path, "Origin", "https://page.example")
				if got != http.StatusForbidden {
					t.Errorf("%s for a page of another site is answered %d", route, got)
				}

				if got := askAs(t, "localhost:"+port, method, url+path); got == http.StatusForbidden {
					t.Errorf("%s for a program of this machine is refused", route)
				}
			}

			s.interrupt()
		})
	}
}

// A key opens the environments under any name, to their websocket, too.
func TestServeEnvWithKey(t *testing.T) {
	t.Parallel()

	s := startServing(t, []string{"TOOLEVO_ENV_KEY=secret"}, "serve", "env", "--data", smallData(t), "--dataset",
		"coffee", "--require-key")

	for key, want := range map[string]int{
		"Bearer secret": http.StatusSwitchingProtocols, "Bearer wrong": http.StatusUnauthorized,
		"": http.StatusUnauthorized,
	} {
		conn, reply, err := websocket.Dial(t.Context(), s.url+"/ws", &websocket.DialOptions{
			Host: "trainer.internal", HTTPHeader: http.Header{"Authorization": {key}},
		})
		if err == nil {
			_ = conn.Close(websocket.StatusNormalClosure, "")
		}

		if reply == nil || reply.StatusCode != want {
			t.Errorf("with %q: %v, want %d", key, err, want)
		}
	}

	s.interrupt()
}

// A server that other machines can reach has a key, or does not start.
func TestServersOffLoopbackWantAKey(t *testing.T) {
	t.Parallel()

	for variable, args := range map[string][]string{
		"TOOLEVO_ENV_KEY":     {"serve", "env", "--data", smallData(t), "--dataset", "coffee"},
		"TOOLBENCH_KEY":       {"serve", "tools", "--data", smallData(t), "--split", "train"},
		"TOOLEVO_SERVICE_KEY": {"serve", "sessions"},
		"OPENAI_API_KEY":      {"bench", "serve", "--data", smallData(t)},
	} {
		for _, address := range []string{"0.0.0.0:0", "[::]:0"} {
			fails(t, exitUsage, []string{"--listen: " + address, variable}, append(args, "--listen", address)...)
		}
	}

	fails(t, exitUsage, []string{"TOOLEVO_SERVICE_KEY is not set"}, "serve", "voice", "--require-key")
	fails(t, exitUsage, []string{"--listen", "want PORT or HOST:PORT"}, "serve", "voice", "--listen", "8082x")
	fails(t, exitUsage, []string{"--metrics", "TOOLEVO_METRICS_KEY"}, "eval", "--data", smallData(t), "--dataset",
		"coffee", "--policy", "scripted:reader", "--metrics", "0.0.0.0:0", "--out", t.TempDir()+"/run")
}
