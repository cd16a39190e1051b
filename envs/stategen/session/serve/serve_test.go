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
	"toolevo/envs/wire"
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

	s, err := serve.New(all("p_c"), all(version), &wire.Guard{})
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

		{"GET", "/api/sessions/lab/groups", "", 400, `{"error": "parameter \"type\": value must be one of`},
		{"GET", "/api/sessions/la/group", "", 400, `{"error": "The source`},
		{"POST", "/api/sessions/lab/group", `{"title": `, 400, `{"error": "the body: invalid JSON`},
		{"POST", "/api/sessions/lab/group", ``, 400, `{"error": "the body: invalid JSON`},
		{"POST", "/api/sessions/lab/group", `[1]`, 400, `{"error": "the body: want a JSON object, not a list`},
		{"PUT", "/api/sessions/lab/group/" + id, `"B"`, 400, `{"error": "the body: want a JSON object, not a str`},
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
var inDocument = regexp.MustCompile(`([A-Z]+) \{BASE_URL\}(/[^;]*)`)

// Whoever does what the documents of the tools say, and knows nothing else, gets what the tools
// answer.
func TestDocumentsAreEnough(t *testing.T) {
	t.Parallel()

	c := served(t, "p_c")
	d := session.New()

	documents := map[string]string{}
	for _, api := range d.APIs() {
		documents[api.Name] = api.URL
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

// A client that knows a drifted version gets the same answers, call for call.
func TestDriftedVersionsAnswerTheSame(t *testing.T) {
	t.Parallel()

	all, d := versions(t), session.New()

	for _, name := range []string{"p_s_in", "p_s_ood"} {
		v := all(name)

		for seed := range uint64(20) {
			c := served(t, name)
			program := grown(d, seed)

			state, err := d.Begin(&stategen.Program{}, nil)
			if err != nil {
				t.Fatal(err)
			}

			call := func(tool string, args envs.Args) (any, error) {
				next, want, err := d.Call(state, tool, args)
				if err != nil {
					return nil, err
				}

				state = next

				api, lifted, err := v.Lift(tool, args)
				if err != nil {
					return nil, err
				}

				text := ""
				if want != nil {
					text = string(pytext.AppendJSON(nil, want))
				}

				status, got := c.do("POST", "/api/"+url.PathEscape(api), string(pytext.AppendJSON(nil, lifted)))
				if status != http.StatusOK || got != text {
					return nil, fmt.Errorf("%s%v: %d %s, want %s", api, lifted, status, got, text)
				}
				return want, nil
			}

			for _, s := range program.Server.Any.([]any) {
				if _, err := call(session.Add, s.(envs.Args)); err != nil {
					t.Fatal(err)
				}
			}

			if _, err := program.Run(program.Values(stategen.Case{}), call); err != nil {
				t.Fatalf("%s, program %d: %v", name, seed, err)
			}
		}
	}
}

// grown returns a program of five calls.
func grown(d *session.Domain, seed uint64) stategen.Program {
	rng := rand.New(rand.NewPCG(seed, 0))
	s := d.Init(rng)

	for left := stategen.DefaultCalls; left > 0; {
		all := s.Candidates(rng, stategen.Want{Left: left})
		c := all[rng.IntN(len(all))]
		s.Apply(c)

		if c.Counts {
			left--
		}
	}

	program := s.Program()
	result, _ := s.Result()
	program.Result = &result
	return program
}

// A client that knows the base version alone is told what to use instead.
func TestDriftedVersionsSaySo(t *testing.T) {
	t.Parallel()

	for _, name := range []string{"p_s_in", "p_s_ood"} {
		c := served(t, name)

		for _, tt := range []struct {
			method, path, body string
			status             int
			says               string
		}{
			{"GET", "/api/sessions/lab/group", "", http.StatusGone, "Use "},
			{"POST", "/api/sessions/lab/group", "{}", http.StatusGone, "Use "},
			{"DELETE", "/api/sessions/lab/group/none", "", http.StatusGone, "Use "},
			{"POST", "/api/list_sessions", `{"source": "lab", "type": "group"}`, http.StatusGone, "Use "},
			{"POST", "/api/Finish", `{"answer": "1"}`, http.StatusNotFound, "nothing is served"},
			{"POST", "/api/no_such_name", `{}`, http.StatusNotFound, "nothing is served"},
		} {
			status, answer := c.do(tt.method, tt.path, tt.body)
			if status != tt.status || !strings.Contains(answer, tt.says) {
				t.Errorf("%s: %s %s: %d %s, want %d %s", name, tt.method, tt.path, status, answer, tt.status, tt.says)
			}
		}
	}
}

// Many clients at once lose nothing, and get ids of their own.
func TestManyClients(t *testing.T) {
	t.Parallel()

	c := served(t, "p_c")

	const clients, each = 8, 20

	var group sync.WaitGroup

	for i := range clients {
		group.Go(func() {
			for k := range each {
				status, answer := c.do("POST", "/api/sessions/lab/group", fmt.Sprintf(`{"title": "%d of %d"}`, k, i))
				id, _ := object(c, answer).Text("id")

				if status != http.StatusOK {
					c.Errorf("POST: %d %s", status, answer)
				}

				if k%2 == 0 {
					continue
				}

				if status, answer := c.do("DELETE", "/api/sessions/lab/group/"+id, ""); status != http.StatusOK {
					c.Errorf("DELETE: %d %s", status, answer)
				}
			}
		})
	}

	group.Wait()

	_, answer := c.do("GET", "/api/sessions/lab/group", "")

	v, err := pytext.Decode(answer)
	if err != nil {
		t.Fatal(err)
	}

	if left := len(v.([]any)); left != clients*each/2 {
		t.Errorf("%d sessions are left, want %d", left, clients*each/2)
	}
}

// A page of another site cannot make a browser write.
func TestForeignPages(t *testing.T) {
	t.Parallel()

	c := served(t, "p_c")

	r, err := http.NewRequestWithContext(t.Context(), "POST", c.url+"/api/sessions/lab/group", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}

	r.Header.Set("Sec-Fetch-Site", "cross-site")

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()

	if reply.StatusCode != http.StatusForbidden {
		t.Errorf("the status is %s", reply.Status)
	}
}

func TestServerNeedsItsTools(t *testing.T) {
	t.Parallel()

	if _, err := serve.New(versions(t)("p_c"), &toolapi.Version{Name: "empty"}, &wire.Guard{}); err == nil {
		t.Error("a version without the tools is served")
	}
}

// FuzzHandler sends any request to a service under two versions. Nothing but a call that succeeds
// changes it, and nothing is our failure.
func FuzzHandler(f *testing.F) {
	all := versions(f)

	f.Add("GET", "/api/sessions/lab/group", "")
	f.Add("POST", "/api/sessions/lab/group", `{"title": "A"}`)
	f.Add("GET", "/api/sessions/lab/group/query?field=data.title&value=%41", "")
	f.Add("PUT", "/api/sessions/lab/group/%2e%2e", `{"title": {"a": [1e999, null]}}`)
	f.Add("DELETE", "/api/sessions//group/../x;y", "\xff")
	f.Add("POST", "/api/get%5fsession", `{"source": "lab", "type": "group", "id": "1", "id": 2}`)

	f.Fuzz(func(t *testing.T, method, target, body string) {
		address, err := url.ParseRequestURI(target)
		if err != nil || method == "" {
			return
		}

		for _, name := range []string{"p_c", "p_s_in"} {
			d := session.New()

			state, err := d.Begin(&stategen.Program{}, nil)
			if err != nil {
				t.Fatal(err)
			}

			calls, done := 0, 0

			h := serve.Handler(all("p_c"), all(name), func(tool string, args envs.Args) (any, error) {
				calls++

				next, result, err := d.Call(state, tool, args)
				if err == nil {
					state = next
					done++
				}

				return result, err
			})

			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", strings.NewReader(body))
			r.Method, r.URL = method, address

			reply := httptest.NewRecorder()
			h.ServeHTTP(reply, r)

			if calls > 1 || reply.Code >= 500 || (reply.Code == http.StatusOK) != (done == 1) {
				t.Errorf("%s %s under %s: %d after %d calls: %s", method, target, name, reply.Code, calls, reply.Body)
			}
		}
	})
}
