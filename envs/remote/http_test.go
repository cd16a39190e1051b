package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/remote"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/remote/ordertest"
	"toolevo/envs/yamltext"
)

// shop are the operations of the order service.
func shop(t *testing.T) map[string]openapi.Operation {
	t.Helper()

	set, err := openapi.Load(ordertest.Document, openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}

	all := map[string]openapi.Operation{}
	for _, tool := range set.Tools {
		all[tool.API.Name] = tool.Operation
	}
	return all
}

// source is that of operations, which nothing speaks against.
func source(t *testing.T, h *remote.HTTP, operations map[string]openapi.Operation) remote.Source {
	t.Helper()

	s, err := h.Source(operations)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance is a started one.
func instance(t *testing.T, h *remote.HTTP, operations map[string]openapi.Operation) remote.Instance {
	t.Helper()

	i, err := source(t, h, operations).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})

	return i
}

// orders is the service of a source of order services.
func orders(t *testing.T, s remote.Source, most int) *remote.Service {
	t.Helper()

	tools := remote.New(s, remote.Options{
		ReadsOnly: func(tool string) bool {
			return strings.HasPrefix(tool, "get_") || strings.HasPrefix(tool, "list_")
		},
		Most: most, Timeout: time.Minute, Patience: time.Minute,
	})
	t.Cleanup(func() {
		if err := tools.Close(); err != nil {
			t.Error(err)
		}
	})

	return tools
}

// branch goes back and forth between states of a shop, each of which sees its own orders alone.
func branch(t *testing.T, tools *remote.Service) {
	t.Helper()

	ask := func(at remote.Log, tool string, args ...any) (remote.Log, envs.Result) {
		t.Helper()

		next, result, err := tools.Call(t.Context(), nil, at, tool, envs.Object(args...))
		if err != nil {
			t.Fatal(err)
		}
		return next, result
	}

	of := func(product string) []any {
		return []any{envs.Object("product", product, "quantity", envs.Number("2"))}
	}

	chairs, made := ask(remote.Log{}, "create_order", "customer", "c1", "items", of("p4"))
	if want := `{"id": 11, "customer": "c1", "status": "open", "items": [{"product": "p4", "quantity": 2, ` +
		`"price": 129.00}], "total": 258.00, "notes": []}`; made.Observation != want || made.Outcome != envs.OK {
		t.Errorf("a new order is %+v, want %s", made, want)
	}

	paid, _ := ask(chairs, "pay_order", "order_id", envs.Number("11"), "method", "card")
	rugs, _ := ask(remote.Log{}, "create_order", "customer", "c1", "items", of("p9"))
	gone, _ := ask(chairs, "cancel_order", "order_id", envs.Number("11"))

	for _, c := range []struct {
		at   remote.Log
		want string
	}{
		{paid, `"status": "paid"`}, {rugs, `"total": 420.00`}, {chairs, `"status": "open"`}, {gone, `"cancelled"`},
		{remote.Log{}, "there is no order 11"}, {paid, `"status": "paid"`},
	} {
		_, result := ask(c.at, "get_order", "order_id", envs.Number("11"))
		if !strings.Contains(result.Observation, c.want) {
			t.Errorf("a branch reads %+v, want %s", result, c.want)
		}
	}

	if _, twice := ask(paid, "pay_order", "order_id", envs.Number("11"), "method", "card"); twice.Outcome !=
		envs.ToolError || twice.Observation != `{"message": "order 11 is paid: only open orders can be paid"}` {
		t.Errorf("an order that is paid twice: %+v", twice)
	}
}

// Services that are started are branched, each at its own address.
func TestStartedServices(t *testing.T) {
	t.Parallel()

	h := &remote.HTTP{Command: []string{binary(t), "serve-orders", "{address}"}, Ready: "/health"}
	if !h.Resettable() || h.Most() != 0 {
		t.Error("it cannot be reset")
	}

	branch(t, orders(t, source(t, h, shop(t)), 2))
}

