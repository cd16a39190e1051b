package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/cmd/internal/cmdline"
)

// TestForeignFlags types the flags of other tools: each is answered with ours, on whichever
// command.
func TestForeignFlags(t *testing.T) {
	t.Parallel()

	for flags, want := range map[string]string{
		"collect --model":        "did you mean --policy openai:MODEL?",
		"collect --base-url":     "did you mean --server URL?",
		"collect --num-workers":  "did you mean --workers N?",
		"collect --output_dir":   "did you mean --out PATH?",
		"collect --temperature":  "did you mean --set server.sampling.temperature=0.8?",
		"collect --max-tokens":   "did you mean --set server.sampling.max_tokens=512?",
		"collect -n":             "did you mean --limit N?",
		"eval -o":                "did you mean --out PATH?",
		"eval -v":                "did you mean --log-level debug?",
		"eval --quiet":           "did you mean --progress none?",
		"eval --suite":           "did you mean --set suite=NAME?",
		"eval --api-key":         "OPENAI_API_KEY",
		"export --model":         "did you mean --tokenizer FILE?", // the command decides
		"export --temperature":   "`toolevo collect` takes --set server.sampling.temperature=0.8",
		"finetune --max-tokens":  "`toolevo collect` takes --set", // its own --set is of the trainer
		"finetune --lr":          "--set ARGUMENT=VALUE",
		"inspect --output_dir":   "`toolevo collect` takes --out PATH",
		"eval --preset":          "`toolevo collect` takes --preset",
		"export --stop-after":    "`toolevo collect` takes --stop-after",
		"collect --max_cost":     "did you mean --max-cost?",
		"versions show --resume": "`toolevo collect` takes --resume",
		"--temperature":          "`toolevo collect` takes --set server.sampling.temperature=0.8",
		"collect --no-such-flag": "unknown flag: --no-such-flag\n",
	} {
		fails(t, exitUsage, []string{want}, append(strings.Fields(flags), "7")...)
	}
}

// TestServersNamedByTheWrongScheme names a server of http with https.
func TestServersNamedByTheWrongScheme(t *testing.T) {
	t.Parallel()

	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()

	address := "https" + strings.TrimPrefix(s.URL, "http")
	fails(t, exitGaveUp, []string{"--server", address, "name it with http:// in place of https://"},
		"collect", "--data", smallData(t), "--policy", "openai:m", "--server", address, "--patience", "0s",
		"--out", filepath.Join(t.TempDir(), "run"))
}

// TestForeignFlagsNameOurs holds that the table of other tools' flags names flags and settings that
// there are.
func TestForeignFlagsNameOurs(t *testing.T) {
	t.Parallel()

	ours := map[string]bool{}
	for key := range embedded() {
		ours["--set "+key] = true
	}

	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { ours["--"+f.Name] = true })

		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit((&app{}).root())

	for theirs, answers := range cmdline.Foreign() {
		for _, answer := range answers {
			flag, value, more := strings.Cut(answer, " ")
			if flag == "--set" {
				key, _, _ := strings.Cut(value, "=")
				flag += " " + key
			}

			if strings.HasPrefix(answer, "--") && !ours[flag] || !more && !ours[answer] {
				t.Errorf("--%s is answered with %s, which there is not", theirs, answer)
			}
		}
	}
}
