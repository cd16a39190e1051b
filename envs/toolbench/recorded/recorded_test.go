package recorded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// Every rule of Appendix D, and what the published ones take for an error that is none.
func TestClasses(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		answer    toolbench.Answer
		published Class
		corrected Class // "" is the same
	}{
		{answer: toolbench.Answer{Error: "HTTP 502"}, published: "not-connected"},
		{answer: toolbench.Answer{Response: "HTTP error"}, published: "not-connected"},
		{answer: toolbench.Answer{Response: "Connection reset"}, published: "not-connected"},
		{answer: toolbench.Answer{Response: "Rate Limit reached"}, published: "not-connected"},
		{answer: toolbench.Answer{Response: "timeout"}, published: "not-connected"},
		{answer: toolbench.Answer{Error: "connection reset"}, published: "other"}, // a response's word
		{answer: toolbench.Answer{Error: "City not found"}, published: "not-found"},
		{answer: toolbench.Answer{Response: "It is not available"}, published: "not-found"},
		{answer: toolbench.Answer{Response: "API doesn't exist"}, published: "not-found"},
		{answer: toolbench.Answer{Error: "Service Not Found"}, published: "not-found"},
		{answer: toolbench.Answer{Response: "Internal error"}, published: "not-found"},
		{answer: toolbench.Answer{Error: "error 404"}, published: "not-found"},
		{answer: toolbench.Answer{Error: "missing parameter"}, published: "parameter-change"},
		{answer: toolbench.Answer{Response: "error parsing it"}, published: "parameter-change"},
		{answer: toolbench.Answer{Response: "x is not defined"}, published: "parameter-change"},
		{answer: toolbench.Answer{Error: "Function executing from t.py error: boom"}, published: "parsing"},
		{answer: toolbench.Answer{Error: "the Function executing from"}, published: "other"}, // does not begin so
		{answer: toolbench.Answer{Error: "Unauthorized"}, published: "not-authorised"},
		{answer: toolbench.Answer{Error: "cannot authorise you"}, published: "not-authorised"},
		{answer: toolbench.Answer{Response: "Blocked user"}, published: "not-authorised"},
		{answer: toolbench.Answer{Response: "please unsubscribe"}, published: "not-authorised"},
		{answer: toolbench.Answer{Response: "no credentials"}, published: "not-authorised"},
		{answer: toolbench.Answer{Response: "disabled for your subscription"}, published: "not-authorised"},
		{answer: toolbench.Answer{Response: envs.Args{{Name: "status_code", Value: envs.Number("401")}}},
			published: "not-authorised"},
		{answer: toolbench.Answer{Response: "403 Forbidden"}, published: "not-authorised"},
		{answer: toolbench.Answer{Error: "something else"}, published: "other"},
		{answer: toolbench.Answer{Error: "  "}, published: "success"},
		{answer: toolbench.Answer{Response: "12 degrees"}, published: "success"},
		{answer: toolbench.Answer{Response: envs.Args{}}, published: "success"},

		{answer: toolbench.Answer{Response: envs.Args{{Name: "price", Value: envs.Number("404")}}},
			published: "not-found", corrected: "success"},
		{answer: toolbench.Answer{Response: "24031 visitors"}, published: "not-authorised", corrected: "success"},
		{answer: toolbench.Answer{Response: "open 401 days"}, published: "not-authorised", corrected: "success"},
	} {
		want := tt.corrected
		if want == "" {
			want = tt.published
		}

		if got := Published().Of(tt.answer); got != tt.published {
			t.Errorf("%s is %s as published, want %s", tt.answer.Text(), got, tt.published)
		}

		if got := Corrected().Of(tt.answer); got != want {
			t.Errorf("%s is %s, want %s", tt.answer.Text(), got, want)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "calls.jsonl")
	write := func(text string) {
		t.Helper()

		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	write(`{"category": "News, Media", "tool_name": "T T", "api_name": "A", "tool_input": "{\"b\": 1.50, \"a\": {}}",
		"error": "", "response": {"x": [1]}}
		{"category": "News_Media", "tool_name": "t_t", "api_name": "a", "tool_input": {"a": {}, "b": 1.50},
		"error": {"message": "no"}}` + "\n")

	calls, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}

	want := []toolbench.Answer{
		{Response: envs.Args{{Name: "x", Value: []any{envs.Number("1")}}}},
		{Error: `{"message": "no"}`, Response: ""},
	}
	if diff := cmp.Diff(want, []toolbench.Answer{calls[0].Answer, calls[1].Answer}); diff != "" {
		t.Error(diff)
	}

	if calls[0].Request() != calls[1].Request() {
		t.Errorf("%s and %s are one request", calls[0].Request(), calls[1].Request())
	}

	documents := NewDocuments(&toolbench.Collection{Documents: []toolbench.Document{
		{Key: toolbench.Key{Category: "News, Media", Tool: "T T", API: "A"}},
	}})
	for i := range calls {
		if d, err := calls[i].Find(documents); err != nil || d.Tool != "T T" {
			t.Errorf("call %d: the document is %v, %v", i, d, err)
		}
	}

	const names = `{"category": "c", "tool_name": "t", "api_name": "a", `

	for text, want := range map[string]string{
		names + `"tool_input": "x", "response": 1}`:    "call 1: tool_input",
		names + `"tool_input": [1], "response": 1}`:    "tool_input: want a JSON object",
		names + `"tool_input": {}}`:                    "neither error nor response",
		`{"tool_name": "t", "api_name": "a"}`:          "category is missing",
		names + `"response": 1}` + "\n" + names + `"r`: "call 2",
	} {
		write(text)

		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

// Of a cache only what real APIs answered is a recorded call.
func TestReadCache(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "cache.db")

	if _, _, err := ReadCache(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a cache that is not there: %v", err)
	}

	c, err := virtual.OpenCache(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	key := toolbench.Key{Category: "News, Media", Tool: "T T", API: "A"}
	for i, from := range []virtual.Provenance{virtual.Real, virtual.Simulated, virtual.Replayed, virtual.Scripted} {
		args := envs.Args{{Name: "n", Value: envs.Number(fmt.Sprint(i))}}

		err := c.Put(t.Context(), virtual.Entry{
			Call: virtual.NewCall("p_c", key, args), Answer: toolbench.Answer{Response: string(from)}, Provenance: from,
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	calls, made, err := ReadCache(t.Context(), path)
	if err != nil || len(calls) != 2 || made != 2 {
		t.Fatalf("%d calls and %d others (%v), want 2 and 2", len(calls), made, err)
	}

	if got := calls[1]; got.Key != virtual.Normalised(key) || got.Answer.Response != "replayed" {
		t.Errorf("the second call is %+v", got)
	}
}
