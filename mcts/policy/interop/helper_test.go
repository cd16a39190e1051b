package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// patience bounds a test against a server that hangs.
const patience = 5 * time.Minute

// setting is a variable of the environment; the test is skipped without it.
func setting(t *testing.T, name, script string) string {
	t.Helper()

	value := os.Getenv(name)
	if value == "" {
		t.Skipf("%s is not set: %s sets it", name, script)
	}
	return value
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// sampling draws from the whole distribution.
func sampling(maxTokens int, stop ...string) server.Sampling {
	return server.Sampling{Temperature: 1, TopP: 1, RepetitionPenalty: 1, MaxTokens: maxTokens, Stop: stop}
}

func greedy(maxTokens int, stop ...string) server.Sampling {
	return sampling(maxTokens, stop...).Greedy()
}

const question = "Question: What was the highest price of coffee in 2004?\nThought 1:"

// long is a prompt of about so many characters that begins with a mark of its own.
func long(mark string, characters int) string {
	var text strings.Builder
	text.WriteString(mark)

	for i := 0; text.Len() < characters; i++ {
		fmt.Fprintf(&text, " On day %d the price was %d.", i, 7*i%101)
	}
	return text.String()
}

func complete(t *testing.T, b server.Backend, c server.Completion) server.Reply {
	t.Helper()

	reply, err := b.Complete(testContext(t), c)
	if err != nil {
		t.Fatalf("Complete: %v", err)
	}

	if len(reply.Choices) != c.N {
		t.Fatalf("%d choices of %d", len(reply.Choices), c.N)
	}
	return reply
}

func texts(reply server.Reply) []string {
	out := make([]string, len(reply.Choices))
	for i, c := range reply.Choices {
		out[i] = c.Text
	}
	return out
}

func distinct(texts []string) int {
	seen := map[string]bool{}
	for _, text := range texts {
		seen[text] = true
	}
	return len(seen)
}

// counting counts the requests that leave for a server.
type counting struct{ requests atomic.Int64 }

func (c *counting) RoundTrip(req *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return http.DefaultTransport.RoundTrip(req)
}

// wantFault checks the kind and the status of an error.
func wantFault(t *testing.T, err error, kind server.FaultKind, status int) {
	t.Helper()

	fault, ok := err.(*server.Fault)
	if !ok || fault.Kind != kind || status != 0 && fault.Status != status {
		t.Fatalf("error %v, want a fault of kind %q with status %d", err, kind, status)
	}

	t.Logf("fault: %v", fault)
}

// cancelWhenSent is a context that ends as soon as a request made with it is on its way.
func cancelWhenSent(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { cancel() },
	})
}

// post sends a request that no backend would, and decodes the answer.
func post(t *testing.T, address string, body map[string]any, into any) {
	t.Helper()

	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}

	req, err := http.NewRequestWithContext(testContext(t), http.MethodPost, address, strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}

	req.Header.Set("Content-Type", "application/json")

	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()

	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("POST %s: %s, %v: %s", address, resp.Status, err, answer)
	}

	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatalf("POST %s: %v: %s", address, err, answer)
	}
}

// newPolicy is the policy of one backend that is shown the prompt whatever the history.
func newPolicy(t *testing.T, b server.Backend, prompt string, s server.Sampling, logProbs bool) *server.Policy {
	t.Helper()

	p, err := server.New(server.Options{
		Backends: []server.Backend{b},
		Render:   func(envs.History) string { return prompt },
		Sampling: s,
		LogProbs: logProbs,
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})

	return p
}

func propose(t *testing.T, p mcts.Policy, n int, seed uint64) []mcts.Proposal {
	t.Helper()

	proposals, err := p.Propose(testContext(t), mcts.Request{
		Node: mcts.NodeID{Question: "interop", Path: "0"},
		N:    n,
		Seed: seed,
		// a first prompt that does not fit would be a failure
		History: envs.NewHistory(envs.Task{}).Append(envs.Turn{}),
	})
	if err != nil {
		t.Fatalf("Propose: %v", err)
	}

	return proposals
}
