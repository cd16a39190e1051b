package interop

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/serving"
)

func init() {
	serving.Register(openai.Kind)
	serving.Register(ollama.Kind)
}

// simulates has a model stand in for an API, in every mode. Whatever it replies is repaired or
// refused: a call has an answer, or the failure says that no reply could be read, and what the
// cache keeps is whole.
func simulates(t *testing.T, model, url, form string) {
	t.Helper()

	c := &configs.Resolved{}
	c.Server.Form, c.Server.Window = form, 8192
	servers := serving.FromEnvironment(&console.Program{}, 0)

	// A model that knows nothing of the task is asked for few tokens, and draws from its whole
	// distribution.
	w, err := serving.New(c, nil, nil, servers).Writer(model, suite.WriterOptions{
		Server: url, Temperature: 1, MaxTokens: 48,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()

	cache, err := virtual.OpenCache(t.Context(), filepath.Join(t.TempDir(), "cache.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cache.Close(); err != nil {
			t.Error(err)
		}
	}()

	d := &toolbench.Document{
		Key: toolbench.Key{Category: "Weather", Tool: "Sky", API: "Forecast"}, Description: "The forecast for a city.",
		Required: []toolbench.Parameter{{Name: "city", Type: "STRING"}},
	}
	repaired, refused := 0, 0

	for _, mode := range virtual.Modes() {
		apis := virtual.New(virtual.Options{Cache: cache, Model: virtual.NewModel(w, model, mode)})

		for i := range 4 {
			args := envs.Args{{Name: "city", Value: fmt.Sprint(mode, i)}}

			answer, _, err := apis.Answer(testContext(t), "p_c", d, args)
			if err != nil && !errors.Is(err, virtual.ErrReply) {
				t.Fatalf("%s: %v", mode, err)
			}

			if err != nil {
				refused++
				continue
			}

			repaired++

			if !json.Valid([]byte(answer.Text())) {
				t.Errorf("%s: an answer is no JSON: %s", mode, answer.Text())
			}
		}
	}

	kept, err := cache.Examples(t.Context(), d.Key)
	if err != nil || len(kept) > repaired {
		t.Errorf("%d answers are kept of %d (%v)", len(kept), repaired, err)
	}

	t.Logf("%d calls are answered, of %d no reply could be read; %d answers are kept", repaired, refused, len(kept))
}

func TestOllamaSimulator(t *testing.T) {
	o := openOllama(t)
	simulates(t, "ollama:"+o.model, o.host, "chatml")
}

func TestVLLMSimulator(t *testing.T) {
	url := setting(t, "TOOLEVO_VLLM_URL", "vllm.sh")
	simulates(t, "openai:"+setting(t, "TOOLEVO_VLLM_MODEL", "vllm.sh"), url, "chatml")
}
