package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"toolevo/mcts/policy/simserver"
)

// TestNamesOfReplies asks gateways for a model by an alias, which they list or not, and under which
// they do not answer. What is plainly the same model is taken, another name with server.names, and
// a change of the model in the midst of a run is noticed.
func TestNamesOfReplies(t *testing.T) {
	t.Parallel()

	const alias = "gpt-4o"

	for _, test := range []struct {
		name, listed, reply, later string // later is the name from the tenth reply on
		names                      string
		code                       int
		says                       string
	}{
		{name: "alias", listed: alias, reply: "Qwen/Qwen3-8B", code: exitGaveUp, says: "server.names"},
		{name: "alias that is named", listed: alias, reply: "Qwen/Qwen3-8B", names: "Qwen/Qwen3-8B"},
		{name: "date", listed: alias, reply: "gpt-4o-2024-08-06"},
		{name: "date in the list", listed: "gpt-4o-2024-08-06", reply: "gpt-4o-2024-08-06"},
		{name: "provider", listed: alias, reply: "azure/gpt-4o"},
		{name: "only the upstream is listed", listed: "up", reply: "up", code: exitGaveUp, says: "server.names"},
		{name: "only the upstream is listed, and named", listed: "up", reply: "up", names: "up"},
		{
			name: "another date later", listed: alias, reply: "gpt-4o-2024-05-13", later: "gpt-4o-2024-08-06",
			code: exitGaveUp, says: `"gpt-4o-2024-08-06"`,
		},
		{
			name: "another model later", listed: alias, reply: "up", later: "up-2", names: "up",
			code: exitGaveUp, says: `"up-2"`,
		},
		{
			name: "another date later, and named", listed: alias, reply: "gpt-4o-2024-05-13",
			later: "gpt-4o-2024-08-06", names: "gpt-4o-2024-05-13,gpt-4o-2024-08-06",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			sim := serve(t, simserver.Options{Slots: 16})

			var replies atomic.Int64

			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				name := test.listed
				if r.Method == http.MethodPost {
					if name = test.reply; test.later != "" && replies.Add(1) >= 10 {
						name = test.later
					}
				}

				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(strings.NewReader(strings.ReplaceAll(string(body), alias, "sim")))

				got := httptest.NewRecorder()
				sim.ServeHTTP(got, r)
				w.WriteHeader(got.Code)
				io.WriteString(w, strings.ReplaceAll(got.Body.String(), `"sim"`, `"`+name+`"`))
			}))
			t.Cleanup(web.Close)

			r := cli(t, "collect", "--data", smallData(t), "--policy", "openai:"+alias, "--server", web.URL,
				"--limit", "1", "--trees", "1", "--set", "search.simulations=8", "--patience", "1s",
				"--set", "server.window=32768", "--set", "server.names="+test.names, "--progress", "none",
				"--out", filepath.Join(t.TempDir(), "run"))
			if r.code != test.code {
				t.Errorf("exit %d, want %d\n%s", r.code, test.code, r.err)
			}

			says(t, "collect", r.err, test.says)
		})
	}
}
