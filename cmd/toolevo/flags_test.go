package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagTable says which commands have each flag that means the same on every command.
var flagTable = map[string][]string{
	"data": {"data build", "data import", "data questions", "data gold", "data verify", "data template check",
		"play", "collect", "eval", "check", "export", "replay", "branch", "ablate", "analyze",
		"toolbench import", "doctor", "bench serve", "versions make", "versions list", "versions show",
		"versions diff", "versions validate", "serve tools", "serve env", "mirror data", "eval drift",
		"mirror requests", "mirror working",
		"mirror queries", "versions mutate", "tasks generate", "tasks show", "tasks verify",
		"tasks measure", "tasks sample", "tasks export", "tasks import", "tasks instruct",
		"tasks add", "tasks make", "tasks check", "tools import", "tools next", "tools check", "gate", "work"},
	"dataset": {"data build", "data import", "data questions", "data gold", "data verify", "play", "collect", "doctor",
		"eval", "ablate", "analyze", "serve env", "eval drift",
		"gate"},
	"difficulty": {"data questions", "data gold", "play", "collect", "doctor",
		"eval", "ablate", "analyze", "serve env",
		"eval drift",
		"gate"},
	"split": {"data import", "play", "collect", "doctor",
		"eval", "export", "ablate", "analyze", "toolbench import",
		"serve env", "serve tools", "eval drift", "tasks generate", "tasks measure", "tasks sample", "tasks export",
		"tasks import", "tasks instruct",
		"tasks add", "tasks make", "gate"},
	"api": {"play", "collect", "doctor", "eval", "ablate", "branch", "analyze", "serve tools", "eval drift",
		"serve env", "serve sessions"},
	"policy": {"play", "collect", "eval", "doctor",
		"bench serve", "ablate", "branch", "analyze", "eval drift",
		"versions mutate", "tasks instruct",
		"gate"},
	"preset": {"collect", "doctor", "branch"},
	"trees":  {"collect", "doctor", "branch"},
	"seed": {"data build", "data questions", "data template check", "collect", "doctor",
		"eval", "eval errors", "export",
		"bench serve", "serve env", "serve voice", "versions make", "report", "branch", "ablate", "analyze",
		"eval simulator",
		"mirror data", "eval drift", "mirror requests",
		"mirror working", "mirror queries", "versions mutate", "tasks generate",
		"tasks measure", "tasks sample", "tasks instruct", "tasks make", "mirror judge",
		"gate"},
	"workers": {"collect", "doctor",
		"eval", "check", "branch", "ablate", "replay", "analyze", "eval simulator",
		"mirror data", "eval judge", "eval drift", "mirror requests",
		"mirror working", "mirror queries", "tasks measure",
		"tasks instruct",
		"gate", "work"},
	"limit": {"collect", "doctor", "eval", "ablate", "analyze", "serve env", "eval drift",
		"gate"},
	"perturb": {"play", "collect", "doctor", "eval", "ablate", "analyze"},
	"out": {"collect", "doctor",
		"eval", "export", "demo", "versions make", "finetune", "improve", "view", "report",
		"branch", "ablate", "analyze", "toolbench convert", "eval simulator", "mirror data", "eval judge",
		"eval drift", "mirror requests",
		"mirror working", "mirror queries", "mirror judge", "versions mutate", "eval tasks",
		"tasks measure", "tasks sample", "tasks export", "tasks instruct",
		"gate"},
	"resume": {"collect", "doctor", "eval", "analyze"},
	"mix-engines": {"collect", "doctor", "eval", "export", "analyze", "ablate", "eval drift",
		"gate"},
	"dry-run": {"collect", "doctor", "eval", "branch", "analyze", "tasks check", "tools check"},
	"json": {"data build", "data import", "data questions", "data gold", "data verify", "data template check",
		"collect", "eval", "eval errors", "eval adaptation", "eval compare", "eval rescore", "inspect", "check",
		"export", "doctor",
		"doctor sandbox", "bench serve", "versions make", "versions list", "versions show",
		"versions diff", "versions validate", "version", "finetune", "improve", "replay", "branch", "ablate", "runs",
		"analyze", "toolbench import", "toolbench convert", "toolbench cache", "serve tools",
		"serve voice", "serve env", "serve sessions",
		"eval simulator", "mirror data", "eval judge", "eval drift", "mirror requests",
		"mirror working", "mirror queries",
		"mirror judge",
		"versions mutate", "eval tasks", "tasks generate", "tasks show", "tasks verify", "tasks measure",
		"tasks sample", "tasks export", "tasks import", "tasks instruct",
		"tasks add", "tasks make", "tasks check", "tools import", "tools next", "tools check", "gate", "work"},
	"config": {"play", "collect", "eval", "doctor", "doctor sandbox", "branch", "ablate", "analyze",
		"versions make", "versions list", "versions show", "versions diff", "versions validate", "serve tools",
		"eval simulator", "mirror data", "eval judge", "eval drift", "mirror requests",
		"mirror working", "mirror queries",
		"versions mutate", "tasks measure", "tasks import", "tasks instruct", "serve env", "serve sessions",
		"gate"},
	"progress": {"data build", "data import", "data questions", "data verify", "collect", "doctor",
		"eval", "finetune",
		"improve", "branch", "ablate", "analyze", "eval simulator", "mirror data", "eval judge", "eval drift",
		"mirror requests",
		"mirror working", "mirror queries", "tasks generate", "tasks verify", "tasks measure", "tasks instruct",
		"tasks check", "tasks make", "tools check", "gate", "work"},
	"compat": {"play", "collect", "doctor", "eval", "analyze", "ablate", "serve env", "eval drift",
		"gate"},
	"feedback": {"play", "collect", "doctor", "eval", "analyze", "ablate", "serve env", "serve tools"},
	"hint":     {"play", "collect", "doctor", "eval", "eval drift", "analyze", "ablate", "serve env", "gate"},
}

