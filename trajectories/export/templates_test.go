package export

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"toolevo/mcts/policy/chat"
)

var update = flag.Bool("update", false, "write TEMPLATES.md anew from templates.yaml")

// TEMPLATES.md has the tables of templates.yaml.
func TestTemplatesPage(t *testing.T) {
	const begin, end = "<!-- verdicts -->\n", "<!-- end -->\n"

	text, err := os.ReadFile("TEMPLATES.md")
	if err != nil {
		t.Fatal(err)
	}

	before, rest, _ := strings.Cut(string(text), begin)
	stands, after, ok := strings.Cut(rest, end)

	if want := verdictTables(); *update {
		err = os.WriteFile("TEMPLATES.md", []byte(before+begin+want+end+after), 0o644)
	} else if !ok || stands != want {
		t.Errorf("the tables are others (go test -run TestTemplatesPage -update writes them):\n%s", want)
	}

	if err != nil {
		t.Error(err)
	}
}

func verdictTables() string {
	var b strings.Builder

	for _, trainer := range Trainers() {
		of := templates()[trainer]

		var programs []string
		for _, name := range slices.Sorted(maps.Keys(of.Versions)) {
			programs = append(programs, name+" "+of.Versions[name])
		}

		heads := []string{"react", "function-call"}
		if trainer == TRL {
			heads = append(heads, "with `--arguments string`")
		}

		fmt.Fprintf(&b, "\n## %s (%s)\n\n| templates |", trainer, strings.Join(programs, ", "))

		for _, head := range heads {
			fmt.Fprintf(&b, " %s | %s, a faulty reply |", head, head)
		}

		b.WriteString("\n|---" + strings.Repeat("|---|---", len(heads)) + "|\n")

		fit := make([]int, 2*len(heads))
		for _, j := range of.Templates {
			b.WriteString("| " + quoted(j.Names))
			said := []verdict{j.React, j.FaultyReact, j.Calls, j.FaultyCalls, j.Texts, j.FaultyTexts}
			for i, v := range said[:len(fit)] {
				fmt.Fprintf(&b, " | %s", v)
				if v.fits() {
					fit[i] += len(j.Names)
				}
			}
			b.WriteString(" |\n")
		}

		all := of.names(func(judged) bool { return true })
		fmt.Fprintf(&b, "| exact, or exact as steps, of %d |", len(all))

		for _, n := range fit {
			fmt.Fprintf(&b, " %d |", n)
		}

		b.WriteString("\n")
	}

	return b.String() + formsTable() + "\n"
}

// formsTable says under which templates each form of asking a server asks what is trained.
func formsTable() string {
	var b strings.Builder

	b.WriteString("\n## The forms of a server\n\n" +
		"| server.form | trainer | samples | asks what these train |\n|---|---|---|---|\n")

	forms := templates()[LlamaFactory].Forms
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		for _, trainer := range Trainers() {
			for _, codec := range slices.Sorted(maps.Keys(templates()[trainer].Forms[form])) {
				var of string

				switch names := templates()[trainer].Forms[form][codec].(type) {
				case string:
					of = "all that are exact, or exact as steps"
				case []any:
					of = "none"
					if len(names) > 0 {
						of = quoted(names)
					}
				}

				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", form, trainer, codec, of)
			}
		}
	}

	return b.String()
}

func quoted[T any](names []T) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = fmt.Sprintf("`%v`", name)
	}

	return strings.Join(words, ", ")
}

// What an export holds decides what a template makes of it.
func TestCheckTemplate(t *testing.T) {
	calls := Manifest{Version: ManifestVersion, Format: SFTTrajectory, Trainer: TRL, Calls: true}
	with := func(change func(*Manifest)) Manifest {
		m := calls
		change(&m)

		return m
	}

	whole := with(func(*Manifest) {})
	faulty := with(func(m *Manifest) { m.Unreadable = 1 })
	steps := with(func(m *Manifest) { m.Format = SFTStep })
	texts := with(func(m *Manifest) { m.Calls = false })
	transcripts := with(func(m *Manifest) { m.Format = Reward })
	judgedOnce := with(func(m *Manifest) { m.Format, m.Unreadable = KTO, 1 })
	factory := with(func(m *Manifest) { m.Trainer = LlamaFactory })

	for name, c := range map[string]struct {
		m        Manifest
		template string
		want     Fit
		spoilt   bool
	}{
		"exact":               {whole, "qwen2_5", Fit{"qwen2_5", false, false}, false},
		"loses":               {whole, "llama3_1", Fit{}, true},
		"cannot":              {whole, "gemma3", Fit{}, true},
		"begins":              {whole, "gemma4_v5", Fit{}, true},
		"as steps":            {whole, "gemma4", Fit{"gemma4", true, false}, false},
		"steps":               {steps, "gemma4", Fit{"gemma4", false, false}, false},
		"texts":               {texts, "gemma3", Fit{"gemma3", false, false}, false},
		"transcripts":         {transcripts, "gemma3", Fit{"gemma3", false, false}, false},
		"without thinking":    {whole, "glm4moe", Fit{"glm4moe", false, true}, false},
		"with a faulty reply": {faulty, "gptoss", Fit{"gptoss", true, false}, false},
		"a faulty reply read": {judgedOnce, "gptoss", Fit{"gptoss", false, false}, false},
		"LLaMA-Factory's":     {factory, "chatml", Fit{}, true},
	} {
		got, err := c.m.CheckTemplate(c.template)

		var spoils *TemplateError
		if got != c.want || errors.As(err, &spoils) != c.spoilt || (err != nil) != c.spoilt {
			t.Errorf("%s: %+v, %v; want %+v, spoilt: %v", name, got, err, c.want, c.spoilt)
		}

		if spoils != nil && (len(spoils.Fitting) == 0 || slices.Contains(spoils.Fitting, c.template)) {
			t.Errorf("%s: %v fit", name, spoils.Fitting)
		}
	}

	if _, err := calls.CheckTemplate("qwen2_6"); err == nil || !strings.Contains(err.Error(), "qwen2_5") {
		t.Errorf("an unknown template: %v", err)
	}
}

// Our own templates hold calls where LLaMA-Factory's program says that its templates do.
func TestOurTemplatesHoldCalls(t *testing.T) {
	of := templates()[LlamaFactory]

	for _, ours := range chat.Templates() {
		theirs, ok := of.of(ours.String())
		if !ok || !theirs.React.is(exact) || theirs.Calls.is(exact) != ours.HoldsCalls() {
			t.Errorf("%s: %+v, holds calls: %v", ours, theirs, ours.HoldsCalls())
		}
	}
}
