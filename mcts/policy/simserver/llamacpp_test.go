package simserver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"toolevo/mcts/policy/simserver"
)

// llamaCpp starts a server that keeps a prompt in each of its slots.
func llamaCpp(t *testing.T, slots int) *simserver.Server {
	t.Helper()
	return start(t, simserver.Options{Slots: slots, PromptPerSlot: true})
}

// short is a request for one token, so that nothing but its prompt stays in a slot.
func short(prompt string) body {
	return usual(prompt).with("n", 1, "temperature", 0, "max_tokens", 1, "logprobs", nil)
}

// repeated writes "one*12 two*3" as twelve times " one" and three times " two": a token for each
// word, here as in Qwen2.5.
func repeated(t *testing.T, list string) string {
	t.Helper()

	var b strings.Builder
	for item := range strings.FieldsSeq(list) {
		word, times, _ := strings.Cut(item, "*")

		n, err := strconv.Atoi(times)
		if err != nil {
			t.Fatal(err)
		}

		b.WriteString(strings.Repeat(" "+word, n))
	}
	return b.String()
}

// The file holds requests that were sent to llama.cpp's server (build 11549 with
// Qwen2.5-Coder-0.5B, -c 3072 -np 3 --cache-ram 0), one after the other, and what it answered: how
// much of the prompt was cached, and what the slots held after it.
func TestSlotsAsLlamaCpp(t *testing.T) {
	t.Parallel()

	file, err := os.Open("testdata/llamacpp_slots.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	s := llamaCpp(t, 3)
	read, n := 0, 0

	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var q struct {
			Prompt      string
			IDSlot      *int  `json:"id_slot"`
			N           *int  `json:"n"`
			CachePrompt *bool `json:"cache_prompt"`
			Cached      int
			Slots       []int
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}

		b := short(repeated(t, q.Prompt))
		if q.N != nil {
			b = b.with("n", *q.N)
		}

		if q.IDSlot != nil {
			b = b.with("id_slot", *q.IDSlot)
		}

		if q.CachePrompt != nil {
			b = b.with("cache_prompt", *q.CachePrompt)
		}

		r := post(t, s.URL()+"/v1/completions", b)
		held, _ := s.SlotStates()

		if r.status != 200 || r.Usage.Details.Cached != q.Cached || !slices.Equal(held, q.Slots) {
			t.Fatalf("%s\n%s\nslots %v", lines.Text(), r.raw, held)
		}

		read += r.Usage.Prompt - q.Cached
	}

	st := s.Stats()
	if n != 36 || st.PromptTokensRead != read || st.PromptTokens-st.HitTokens != read {
		t.Errorf("%d requests, %d tokens read: %+v", n, read, st.Counts)
	}
}

