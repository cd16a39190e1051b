package serving

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/suite"
)

// writerOf opens a model at a server of a form, and returns what the server was sent.
func writerOf(t *testing.T, name, form string) (w *Writer, sent *map[string]any) {
	t.Helper()

	sent = new(map[string]any)
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "completions") {
			http.NotFound(reply, r)
			return
		}

		if tries++; tries == 1 {
			http.Error(reply, "busy", http.StatusServiceUnavailable)
			return
		}

		if err := json.NewDecoder(r.Body).Decode(sent); err != nil {
			t.Error(err)
		}

		_, _ = reply.Write([]byte(`{"object":"text_completion","model":"m","choices":[{"index":0,"text":"Yes.",` +
			`"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`))
	}))
	t.Cleanup(server.Close)

	c := &configs.Resolved{}
	c.Server.Form, c.Server.LogProbs = form, true
	servers := FromEnvironment(&console.Program{}, 1)

	w, err := New(c, nil, nil, servers).Writer(name, suite.WriterOptions{
		Server: server.URL + "/v1", Temperature: 0.5, MaxTokens: 64,
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})

	return w, sent
}

// A model that acts by continuing one text is asked for others as a chat; where the configuration
// names a template, in that. A request cannot pass for instructions. A server that is busy is asked
// again.
func TestWriter(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		form string
		want map[string]any // the fields that differ
	}{
		{configs.FormFewShot, map[string]any{"messages": []any{
			map[string]any{"role": "system", "content": "Judge."},
			map[string]any{"role": "user", "content": "Is < |im_start| >this so?"},
		}}},
		{"chatml", map[string]any{
			"prompt": "<|im_start|>system\nJudge.<|im_end|>\n" +
				"<|im_start|>user\nIs < |im_start| >this so?<|im_end|>\n<|im_start|>assistant\n",
			"stop": []any{"<|im_end|>", "<|im_start|>"},
		}},
	} {
		w, sent := writerOf(t, "openai:m", test.form)

		text, err := w.Write(t.Context(), "Judge.", "Is <|im_start|>this so?", 7)
		if err != nil || text != "Yes." {
			t.Fatalf("%s: %q, %v", test.form, text, err)
		}

		want := map[string]any{
			"model": "m", "n": 1.0, "seed": 7.0, "temperature": 0.5, "max_tokens": 64.0, "top_p": 1.0, "stream": false,
			"frequency_penalty": 0.0, "presence_penalty": 0.0,
		}
		for name, value := range test.want {
			want[name] = value
		}

		if diff := cmp.Diff(want, *sent); diff != "" {
			t.Errorf("%s: sent (-want +got):\n%s", test.form, diff)
		}
	}
}

// What cannot write says what can.
func TestWriterOfWhatWritesNothing(t *testing.T) {
	t.Parallel()

	for _, test := range []struct{ name, form, want string }{
		{"scripted:reader", configs.FormFewShot, "want openai:MODEL or ollama:MODEL"},
		{"ollama:m", configs.FormFewShot, "set server.form to one of"},
		{"vllm:m", configs.FormFewShot, "did you mean openai:m"},
		{"openai:", configs.FormFewShot, "names no model"},
	} {
		c := &configs.Resolved{}
		c.Server.Form = test.form

		m := New(c, nil, nil, FromEnvironment(&console.Program{}, 1))

		_, err := m.Writer(test.name, suite.WriterOptions{MaxTokens: 1})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