func binary(t *testing.T) string {
	t.Helper()

	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A service that runs is reset, and is used by one instance at a time.
func TestResetServices(t *testing.T) {
	t.Parallel()

	web := httptest.NewServer(ordertest.New())
	t.Cleanup(web.Close)

	h := &remote.HTTP{Server: web.URL, Ready: "/health", Reset: "POST /reset"}
	if !h.Resettable() || h.Most() != 1 {
		t.Error("it cannot be reset, or has several states")
	}

	branch(t, orders(t, source(t, h, shop(t)), h.Most()))

	s := source(t, h, shop(t))

	first, err := s.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if _, err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "one instance") {
		t.Errorf("a second instance: %v", err)
	}

	if err := first.Close(); err != nil {
		t.Error(err)
	}

	h.Reset = "POST /orders"

	if _, err := source(t, h, shop(t)).Start(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "reset the service: it was answered 400") {
		t.Errorf("a reset that is refused: %v", err)
	}

	file := t.TempDir() + "/resets"
	h = &remote.HTTP{Server: web.URL, ResetCommand: []string{"sh", "-c", `echo $WORD >> "` + file + `"`}}
	h.Environment = map[string]string{"WORD": "again"}

	if !h.Resettable() || h.Most() != 1 {
		t.Error("it cannot be reset, or has several states")
	}

	for range 2 {
		instance(t, h, shop(t))
	}

	if text, err := os.ReadFile(file); err != nil || string(text) != "again\nagain\n" {
		t.Errorf("it is reset %q, %v", text, err)
	}

	h.ResetCommand = []string{"sh", "-c", "echo no licence >&2; exit 3"}

	if _, err := source(t, h, shop(t)).Start(t.Context()); err == nil || !strings.Contains(err.Error(), "no licence") {
		t.Errorf("a reset that fails: %v", err)
	}

	// What a reset leaves running is not waited for.
	h.ResetCommand = []string{"sh", "-c", `sleep 600 & echo $! > "` + file + `"`}
	instance(t, h, shop(t))

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Errorf("what it left is gone: %q, %v", text, err)
	}

	if (&remote.HTTP{Server: web.URL}).Resettable() {
		t.Error("nobody's state can be reset")
	}
}

// folderService tells its folder, keeps what is put there, and ends when it is told to, for which
// it takes leave where it is asked to by a signal.
func folderService(dir string) http.Handler {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)

	go func() {
		<-asked
		_ = os.WriteFile(os.Getenv("LEAVE"), []byte("good-bye"), 0o600)
		os.Exit(0)
	}()

	h := http.NewServeMux()
	h.HandleFunc("GET /v1/folder", func(w http.ResponseWriter, r *http.Request) {
		paths, _ := filepath.Glob(dir + "/*")
		fmt.Fprintf(w, "http://%s%s %s %s %s", r.Host, r.URL.Path, dir, paths, os.Getenv("FOLDER_KEY"))
	})
	h.HandleFunc("POST /v1/folder", func(w http.ResponseWriter, r *http.Request) {
		path := dir + "/a"
		if named := r.URL.Query().Get("path"); named != "" {
			path = named
		}

		_ = os.WriteFile(path, nil, 0o600)
	})
	h.HandleFunc("DELETE /v1/folder", func(http.ResponseWriter, *http.Request) {
		fmt.Fprintln(os.Stderr, "out of paper", os.Getenv("FOLDER_KEY"))
		os.Exit(3)
	})

	return h
}

// folder are the operations of such a service.
func folder() map[string]openapi.Operation {
	at := func(method string) openapi.Operation {
		return openapi.Operation{Method: method, Server: "https://files.example/v1", Path: "/folder"}
	}

	put := at("POST")
	put.Parameters = []openapi.Parameter{
		{Name: "path", Wire: "path", In: openapi.Query, Style: "form"},
	}

	return map[string]openapi.Operation{"look": at("GET"), "put": put, "end": at("DELETE")}
}

