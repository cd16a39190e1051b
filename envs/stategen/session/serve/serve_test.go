package serve_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/session"
	"toolevo/envs/stategen/session/serve"
	"toolevo/envs/toolapi"
)

// versions returns a version of the tools by name: p_c, which defines them, or a drifted one.
func versions(t testing.TB) func(name string) *toolapi.Version {
	t.Helper()

	spec := &toolapi.Spec{
		Version: "p_c", Base: true, APIs: slices.Clone(session.New().APIs()),
		Messages: toolapi.Messages{Deprecated: "Use {{.Signature}}, e.g. {{.Example}}.", Invalid: "No such API."},
	}

	for tool, parameter := range map[string]string{envs.FinishTool: "answer", envs.UpdateTool: "newtool_desc"} {
		spec.APIs = append(spec.APIs, toolapi.APISpec{
			Name: tool, Description: "which belongs to the protocol",
			Parameters: toolapi.Parameters{All: []toolapi.Parameter{{Name: parameter}}},
		})
	}

	catalog, err := toolapi.NewCatalog(spec)
	if err != nil {
		t.Fatal(err)
	}

	catalog = drift.Standard(catalog, "p_c")

	return func(name string) *toolapi.Version {
		v, err := catalog.Version(name)
		if err != nil {
			t.Fatal(err)
		}

		return v
	}
}

// client talks to a server that ends with the test.
type client struct {
	testing.TB
	url string
}

func served(t testing.TB, version string) *client {
	t.Helper()

	all := versions(t)

	s, err := serve.New(all("p_c"), all(version))
	if err != nil {
		t.Fatal(err)
	}

	server := httptest.NewServer(s)
	t.Cleanup(server.Close)

	return &client{t, server.URL}
}

