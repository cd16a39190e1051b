package chat_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/trajectories/export"
)

// interopPython returns the interpreter of an environment with LLaMA-Factory:
// TOOLEVO_INTEROP_PYTHON, or the latest one that trajectories/interop/run.sh has finished.
func interopPython(t *testing.T) string {
	t.Helper()

	if python := os.Getenv("TOOLEVO_INTEROP_PYTHON"); python != "" {
		return python
	}

	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache") // on every system, as run.sh has it
	}

	finished, err := filepath.Glob(filepath.Join(cache, "toolevo", "interop-*", "complete"))
	if err != nil {
		t.Fatal(err)
	}
	var latest os.FileInfo
	python := ""

	for _, mark := range finished {
		if info, err := os.Stat(mark); err == nil && (latest == nil || info.ModTime().After(latest.ModTime())) {
			latest, python = info, filepath.Join(filepath.Dir(mark), "bin", "python")
		}
	}

	if python == "" {
		t.Skipf("no environment with LLaMA-Factory: TOOLEVO_INTEROP_PYTHON is not set, and %s has none "+
			"(trajectories/interop/run.sh makes it)",
			filepath.Join(cache, "toolevo"))
	}

	return python
}

// interopCase is one conversation under one template, as testdata/trainer.py reads it.
type interopCase struct {
	Template string        `json:"template"`
	Sample   export.Sample `json:"sample"`
	Prompts  []string      `json:"prompts"` // before each reply

	whole string
}

// interopAnswer is what it answers.
type interopAnswer struct {
	Prompts    []string `json:"prompts"`
	Whole      string   `json:"whole"`
	SameTokens []bool   `json:"same_tokens"`
}

func newInteropCase(template chat.Template, codec action.Codec, system string, full envs.History,
	clean *chat.Sanitizer) interopCase {
	c := interopCase{Template: template.String(), Sample: sampleOf(full, codec, system, clean)}
	template = template.In(codec)

	h := envs.NewHistory(full.Task())
	for _, next := range full.Turns() {
		c.Prompts = append(c.Prompts, template.Render(system, h, clean))
		c.whole = c.Prompts[h.Len()] + template.Reply(chat.ReplyText(string(next.Action)))
		h = h.Append(next)
	}

	return c
}

// The real LLaMA-Factory renders the exported sample to the bytes, and to the tokens, that
// evaluation sends.
func TestLLaMAFactoryAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("loading LLaMA-Factory takes a while")
	}

	python := interopPython(t)
	clean, system := newSanitizer(t), plain().System(envs.Task{})
	answer := turn("Thought: I know the answer.\nAction: Finish\nAction Input: {\"answer\": \"Café\"}",
		"Answer is CORRECT")
	drawn := rapid.Custom(func(t *rapid.T) envs.History { return history(t).Append(answer) })

	var cases []interopCase
	for _, template := range chat.Templates() {
		cases = append(cases, newInteropCase(template, nil, system, drifted().Append(answer), clean),
			newInteropCase(template, nil, "", drifted().Append(answer), clean),
			newInteropCase(template, action.FunctionCall{}, system, called(drifted().Append(answer)), clean))
		for seed := range 25 {
			cases = append(cases, newInteropCase(template, nil, system, drawn.Example(seed), clean))
		}
	}

	version, answers := askLLaMAFactory(t, python, cases)
	t.Logf("LLaMA-Factory %s, %d conversations", version, len(cases))

	for i, c := range cases {
		got := answers[i]
		if d := cmp.Diff(got.Prompts, c.Prompts); d != "" {
			t.Errorf("%s, conversation %d: prompts, -theirs +ours:\n%s", c.Template, i, d)
		}

		if d := cmp.Diff(got.Whole, c.whole); d != "" {
			t.Errorf("%s, conversation %d: whole, -theirs +ours:\n%s", c.Template, i, d)
		}

		for n, same := range got.SameTokens {
			if !same {
				t.Errorf("%s, conversation %d: prompt %d has other tokens than are trained: %q", c.Template, i, n,
					c.Prompts[n])
			}
		}
	}
}

func askLLaMAFactory(t *testing.T, python string, cases []interopCase) (version string, answers []interopAnswer) {
	t.Helper()

	input, err := json.Marshal(map[string]any{"cases": cases})
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "trainer.py"))

	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr

	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.String())
	}

	var reply struct {
		Version string          `json:"version"`
		Cases   []interopAnswer `json:"cases"`
	}
	if err := json.Unmarshal(output, &reply); err != nil {
		t.Fatalf("%s: %v: %q", cmd, err, output)
	}

	if len(reply.Cases) != len(cases) {
		t.Fatalf("%d answers to %d conversations", len(reply.Cases), len(cases))
	}
	return reply.Version, reply.Cases
}