// What is another one of every instance, its address and its folder, no answer shows; nor a secret.
// Nothing is left of an instance that was closed, and one that has ended is not waited for.
func TestWhatInstancesHave(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("FOLDER_KEY", "k3y-k3y-k3y")

	leave := t.TempDir() + "/leave"
	h := &remote.HTTP{
		Command:      []string{binary(t), "serve-folder", "{dir}"},
		ResetCommand: []string{"sh", "-c", "touch {dir}/first"},
		Environment:  map[string]string{"LISTEN": "127.0.0.1:{port}", "LEAVE": leave},
		Secrets:      map[string]string{"folder": "FOLDER_KEY"},
	}
	tools := remote.New(source(t, h, folder()), remote.Options{
		ReadsOnly: func(tool string) bool { return tool == "look" },
		Most:      2, Timeout: time.Minute, Patience: time.Minute,
	})

	put, result, err := tools.Call(t.Context(), nil, remote.Log{}, "put", nil)
	if err != nil || result.Observation != "200 OK" {
		t.Fatalf("%+v, %v", result, err)
	}

	named, result, err := tools.Call(t.Context(), nil, remote.Log{}, "put",
		envs.Args{{Name: "path", Value: "{dir}/b"}})
	if err != nil || result.Observation != "200 OK" {
		t.Fatalf("%+v, %v", result, err)
	}

	for at, want := range map[remote.Log]string{
		{}: "[{dir}/first]", put: "[{dir}/a {dir}/first]", named: "[{dir}/b {dir}/first]",
	} {
		want := "http://files.example/v1/folder {dir} " + want + " [hidden]"

		if _, result, err := tools.Call(t.Context(), nil, at, "look", nil); err != nil || result.Observation != want {
			t.Errorf("%+v, %v, want %s", result, err, want)
		}
	}

	_, _, err = tools.Call(t.Context(), nil, put, "end", nil)
	if stage, _ := envs.FailedStage(err); stage != envs.StageTool || !strings.Contains(err.Error(), "exit status 3") ||
		!strings.Contains(err.Error(), "out of paper [hidden]") {
		t.Errorf("a service that ended: %v", err)
	}

	if err := tools.Close(); err != nil {
		t.Error(err)
	}

	if text, _ := os.ReadFile(leave); string(text) != "good-bye" {
		t.Errorf("a service that is no longer needed says %q", text)
	}

	if left, _ := filepath.Glob(os.TempDir() + "/*"); left != nil {
		t.Errorf("left: %q", left)
	}
}

// What does not start says why, and leaves nothing.
func TestServicesThatCannotStart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())

	for _, c := range []struct {
		command []string
		says    string
	}{
		{[]string{"/none/such", "{port}", "{dir}"}, "no such file"},
		{[]string{"sh", "-c", "echo no licence {port} {dir} >&2; exit 3"}, "exit status 3"},
		{[]string{"sh", "-c", "echo no licence {port}; kill $$"}, "no licence"},
	} {
		_, err := source(t, &remote.HTTP{Command: c.command}, folder()).Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.command, err)
		}
	}

	// One that never listens is asked until nobody waits any more.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	spoke := t.TempDir() + "/spoke"
	h := &remote.HTTP{
		Command: []string{"sh", "-c", "echo licensed for {port}; touch " + spoke + "; exec sleep 1000"},
		Ready:   "/health",
		Transport: by(func(w http.ResponseWriter, _ *http.Request) {
			if _, err := os.Stat(spoke); err == nil {
				cancel()
			}

			w.WriteHeader(http.StatusServiceUnavailable)
		}),
	}

	if _, err := source(t, h, folder()).Start(ctx); !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "licensed for") {
		t.Errorf("a service that never listens: %v", err)
	}

	if left, _ := filepath.Glob(os.TempDir() + "/*"); left != nil {
		t.Errorf("left: %q", left)
	}
}

// one is the operation of a tool at an address.
func one(method, server string, parameters ...openapi.Parameter) map[string]openapi.Operation {
	return map[string]openapi.Operation{
		"tool": {Method: method, Server: server, Path: "/thing", Parameters: parameters},
	}
}

