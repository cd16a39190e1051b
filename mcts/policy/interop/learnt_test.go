package interop

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/policy/server"
)

// inTokens asks with tokens, whose text our parser reads.
var inTokens = []string{"--set", "server.tools.ask=" + server.AskTokens, "--set", "server.tools.calls=hermes"}

// openNative returns the program with native calls, at the vLLM of the test.
func (v vllm) openNative(t *testing.T, data string) *program {
	server, path, _ := strings.Cut(strings.TrimPrefix(v.url, "http://"), "/")
	proxy, address := newProxy(t, "http://"+server)
	return openProgram(t, program{
		policy: "openai:" + v.model, proxy: proxy, data: data,
		settings: []string{
			"--config", "policies/tools", "--set", "server.window=8192", "--set", "server.sampling.max_tokens=128",
			"--set", "server.prompt.tools=dataset",
		},
		environment: []string{"OPENAI_BASE_URL=" + address + "/" + path, "OPENAI_API_KEY="},
	})
}

// learntQuestions are those that learn.py was given solutions of.
func learntQuestions(arguments ...string) []string {
	return append(arguments, "--split", "train", "--difficulty", "easy",
		"--template", "coffee-easy/open,coffee-easy/high", "--limit", "4", "--progress", "none")
}

// episodes evaluates the model under p_c, and counts what its turns are.
func (p *program) episodes(t *testing.T, more ...string) (all []played, calls, turns, right int) {
	t.Helper()

	dir := filepath.Join(t.TempDir(), "run")
	arguments := learntQuestions("eval", "--out", dir, "--api", "p_c", "--set", "eval.max_turns=8")
	p.run(t, nil, append(p.with(arguments...), more...)...)
	readLines(t, filepath.Join(dir, "episodes.jsonl"), &all)

	for _, e := range all {
		if e.Official {
			right++
		}

		for _, turn := range e.Turns {
			if turns++; turn.Outcome != "malformed" {
				calls++
			}
		}
	}

	t.Logf("%d of %d turns are calls, %d of %d episodes are right", calls, turns, right, len(all))
	p.run(t, nil, "check", dir, "--data", p.data, "--json")
	return all, calls, turns, right
}

// A model of random weights writes no call that vLLM reads.
func TestVLLMRandomCalls(t *testing.T) {
	p := openVLLM(t).openNative(t, "")

	if _, calls, turns, _ := p.episodes(t, "--set", "eval.max_turns=2"); calls != 0 || turns == 0 {
		t.Errorf("%d of %d turns are calls", calls, turns)
	}
}

// A model that was trained on an export of native calls is driven by them on vLLM, whose own parser
// reads what it writes, through the whole program.
func TestLearnt(t *testing.T) {
	v := openVLLM(t)
	p := v.openNative(t, setting(t, "TOOLEVO_VLLM_DATA", "vllm.sh"))
	t.Run("doctor", p.testLearntDoctor)
	t.Run("eval", p.testLearntEval)
	t.Run("collect", p.testLearntCollect)
	t.Run("ids", func(t *testing.T) { p.testLearntIDs(t, v) })
}

// chatOf is a list of messages as samples have it, for a server: it takes the arguments of calls as
// texts.
func chatOf(t *testing.T, messages json.RawMessage) json.RawMessage {
	t.Helper()

	type call struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}

	var all []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		Calls   []call `json:"tool_calls,omitempty"`
		Answers string `json:"tool_call_id,omitempty"`
	}
	if err := json.Unmarshal(messages, &all); err != nil {
		t.Fatal(err)
	}

	for _, m := range all {
		for i := range m.Calls {
			text, err := json.Marshal(string(m.Calls[i].Function.Arguments))
			if err != nil {
				t.Fatal(err)
			}

			m.Calls[i].Function.Arguments = text
		}
	}

	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// An exported file has the tokens that the server makes of its own messages and tools, and those
