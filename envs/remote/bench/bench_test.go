package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/remote"
	"toolevo/envs/remote/ordertest"
	"toolevo/envs/remote/remotetest"
	"toolevo/envs/suite"
)

func TestConforms(t *testing.T) {
	t.Parallel()

	data := library(t, nil)

	for split, tasks := range map[string]int{"train": 4, "test": 5, "examples": 4} {
		listed, err := Remote{}.List(data, split)
		if err != nil || len(listed) != tasks {
			t.Errorf("%s has %d tasks, %v; want %d", split, len(listed), err, tasks)
		}
	}

	suitetest.Run(t, Remote{}, suite.Choice{Data: data, Split: "test", Prompt: base}, nil)
}

// A service with an OpenAPI document is a suite as well, once its answers are recorded under silent
// drift, too.
func TestServicesConform(t *testing.T) {
	t.Parallel()

	data := orders(t)

	checked, err := checkTasks(t.Context(), data, false, steps())
	if err != nil || checked.Played != 24 || len(checked.Problems) > 0 {
		t.Fatalf("%+v, %v", checked, err)
	}

	tools, err := checkTools(t.Context(), data, false, steps())
	if err != nil || tools.verdict(data) != nil {
		t.Fatalf("%+v, %v", tools, err)
	}

	if n, err := tools.record(data); err != nil || n < 5 {
		t.Fatalf("%d answers recorded, %v", n, err)
	}

	suitetest.Run(t, Remote{}, suite.Choice{Data: data, Split: "test", Prompt: base}, nil)
}

// A run is continued with fewer requests a second, as a service asks for that.
func TestRatesAreNoSource(t *testing.T) {
	t.Parallel()

	data := orders(t)

	was, err := Remote{}.Sources(data)
	if err != nil {
		t.Fatal(err)
	}

	change(t, toolsetPath(data), "document: openapi.yaml",
		"document: openapi.yaml\n  rate: 2\n  concurrent: 3")

	if now, err := (Remote{}).Sources(data); err != nil || !maps.Equal(now, was) {
		t.Errorf("%v, %v; want %v", now, err, was)
	}
}

// What a task leaves behind is asked of the instance that it was played on, and of no other.
func TestBranchesAreGradedByWhatTheyLeft(t *testing.T) {
	t.Parallel()

	o := open(t, library(t, nil), "test")

	env, err := o.Environment(base, nil)
	if err != nil {
		t.Fatal(err)
	}

	play := func(calls ...envs.Call) envs.Turn {
		s, err := env.Reset(t.Context(), o.byID["test-3"].env("?"))

		var last envs.Turn
		for _, c := range calls {
			next, failed := env.Step(t.Context(), s, envs.Action(action.ReAct{}.Format("", c)))
			if failed != nil {
				err = failed
				break
			}

			s, last = next.State, next.Turn
		}

		if err != nil {
			t.Fatal(err)
		}
		return last
	}

	lend := func(reader string) envs.Call {
		return envs.Call{Name: "lend_book", Args: envs.Object("book", envs.Number("1"), "reader", reader)}
	}

	for want, calls := range map[envs.Outcome][]envs.Call{
		envs.Correct:   {lend("Cleo"), envs.Finish("1")},
		envs.Incorrect: {lend("Dan"), envs.Finish("1")},
		envs.ToolError: {lend("Cleo"), lend("Cleo"), lend("Cleo")},
	} {
		if got := play(calls...); got.Outcome != want {
			t.Errorf("%v: %s (%s), want %s", calls, got.Outcome, got.Observation, want)
		}
	}

	if got := play(envs.Finish("1")); got.Outcome != envs.Incorrect {
		t.Errorf("an answer without the deed is %s", got.Outcome)
	}
}

