package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompletion holds what a shell is offered for what was typed, by way of the command that
// shells call.
func TestCompletion(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	for _, name := range []string{"first", "second", "other"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}

		if name == "other" {
			continue
		}

		if err := os.WriteFile(filepath.Join(dir, name, "run.json"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	for _, tt := range []struct{ typed, want string }{
		{"collect --preset ", "efficient paper reference"},
		{"collect --dataset co", "coffee"},
		{"collect --dataset coffee,d", "coffee,dblp"},
		{"data build --dataset a", "agenda airbnb all"},
		{"data gold --difficulty ", "easy hard all"},
		{"export x --split t", "train test"},
		{"collect --api p_s_o", "p_s_ood p_s_ood_proprietary"},
		{"eval --api p_c,p_s_i", "p_c,p_s_in"},
		{"eval --api p_c,factor:res", "p_c,factor:response"},
		{"play --policy scripted:", "scripted:careful scripted:clumsy scripted:noisy " +
			"scripted:oracle scripted:reader scripted:stale scripted:weak"},
		{"eval --policy scripted:stale,o", "scripted:stale,openai: scripted:stale,ollama:"},
		{"collect --engine f", "forkserver"},
		{"doctor sandbox --without l", "landlock"},
		{"collect --config policies/qwen2-7b-", "policies/qwen2-7b-instruct policies/qwen2-7b-sft"},
		{"collect --set search.tre", "search.trees="},
		{"collect --compat text", "text-sql"},
		{"play --feedback g", "generic"},
		{"collect --progress p", "plain"},
		{"data build --scale ", "full demo"},
		{"data questions --scale ", ""},
		{"export x --strategy ", "random shortest diverse"},
		{"export x --chat-template lla", "llama3"},
		{"bench serve --protocol ", "vllm ollama"},
		{"collect --resume --out @f", "@first"},
		{"inspect @", "@first @second"},
		{"inspect @first @", ""}, // a question
		{"check @s", "@second"},
		{"export @first @", "@first @second"},
		{"che", "check"},
	} {
		typed := strings.ReplaceAll(tt.typed, "@", dir+"/")
		words := strings.Split(typed, " ")
		r := cli(t, append([]string{"__complete"}, words...)...)
		var got []string

		for line := range strings.Lines(r.out) {
			if value, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(value, ":") {
				got = append(got, value)
			}
		}

		if all := strings.ReplaceAll(strings.Join(got, " "), dir+"/", "@"); r.code != exitDone || all != tt.want {
			t.Errorf("toolevo %s: offered %q, want %q (exit %d)", tt.typed, all, tt.want, r.code)
		}
	}
}
