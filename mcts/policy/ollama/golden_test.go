package ollama

import (
	"encoding/json"
	"strings"
	"testing"

	"toolevo/mcts/policy/internal/golden"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// TestRequestBodies compares what is sent with a file: a change there changes what models are
// asked.
func TestRequestBodies(t *testing.T) {
	var text strings.Builder

	for _, tt := range []struct {
		name string
		ask  func(*server.Completion)
	}{
		{name: "usual"},
		{name: "greedy", ask: func(c *server.Completion) { c.Sampling = c.Sampling.Greedy() }},
		{name: "no stop", ask: func(c *server.Completion) { c.Sampling.Stop = nil }},
		{name: "odd characters", ask: func(c *server.Completion) { c.Prompt = "<&>\u2028\x00\x7f\\\"\t\xff é 🙂" }},
		{name: "large seed", ask: func(c *server.Completion) { c.Seed = 1<<64 - 1 }},
	} {
		f := wiretest.Serve(t, wiretest.Answers(500, ""))

		c := ask(1)
		if tt.ask != nil {
			tt.ask(&c)
		}

		b := backend(t, f)

		_, err := b.Complete(t.Context(), c)
		if got := f.Received(); len(got) != 1 {
			t.Fatalf("%s: %d requests, %v", tt.name, len(got), err)
		}

		r := f.Received()[0]

		sorted, err := json.MarshalIndent(decoded(t, r.Body), "", "  ")
		if err != nil {
			t.Fatal(err)
		}

		text.WriteString(tt.name + ": " + r.Path + " " + r.Header.Get("Content-Type") + "\n" + string(sorted) + "\n\n")
	}

	golden.Check(t, "requests.txt", text.String())
}
