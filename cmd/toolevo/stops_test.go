package main

import (
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/mcts/policy/serving"
)

// OpenAI's protocol takes four stop texts, and vLLM refuses a request with more.
func TestShippedStopTextsAreFew(t *testing.T) {
	t.Parallel()

	for _, policy := range configs.Policies() {
		for _, preset := range configs.Presets() {
			layer, err := configs.FileLayer(policy)
			if err != nil {
				t.Fatal(err)
			}

			c, err := configs.Load(layer, configs.SettingLayer("test", "preset", preset))
			if err != nil {
				t.Fatal(err)
			}

			bench, err := toolevo.NewBench("", c, &serving.Servers{Addresses: "http://127.0.0.1:1/v1",
				Parallel: "auto"}, nil)
			if err != nil {
				t.Fatal(err)
			}

			o, err := bench.Options(kindOpenAI, "m")
			if err != nil {
				t.Fatal(err)
			}

			if stops := o.Sampling.Stop; len(stops) > 4 {
				t.Errorf("%s with %s: %q", policy, preset, stops)
			}
		}
	}
}