// A command decides by its exit status; any other than 0 and 1 is our failure, and no reward.
func TestCommandsJudge(t *testing.T) {
	t.Parallel()

	data := t.TempDir()
	seen := filepath.Join(data, "episode.json")

	for script, want := range map[string]string{
		"cat > " + seen + "; exit 0": "true",
		"exit 1":                     "false",
		"echo broken; exit 2":        "broken",
		"kill -9 $$":                 "killed",
	} {
		task := &Task{ID: "a", Question: "?", Command: []string{"sh", "-c", script}}
		h := envs.NewHistory(task.env("How much?"))

		ok, err := task.passes(t.Context(), task.episode(h, "12"))
		if got := fmt.Sprint(ok, " ", said(err)); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}

	calls := []envs.Turn{{Call: envs.Call{Name: "a"}},
		{Call: envs.Call{Name: "b"}, Outcome: envs.ToolError}}
	both := envs.NewHistory(envs.Task{}).Append(envs.Turn{Call: calls[1].Call,
		Outcome: envs.ToolError, Calls: calls})

	turns := (&Task{}).episode(both, "").Turns
	if len(turns) != 2 || turns[0].Name != "a" || turns[0].Outcome != envs.OK {
		t.Errorf("of a turn of two calls the command sees %+v", turns)
	}

	// Python's JSON has numbers that JSON has not, and agents write them.
	call := envs.Call{Name: "a", Args: envs.Args{{Name: "most", Value: envs.Number("Infinity")}}}
	infinite := envs.NewHistory(envs.Task{}).
		Append(envs.Turn{Call: call, Outcome: envs.InvocationError})

	if _, err := json.Marshal((&Task{}).episode(infinite, "")); err != nil {
		t.Errorf("an episode with a call that says Infinity: %v", err)
	}

	text, err := os.ReadFile(seen)
	if want := `{"task":"a","question":"How much?","answer":"12","turns":[]}`; err != nil || string(text) != want {
		t.Errorf("the command read %s, %v; want %s", text, err, want)
	}
}

// A command that hangs in what it has started ends with its time, and so does that.
func TestCommandsThatHang(t *testing.T) {
	t.Parallel()

	ctx, end := context.WithCancel(t.Context())
	fifo := filepath.Join(t.TempDir(), "begun")

	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}

	go func() {
		_, _ = os.ReadFile(fifo) // until the shell has begun
		end()
	}()

	task := &Task{ID: "a", Question: "?", Command: []string{"sh", "-c", "sleep 600 & echo > " + fifo + "; wait"}}

	ok, err := task.passes(ctx, task.episode(envs.NewHistory(task.env("How much?")), "12"))
	if ok || err == nil {
		t.Errorf("it says %v, %v", ok, err)
	}
}

// Solutions that are wrong, and answers that a server cannot repeat, are found before a run.
func TestChecks(t *testing.T) {
	t.Parallel()

	data := library(t, nil)

	checked, err := checkTasks(t.Context(), data, false, steps())
	if err != nil || checked.Played != 13 || len(checked.Problems) > 0 {
		t.Fatalf("%+v, %v", checked, err)
	}

	change(t, tasksPath(data, "test"), "{{1 /year}}", "{{1 /title}}")
	change(t, tasksPath(data, "train"), `"author":"Eliot"`, `"author":"Nobody"`)

	checked, err = checkTasks(t.Context(), data, false, steps())
	if err != nil || len(checked.Problems) != 2 || !strings.Contains(checked.Problems[0], "train-2") ||
		!strings.Contains(checked.Problems[1], "test-1: the solution answers Middlemarch") {
		t.Errorf("%q, %v", checked.Problems, err)
	}
}

func TestWhatCannotBeRepeatedIsFound(t *testing.T) {
	t.Parallel()

	data := library(t, func(i *importing) { i.environment = suite.Repeated{remotetest.Clock + "=1"} })

	checked, err := checkTools(t.Context(), data, false, steps())
	if err != nil || len(checked.Tools) != 5 {
		t.Fatalf("%+v, %v", checked, err)
	}

	for _, tool := range checked.Tools {
		if differs := strings.HasPrefix(tool.Differs, "/asked is "); differs != (tool.Tool == "get_book") {
			t.Errorf("%s differs: %q", tool.Tool, tool.Differs)
		}
	}

	if said(checked.verdict(data)) == "" {
		t.Error("it is no bad result")
	}

	change(t, toolsetPath(data), "instances:",
		"masks: [{pattern: '\"asked\":[0-9]+', with: '\"asked\":0'}]\ninstances:")

	checked, err = checkTools(t.Context(), data, false, steps())
	if err != nil || checked.verdict(data) != nil {
		t.Errorf("what is masked: %v, %v", err, checked.verdict(data))
	}

	// The answers serve operators that need an example of them.
	n, err := checked.record(data)
	spec, wrong := readBase(data)

	if err != nil || wrong != nil || n != 4 || !strings.Contains(spec.APIs[0].Answer, "Middlemarch") {
		t.Errorf("%d recorded, %v, %v: %s", n, err, wrong, spec.APIs[0].Answer)
	}
}