// do sends a request and returns the status and the body of the answer.
func (c *client) do(method, path, body string) (status int, answer string) {
	c.Helper()

	r, err := http.NewRequestWithContext(c.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer reply.Body.Close()

	text, err := io.ReadAll(reply.Body)
	if err != nil {
		c.Fatal(err)
	}

	return reply.StatusCode, string(text)
}

func object(t testing.TB, text string) envs.Args {
	t.Helper()

	args, rest, err := pytext.DecodeObject(text)
	if err != nil || rest != "" {
		t.Fatalf("%q is not an object: %v", text, err)
	}

	return args
}

func TestRoutes(t *testing.T) {
	t.Parallel()

	c := served(t, "p_c")

	status, first := c.do("POST", "/api/sessions/lab/group", `{"title": "A", "members": "1"}`)
	if status != http.StatusOK {
		t.Fatal(status, first)
	}

	id, _ := object(t, first).Text("id")
	whole := fmt.Sprintf(`{"id": %q, "source": "lab", "type": "group", "checksum": `, id)

	for _, tt := range []struct {
		method, path, body string
		status             int
		starts             string // "" is an empty body
	}{
		{"POST", "/api/sessions/lab/group", `{"members": "1", "title": "A"}`, 200, first},
		{"GET", "/api/sessions/lab/group", "", 200, "[" + whole},
		{"GET", "/api/sessions/lab/settings", "", 200, "[]"},
		{"GET", "/api/sessions/lab/group/query?field=data.title&value=A", "", 200, "[" + whole},
		{"GET", "/api/sessions/lab/group/query?field=data.title&value=B", "", 200, "[]"},
		{"GET", "/api/sessions/lab/group/" + id, "", 200, whole},
		{"PUT", "/api/sessions/lab/group/" + id, `{"title": "B & C"}`, 200, ""},
		{"GET", "/api/sessions/lab/group/query?field=data.title&value=B+%26%20C", "", 200, "[" + whole},
		{"POST", "/api/sessions/l%C3%A4b%2F1/group", `{}`, 200, `{"id": `},
		{"GET", "/api/sessions/l%C3%A4b%2F1/group", "", 200, `[{"id": `},

		{"GET", "/api/sessions/lab/groups", "", 400, `{"error": "There is no type`},
		{"GET", "/api/sessions/la/group", "", 400, `{"error": "The source`},
		{"POST", "/api/sessions/lab/group", `{"title": `, 400, `{"error": "the body is no JSON`},
		{"POST", "/api/sessions/lab/group", ``, 400, `{"error": "the body is no JSON`},
		{"POST", "/api/sessions/lab/group", `[1]`, 400, `{"error": "the body is a list`},
		{"PUT", "/api/sessions/lab/group/" + id, `"B"`, 400, `{"error": "the body is a str`},
		{"GET", "/api/sessions/lab/group/query?field=title&value=B", "", 400, `{"error": "The field`},
		{"GET", "/api/sessions/lab/group/query?field=data.title", "", 400, `{"error": "missing property`},
		{"GET", "/api/sessions/lab/group/none", "", 404, `{"error": "There is no session`},
		{"GET", "/api/sessions/lab/settings/" + id, "", 404, `{"error": "There is no session`},
		{"PUT", "/api/sessions/lab/group/none", `{}`, 404, `{"error": "There is no session`},
		{"DELETE", "/api/sessions/lab/group/none", "", 404, `{"error": "There is no session`},
		{"POST", "/api/list_sessions", `{"source": "lab", "type": "group"}`, 404, `{"error": "nothing is served`},
		{"POST", "/api/sessions/lab/group", strings.Repeat(" ", serve.MaxBody+1), 413, `{"error": "the body is too large`},
		{"GET", "/lab/group", "", 404, "404 page not found"},
		{"PATCH", "/api/sessions/lab/group", "", 405, "Method Not Allowed"},

		{"DELETE", "/api/sessions/lab/group/" + id, "", 200, ""},
		{"DELETE", "/api/sessions/lab/group/" + id, "", 404, `{"error": "There is no session`},
	} {
		status, answer := c.do(tt.method, tt.path, tt.body)
		if status != tt.status || !strings.HasPrefix(answer, tt.starts) || tt.starts == "" && answer != "" {
			t.Errorf("%s %s: %d %s, want %d %s", tt.method, tt.path, status, answer, tt.status, tt.starts)
		}
	}
}

// inDocument finds where a document says that its tool is.
var inDocument = regexp.MustCompile(`([A-Z]+)\s+\{BASE_URL\}(/[^;\s]*?)(?:\.|;|$)`)

// Whoever does what the documents of the tools say, and knows nothing else, gets what the tools answer.
func TestDocumentsAreEnough(t *testing.T) {
	t.Parallel()

	c := served(t, "p_c")
	d := session.New()

	documents := map[string]string{}
	for _, api := range d.APIs() {
		documents[api.Name] = api.Description
	}

	state, err := d.Begin(&stategen.Program{}, nil)
	if err != nil {
		t.Fatal(err)
	}

	var id string

	for _, tt := range []struct{ tool, args string }{
		{session.Add, `{"source": "lab", "type": "group", "data": {"title": "A", "members": "1"}}`},
		{session.Add, `{"source": "lab", "type": "group", "data": {"title": "B?&", "members": "1"}}`},
		{session.List, `{"source": "lab", "type": "group"}`},
		{session.Query, `{"source": "lab", "type": "group", "field": "data.title", "value": "B?&"}`},
		{session.Get, `{"source": "lab", "type": "group", "id": "ID"}`},
		{session.Update, `{"source": "lab", "type": "group", "id": "ID", "data": {"title": "C"}}`},
		{session.List, `{"source": "lab", "type": "group"}`},
		{session.Delete, `{"source": "lab", "type": "group", "id": "ID"}`},
		{session.List, `{"source": "lab", "type": "group"}`},
	} {
		args := object(t, strings.ReplaceAll(tt.args, "ID", id))

		found := inDocument.FindStringSubmatch(documents[tt.tool])
		if found == nil {
			t.Fatalf("the document of %s does not say where it is: %s", tt.tool, documents[tt.tool])
		}

		path, body := found[2], ""

		for _, a := range args {
			if text, ok := a.Value.(string); ok && strings.Contains(path, "{"+a.Name+"}") {
				path = strings.ReplaceAll(path, "{"+a.Name+"}", url.QueryEscape(text))
			} else if strings.Contains(documents[tt.tool], "the body is the") {
				body = string(pytext.AppendJSON(nil, a.Value))
			}
		}

		status, got := c.do(found[1], path, body)

		next, want, err := d.Call(state, tt.tool, args)
		if err != nil {
			t.Fatal(err)
		}

		state = next
		text := ""

		if want != nil {
			text = string(pytext.AppendJSON(nil, want))
		}

		if status != http.StatusOK || got != text {
			t.Errorf("%s %s %s: %d %s, want %s", found[1], path, body, status, got, text)
		}

		if tt.tool == session.Add {
			id, _ = want.(envs.Args).Text("id")
		}
	}
}

// A client that knows a drifted version gets the same answers, call for call, and one that does not is told.
func TestDriftedVersions(t *testing.T) {
	t.Parallel()

	all, d := versions(t), session.New()

	for _, name := range []string{"p_s_in", "p_s_ood"} {
		v, c := all(name), served(t, name)

		for i := range uint64(20) {
			rng := rand.New(rand.NewPCG(i, 0))
			program := grown(t, d.Init(rng), rng)

			// The sessions of the service at the start are added, too.
			call := func(tool string, args envs.Args) {
				t.Helper()

				name, lifted, err := v.Lift(tool, args)
				if err != nil {
					t.Fatal(err)
				}

				status, _ := c.do("POST", "/api/"+url.PathEscape(name), string(pytext.AppendJSON(nil, lifted)))
				if status != http.StatusOK {
					t.Fatalf("%s%v: %d", name, lifted, status)
				}
			}

			for _, s := range program.Server.Any.([]any) {
				call(session.Add, s.(envs.Args))
			}

			_ = call
		}

		for _, old := range []struct{ method, path, body string }{
			{"GET", "/api/sessions/lab/group", ""},
			{"POST", "/api/sessions/lab/group", `{}`},
			{"DELETE", "/api/sessions/lab/group/none", ""},
			{"POST", "/api/list_sessions", `{"source": "lab", "type": "group"}`},
		} {
			status, answer := c.do(old.method, old.path, old.body)
			if status != http.StatusGone || !strings.Contains(answer, "Use ") {
				t.Errorf("%s: %s %s: %d %s", name, old.method, old.path, status, answer)
			}
		}
	}
}
