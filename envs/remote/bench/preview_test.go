package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/remote/remotetest"
)

// A dry run prints what every task would send, and starts nothing: here, nothing could be started.
func TestDryRuns(t *testing.T) {
	t.Parallel()

	data := orders(t)
	change(t, toolsetPath(data), remotetest.Command(t)[0], "/nowhere/orders")
	addLines(t, data, "train", `{"id": "refer", "question": "Again?", "command": ["sh", "check.sh"], `+
		`"final": "{{2 /id}}", "solution": [{"tool": "get_order", "args": {"order_id": 3}}, `+
		`{"tool": "create_order", "args": {"customer": "{{1 /customer}}", "items": "{{1 /items}}"}}, `+
		`{"tool": "add_note", "args": {"order_id": "{{2 /id}}", "text": "as \"{{1 /id}}\", {{1}}"}}]}`+"\n")

	checked, err := checkTasks(t.Context(), data, true, steps())
	if err != nil {
		t.Fatal(err)
	}

	var b bytes.Buffer
	checked.print(&b)

	begins := `each instance begins by:
    run /nowhere/orders serve-orders {address}
    GET http://{address}/health, until that is answered
refer, from the beginning:
    get_order: GET http://{address}/orders/3
    create_order: POST http://{address}/orders
        Content-Type: application/json
        {"customer": {{1 /customer}}, "items": {{1 /items}}}
    add_note: POST http://{address}/orders/{{2 /id}}/notes
        Content-Type: application/json
        {"text": "as \"{{1 /id}}\", {{1}}"}
order-total, from the beginning:
    get_order: GET http://{address}/orders/4
`
	got := b.String()

	if diff := cmp.Diff(begins, got[:min(len(got), len(begins))]); diff != "" {
		t.Errorf("it begins (-want +got):\n%s", diff)
	}

	for _, want := range []string{
		"pay-seven, from the beginning:\n    pay_order: POST http://{address}/orders/7/pay\n" +
			"        Content-Type: application/json\n        {\"method\": \"card\"}\n" +
			"    afterwards get_order: GET http://{address}/orders/7\n",
		"afterwards run for refer: sh check.sh\n54 calls, none of which was made; ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks:\n%s\n%s", want, got)
		}
	}

	tools, err := checkTools(t.Context(), data, true, steps())
	if err != nil || len(tools.Tools) > 0 || len(tools.Planned.Calls) != 10 ||
		tools.Planned.Calls[0].To != "GET http://{address}/customers" {
		t.Errorf("%+v, %v", tools, err)
	}
}

// The tools of an MCP server are called by its own names.
func TestDryRunOfAnMCPServer(t *testing.T) {
	t.Parallel()

	data := library(t, nil)
	change(t, toolsetPath(data), "instances:",
		"called: {get_book: {name: get-book, parameters: {book: book-id}}}\ninstances:")

	checked, err := checkTasks(t.Context(), data, true, steps())
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range checked.Planned.Calls {
		if c.Task == "test-1" && (c.To != "tools/call get-book" || c.Body != `{"book-id": 3}`) {
			t.Errorf("%+v", c)
		}
	}
}
