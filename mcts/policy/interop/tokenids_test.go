package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/toolcalls"
	"toolevo/mcts/store"
)

// under sends a chat template with every chat, and keeps what is asked and answered.
type under struct {
	template string

	mu        sync.Mutex
	exchanges []exchanged
}

// exchanged is a request and its answer.
type exchanged struct {
	asked map[string]json.RawMessage
	rawReply
	PromptTokenIDs []int `json:"prompt_token_ids"` // of a chat
}

func (u *under) RoundTrip(req *http.Request) (*http.Response, error) {
	var e exchanged
	if req.Body == nil || json.NewDecoder(req.Body).Decode(&e.asked) != nil {
		return http.DefaultTransport.RoundTrip(req)
	}

	if u.template != "" {
		e.asked["chat_template"], _ = json.Marshal(u.template)
	}

	text, err := json.Marshal(e.asked)
	if err != nil {
		return nil, err
	}

	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))

	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()

	answer, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(answer))

	if err == nil && json.Unmarshal(answer, &e) == nil && len(e.Choices) > 0 {
		u.mu.Lock()
		u.exchanges = append(u.exchanges, e)
		u.mu.Unlock()
	}

	return resp, err
}

// told reports whether the server told these tokens together, and returns what was asked for them.
func (u *under) told(ids mcts.TokenIDs) (asked map[string]json.RawMessage, ok bool) {
	for _, e := range u.exchanges {
		for _, c := range e.Choices {
			prompt := slices.Concat(e.PromptTokenIDs, c.PromptTokenIDs)
			if slices.Equal(prompt, ids.Prompt) && slices.Equal(c.TokenIDs, ids.Sampled) {
				return e.asked, true
			}
		}
	}

	return nil, false
}

// tokensOf are those that the server makes of the prompt of a request.
func (v vllm) tokensOf(t *testing.T, asked map[string]json.RawMessage) []int {
	body := map[string]any{"model": v.model, "add_generation_prompt": true}

	for _, name := range []string{"messages", "prompt", "tools", "chat_template", "add_special_tokens"} {
		if asked[name] != nil {
			body[name] = asked[name]
		}
	}

	var reply struct{ Tokens []int }
	post(t, strings.TrimSuffix(v.url, "/v1")+"/tokenize", body, &reply)
	return reply.Tokens
}

const listedTools = `[{"type": "function", "function": {"name": "LoadDB", "description": "Loads.", "parameters":
	{"type": "object", "properties": {"DBName": {"type": "string"}}, "required": ["DBName"]}}}]`

// endOfText is the token that ends texts.
var endOfText = regexp.MustCompile(`<\|end_of_text\|>$`)

// episodes are as many as the acceptance of token ids wants.
const episodes = 50

// The log of 50 episodes has, for every turn, the ids that vLLM told, under prompts that we render
// and under those of the chat templates of Qwen 3 and Llama 3.1, with tools, calls in the history
// and turns without one: those of the prompt are the server's own of what was asked, and those that
// were sampled are the text. The templates are as TRL 1.16 ships them.
func (v vllm) testTokenIDs(t *testing.T) {
	for _, name := range []string{"", "qwen3", "llama3_1"} {
		t.Run(name, func(t *testing.T) { v.testTokenIDsUnder(t, name) })
	}
}

