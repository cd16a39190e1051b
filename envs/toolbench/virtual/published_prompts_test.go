package virtual_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// heard keeps what it was asked.
type heard struct{ instructions, request string }

func (h *heard) Write(_ context.Context, instructions, request string, _ uint64) (string, error) {
	h.instructions, h.request = instructions, request
	return `{"mechanism_of_the_api": "m", "error": "", "response": "sun"}`, nil
}

// prompts writes a folder of prompts.
func prompts(t *testing.T, files map[string]string) string {
	t.Helper()

	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	return dir
}

// A model is asked in the words of the folder, which are not trimmed, with the document and the
// arguments as Python prints them; the words are part of what the simulator is called.
func TestPublishedPrompts(t *testing.T) {
	t.Parallel()

	dir := prompts(t, map[string]string{
		"mirrorapi-sft": "Be {an API}.\n", "mirrorapi-cot": "[TAG]\nThink.",
		"mirrorapi-request": "Doc: {api_doc}\n{{call}} {request}",
	})
	document := *forecast
	document.Key = toolbench.Key{Category: "Food, Drink", Tool: "24h Sky", API: "Forecast"}

	identities := map[string]bool{}

	for mode, instructions := range map[virtual.Mode]string{
		virtual.MirrorSFT: "Be {an API}.\n", virtual.MirrorCoT: "[TAG]\nThink.",
	} {
		read, err := virtual.ReadPublished(dir, mode)
		if err != nil {
			t.Fatal(err)
		}

		h := &heard{}
		m := virtual.NewPublishedModel(h, "openai:m", mode, read)
		identities[m.Identity()] = true

		if a, err := m.Simulate(t.Context(), &document, bern()); err != nil || a.Response != "sun" {
			t.Errorf("%s: %+v, %v", mode, a, err)
		}

		want := "Doc: {'api_name': 'Forecast', 'api_description': 'The forecast for a city.', 'required_parameters': " +
			"[{'name': 'city', 'type': 'STRING', 'description': 'where', 'default': 'Bern'}], 'optional_parameters': " +
			"[{'name': 'days', 'type': 'NUMBER', 'description': '', 'default': 3}], 'tool_description': " +
			"'Weather of cities.', 'tool_name': 'get_24h_sky', 'tool_category': 'Food_Drink'}\n{call} {'city': 'Bern'}"
		if h.instructions != instructions || h.request != want {
			t.Errorf("%s is asked %q and\n%s, want\n%s", mode, h.instructions, h.request, want)
		}
	}

	other, err := virtual.ReadPublished(prompts(t, map[string]string{
		"mirrorapi-sft": "Be {an API}.\n", "mirrorapi-request": "{api_doc} {request}",
	}), virtual.MirrorSFT)
	if err != nil {
		t.Fatal(err)
	}

	identities[virtual.NewPublishedModel(&heard{}, "openai:m", virtual.MirrorSFT, other).Identity()] = true

	if len(identities) != 3 {
		t.Errorf("other words, and one name: %v", identities)
	}
}

// A folder that lacks a prompt, or a prompt that lacks a field, is refused by name.
func TestMissingPrompts(t *testing.T) {
	t.Parallel()

	for want, files := range map[string]map[string]string{
		"mirrorapi-sft.txt":                 {"mirrorapi-request": "{api_doc}{request}"},
		"mirrorapi-request.txt":             {"mirrorapi-sft": "x"},
		"mirrorapi-request.txt has no {req": {"mirrorapi-sft": "x", "mirrorapi-request": "{api_doc}"},
	} {
		_, err := virtual.ReadPublished(prompts(t, files), virtual.MirrorSFT)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", files, err, want)
		}
	}
}
