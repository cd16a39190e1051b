package remote_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/remote"
)

// preview is what a source says that it would send.
func preview(t *testing.T, s remote.Source, tool string, args envs.Args) remote.Sent {
	t.Helper()

	sent, err := s.(remote.Previewer).Preview(t.Context(), tool, args)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// What is told beforehand is what is sent.
func TestPreviewsAreWhatIsSent(t *testing.T) {
	t.Parallel()

	var got remote.Sent

	h := &remote.HTTP{Server: "http://x.example/v1/"}
	h.Transport = by(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}

		got = remote.Sent{To: r.Method + " " + r.URL.String(), Body: string(body)}
		for name, values := range r.Header {
			got.Headers = append(got.Headers, name+": "+strings.Join(values, ", "))
		}

		slices.Sort(got.Headers)
	})

	s, i := source(t, h, shop(t)), instance(t, h, shop(t))

	for tool, args := range map[string]envs.Args{
		"list_products": envs.Object("category", "a/b&c", "sort", "price"),
		"get_customer":  envs.Object("customer_id", "ü 1"),
		"add_note":      envs.Object("order_id", envs.Number("7"), "text", "call {me}"),
		"create_order": envs.Object("customer", "c2", "items",
			[]any{envs.Object("product", "p3", "quantity", envs.Number("1"))}),
		"cancel_order": envs.Object("order_id", envs.Number("7")),
	} {
		if _, err := i.Call(t.Context(), tool, args); err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(got, preview(t, s, tool, args)); diff != "" {
			t.Errorf("%s (-sent +preview):\n%s", tool, diff)
		}
	}
}

// A secret is shown by its variable, wherever it is sent, and is not needed to look.
func TestPreviewsHaveNoSecrets(t *testing.T) {
	const value = "hunter22:swordfish"

	for scheme, want := range map[string]remote.Sent{
		"header": {To: "GET http://x.example/thing", Headers: []string{"X-Key: $TEST_SECRET"}},
		"query":  {To: "GET http://x.example/thing?key=$TEST_SECRET"},
		"cookie": {To: "GET http://x.example/thing", Headers: []string{"Cookie: key=$TEST_SECRET"}},
		"basic":  {To: "GET http://x.example/thing", Headers: []string{"Authorization: Basic $TEST_SECRET"}},
		"bearer": {To: "GET http://x.example/thing", Headers: []string{"Authorization: Bearer $TEST_SECRET"}},
	} {
		want.Headers = append(want.Headers, "Accept: application/json, */*;q=0.5")
		slices.Sort(want.Headers)

		for _, set := range []string{"", value} {
			t.Setenv("TEST_SECRET", set)

			h := &remote.HTTP{Secrets: map[string]string{scheme: "TEST_SECRET"}}
			if diff := cmp.Diff(want, preview(t, source(t, h, locked(scheme)), "tool", nil)); diff != "" {
				t.Errorf("%s, set to %q (-want +got):\n%s", scheme, set, diff)
			}
		}
	}
}

// What an instance begins with is told without starting one: nothing here can be started.
func TestPreviewsOfTheBeginning(t *testing.T) {
	t.Parallel()

	tools := shop(t)

	for name, test := range map[string]struct {
		source remote.Source
		begins []string
		call   string
	}{
		"a command": {
			source(t, &remote.HTTP{
				Command: []string{"serve", "{dir}", "{address}"}, Environment: map[string]string{"TZ": "UTC"},
				ResetCommand: []string{"fill", "{dir}"}, Ready: "/health", Secrets: map[string]string{"key": "TOKEN"},
			}, tools),
			[]string{
				"make the folder {dir}", "run TZ=UTC TOKEN=$TOKEN fill {dir}",
				"run TZ=UTC TOKEN=$TOKEN serve {dir} {address}",
				"GET http://{address}/health, until that is answered",
			},
			"GET http://{address}/orders/7",
		},
		"a command that is told a port": {
			source(t, &remote.HTTP{
				Command: []string{"serve", "--port={port}"}, Server: "http://localhost:{port}/v2/",
				Reset: "POST /reset?all=1",
			}, tools),
			[]string{"run serve --port={port}", "POST http://localhost:{port}/reset?all=1"},
			"GET http://localhost:{port}/v2/orders/7",
		},
		"a service that runs": {
			source(t, &remote.HTTP{Reset: "POST /reset"}, tools),
			[]string{"POST http://127.0.0.1:8090/reset"},
			"GET http://127.0.0.1:8090/orders/7",
		},
		"an MCP server": {
			&remote.MCP{
				Command: []string{"serve", "{dir}"}, Reset: []string{"fill"}, Secrets: []string{"TOKEN"},
				Environment: map[string]string{"LOGS": "{dir}/logs"}, Shown: "/notes",
			},
			[]string{
				"make the folder {dir}, in which the following is run", "run LOGS={dir}/logs TOKEN=$TOKEN fill",
				"run LOGS={dir}/logs TOKEN=$TOKEN serve {dir}",
			},
			`tools/call get_order {"order_id": 7, "path": "{dir}/a"}`,
		},
		"an MCP server that runs": {
			&remote.MCP{URL: "http://127.0.0.1:1/mcp"}, []string{"connect to http://127.0.0.1:1/mcp"},
			`tools/call get_order {"order_id": 7, "path": "/notes/a"}`,
		},
	} {
		if diff := cmp.Diff(test.begins, test.source.(remote.Previewer).Beginning()); diff != "" {
			t.Errorf("%s begins by (-want +got):\n%s", name, diff)
		}

		args := envs.Object("order_id", envs.Number("7"), "path", "/notes/a") // operations have no path

		sent := preview(t, test.source, "get_order", args)
		if got := strings.TrimSpace(sent.To + " " + sent.Body); got != test.call {
			t.Errorf("%s is called by %s, want %s", name, got, test.call)
		}
	}
}
