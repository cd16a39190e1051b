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

// A model that was trained on an export of native calls is driven by them on vLLM, whose own parser reads what it
// writes, through the whole program.
func TestLearnt(t *testing.T) {
	p := openVLLM(t).openNative(t, setting(t, "TOOLEVO_VLLM_DATA", "vllm.sh"))
	t.Run("doctor", p.testLearntDoctor)
	t.Run("eval", p.testLearntEval)
	t.Run("collect", p.testLearntCollect)
}

// The model is shown the tools. Of questions that it has not learnt it knows nothing, which doctor may say.
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

// What the model has learnt it plays again, and our parser reads of its tokens what vLLM reads of its text.
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
