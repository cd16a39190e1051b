package virtual_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/kept"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// heard keeps what it was asked.
type heard struct{ instructions, request string }

func (h *heard) Write(_ context.Context, instructions, request string, _ uint64) (string, error) {
	h.instructions, h.request = instructions, request
	return `{"mechanism_of_the_api": "m", "error": "", "response": "sun"}`, nil
}

// prompts are those of a folder.
func prompts(t *testing.T, files map[string]string) kept.Prompts {
	t.Helper()

	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	p, err := kept.ReadPrompts(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// told is a model of a mode that was told a user's prompts.
func told(t *testing.T, h *heard, mode virtual.Mode, p kept.Prompts) *virtual.Model {
	t.Helper()

	m := virtual.NewModel(h, "openai:m", mode)
	if err := m.Tell(p); err != nil {
		t.Fatal(err)
	}
	return m
}

// Other words in place of ours are told, and part of what the simulator is called.
func TestOtherWords(t *testing.T) {
	t.Parallel()

	h, own := &heard{}, &heard{}
	m := told(t, h, virtual.SFT, prompts(t, map[string]string{"sft": "Be brief.\n", "cot": "Think."}))
	ours := virtual.NewModel(own, "openai:m", virtual.SFT)

	for _, one := range []*virtual.Model{m, ours} {
		if _, err := one.Simulate(t.Context(), forecast, bern()); err != nil {
			t.Fatal(err)
		}
	}

	if h.instructions != "Be brief.\n" || h.request != own.request || m.Identity() == ours.Identity() {
		t.Errorf("told %q and %q, as %s", h.instructions, h.request, m.Identity())
	}
}

// A model is asked in the words of the folder, which are not trimmed, with the document and the
// arguments as Python prints them; the words are part of what the simulator is called.
func TestPublishedPrompts(t *testing.T) {
	t.Parallel()

	published := prompts(t, map[string]string{
		"mirrorapi-sft": "Be {an API}.\n", "mirrorapi-cot": "[TAG]\nThink.",
		"mirrorapi-request": "Doc: {api_doc}\n{{call}} {request}",
	})
	document := *forecast
	document.Key = toolbench.Key{Category: "Food, Drink", Tool: "24h Sky", API: "Forecast"}

	identities := map[string]bool{}

	for mode, instructions := range map[virtual.Mode]string{
		virtual.MirrorSFT: "Be {an API}.\n", virtual.MirrorCoT: "[TAG]\nThink.",
	} {
		h := &heard{}
		m := told(t, h, mode, published)
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

	other := prompts(t, map[string]string{
		"mirrorapi-sft": "Be {an API}.\n", "mirrorapi-request": "{api_doc} {request}",
	})
	identities[told(t, &heard{}, virtual.MirrorSFT, other).Identity()] = true

	if len(identities) != 3 {
		t.Errorf("other words, and one name: %v", identities)
	}
}

// A request of a test set is asked as the call that it is; another text stays as it is.
func TestReword(t *testing.T) {
	t.Parallel()

	words := prompts(t, map[string]string{
		"mirrorapi-sft": "Be an API.", "mirrorapi-request": "Doc: {api_doc}\n{request}",
	})
	h := &heard{}

	if _, err := told(t, h, virtual.MirrorSFT, words).Simulate(t.Context(), forecast, bern()); err != nil {
		t.Fatal(err)
	}

	request := virtual.SFT.Request(forecast, bern(), nil)
	for text, want := range map[string]string{
		request: h.request, "API doc:\nnone": "API doc:\nnone", request + "x": request + "x",
	} {
		system, got, err := virtual.MirrorSFT.Reword(text, words)
		if system != "Be an API." || got != want || err != nil {
			t.Errorf("%q is told %q and asked %q, %v, want %q", text, system, got, err, want)
		}
	}

	if system, got, err := virtual.CoT.Reword("x", words); got != "x" || err != nil ||
		system != virtual.CoT.Instructions(words) {
		t.Errorf("cot: %q, %q, %v", system, got, err)
	}

	if _, _, err := virtual.MirrorCoT.Reword("x", words); err == nil {
		t.Error("words that are not there are not missed")
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
		err := virtual.NewModel(&heard{}, "m", virtual.MirrorSFT).Tell(prompts(t, files))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", files, err, want)
		}
	}
}
