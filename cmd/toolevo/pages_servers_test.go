package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"toolevo/mcts/policy/simserver"
)

// standIns start what stands for the servers of the pages, by the addresses there. They take and
// refuse what those do, and a script writes their completions.
var standIns = map[string]func(t *testing.T) string{
	"http://127.0.0.1:8000": standIn{names: []string{"Qwen/Qwen3-8B", "trained"}}.start,
	"http://127.0.0.1:11434": standIn{
		names: []string{"qwen3:8b"}, sim: simserver.Options{Kind: simserver.Ollama, Slots: 4},
	}.start,
	"http://127.0.0.1:8080": standIn{
		names:   []string{"qwen3-8b"},
		sim:     simserver.Options{PromptPerSlot: true, Wrong: []simserver.Misconfiguration{simserver.NoLogProbs}},
		refuses: refusesSeveral,
	}.start,
	"http://127.0.0.1:30000": standIn{names: []string{"Qwen/Qwen3-8B"}, sim: simserver.Options{NoDetails: true}}.start,
	"http://127.0.0.1:1234": standIn{
		names: []string{"qwen3-8b"},
		sim: simserver.Options{
			Slots: 4, Wrong: []simserver.Misconfiguration{simserver.NoLogProbs, simserver.IgnoreN},
		},
	}.start,
	"http://127.0.0.1:4000": standIn{
		names: []string{"house"}, key: "sk-litellm-1234567890", drops: extensions, behind: "gpt-4.1-mini-2025-04-14",
		sim: simserver.Options{Wrong: []simserver.Misconfiguration{simserver.NoLogProbs}},
	}.start,
	"https://openrouter.ai/api": standIn{
		names: []string{"qwen/qwen3-32b"}, key: "sk-or-0123456789abcdef", limits: true,
		sim: simserver.Options{Wrong: []simserver.Misconfiguration{simserver.NoLogProbs}},
	}.start,
	"https://api.openai.com": standIn{
		names: []string{"gpt-4.1-mini", "gpt-5-mini"}, key: "sk-0123456789abcdef", refuses: refusesAsOpenAI, chat: true,
	}.start,
	"https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT?api-version=2024-10-21": func(t *testing.T) string {
		s := &hosted{
			Handler: serve(t, simserver.Options{Slots: 16}), path: "/openai/deployments/DEPLOYMENT",
			query: "api-version=2024-10-21", reply: "gpt-4o-2024-08-06",
			headers: map[string]string{"api-key": "0123456789abcdef0123456789abcdef"},
		}

		web := httptest.NewServer(s)
		t.Cleanup(web.Close)
		return web.URL + s.path + "?" + s.query
	},
}

// extensions are vLLM's own parameters.
var extensions = []string{"top_k", "min_p", "repetition_penalty"}

// standIn is a server of some make, in front of a simulated one.
type standIn struct {
	sim    simserver.Options
	names  []string // of its models, in its list
	behind string   // the name that replies bear; "" is the one that was asked for
	key    string   // that it wants
	drops  []string // fields that it takes and does not pass on
	chat   bool     // it completes no texts
	limits bool     // each tenth completion is refused for a moment, in a reply of status 200
	// what is wrong with a request; "" is nothing
	refuses func(asked map[string]any) string
}

// start starts it, and returns its address without /v1.
func (s standIn) start(t *testing.T) string {
	t.Helper()

	sim := serve(t, s.sim)

	var completions atomic.Int64

	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}

		var asked map[string]any
		_ = json.Unmarshal(body, &asked) // a request without a body asks for a list

		if status, message := s.objects(r, asked); message != "" {
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message}})
			return
		}

		if s.limits && asked != nil && completions.Add(1)%10 == 0 {
			io.WriteString(w, `{"error":{"message":"Rate limit exceeded","code":429,`+
				`"metadata":{"headers":{"X-RateLimit-Reset":"1"}}}}`)
			return
		}

		name := s.names[0]

		if model, ok := asked["model"].(string); ok {
			name, asked["model"] = model, "sim"

			for _, field := range s.drops {
				delete(asked, field)
			}

			body, _ = json.Marshal(asked)
		}

		r.Body = io.NopCloser(bytes.NewReader(body))

		got := httptest.NewRecorder()
		sim.ServeHTTP(got, r)
		w.WriteHeader(got.Code)
		_, _ = w.Write(s.renamed(got.Body.Bytes(), name, asked != nil))
	}))
	t.Cleanup(web.Close)

	return web.URL
}

// objects reports what the server does not take.
func (s standIn) objects(r *http.Request, asked map[string]any) (status int, message string) {
	switch {
	case s.key != "" && r.Header.Get("Authorization") != "Bearer "+s.key:
		return http.StatusUnauthorized, "Incorrect API key provided"
	case asked == nil:
		return 0, ""
	case s.chat && !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		return http.StatusNotFound, "This is a chat model and not supported in the v1/completions endpoint"
	case s.refuses != nil:
		return http.StatusBadRequest, s.refuses(asked)
	}

	return 0, ""
}

// renamed puts the names of the server's models into a reply of the simulated one.
func (s standIn) renamed(reply []byte, asked string, completes bool) []byte {
	if s.behind != "" && completes {
		asked = s.behind
	}

	text := strings.NewReplacer(`"sim"`, `"`+asked+`"`, `"sim:latest"`, `"`+asked+`"`).Replace(string(reply))

	var list struct {
		Object string           `json:"object"`
		Data   []map[string]any `json:"data"`
	}
	if json.Unmarshal([]byte(text), &list) != nil || len(list.Data) != 1 || completes {
		return []byte(text)
	}

	model := list.Data[0]
	list.Data = nil

	for _, name := range s.names {
		other := maps.Clone(model)
		other["id"], other["root"] = name, name
		list.Data = append(list.Data, other)
	}

	all, _ := json.Marshal(list)
	return all
}

// refusesSeveral is what llama.cpp's server says of several samples.
func refusesSeveral(asked map[string]any) string {
	if n, ok := asked["n"].(float64); ok && n > 1 {
		return "Only one completion choice is allowed"
	}
	return ""
}

// refusesAsOpenAI is what OpenAI says of parameters that it has not, and of those that its models
// that reason do not take.
func refusesAsOpenAI(asked map[string]any) string {
	for _, field := range extensions {
		if asked[field] != nil {
			return "Unrecognized request argument supplied: " + field
		}
	}

	if asked["model"] != "gpt-5-mini" {
		return ""
	}

	for _, field := range []string{"max_tokens", "stop", "logprobs", "top_p", "frequency_penalty"} {
		if asked[field] != nil && !slices.Contains([]any{false, 0.0}, asked[field]) {
			return "Unsupported parameter: '" + field + "' is not supported with this model." +
				map[string]string{"max_tokens": " Use 'max_completion_tokens' instead."}[field]
		}
	}

	if temperature, ok := asked["temperature"].(float64); ok && temperature != 1 {
		return "Unsupported value: 'temperature' does not support 0.8 with this model. " +
			"Only the default (1) value is supported."
	}
	return ""
}