// by is a transport that asks a handler, without a net.
type by func(w http.ResponseWriter, r *http.Request)

func (f by) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	f(w, r)

	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// What an answer is to the agent.
func TestAnswers(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		status     int
		kind, body string
		want       string
		outcome    envs.Outcome
	}{
		{200, "application/json", "{\"b\": 1.50,\n\t\"a\": [ ], \"\\u00e9\": \"\\u00e9\"}\n",
			`{"b": 1.50, "a": [], "é": "é"}`, envs.OK},
		{201, "", `{"id":7}`, `{"id": 7}`, envs.OK},
		{200, "text/plain", "two\nlines\n", "two\nlines\n", envs.OK},
		{200, "application/json", "{", "{", envs.OK},
		{200, "text/plain", "\xff\x01", "\uFFFD\x01", envs.OK},
		{200, "image/png", "\x89PNG\x00", "[image/png, 5 bytes]", envs.OK},
		{204, "", "", "204 No Content", envs.OK},
		{200, "", " \n", "200 OK", envs.OK},
		{304, "", "", "304 Not Modified", envs.OK},
		{400, "application/json", `{"message":  "no"}`, `{"message": "no"}`, envs.ToolError},
		{401, "", "log in first", "log in first", envs.ToolError},
		{403, "", "", "403 Forbidden", envs.ToolError},
		{404, "text/html", "<h1>Not here</h1>", "<h1>Not here</h1>", envs.ToolError},
		{422, "", "[]", "[]", envs.ToolError},
		{200, "", strings.Repeat("x", 100), strings.Repeat("x", 100), envs.OK},
		{200, "", strings.Repeat("x", 101), "The answer has more than 100 bytes: ask for less.", envs.ToolError},
	} {
		h := &remote.HTTP{MostBytes: 100, Transport: by(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})}

		got, err := instance(t, h, one("GET", "http://x.example")).Call(t.Context(), "tool", nil)
		if want := (envs.Result{Observation: c.want, Outcome: c.outcome}); err != nil || got != want {
			t.Errorf("%d %q: %+v, %v, want %+v", c.status, c.body, got, err, want)
		}
	}
}

// A call that no request can say is a mistake in the call; one of no tool is ours.
func TestCallsThatAreNone(t *testing.T) {
	t.Parallel()

	path := openapi.Parameter{Name: "id", Wire: "id", In: openapi.Path, Style: "simple"}
	operations := one("GET", "http://x.example", path)
	o := operations["tool"]
	o.Path = "/things/{id}"
	operations["tool"] = o

	i := instance(t, &remote.HTTP{Transport: by(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })},
		operations)

	got, err := i.Call(t.Context(), "tool", envs.Object("id", ".."))
	if err != nil || got.Outcome != envs.InvocationError || !strings.HasPrefix(got.Observation, "GET /things/{id}: ") {
		t.Errorf("%+v, %v", got, err)
	}

	if _, err := i.Call(t.Context(), "other", nil); err == nil {
		t.Error("there is another tool")
	}
}

// Only what a service does otherwise the second time is not taken for what a state is.
func TestServicesThatDiverge(t *testing.T) {
	t.Parallel()

	asked := 0
	h := &remote.HTTP{Reset: "POST /reset", Transport: by(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/thing" {
			asked++
			fmt.Fprint(w, "visit ", asked)
		}
	})}
	tools := orders(t, source(t, h, one("POST", "http://x.example")), 1)

	first, _, err := tools.Call(t.Context(), nil, remote.Log{}, "tool", nil)
	if err != nil {
		t.Fatal(err)
	}

	if _, _, err = tools.Call(t.Context(), nil, remote.Log{}, "tool", envs.Object("other", "branch")); err != nil {
		t.Fatal(err)
	}

	_, _, err = tools.Call(t.Context(), nil, first, "tool", nil)

	diverged, ok := errors.AsType[*remote.Diverged](err)
	if !ok || diverged.Was.Observation != "visit 1" || diverged.Now.Observation != "visit 3" {
		t.Errorf("%v", err)
	}
}

