package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolevo/envs/action"
	"toolevo/mcts/policy/simserver"
	"toolevo/trajectories/export"
)

// toldIDs is a completion as a server told its tokens.
type toldIDs struct {
	text            string
	prompt, sampled []int
	logprobs        []float32
}

// eavesdropper passes requests on to a server, and keeps what it told of tokens.
type eavesdropper struct {
	server http.Handler

	mu   sync.Mutex
	told []toldIDs
}

func (e *eavesdropper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	e.server.ServeHTTP(answer, r)

	var reply struct {
		PromptTokenIDs []int `json:"prompt_token_ids"`
		Choices        []struct {
			Text    string
			Message struct {
				Content   string
				ToolCalls []struct{ Function action.ToolCall } `json:"tool_calls"`
			}
			TokenIDs       []int `json:"token_ids"`
			PromptTokenIDs []int `json:"prompt_token_ids"`
			LogProbs       struct {
				TokenLogProbs []float32 `json:"token_logprobs"`
				Content       []struct{ LogProb float32 }
			}
		}
	}

	body := answer.Body.Bytes()
	_ = json.Unmarshal(body, &reply) // other bodies have no choices

	e.mu.Lock()
	for _, c := range reply.Choices {
		t := toldIDs{
			text: c.Text + c.Message.Content, sampled: c.TokenIDs, logprobs: c.LogProbs.TokenLogProbs,
			prompt: slices.Concat(reply.PromptTokenIDs, c.PromptTokenIDs),
		}
		for _, l := range c.LogProbs.Content {
			t.logprobs = append(t.logprobs, l.LogProb)
		}

		for _, call := range c.Message.ToolCalls {
			t.text += " " + call.Function.Name
		}

		e.told = append(e.told, t)
	}
	e.mu.Unlock()

	for name, values := range answer.Header() {
		w.Header()[name] = values
	}

	w.WriteHeader(answer.Code)
	_, _ = io.Copy(w, bytes.NewReader(body))
}

// has reports whether the server told exactly these tokens of a completion with these words.
func (e *eavesdropper) has(s *export.Sample, words string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.told, func(t toldIDs) bool {
		logprobs := make([]float32, len(s.IDs.LogProbs))
		for i, l := range s.IDs.LogProbs {
			logprobs[i] = float32(l)
		}
		return slices.Equal(t.prompt, s.IDs.Prompt) && slices.Equal(t.sampled, s.IDs.Sampled) &&
			slices.Equal(t.logprobs, logprobs) && strings.Contains(t.text, words)
	})
}

// The export has the tokens of each turn as the server told them, whatever the form of the prompt.
// The trees are those of a run that keeps none.
func TestTokenIDs(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()

	for name, test := range map[string]struct {
		set  []string
		lead bool // the reply begins in the prompt
	}{
		"few-shot": {nil, true},
		"llama3":   {[]string{"--set", "server.form=llama3"}, false},
		"chat":     {[]string{"--set", "server.form=chat"}, false},
		"tools":    {[]string{"--config", "policies/tools"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			e := &eavesdropper{server: serve(t, simserver.Options{})}
			between := httptest.NewServer(e)
			t.Cleanup(between.Close)

			collect := func(out string, more ...string) []byte {
				out = filepath.Join(dir, name+out)
				must(t, onURL(between.URL, slices.Concat([]string{
					"collect", "--data", data, "--trees", "2", "--engine", "unsafe", "--run-id", "ids", "--set",
					"search.simulations=4", "--out", out,
				}, test.set, more)...)...)

				return read(t, filepath.Join(out, rowsFile))
			}

			if !bytes.Equal(collect("-without"), collect("", "--set", "server.token_ids=true")) {
				t.Error("the trajectories are others")
			}

			run, out := filepath.Join(dir, name), filepath.Join(dir, name+"-export")
			says(t, "check", must(t, "check", run, "--data", data), "0 problems")
			must(t, "export", run, "--data", data, "--out", out, "--format", "sft-step", "--for", "trl", "--token-ids")

			n := 0

			for s, err := range export.Read(out, false) {
				if err != nil {
					t.Fatal(err)
				}

				n++

				if words := wordsOf(s.Conversations[len(s.Conversations)-1], test.lead); !e.has(&s, words) {
					t.Errorf("no completion has %q and the tokens %+v", words, s.IDs)
				}
			}

			if n < 3 {
				t.Errorf("%d samples: the test shows nothing", n)
			}

			says(t, "export", string(read(t, filepath.Join(out, "README.md"))), "`completion_logprobs`", "list: int64")
		})
	}
}