// A tool that is said to read and does more is found out by what others answer after it.
func TestReadersThatWriteAreFound(t *testing.T) {
	t.Parallel()

	data := library(t, func(i *importing) { i.reads = []string{"lend_book"} })

	checked, err := checkTools(t.Context(), data, false, steps())
	if err != nil {
		t.Fatal(err)
	}

	for _, tool := range checked.Tools {
		if changes := strings.HasPrefix(tool.Changes, "find_books is answered otherwise after it: /books/"); changes !=
			(tool.Tool == "lend_book") {
			t.Errorf("%s: %q", tool.Tool, tool.Changes)
		}
	}

	if !strings.Contains(said(checked.verdict(data)), "1 tools are said to only read") {
		t.Errorf("the verdict: %v", checked.verdict(data))
	}
}

// Of a server that runs nothing can be reset, so that what changes it wants a word of the user's.
func TestToolsThatChangeWhatNothingBringsBack(t *testing.T) {
	t.Parallel()

	spec, err := readBase(library(t, nil))
	if err != nil {
		t.Fatal(err)
	}

	reads := []string{"find_books", "get_book", "list_loans"}

	for want, toolset := range map[string]Toolset{
		"nothing brings back what [lend_book return_book] change": {Reads: reads},
		"nothing brings back what [return_book] change":           {Reads: reads, Allow: []string{"lend_book"}},
		"":                      {Reads: reads, Allow: []string{"lend_book", "return_book"}},
		"unknown tool \"lend\"": {Reads: reads, Allow: []string{"lend"}},
	} {
		toolset.MCP = &remote.MCP{URL: "http://127.0.0.1:1/mcp"}
		if got := said(toolset.check(spec)); !strings.HasPrefix(got, want) || got != "" && want == "" {
			t.Errorf("%v: %s, want %s", toolset.Allow, got, want)
		}
	}
}

// What an allowed tool has changed at a server that runs is found by the same read after it, and by
// the grader.
func TestAllowedChangesAreRead(t *testing.T) {
	t.Parallel()

	web := httptest.NewServer(ordertest.New())
	t.Cleanup(web.Close)

	data, dir := t.TempDir(), t.TempDir()

	document := filepath.Join(dir, "api.yaml")
	if err := os.WriteFile(document, ordertest.Document, 0o600); err != nil {
		t.Fatal(err)
	}

	i := importing{
		data: data, document: document, server: web.URL, describe: 256, allow: []string{"add_note"},
		choose: suite.Repeated{"get_order", "add_note"},
	}
	if _, err := i.run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}

	addLines(t, data, "test", `{"id": "a", "question": "?", "after": [{"tool": "get_order", `+
		`"args": {"order_id": 7}, "has": {"notes": ["call", "call"]}}]}`+"\n")

	o := open(t, data, "test")

	env, err := o.Environment(base, &memory{})
	if err != nil {
		t.Fatal(err)
	}

	start, err := env.Reset(t.Context(), o.Tasks()[0])
	if err != nil {
		t.Fatal(err)
	}

	get := call("get_order", "order_id", envs.Number("7"))
	add := call("add_note", "order_id", envs.Number("7"), "text", "call")

	s, turn := act(t, env, start, get, add, get)
	if !strings.Contains(turn.Observation, `"notes": ["call"]`) {
		t.Errorf("after the addition: %s", turn.Observation)
	}

	if _, turn = act(t, env, s, add, get, envs.Finish("done")); turn.Outcome != envs.Correct {
		t.Errorf("it is %s: %s", turn.Outcome, turn.Observation)
	}
}

// What --choose has left out is no news of the next release, and no successor of anything.
func TestToolsThatAreLeftOut(t *testing.T) {
	t.Parallel()

	i := importing{data: t.TempDir(), describe: 256, choose: suite.Repeated{"*_book"}}
	if _, err := i.run(t.Context(), remotetest.Command(t)); err != nil {
		t.Fatal(err)
	}

	n := nextJob{data: i.data, name: "next", describe: 256}

	next, err := n.run(t.Context(), remotetest.Command(t))
	if err != nil || !slices.Equal(next.Left, []string{"find_books", "list_loans"}) || len(next.Equal) != 3 ||
		len(next.Added)+len(next.Removed) > 0 {
		t.Errorf("%+v, %v", next, err)
	}

	var said strings.Builder
	if next.print(&said); !strings.Contains(said.String(), "left out, as at import: find_books, list_loans\n") {
		t.Error(said.String())
	}
}