// sameWords are the flags whose help is the same on every command; that of the others says what the
// command at hand does with the value.
var sameWords = []string{
	"dataset", "difficulty", "seed", "api",
	"compat", "feedback", "preset", "trees", "limit", "perturb", "resume", "dry-run",
	"json", "config", "progress",
}

// TestFlagsMeanTheSame holds which commands have a flag, that it takes the same kind of value on
// all of them, and that its help says the same.
func TestFlagsMeanTheSame(t *testing.T) {
	t.Parallel()
	root := (&app{}).root()

	for flag, where := range flagTable {
		kinds := map[string]string{} // of value, by command

		for _, words := range commands {
			c, _, err := root.Find(words)
			if err != nil {
				t.Fatal(err)
			}

			name := strings.Join(words, " ")

			f := c.Flags().Lookup(flag)
			if (f != nil) != slices.Contains(where, name) {
				t.Errorf("toolevo %s: has --%s: %v", name, flag, f != nil)
			}

			if f == nil || flag == "out" && (name == "view" || name == "report") { // whose result is one file
				continue
			}

			placeholder, usage := pflag.UnquoteUsage(f)

			kinds[name] = placeholder
			if slices.Contains(sameWords, flag) {
				kinds[name] += " " + usage
			}
		}

		first := kinds[where[0]]
		for name, kind := range kinds {
			if kind != first {
				t.Errorf("--%s is %q of toolevo %s, and %q of toolevo %s", flag, kind, name, first, where[0])
			}
		}
	}
}

func TestEveryFlagTextIsOfAFlag(t *testing.T) {
	t.Parallel()

	usages := map[string]bool{}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { usages[f.Usage] = true })

		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit((&app{}).root())

	for flag, usage := range flagTexts() {
		if !usages[usage] {
			t.Errorf("flags.txt explains %s, which no command has", flag)
		}
	}
}

// A run knows its data folder: commands that read runs say that it comes before TOOLEVO_DATA.
func TestDataOfARunComesFirst(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"check", "replay", "branch", "export"} {
		help := strings.Join(strings.Fields(must(t, command, "--help")), " ")
		says(t, command, help, "default: the run's own, before TOOLEVO_DATA")
	}
}

// TestFlagsRefuseTheSame gives every command that has them the same wrong values, and all.
func TestFlagsRefuseTheSame(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	required := map[string][]string{"data import": {"--corpus", dir}, "finetune": {dir}, "improve": {dir},
		"branch": {dir, "QUESTION", "0", "0"}, "ablate": {"--out", dir},
		"eval drift": {"--out", dir, "--set", "suite=toolqa"}, "eval simulator": {dir}, "eval judge": {dir},
		"gate":        {"p_c", "p_c", "--out", dir},
		"mirror data": {dir, "--out", dir}, "mirror working": {"--out", dir, "--model", "openai:m"},
		"mirror requests": {"--out", dir, "--model", "openai:m"},
		"mirror queries":  {"--out", dir, "--model", "openai:m"}, "tasks instruct": {"--out", dir}}

	for flag, tt := range map[string]struct {
		value string
		words []string
	}{
		"dataset":    {"coffee,tea", []string{`"tea"`, "agenda", "yelp", "all"}},
		"difficulty": {"medium", []string{`"medium"`, "easy", "hard", "all"}},
		"progress":   {"loud", []string{`"loud"`, "auto, bar, plain, none"}},
	} {
		for _, name := range flagTable[flag] {
			args := append(strings.Fields(name), required[name]...)
			fails(t, exitUsage, tt.words, append(args, "--"+flag, tt.value)...)
		}
	}

	data := smallData(t)
	for _, name := range []string{"data gold", "data verify"} {
		args := append(strings.Fields(name), "--data", data)
		if all, plain := must(t, append(args, "--dataset", "all")...), must(t, args...); all != plain {
			t.Errorf("%s --dataset all prints\n%s, and without the flag\n%s", name, all, plain)
		}
	}

	easy := must(t, "data", "gold", "--data", data, "--difficulty", "easy")
	if !strings.Contains(easy, "-easy ") || strings.Contains(easy, "-hard ") {
		t.Errorf("data gold --difficulty easy prints\n%s", easy)
	}
}
