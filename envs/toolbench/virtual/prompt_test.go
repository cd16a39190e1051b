package virtual_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

var forecast = &toolbench.Document{
	Key:             toolbench.Key{Category: "Weather", Tool: "Sky", API: "Forecast"},
	Description:     "The forecast for a city.",
	ToolDescription: "Weather of cities.",
	Required: []toolbench.Parameter{
		{Name: "city", Type: "STRING", Description: "where", Default: json.RawMessage(`"Bern"`)},
	},
	Optional: []toolbench.Parameter{{Name: "days", Type: "NUMBER", Default: json.RawMessage(`3`)}},
}

func bern() envs.Args { return envs.Args{{Name: "city", Value: "Bern"}} }

// A model that is trained on documents sees all of one, as MirrorAPI's are.
func TestRequestOfATrainedModel(t *testing.T) {
	t.Parallel()

	want := `API doc:
{"api_name": "Forecast", "api_description": "The forecast for a city.", "required_parameters": [{"name": "city", ` +
		`"type": "STRING", "description": "where", "default": "Bern"}], "optional_parameters": [{"name": "days", ` +
		`"type": "NUMBER", "description": "", "default": 3}], "tool_description": "Weather of cities.", ` +
		`"tool_name": "Sky", "tool_category": "Weather"}

Request:
{"city": "Bern"}`

	for _, mode := range []virtual.Mode{virtual.SFT, virtual.CoT} {
		if got := mode.Request(forecast, bern(), nil); got != want {
			t.Errorf("%s: the request is %s\nwant %s", mode, got, want)
		}
	}

	if got := virtual.SFT.Request(forecast, nil, nil); !strings.HasSuffix(got, "\n{}") {
		t.Errorf("a call without arguments is %s", got)
	}
}

// Examples are at most five, of at most 2,048 characters together, and the first of them.
func TestRequestWithExamples(t *testing.T) {
	t.Parallel()

	for response, want := range map[string]int{
		strings.Repeat("é", 10): 5, strings.Repeat("é", 900): 2, strings.Repeat("é", 2048): 0,
	} {
		example := virtual.Example{Args: bern(), Answer: toolbench.Answer{Response: response}}
		examples := []virtual.Example{example, example, example, example, example, example}

		got := virtual.FewShot.Request(forecast, bern(), examples)
		if n := strings.Count(got, "Answer: "); n != want || strings.Contains(got, "parameters") {
			t.Errorf("%d examples of %d characters are shown, want %d: %s", n, len([]rune(response)), want, got)
		}
	}
}

// The tag of the mode cot is the first thing that a model reads, and the mechanism the first that
// it writes.
func TestCoT(t *testing.T) {
	t.Parallel()

	if got := virtual.CoT.Instructions(kept.Prompts{}); !strings.HasPrefix(got, "[CHAIN_OF_THOUGHT]") {
		t.Errorf("the instructions begin with %.40q", got)
	}

	answer := toolbench.Answer{Response: "sunny"}

	want := `{"mechanism_of_the_api": "It looks up the city.", "error": "", "response": "sunny"}`
	if got := virtual.CoT.Reply("It looks up the city.", answer); got != want {
		t.Errorf("the reply is %s, want %s", got, want)
	}

	if got := virtual.SFT.Reply("It looks up the city.", answer); got != `{"error": "", "response": "sunny"}` {
		t.Errorf("the reply without a mechanism is %s", got)
	}
}

func TestParseMode(t *testing.T) {
	t.Parallel()

	for _, mode := range virtual.Modes() {
		if got, err := virtual.ParseMode(string(mode)); err != nil || got != mode {
			t.Errorf("%s is read as %s (%v)", mode, got, err)
		}
	}

	if _, err := virtual.ParseMode("cto"); err == nil || !strings.Contains(err.Error(), "cot") {
		t.Errorf("the error of an unknown mode is %v", err)
	}
}
