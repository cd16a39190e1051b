package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// asked is what a fake reads of a request.
type asked struct {
	N           *int     `json:"n"`
	Seed        *int64   `json:"seed"`
	Stop        []string `json:"stop"`
	LogProbs    any      `json:"logprobs"`
	MaxTokens   *int     `json:"max_tokens"`
	TopLogProbs int      `json:"top_logprobs"`
}

// fake answers what refuse does not, with samples of three words and a stop text.
func fake(t *testing.T, refuse func(asked, map[string]any) (int, string)) *wiretest.Server {
	return wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)

		var a asked
		var all map[string]any
		if json.Unmarshal(body, &a) != nil || json.Unmarshal(body, &all) != nil {
			http.Error(w, "not JSON", http.StatusBadRequest)
			return
		}

		if status, message := refuse(a, all); status != 0 {
			w.WriteHeader(status)
			io.WriteString(w, message)
			return
		}

		var choices []string
		for i := range max(1, deref(a.N)) {
			choices = append(choices, choiceOf(a, i, strings.HasSuffix(r.URL.Path, "chat/completions")))
		}

		fmt.Fprintf(w, `{"choices":[%s]}`, strings.Join(choices, ","))
	})
}

func deref(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// choiceOf is a choice as JSON, ended by the stop text if it was sent.
func choiceOf(a asked, i int, inChat bool) string {
	seed := int64(i)
	if a.Seed != nil {
		seed += *a.Seed
	}

	tokens := []string{"a", fmt.Sprint(" ", seed), "\nObs", "ervation", " b"}
	if len(a.Stop) > 0 {
		tokens = tokens[:2]
	}

	text, _ := json.Marshal(strings.Join(tokens, ""))
	list, _ := json.Marshal(tokens)
	figures := strings.TrimSuffix(strings.Repeat("-0.5,", len(tokens)), ",")

	switch {
	case inChat:
		var scored []string
		for _, token := range tokens {
			quoted, _ := json.Marshal(token)
			scored = append(scored, fmt.Sprintf(`{"token":%s,"logprob":-0.5}`, quoted))
		}

		logs := "null"
		if a.LogProbs == true {
			logs = `{"content":[` + strings.Join(scored, ",") + `]}`
		}
		return fmt.Sprintf(`{"index":%d,"finish_reason":"stop","message":{"content":%s},"logprobs":%s}`,
			i, text, logs)
	case a.LogProbs != nil && a.LogProbs != 0.0:
		logs := fmt.Sprintf(`{"tokens":%s,"token_logprobs":[%s]}`, list, figures)
		return fmt.Sprintf(`{"index":%d,"finish_reason":"stop","text":%s,"logprobs":%s}`,
			i, text, logs)
	}

	return fmt.Sprintf(`{"index":%d,"finish_reason":"stop","text":%s,"logprobs":null}`, i, text)
}

// TestServersTakeLess asks servers that each take less, in their own words: all samples come,
// scored and cut at the stop text, and after the greeting nothing is refused. For all of them,
// logprobs of 0 in a request for a prompt are none.
func TestServersTakeLess(t *testing.T) {
	short := func(a asked, _ map[string]any) (int, string) {
		switch {
		case a.Seed != nil && *a.Seed != int64(int32(*a.Seed)):
			return 400, fmt.Sprintf(`{"error":"cannot unmarshal number %d into .seed of type int32"}`,
				*a.Seed)
		case deref(a.N) > 1:
			return 500, `{"error":{"code":500,"message":"too many tasks"}}`
		}

		return 0, ""
	}
	reasoner := func(_ asked, all map[string]any) (int, string) {
		for _, name := range []string{"max_tokens", "stop", "top_k", "min_p", "repetition_penalty",
			"include_stop_str_in_output"} {
			if _, sent := all[name]; sent {
				return 400, nested("That parameter is not for this model.", name, 400)
			}
		}

		return 0, ""
	}
	schema := func(_ asked, all map[string]any) (int, string) {
		const known = " model prompt messages n max_tokens temperature top_p stop logprobs top_logprobs "
		for name := range all {
			if !strings.Contains(known, " "+name+" ") {
				return 422, `{"detail":"the body does not match the schema"}`
			}
		}

		return 0, ""
	}
	seedless := func(a asked, _ map[string]any) (int, string) {
		if a.Seed != nil {
			return 501, `{"message":"seed is not supported"}`
		}
		return 0, ""
	}

	for _, tt := range []struct {
		name    string
		refuse  func(asked, map[string]any) (int, string)
		dialect []string // parts of it
	}{
		{"short seeds, no n", short, []string{"n at most 2"}},
		{"a model that reasons", reasoner, []string{"max_completion_tokens", "no stop", "no top_k"}},
		{"a schema without reasons", schema, []string{"no seed", "no min_p", "no frequency_penalty"}},
		{"no seeds, as if broken", seedless, []string{"no seed"}},
	} {
		for _, inChat := range []bool{false, true} {
			f := fake(t, tt.refuse)
			o := server.Options{
				Backends: []server.Backend{backend(t, f, func(o *Options) { o.Chat = inChat })},
				LogProbs: true,
				Sampling: server.Sampling{
					Temperature: 1, TopP: 1, RepetitionPenalty: 1, MaxTokens: 64, Stop: []string{"\nObservation"},
				},
			}

			if inChat {
				o.Messages = func(h envs.History) []chat.Message {
					return []chat.Message{{Role: chat.UserRole, Content: h.Task().Question}}
				}
			} else {
				o.Render = func(h envs.History) string { return h.Task().Question }
			}

			p, err := server.New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()

			if err := p.Greet(t.Context(), 3); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}

			greeting := p.Snapshot()
			got, err := p.Propose(t.Context(), mcts.Request{
				History: envs.NewHistory(envs.Task{ID: "q", Question: "What?"}), N: 3, Seed: 1 << 60,
			})

			if err != nil || len(got) != 3 {
				t.Fatalf("%s: %v, %v", tt.name, got, err)
			}

			for i, proposal := range got {
				if strings.Contains(proposal.Text, "Obs") || !proposal.Scored || proposal.Tokens != 2 {
					t.Errorf("%s: sample %d is %+v", tt.name, i, proposal)
				}
			}

			s := p.Snapshot()
			if s.BadRequests+s.Transient > greeting.BadRequests+greeting.Transient {
				t.Errorf("%s: something was refused after the greeting", tt.name)
			}

			for _, part := range tt.dialect {
				if got := s.Servers[0].Dialect; !strings.Contains(got, part) {
					t.Errorf("%s: the dialect is %q", tt.name, got)
				}
			}
		}
	}
}
