package simserver_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"toolevo/mcts/policy/simserver"
)

// A reply tells what the engine spent on reading and on writing, whatever else passed.
func TestOllamaDurations(t *testing.T) {
	s := start(t, simserver.Options{
		Kind:    simserver.Ollama,
		Latency: simserver.Latency{PrefillPerSecond: 1e5, DecodePerSecond: 1e6},
	})
	type durations struct {
		Read    time.Duration `json:"prompt_eval_duration"`
		Written time.Duration `json:"eval_duration"`
	}
	ask := func(prompt string) (d durations) {
		if err := json.Unmarshal([]byte(
			post(t, s.URL()+"/api/generate", ollamaBody(prompt).option("num_predict", 20)).raw), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}

	prompt := strings.Repeat("a ", 160)
	if got, want := ask(prompt), (durations{1610 * time.Microsecond, 20 * time.Microsecond}); got != want {
		t.Errorf("a new prompt: %v, want %v", got, want)
	}

	if got, want := ask(prompt), (durations{10 * time.Microsecond, 20 * time.Microsecond}); got != want {
		t.Errorf("a known prompt: %v, want %v", got, want)
	}
}

func TestOllamaKeepAlive(t *testing.T) {
	s := start(t, simserver.Options{Kind: simserver.Ollama})
	for _, test := range []struct {
		keep        any
		least, most time.Duration
	}{
		{nil, 4 * time.Minute, 5 * time.Minute}, {"30m", 29 * time.Minute, 30 * time.Minute},
		{90.0, 80 * time.Second, 90 * time.Second},
		{-1.0, 1e6 * time.Hour, math.MaxInt64}, {"-1ns", 1e6 * time.Hour, math.MaxInt64},
		{1e300, 1e6 * time.Hour, math.MaxInt64},
	} {
		post(t, s.URL()+"/api/generate", ollamaBody("Question: q").with("keep_alive", test.keep))
		_, text := get(t, s.URL()+"/api/ps")

		var list struct {
			Models []struct {
				Expires time.Time `json:"expires_at"`
			}
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Models) != 1 {
			t.Fatalf("%v: %s", err, text)
		}

		if left := time.Until(list.Models[0].Expires); left < test.least || left > test.most {
			t.Errorf("keep_alive %v: %v left", test.keep, left)
		}
	}
}