// What makes no sense is said before anything is asked.
func TestInvalidServices(t *testing.T) {
	t.Parallel()

	two := one("GET", "http://x.example")
	two["other"] = openapi.Operation{Method: "GET", Server: "http://y.example", Path: "/"}

	for _, c := range []struct {
		h          remote.HTTP
		operations map[string]openapi.Operation
		says       string
	}{
		{remote.HTTP{}, nil, "no operations"},
		{remote.HTTP{}, one("GET", "/v1"), "give one"},
		{remote.HTTP{}, one("GET", "ftp://x.example"), "give one"},
		{remote.HTTP{}, one("GET", "http://[x.example"), "give one"},
		{remote.HTTP{}, one("GET", "http://me:secret@x.example"), "of tool has a user"},
		{remote.HTTP{Reset: "POST /reset"}, two, "y.example and x.example"},
		{remote.HTTP{Ready: "/health"}, two, "y.example and x.example"},
		{remote.HTTP{Command: []string{"serve"}}, two, "where to listen"},
		{remote.HTTP{Command: []string{"serve", "{port}"}, Server: "https://x.example"}, two, "or no server"},
		{remote.HTTP{Server: "http://{address}"}, two, "no command"},
		{remote.HTTP{Reset: "/reset"}, two, "POST /reset"},
		{remote.HTTP{Reset: "POST reset"}, two, "POST /reset"},
		{remote.HTTP{Reset: "post /reset"}, two, "POST /reset"},
		{remote.HTTP{Ready: "health"}, two, "/health"},
		{remote.HTTP{Rate: -1}, two, "0 or more"},
		{remote.HTTP{Concurrent: -1}, two, "0 or more"},
		{remote.HTTP{MostBytes: -1}, two, "0 or more"},
	} {
		if _, err := c.h.Source(c.operations); err == nil || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), "secret") && !strings.Contains(err.Error(), "name a secret") {
			t.Errorf("%+v: %v", c.h, err)
		}
	}

	started := remote.HTTP{Command: []string{"serve", "{address}"}}
	if _, err := started.Source(one("GET", "/v1")); err != nil {
		t.Errorf("a document without a host: %v", err)
	}

	for _, h := range []remote.HTTP{
		{}, {Command: []string{"serve", "{address}"}, Server: "http://127.0.0.1:{port}/v2"},
		{Server: "https://z.example", Reset: "POST /reset", Ready: "/health"},
	} {
		if _, err := h.Source(two); err != nil {
			t.Errorf("%+v: %v", h, err)
		}
	}
}

// What a user writes is read as it is meant.
func TestServicesInYAML(t *testing.T) {
	t.Parallel()

	want := remote.HTTP{
		Server: "http://{address}/v1", Command: []string{"serve", "{port}"}, Ready: "/health", Reset: "POST /reset",
		ResetCommand: []string{"fill", "{dir}"}, Environment: map[string]string{"TZ": "UTC"},
		Secrets: map[string]string{"key": "SHOP_KEY"}, Hosts: []string{"files.example"}, Rate: 2.5, Concurrent: 4,
		MostBytes: 1000,
	}

	var got remote.HTTP
	if err := yamltext.Decode([]byte(`
server: http://{address}/v1
command: [serve, "{port}"]
ready: /health
reset: POST /reset
reset_command: [fill, "{dir}"]
environment: {TZ: UTC}
secrets: {key: SHOP_KEY}
hosts: [files.example]
rate: 2.5
concurrent: 4
most_bytes: 1000
`), &got); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v, %s", err, cmp.Diff(got, want))
	}
}

// unreachable is what a dial to a service that is down ends with.
var unreachable = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// text is a value in the form of Python's JSON.
func text(pairs ...any) string { return pytext.JSON(envs.Object(pairs...)) }