// The same holds for a document: what the patterns of the import would fit in the next one does not
// matter, so a tool that was renamed is found.
func TestOperationsThatAreLeftOut(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	path := filepath.Join(dir, "next.yaml")

	document := strings.ReplaceAll(string(ordertest.Document), "operationId: get_order\n",
		"operationId: fetch_order\n")
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}

	today := filepath.Join(dir, "api.yaml")
	if err := os.WriteFile(today, ordertest.Document, 0o600); err != nil {
		t.Fatal(err)
	}

	for _, choose := range [][]string{{"get_order", "list_orders"}, {"get_*", "list_orders"}} {
		i := importing{data: t.TempDir(), document: today, describe: 256, choose: choose,
			server: "http://127.0.0.1:1"}
		if _, err := i.run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}

		n := nextJob{data: i.data, document: path, name: "next", describe: 256}

		next, err := n.run(t.Context(), nil)
		if err != nil {
			t.Errorf("%q: %v", choose, err)
			continue
		}

		if len(next.Added)+len(next.Removed) > 0 || len(next.Changes) != 1 ||
			!strings.Contains(next.Changes[0].String(), "fetch_order") ||
			!slices.Contains(next.Left, "list_products") ||
			slices.Contains(next.Left, "fetch_order") {
			t.Errorf("%q: %+v", choose, next)
		}
	}
}

// What a document says of its host does not matter where a service is given, or started.
func TestImportsOfServices(t *testing.T) {
	t.Parallel()

	command := []string{remotetest.Command(t)[0], "serve-orders", "{address}"}

	for _, host := range []string{"", "https://{tenant}.example.com", "https://me:pass@x.example"} {
		document := strings.ReplaceAll(string(ordertest.Document), "servers:\n  - url: "+
			"http://127.0.0.1:8090\n", "servers: [{url: '"+host+"'}]\n")

		path := filepath.Join(t.TempDir(), "api.yaml")
		if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}

		for service, command := range map[string][]string{"": command, "http://127.0.0.1:1": nil} {
			i := importing{data: t.TempDir(), document: path, describe: 256, server: service}
			if service != "" {
				i.allow = []string{"create_order", "pay_order", "cancel_order", "add_note"}
			}

			imported, err := i.run(t.Context(), command)
			if err != nil || len(imported.Tools) != 10 {
				t.Errorf("%s, %q: %+v, %v", host, service, imported, err)
				continue
			}

			for _, tool := range imported.Tools {
				if len(tool.Notes) > 0 {
					t.Errorf("%s, %q: %+v", host, service, tool)
				}
			}

			n := nextJob{data: i.data, document: path, name: "next", describe: 256}
			if next, err := n.run(t.Context(), nil); err != nil || len(next.Equal) != 10 {
				t.Errorf("%s, %q: %+v, %v", host, service, next, err)
			}
		}
	}
}

// A file that somebody has corrected is not overwritten, and no other version gets its name.
func TestNextReleasesOverwriteNothing(t *testing.T) {
	t.Parallel()

	data := library(t, nil)

	next := func(name string) error {
		n := nextJob{data: data, name: name, describe: 256}
		_, err := n.run(t.Context(), remotetest.Command(t))
		return err
	}

	for range 2 {
		if err := next("next"); err != nil {
			t.Fatal(err)
		}
	}

	path := filepath.Join(versionsPath(data), "next.yaml")
	change(t, path, "version: next", "version: next # confirmed")

	for name, says := range map[string]string{
		"next": "choose another ‹name›, or remove it", "p_c": "there is such a version",
		"p_s_in": "there is such a version", "../p_c": "want letters", "": "want letters",
	} {
		if err := next(name); !strings.Contains(said(err), says) {
			t.Errorf("%q: %v", name, err)
		}
	}

	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "# confirmed") {
		t.Errorf("%s, %v", text, err)
	}

	if all, err := filepath.Glob(versionsPath(data) + "/*"); err != nil || len(all) != 1 {
		t.Errorf("files %q, %v", all, err)
	}
}

// A name that no tool has is no tool that reads.
func TestImportsOfUnknownNames(t *testing.T) {
	t.Parallel()

	for _, i := range []importing{{reads: []string{"get_bok"}}, {allow: []string{"get_bok"}}} {
		i.data, i.describe = t.TempDir(), 256

		const says = `unknown tool "get_bok", did you mean get_book?`
		if _, err := i.run(t.Context(), remotetest.Command(t)); !strings.Contains(said(err), says) {
			t.Errorf("%+v: %v", i, err)
		}
	}
}

// The next release may run already, though today's server is started in a folder.
func TestNextReleasesThatRun(t *testing.T) {
	t.Parallel()

	data := library(t, func(i *importing) { i.reset, i.shown = "true", "/workspace" })

	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return remotetest.Server() }, nil))
	t.Cleanup(web.Close)

	n := nextJob{data: data, url: web.URL, name: "next", describe: 256}
	if next, err := n.run(t.Context(), nil); err != nil || len(next.Equal) != 5 {
		t.Errorf("%+v, %v", next, err)
	}
}