// wordsOf are words of a reply that a server's text has, too.
func wordsOf(m export.Message, lead bool) string {
	_, text := action.Part(m.Value)

	if m.From == export.FunctionCall {
		_, text, _ = strings.Cut(text, `"name": "`)
		text, _, _ = strings.Cut(text, `"`)
	}

	if lead {
		_, text, _ = strings.Cut(text, action.ThoughtMarker)
	}
	return strings.TrimSpace(text)
}

// A turn that says less than was sampled has no token ids, and is counted.
func TestTokenIDsOfWholeTurnsOnly(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()

	for name, test := range map[string]struct {
		options simserver.Options
		set     []string
	}{
		"calls behind": {
			simserver.Options{Wrong: []simserver.Misconfiguration{simserver.ParallelCalls}},
			[]string{"--config", "policies/tools"},
		},
		"text dropped": {
			simserver.Options{Wrong: []simserver.Misconfiguration{simserver.DroppedText}},
			[]string{"--config", "policies/tools"},
		},
		"reasoning dropped": {
			simserver.Options{Thoughts: simserver.TagThoughts},
			[]string{"--set", "server.form=llama3", "--set", "server.reasoning=drop"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			run := filepath.Join(dir, name)
			must(t, onServer(serve(t, test.options), append([]string{
				"collect", "--data", data, "--trees", "2", "--engine", "unsafe", "--set", "search.simulations=4",
				"--set", "server.token_ids=true", "--out", run,
			}, test.set...)...)...)

			r := cli(t, "export", run, "--data", data, "--out", run+"-export", "--format", "sft-step", "--for", "trl",
				"--token-ids")
			if r.code == exitDone {
				t.Errorf("something was exported: %s", r.out)
			}

			says(t, "export", r.out, "turns whose text is not all that was sampled")
		})
	}
}

// What tells no token ids is refused before anything is collected, and what has none before
// anything is exported.
func TestTokenIDsRefused(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()
	with := []string{"collect", "--data", data, "--set", "server.token_ids=true", "--out", filepath.Join(dir, "with")}

	llama := serve(t, simserver.Options{PromptPerSlot: true})
	ollama := serve(t, simserver.Options{Kind: simserver.Ollama})

	for name, test := range map[string]struct {
		args  []string
		words string
	}{
		"llama.cpp":   {onServer(llama, with...), "set server.token_ids to false"},
		"ollama":      {append(with, "--policy", "ollama:sim", "--server", ollama.URL()), "only vLLM"},
		"no logprobs": {onServer(llama, append(with, "--set", "server.logprobs=false")...), "server.logprobs"},
	} {
		r := cli(t, test.args...)
		if r.code == exitDone {
			t.Errorf("%s: it is collected from", name)
		}

		says(t, fmt.Sprint("collect, ", name), r.err, test.words)

		if len(files(t, filepath.Join(dir, "with"))) > 0 {
			t.Errorf("%s: there is a run", name)
		}
	}

	run := filepath.Join(dir, "without")
	must(t, onServer(llama, "collect", "--data", data, "--trees", "1", "--engine", "unsafe", "--out", run)...)

	for _, test := range []struct{ format, trainer, words string }{
		{"sft-step", "trl", "server.token_ids=true"},
		{"sft-step", "llamafactory", "--for trl"},
		{"sft-trajectory", "trl", "--format sft-step"},
	} {
		r := cli(t, "export", run, "--data", data, "--out", run+"-export", "--format", test.format, "--for",
			test.trainer, "--token-ids")
		if r.code == exitDone {
			t.Errorf("%+v: it is exported", test)
		}

		says(t, "export", r.err, test.words)
	}
}