// that read as its own reply.
func (p *program) testLearntIDs(t *testing.T, v vllm) {
	dir := t.TempDir()
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "export")
	p.proxy.reset(-1)

	p.run(t, nil, append(p.with(learntQuestions("collect", "--out", run, "--api", "p_c", "--trees", "1",
		"--set", "search.simulations=4", "--set", "server.token_ids=true")...), inTokens...)...)
	p.ends(t, 0, "export", run, "--data", p.data, "--out", out, "--for", "trl", "--format", "sft-step",
		"--token-ids")

	var samples []struct {
		Tools      string
		Prompt     json.RawMessage
		Completion []struct {
			Calls []struct {
				Function struct{ Name string }
			} `json:"tool_calls"`
		}
		PromptIDs []int     `json:"prompt_token_ids"`
		IDs       []int     `json:"completion_token_ids"`
		LogProbs  []float64 `json:"completion_logprobs"`
	}
	readLines(t, filepath.Join(out, "toolevo_sft_step.jsonl"), &samples)

	with := 0

	for _, s := range samples {
		if s.IDs == nil {
			continue
		}

		with++

		want := v.tokensOf(t, map[string]json.RawMessage{
			"messages": chatOf(t, s.Prompt), "tools": json.RawMessage(s.Tools),
		})
		if diff := cmp.Diff(want, s.PromptIDs); diff != "" || len(s.LogProbs) != len(s.IDs) {
			t.Errorf("%d log-probabilities of %d ids; the prompt by /tokenize (-), in the file (+):\n%s",
				len(s.LogProbs), len(s.IDs), diff)
		}

		var read struct{ Prompt string }
		post(t, strings.TrimSuffix(v.url, "/v1")+"/detokenize",
			map[string]any{"model": v.model, "tokens": s.IDs}, &read)

		if name := s.Completion[0].Calls[0].Function.Name; !strings.Contains(read.Prompt, `"name": "`+name+`"`) {
			t.Errorf("the ids are of %q, the reply calls %s", read.Prompt, name)
		}
	}

	t.Logf("%d of %d samples have ids", with, len(samples))

	if with < len(samples)/2 || with == 0 {
		t.Errorf("%d of %d samples have ids", with, len(samples))
	}
}

// The model is shown the tools. Of questions that it has not learnt it knows nothing, which doctor
// may say.
func (p *program) testLearntDoctor(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	out, err := p.command(ctx, append([]string{
		"doctor", "--policy", p.policy, "--data", p.data, "--dataset", "coffee", "--json",
	}, p.settings...)...).Output()

	var found examination
	if json.Unmarshal(out, &found) != nil || len(found.Servers) != 1 {
		t.Fatalf("%v: %s", err, out)
	}

	verdict := ""

	for _, c := range found.Servers[0].Checks {
		t.Logf("%-12s %-8s %s", c.Name, c.Verdict, c.Seen)

		if c.Name == "tools" && strings.Contains(c.Seen, "shown to the model") {
			verdict = c.Verdict
		}
	}

	if verdict != "ok" {
		t.Errorf("the tools are %q", verdict)
	}
}

// What the model has learnt it plays again, and our parser reads of its tokens what vLLM reads of
// its text.
func (p *program) testLearntEval(t *testing.T) {
	whole, calls, turns, right := p.episodes(t)
	if calls != turns || right != 4 || len(whole) != 4 {
		t.Errorf("%d of %d turns are calls, %d of %d episodes are right", calls, turns, right, len(whole))
	}

	own, _, _, _ := p.episodes(t, inTokens...)
	if diff := cmp.Diff(whole, own); diff != "" {
		t.Errorf("episodes of messages (-) and of tokens (+):\n%s", diff)
	}
}

// A collection that is killed goes on where it was, and what it exports is native calls again.
func (p *program) testLearntCollect(t *testing.T) {
	m := languageModel{program: p}
	dir := filepath.Join(t.TempDir(), "run")
	p.proxy.reset(9) // a greeting, and two nodes at least

	m.kill(t, p.with(learntQuestions("collect", "--out", dir, "--api", "p_c", "--trees", "1",
		"--set", "search.simulations=4")...)...)
	logged := m.check(t, dir).Calls
	p.proxy.reset(-1)

	var c collected
	p.run(t, &c, "collect", "--resume", "--out", dir, "--data", p.data, "--json", "--progress", "none")
	t.Logf("%d calls when it was killed; resumed: %+v", logged, c)

	if whole := m.check(t, dir); !whole.Complete || c.Replayed != logged || logged < 1 || c.Accepted < 4 {
		t.Errorf("check: %+v", whole)
	}

	out := filepath.Join(t.TempDir(), "export")
	p.ends(t, 0, "export", dir, "--data", p.data, "--out", out, "--for", "trl")
	p.ends(t, 0, "check", out)

	var samples []struct {
		Tools    string
		Messages []struct {
			Role  string
			Calls []struct {
				Function struct{ Name string }
			} `json:"tool_calls"`
		}
	}
	readLines(t, filepath.Join(out, "toolevo_sft.jsonl"), &samples)

	if len(samples) != c.Accepted {
		t.Errorf("%d samples of %d trajectories", len(samples), c.Accepted)
	}

	for _, s := range samples {
		last := s.Messages[len(s.Messages)-1].Calls
		if !strings.Contains(s.Tools, "LoadDB") || len(last) != 1 || last[0].Function.Name != "Finish" {
			t.Errorf("a sample ends with %+v", last)
		}
	}
}