// Without the option, and for an Ollama, there are no properties.
func TestProps(t *testing.T) {
	t.Parallel()

	for name, o := range map[string]simserver.Options{
		"vllm":           {},
		"ollama":         {Kind: simserver.Ollama},
		"ollama's slots": {Kind: simserver.Ollama, PromptPerSlot: true},
	} {
		s := start(t, o)
		if status, _ := get(t, s.URL()+"/props"); status != http.StatusNotFound {
			t.Errorf("%s: %d", name, status)
		}
	}

	s := start(t, simserver.Options{PromptPerSlot: true, MaxModelLen: 2048})

	var props struct {
		Slots    int    `json:"total_slots"`
		Alias    string `json:"model_alias"`
		Build    string `json:"build_info"`
		Settings struct {
			Window int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}

	status, text := get(t, s.URL()+"/props")
	if err := json.Unmarshal([]byte(text), &props); err != nil || status != http.StatusOK {
		t.Fatalf("%d, %v: %s", status, err, text)
	}

	if props.Slots != 4 || props.Alias != model || props.Build == "" || props.Settings.Window != 2048 {
		t.Errorf("%+v", props)
	}

	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/version":   {http.StatusNotFound, ""}, // which is how vLLM is known
		"/metrics":   {http.StatusNotImplemented, `"type":"not_supported_error"`},
		"/v1/models": {http.StatusOK, `"owned_by":"llamacpp"`},
	} {
		status, text := get(t, s.URL()+path)
		if status != want.status || !strings.Contains(text, want.text) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}

// More samples than slots are refused; as many as slots are taken, greedy ones too. Numbers of
// slots have no end, and what is no number is not looked at.
func TestSamplesAndSlotNumbers(t *testing.T) {
	t.Parallel()

	s := llamaCpp(t, 2)
	url, b := s.URL()+"/v1/completions", short("Question: q")

	for n, want := range map[int]int{0: 400, 1: 200, 2: 200, 3: 400} {
		r := post(t, url, b.with("n", n))
		if r.status != want || want == 200 && len(r.Choices) != n ||
			want == 400 && !strings.Contains(r.raw, `"type":"invalid_request_error"`) {
			t.Errorf("n %d: %d %s", n, r.status, r.raw)
		}
	}

	for _, slot := range []any{-1, 0, 1, 17, "one", nil} {
		if r := post(t, url, b.with("id_slot", slot)); r.status != 200 {
			t.Errorf("id_slot %v: %d %s", slot, r.status, r.raw)
		}
	}
}

// Usage and timings are those of the first choice.
func TestTimings(t *testing.T) {
	t.Parallel()

	s := start(t, simserver.Options{
		PromptPerSlot: true,
		Latency:       simserver.Latency{PrefillPerSecond: 1e4, DecodePerSecond: 1e4},
	})
	b := short(repeated(t, "one*40")).with("max_tokens", 11, "n", 2)

	for _, want := range []struct{ cached, read int }{{0, 40}, {39, 1}} {
		r := post(t, s.URL()+"/v1/completions", b)

		var reply struct {
			Timings struct {
				CacheN    int     `json:"cache_n"`
				PromptN   int     `json:"prompt_n"`
				PromptMS  float64 `json:"prompt_ms"`
				Predicted int     `json:"predicted_n"`
				Decode    float64 `json:"predicted_ms"`
			}
		}
		if err := json.Unmarshal([]byte(r.raw), &reply); err != nil {
			t.Fatal(err)
		}

		got := reply.Timings
		if got.CacheN != want.cached || got.PromptN != want.read ||
			got.PromptMS != float64(want.read)/10 || got.Predicted != 11 || got.Decode != 1.1 {
			t.Errorf("%+v, want %+v", got, want)
		}

		if u := r.Usage; len(r.Choices) != 2 || u.Prompt != 40 || u.Completion != 11 ||
			u.Details.Cached != want.cached {
			t.Errorf("usage %+v, want %+v", u, want)
		}
	}
}

// An Ollama with one slot reads the whole of two prompts that take turns, but for what they share.
func TestOllamaSlots(t *testing.T) {
	t.Parallel()

	s := start(t, simserver.Options{
		Kind:          simserver.Ollama,
		PromptPerSlot: true,
		Latency:       simserver.Latency{PrefillPerSecond: 1e4},
	})
	a, b := repeated(t, "head*5 one*20"), repeated(t, "head*5 two*20")

	for i, c := range []struct {
		prompt string
		read   int
	}{{a, 25}, {a, 1}, {b, 20}, {a, 20}, {a + " more", 1}} {
		r := post(t, s.URL()+"/api/generate", ollamaBody(c.prompt).option("num_predict", 1))

		var reply struct {
			Count    int           `json:"prompt_eval_count"`
			Duration time.Duration `json:"prompt_eval_duration"`
		}
		if err := json.Unmarshal([]byte(r.raw), &reply); err != nil {
			t.Fatal(err)
		}

		want := time.Duration(c.read) * 100 * time.Microsecond
		if reply.Duration != want || reply.Count < 25 {
			t.Errorf("request %d: %+v, want %v for %d tokens", i, reply, want, c.read)
		}
	}
}

// What the model writes does not depend on slots: the same requests get the same texts with the
// option and without it, one after the other and all at once.
func TestSlotsDoNotChangeTexts(t *testing.T) {
	t.Parallel()

	env, p := environment(t, "p_s_in")
	p = demonstrated(t, p)

	type asked struct {
		path string
		body body
	}

	for _, kind := range []simserver.Kind{simserver.VLLM, simserver.Ollama} {
		var requests []asked
		for i, h := range histories(t, env, profiled(t, "noisy"), 3, false) {
			prompt := p.Render(h)
			if kind == simserver.Ollama {
				requests = append(requests, asked{"/api/generate", ollamaBody(prompt).option("seed", i)})
				continue
			}

			b := usual(prompt).with("n", 1+i%3, "seed", i)
			requests = append(requests, asked{"/v1/completions", b},
				asked{"/v1/completions", b.with("id_slot", i)})
		}

		var want []string
		plain := start(t, simserver.Options{Kind: kind})
		for _, q := range requests {
			want = append(want, written(post(t, plain.URL()+q.path, q.body)))
		}

		s := start(t, simserver.Options{
			Kind:          kind,
			Slots:         3,
			PromptPerSlot: true,
			Latency:       simserver.Latency{PrefillPerSecond: 1e6, PerCompletion: time.Millisecond},
		})

		var g errgroup.Group
		for i, q := range slices.Concat(requests, requests) {
			g.Go(func() error {
				r, err := send(t.Context(), s.URL()+q.path, q.body)
				if err != nil {
					return err
				}

				if got := written(r); got != want[i%len(want)] || got == "" {
					return fmt.Errorf("request %d: %q, want %q", i, got, want[i%len(want)])
				}
				return nil
			})
		}

		if err := g.Wait(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}

		if st := s.Stats(); st.Completed != st.Sequences || st.PromptTokensRead >= st.PromptTokens {
			t.Errorf("%s: %+v", kind, st.Counts)
		}
	}
}

// written are the texts of a reply with the log-probabilities of their tokens.
func written(r *reply) string {
	var b strings.Builder
	for _, c := range r.Choices {
		fmt.Fprintln(&b, c.Text, c.Finish, c.LogProbs.Token)
	}

	if r.Response != "" {
		fmt.Fprintln(&b, r.Response, r.LogProbs)
	}
	return b.String()
}

func TestSlotsAndMemory(t *testing.T) {
	t.Parallel()

	o := simserver.Options{
		Policy:        profiled(t, "noisy"),
		Model:         model,
		PromptPerSlot: true,
		KVTokens:      100,
	}
	if s, err := simserver.Start(o); err == nil {
		s.Close()
		t.Error("a limit on all tokens is accepted")
	}
}
