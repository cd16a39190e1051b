package simserver_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"toolevo/mcts"
	"toolevo/mcts/policy/simserver"
)

func faulty(t *testing.T, m simserver.Misconfiguration) *simserver.Server {
	t.Helper()
	return start(t, simserver.Options{MaxModelLen: 400, Wrong: []simserver.Misconfiguration{m}})
}

// Each misconfiguration shows, and a healthy server has none of them.
func TestMisconfigurations(t *testing.T) {
	one := usual("Question: q").with("n", 1, "max_tokens", 100)
	greedy := one.with("temperature", 0)
	texts := func(s *simserver.Server, bodies ...body) (list []string) {
		for _, b := range bodies {
			r := post(t, s.URL()+"/v1/completions", b)
			if r.status != 200 {
				list = append(list, strconv.Itoa(r.status))
				continue
			}

			list = append(list, r.Choices[0].Text)
		}
		return list
	}
	differ := func(s *simserver.Server, a, b body) bool { l := texts(s, a, b); return l[0] != l[1] }

	chat := func(s *simserver.Server, role, observation string) int {
		messages := []map[string]string{{"role": "user", "content": "Question: q"},
			{"role": "assistant", "content": "Thought: a"}, {"role": role, "content": observation}}
		return post(t, s.URL()+"/v1/chat/completions",
			usual("").with("prompt", nil, "logprobs", nil, "messages", messages, "max_tokens", 20)).Usage.Prompt
	}
	for m, shows := range map[simserver.Misconfiguration]func(*simserver.Server) bool{
		simserver.IgnoreN: func(s *simserver.Server) bool {
			return len(post(t, s.URL()+"/v1/completions", one.with("n", 3)).Choices) == 1
		},
		simserver.NoLogProbs: func(s *simserver.Server) bool {
			return post(t, s.URL()+"/v1/completions", one).Choices[0].LogProbs == nil
		},
		simserver.IgnoreStop: func(s *simserver.Server) bool {
			return strings.Contains(texts(s, one)[0],
				"Observation:")
		},
		simserver.UnstableGreedy: func(s *simserver.Server) bool { return differ(s, greedy, greedy) },
		simserver.LeakDefaults: func(s *simserver.Server) bool {
			return differ(s, greedy,
				greedy.with("repetition_penalty", nil))
		},
		simserver.ShortContext: func(s *simserver.Server) bool {
			return texts(s, one.with("prompt", strings.Repeat("a ", 120)))[0] == "400"
		},
		simserver.SilentTruncation: func(s *simserver.Server) bool {
			r := post(t, s.URL()+"/v1/completions", one.with("prompt", strings.Repeat("a ", 500)))
			return r.status == 200 && r.Usage.Prompt < 120 && r.Usage.Completion <= 100
		},
		simserver.MissingModel: func(s *simserver.Server) bool { return texts(s, one)[0] == "404" },
		simserver.NoPrefixCache: func(s *simserver.Server) bool {
			texts(s, one.with("prompt", strings.Repeat("a ", 100)), one.with("prompt", strings.Repeat("a ", 100)))
			return s.Stats().Reused() == 0
		},
		simserver.OneSlot: func(s *simserver.Server) bool { return len(s.Stats().Busy) == 1 },
		simserver.DropsObservations: func(s *simserver.Server) bool {
			return chat(s, "user", "Observation: one two three") == chat(s, "user", "Observation: one") &&
				chat(s, "observation", "one two three") == chat(s, "observation", "one")
		},
	} {
		if !shows(faulty(t, m)) {
			t.Errorf("%s does not show", m)
		}

		if shows(start(t, simserver.Options{MaxModelLen: 400})) {
			t.Errorf("%s shows on a healthy server", m)
		}
	}
	// Another seed and another set of unset parameters are other samples; the same are the same.
	s := faulty(t, simserver.LeakDefaults)
	if differ(s, one.with("top_k", nil), one.with("top_k", nil)) || differ(s, one, one) {
		t.Error("leaking defaults are not repeatable")
	}
}

func ollamaBody(prompt string) body {
	return body{"model": model, "prompt": prompt, "raw": true, "stream": false, "logprobs": true, "truncate": false,
		"shift": false,
		"options": body{"num_ctx": 8000, "num_predict": 512, "seed": 7, "temperature": 0.5, "top_p": 1, "top_k": 0,
			"repeat_penalty": 1, "stop": []string{"Observation:"}}}
}

func (b body) option(name string, value any) body {
	return b.with("options", b["options"].(body).with(name, value))
}