func (v vllm) testTokenIDsUnder(t *testing.T, name string) {
	u := &under{}
	o := server.Options{Sampling: sampling(16), LogProbs: true, TokenIDs: true}
	b := openai.Options{TokenIDs: true}

	if name == "" {
		o.Render = func(h envs.History) string {
			return fmt.Sprint(question, len(h.Turns()), h.Turns(), h.Task().Question)
		}
	} else {
		text, err := os.ReadFile(filepath.Join("testdata", name+".jinja"))
		if err != nil {
			t.Fatal(err)
		}

		clean, err := chat.NewSanitizer()
		if err != nil {
			t.Fatal(err)
		}

		u.template = string(text)
		b.Chat, b.Tools.Choice = true, "none" // the server has no parser
		o.Messages = func(h envs.History) []chat.Message { return chat.ToolMessages("You call tools.", h, clean) }
		o.Tools = func(envs.History) string { return listedTools }
		o.ReadCalls = func(_ envs.History, text string) (action.Message, int) {
			r := toolcalls.Generic.Read(text, nil)
			return r.Message, r.End
		}
		o.Break = clean.Clean
	}

	b.Endpoint = server.Endpoint{Transport: u}
	o.Backends = []server.Backend{v.open(t, b)}

	p, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()

	path := filepath.Join(t.TempDir(), "run.db")
	turns := play(t, p, path)

	log, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()

	part, whole, tokens := 0, 0, 0

	for question, texts := range turns {
		replay, err := log.Policy(t.Context(), question, 0, nil)
		if err != nil {
			t.Fatal(err)
		}

		for i, text := range texts {
			ids, ok, err := replay.TokenIDs(t.Context(), "0"+strings.Repeat(".0", i), text)
			if err != nil {
				t.Fatal(err)
			}

			if !ok { // a control token in its text was broken, or it began reasoning
				part++
				continue
			}

			whole++
			tokens += len(ids.Sampled)

			asked, ok := u.told(ids)
			if !ok {
				t.Fatalf("%s, turn %d: the server never told %+v", question, i, ids)
			}

			if want := v.tokensOf(t, asked); !slices.Equal(want, ids.Prompt) {
				t.Fatalf("%s, turn %d: the prompt is %v, by /tokenize %v", question, i, ids.Prompt, want)
			}

			v.readsAs(t, ids, text)
		}
	}

	t.Logf("%d turns of %d sampled tokens are as they were told, %d say less than was sampled", whole, tokens, part)

	if whole < 2*episodes {
		t.Errorf("of %d turns of %d episodes there are ids", whole, episodes)
	}
}

// readsAs wants sampled ids to be those of a turn's text, as the server reads them.
func (v vllm) readsAs(t *testing.T, ids mcts.TokenIDs, text string) {
	t.Helper()

	var read struct{ Prompt string }
	post(t, strings.TrimSuffix(v.url, "/v1")+"/detokenize",
		map[string]any{"model": v.model, "tokens": ids.Sampled}, &read)

	if m := action.ParseMessage(text); strings.HasPrefix(text, "{") {
		text = m.Content
	}

	// Of bytes that are no text, servers show some.
	plain := func(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\uFFFD", "")) }
	if got, want := plain(endOfText.ReplaceAllString(read.Prompt, "")), plain(text); got != want {
		t.Errorf("the ids %v are of %q, the turn says %q", ids.Sampled, got, want)
	}
}

// play plays episodes of three turns, in whose histories are turns without a call and turns with
// one, and returns what was sampled in each, by question.
func play(t *testing.T, p mcts.Policy, path string) map[string][]string {
	t.Helper()

	log, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	turns := map[string][]string{}

	group, ctx := errgroup.WithContext(testContext(t))
	group.SetLimit(8)

	for n := range episodes {
		group.Go(func() error {
			question := fmt.Sprint("How many rows has table ", n, "?")

			h := envs.NewHistory(envs.Task{ID: question, Question: question})
			texts, err := playOne(ctx, log, p, h, uint64(n)<<8)

			mu.Lock()
			defer mu.Unlock()
			turns[question] = texts
			return err
		})
	}

	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}

	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return turns
}

func playOne(ctx context.Context, log *store.Store, next mcts.Policy, h envs.History, seed uint64) ([]string, error) {
	call := action.Message{Calls: []action.ToolCall{{Name: "LoadDB", Arguments: `{"DBName": "coffee", "x": 2.50}`}}}

	p, err := log.Policy(ctx, h.Task().ID, 0, next)
	if err != nil {
		return nil, err
	}

	var texts []string

	for i := range 3 {
		proposals, err := p.Propose(ctx, mcts.Request{
			Node:    mcts.NodeID{Question: h.Task().ID, Path: "0" + strings.Repeat(".0", i)},
			History: h, N: 1, Seed: seed + uint64(i),
		})
		if err != nil {
			return nil, err
		}

		texts = append(texts, proposals[0].Text)

		turn := envs.Turn{Action: envs.Action(proposals[0].Text), Observation: "That is no call."}
		if i%2 == 1 {
			turn = envs.Turn{Action: envs.Action(call.Text()), Observation: "loaded: 2.50"}
		}

		h = h.Append(turn)
	}
	return texts, nil
}
