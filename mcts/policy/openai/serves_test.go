package openai

import (
	"net/http"
	"strings"
	"testing"

	"toolevo/mcts/policy/internal/wiretest"
)

// A reply's name is one of the model's when the server lists it for the same weights, or for the
// base of an adapter; the name of an adapter is none of its base's.
func TestServes(t *testing.T) {
	const list = `{"data":[
		{"id":"llama","root":"/models/llama"}, {"id":"llama-alias","root":"/models/llama"},
		{"id":"sql","root":"/adapters/sql","parent":"llama"},
		{"id":"other","root":"/models/other"}, {"id":"bare"}, {"id":"bare-too"}]}`

	listing := wiretest.Answers(200, list)
	for _, test := range []struct {
		asked, name string
		handler     http.HandlerFunc
		want        bool
	}{
		{"llama", "llama", listing, true},
		{"llama", "llama-alias", listing, true},
		{"llama-alias", "llama", listing, true},
		{"llama", "/models/llama", listing, true},
		{"llama", "other", listing, false},
		{"llama", "sql", listing, false},
		{"llama", "LLAMA", listing, false},
		{"sql", "sql", listing, true},
		{"sql", "llama", listing, true},
		{"sql", "llama-alias", listing, true},
		{"sql", "/models/llama", listing, true},
		{"sql", "other", listing, false},
		{"bare", "bare-too", listing, false},
		{"gone", "llama", listing, false},
		{"llama", "llama", wiretest.Answers(404, ""), true},
		{"llama", "llama-alias", wiretest.Answers(404, ""), false},
	} {
		b := backend(t, wiretest.Serve(t, test.handler), func(o *Options) { o.Model = test.asked })
		if got, err := b.Serves(t.Context(), test.name); got != test.want || err != nil {
			t.Errorf("asked for %s, answered as %s: %v, %v", test.asked, test.name, got, err)
		}
	}

	_, err := backend(t, wiretest.Serve(t, wiretest.Answers(503, "busy"))).Serves(t.Context(), "llama-alias")
	if err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("error is %v", err)
	}
}
