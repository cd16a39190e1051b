package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"toolevo/mcts/policy/simserver"
)

// hosted is a model behind a gateway, which takes requests below a path only, with a query and
// headers, and repeats all that it was shown in errors.
type hosted struct {
	http.Handler
	path, query string
	headers     map[string]string
	reply       string       // the name that replies bear
	lists       bool         // it has a list of models
	completions atomic.Int64 // each fourth fails; a list that fails ends a command before it begins
}

func (s *hosted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	complain := func(status int) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%q}}`, fmt.Sprint(r.URL, " ", r.Header))
	}

	for name, value := range s.headers {
		if r.Header.Get(name) != value {
			complain(401)
			return
		}
	}

	body, _ := io.ReadAll(r.Body)

	below, found := strings.CutPrefix(r.URL.Path, s.path)
	switch {
	case !found, r.URL.RawQuery != s.query, r.Method == http.MethodGet && !(s.lists && below == "/models"):
		complain(404)
		return
	case r.Method == http.MethodPost && s.completions.Add(1)%4 == 0 &&
		!strings.Contains(string(body), "Hello"):
		complain(500)
		return
	}

	r.Body = io.NopCloser(strings.NewReader(strings.ReplaceAll(string(body), s.reply[:6], "sim")))
	r.URL.Path = "/v1" + below

	got := httptest.NewRecorder()
	s.Handler.ServeHTTP(got, r)
	w.WriteHeader(got.Code)
	io.WriteString(w, strings.ReplaceAll(got.Body.String(), `"sim"`, `"`+s.reply+`"`))
}

// TestHostedServers collects from gateways that want a query or headers of their own: they are part
// of every request, and their keys stand in no file, in nothing that the program says, and not in
// what is printed to go on with the run.
func TestHostedServers(t *testing.T) {
	t.Parallel()

	const key = "sk-0123456789/secret"

	for _, test := range []struct {
		name   string
		server *hosted
		set    map[string]string // server.headers
	}{
		{
			name: "Azure",
			server: &hosted{
				path: "/openai/deployments/gpt-4o", query: "api-version=2024-06-01", reply: "gpt-4o-2024-08-06",
				headers: map[string]string{"api-key": key},
			},
			set: map[string]string{"api-key": "${GATEWAY_KEY}"},
		},
		{
			name: "key in the query",
			server: &hosted{
				path: "/gateway/v1", query: "subscription-key=sk-0123456789%2Fsecret", reply: "gpt-4o",
			},
		},
		{
			name: "two headers",
			server: &hosted{
				path: "/v1", reply: "gpt-4o", lists: true,
				headers: map[string]string{"Authorization": "Token " + key, "X-Team": "blue"},
			},
			set: map[string]string{"Authorization": "Token ${GATEWAY_KEY}", "X-Team": "${TEAM}"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			test.server.Handler = serve(t, simserver.Options{Slots: 16})
			web := httptest.NewServer(test.server)
			t.Cleanup(web.Close)

			address := strings.TrimSuffix(web.URL+test.server.path+"?"+test.server.query, "?")
			environ := []string{"GATEWAY_KEY=" + key, "TEAM=blue"}
			dir := filepath.Join(t.TempDir(), "run")
			args := []string{
				"collect", "--data", smallData(t), "--policy", "openai:gpt-4o", "--server", address, "--limit", "1",
				"--trees", "1", "--set", "search.simulations=4", "--set", "server.window=32768",
				"--patience", "1s", "--progress", "none", "--out", dir,
			}

			if len(test.set) > 0 {
				r := cliWith(t, "", environ, args...)
				says(t, "without its headers", r.err, "401", "server.headers")
			}

			args = append(args, "--set", "server.headers="+asMapping(test.set))

			if len(test.set) > 0 {
				r := cli(t, args...)
				says(t, "without the environment", r.err, "server.headers.", "${GATEWAY_KEY}")
			}

			r := cliWith(t, "", environ, args...)
			if r.code != exitDone {
				t.Errorf("exit %d\n%s", r.code, r.err)
			}

			again := cliWith(t, "", environ, append(args, "--resume", "--trees", "2")...)
			if again.code != exitDone {
				t.Errorf("resumed: exit %d\n%s", again.code, again.err)
			}

			texts := r.out + r.err + again.out + again.err
			for _, path := range files(t, dir) {
				texts += string(read(t, path))
			}

			if strings.Contains(texts, "0123456789") {
				t.Error("the key can be read in a file, or in what is said")
			}
		})
	}
}

// asMapping is a mapping as a setting is given one.
func asMapping(settings map[string]string) string {
	var all []string
	for name, value := range settings {
		all = append(all, fmt.Sprintf("%s: %q", name, value))
	}
	return "{" + strings.Join(all, ", ") + "}"
}
