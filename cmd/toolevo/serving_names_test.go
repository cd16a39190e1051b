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

// alias is what a gateway calls its model.
const alias = "gpt-4o"

// aliased is a gateway that takes the alias, lists a name, and bears others in its replies.
func aliased(t *testing.T, listed string, reply func() string) (url string) {
	t.Helper()

	sim := serve(t, simserver.Options{Slots: 16})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := listed
		if r.Method == http.MethodPost {
			name = reply()
		}

		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(strings.ReplaceAll(string(body), alias, "sim")))

		got := httptest.NewRecorder()
		sim.ServeHTTP(got, r)
		w.WriteHeader(got.Code)
		io.WriteString(w, strings.ReplaceAll(got.Body.String(), `"sim"`, `"`+name+`"`))
	}))
	t.Cleanup(web.Close)

	return web.URL
}

// TestNamesOfReplies asks gateways for a model by an alias, which they list or not, and under which
// they do not answer. What is plainly the same model is taken, another name with server.names, and
// a change of the model in the midst of a run is noticed.
func TestNamesOfReplies(t *testing.T) {
	t.Parallel()

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

			var replies atomic.Int64

			url := aliased(t, test.listed, func() string {
				if test.later != "" && replies.Add(1) >= 10 {
					return test.later
				}
				return test.reply
			})

			r := cli(t, "collect", "--data", smallData(t), "--policy", "openai:"+alias, "--server", url,
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

// A gateway that goes over to another date between two passes of a run is not known to the second
// pass, which goes on, and says so.
func TestNamesOfAnotherPass(t *testing.T) {
	t.Parallel()

	var later atomic.Bool

	url := aliased(t, alias, func() string {
		if later.Load() {
			return "gpt-4o-2024-08-06"
		}
		return "gpt-4o-2024-05-13"
	})

	args := []string{
		"collect", "--data", smallData(t), "--policy", "openai:" + alias, "--server", url, "--limit", "1",
		"--set", "search.simulations=2", "--set", "server.window=32768", "--progress", "none",
		"--out", filepath.Join(t.TempDir(), "run"),
	}
	resumed := func(trees string) string {
		r := cli(t, append(args, "--resume", "--trees", trees)...)
		if r.code != exitDone {
			t.Fatalf("exit %d\n%s", r.code, r.err)
		}
		return r.err
	}

	must(t, append(args, "--trees", "1")...)

	if said := resumed("2"); strings.Contains(said, "2024") {
		t.Errorf("nothing has changed, it says\n%s", said)
	}

	later.Store(true)
	says(t, "collect", resumed("3"), "gpt-4o-2024-08-06", "gpt-4o-2024-05-13")
}