func TestOllama(t *testing.T) {
	s := start(t, simserver.Options{Kind: simserver.Ollama})
	url := s.URL() + "/api/generate"
	h, p := deep(t)

	want, err := profiled(t, "noisy").Propose(t.Context(), mcts.Request{History: h, N: 1, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}

	b := ollamaBody(p.Render(h))

	r := post(t, url, b)
	if r.status != 200 || r.Response != want[0].Text+"\n\n" || !r.Done || r.DoneReason != "stop" {
		t.Fatalf("%d: %s\nwant %q", r.status, r.raw, want[0].Text)
	}
	var l []float64

	text := ""
	for _, e := range r.LogProbs {
		l, text = append(l, e.LogProb), text+e.Token
	}
	// The entries are cut with the stop text, the count is not.
	if got := mean(l); got-want[0].LogProb > 1e-12 || want[0].LogProb-got > 1e-12 || text != r.Response ||
		r.Eval <= len(l) {
		t.Errorf("mean %v of %d entries for %d tokens, want %v", got, len(l), r.Eval, want[0].LogProb)
	}

	long := b.option("num_ctx", 100)
	if r := post(t, url, long); r.status != 400 || r.raw != `{"error":"the input length exceeds the context length"}` {
		t.Errorf("too long: %d %s", r.status, r.raw)
	}

	if r := post(t, url, long.with("truncate", nil)); r.status != 200 || r.PromptEval > 101 ||
		r.DoneReason != "length" || r.Eval != 1 {
		t.Errorf("cut in silence: %d %s", r.status, r.raw)
	}

	if r := post(t, url, long.with("truncate", nil, "shift", nil)); r.Eval < 10 {
		t.Errorf("a sliding window ends: %s", r.raw)
	}

	if st := s.Stats(); st.Reloads != 1 {
		t.Errorf("%d reloads, want 1", st.Reloads)
	}

	if status, text := get(t, s.URL()+"/api/ps"); status != 200 || !strings.Contains(text, `"context_length":100`) {
		t.Error(text)
	}

	for want, c := range map[string]body{
		`500 {"error":"option \"num_ctx\" must be of type integer"}`:               b.option("num_ctx", "x"),
		`500 {"error":"option \"stop\" must be of type array"}`:                    b.option("stop", "x"),
		`404 {"error":"model 'other' not found"}`:                                  b.with("model", "other"),
		`400 {"error":"streams, and prompts that are not raw, are not simulated"}`: b.with("raw", false),
	} {
		if r := post(t, url, c); strconv.Itoa(r.status)+" "+strings.TrimSpace(r.raw) != want {
			t.Errorf("%d %s, want %s", r.status, r.raw, want)
		}
	}

	// The traps of its OpenAI protocol: no n, no log-probabilities.
	if r := post(t, s.URL()+"/v1/completions", usual("Question: q")); len(r.Choices) != 1 ||
		r.Choices[0].LogProbs != nil {
		t.Errorf("/v1: %s", r.raw)
	}
}

// The prompts of one question's episodes share nearly everything.
func TestPrefixReuseAndMetrics(t *testing.T) {
	s := start(t, simserver.Options{KVTokens: 1 << 20})
	env, p := environment(t, "p_s_in")
	p = demonstrated(t, p)
	completions := 0

	for seed := range uint64(4) {
		for _, h := range histories(t, env, profiled(t, "noisy"), seed, false) {
			post(t, s.URL()+"/v1/completions", usual(p.Render(h)).with("n", 5))

			completions += 5
		}
	}

	st := s.Stats()
	if st.Completed != completions || st.Answered*5 != completions || st.Requests != st.Answered || st.First.IsZero() ||
		st.Last.Before(st.First) {
		t.Errorf("%d completions: %+v", completions, st)
	}
	// Learned tools stand before the turns, so an update makes the turns new.
	if st.Reused() < 0.8 || st.Reused() >= 1 || st.HitTokens >= st.QueriedTokens {
		t.Errorf("reused %v, %d of %d tokens", st.Reused(), st.HitTokens, st.QueriedTokens)
	}

	_, page := get(t, s.URL()+"/metrics")

	value := func(name string) int {
		m := regexp.MustCompile(`(?m)^vllm:` + name +
			`\{engine="0",model_name="sim-8b"\} (\S+)$`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("no %s in\n%s", name, page)
		}

		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return int(v)
	}
	for name, want := range map[string]int{
		"num_requests_running": 0, "num_requests_waiting": 0, "kv_cache_usage_perc": 0, "num_preemptions_total": 0,
		"prefix_cache_queries_total": st.QueriedTokens, "prefix_cache_hits_total": st.HitTokens,
		"generation_tokens_total": st.CompletionTokens,
	} {
		if got := value(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}

// BenchmarkCompletion is the server's own time for a request of five samples with a prompt of real
// length.
func BenchmarkCompletion(b *testing.B) {
	s := start(b, simserver.Options{})
	h, p := deep(b)
	q := usual(p.Render(h)).with("n", 5)

	b.ReportAllocs()

	for b.Loop() {
		if r := post(b, s.URL()+"/v1/completions", q); r.status != 200 {
			b.Fatal(r.raw)
		}
	}
}
