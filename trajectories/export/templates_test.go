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

		heads := slices.Sorted(maps.Keys(of.Templates[0].Verdicts))
		fit := make([]int, len(heads))

		fmt.Fprintf(&b, "\n## %s (%s)\n\n| templates | %s |\n|---%s|\n", trainer, strings.Join(programs, ", "),
			strings.Join(heads, " | "), strings.Repeat("|---", len(heads)))

		for _, j := range of.Templates {
			b.WriteString("| " + quoted(j.Names))
			for i, what := range heads {
				v := j.Verdicts[what]
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
	return b.String() + formsTable() + serversTable() + "\n"
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

// serversTable says which templates of servers write native calls as LLaMA-Factory does under one
// of its own.
func serversTable() string {
	text := "\n## Native calls\n\n| template of llamafactory | templates of models whose servers write tools and " +
		"calls so |\n|---|---|\n"

	servers := templates()[LlamaFactory].Servers
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		text += fmt.Sprintf("| `%s` | %s |\n", name, quoted(servers[name]))
	}
	return text
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

	native := with(func(m *Manifest) { m.Tools = true })
	nativeFaulty := with(func(m *Manifest) { m.Tools, m.Unreadable = true, 1 })
	nativeTexts := with(func(m *Manifest) { m.Tools, m.Arguments = true, ArgumentText })
	nativeFactory := with(func(m *Manifest) { m.Tools, m.Trainer = true, LlamaFactory })
	nativeTranscripts := with(func(m *Manifest) { m.Tools, m.Format = true, Reward })

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
		"native":              {native, "qwen2_5", Fit{"qwen2_5", false, false}, false},
		"native, as steps":    {nativeFaulty, "gptoss", Fit{"gptoss", true, false}, false},
		"native, loses":       {native, "llama3_1", Fit{}, true},
		"native, texts":       {nativeTexts, "qwen2_5", Fit{}, true},
		"native, as servers":  {nativeFactory, "qwen3", Fit{"qwen3", true, true}, false},
		"native, of its own":  {nativeFactory, "llama3", Fit{}, true},
		"native, transcripts": {nativeTranscripts, "llama3_1", Fit{"llama3_1", false, false}, false},
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

// A model whose servers write tools otherwise than LLaMA-Factory trains them is refused, and no
// other.
func TestCheckServer(t *testing.T) {
	native := Manifest{Format: SFTTrajectory, Trainer: LlamaFactory, Calls: true, Tools: true}
	calls, trl := native, native
	calls.Tools, trl.Trainer = false, TRL

	for name, c := range map[string]struct {
		m                Manifest
		template, server string
		refused          bool
	}{
		"alike":      {native, "qwen", "qwen2_5", false},
		"otherwise":  {native, "qwen3", "qwen2_5", true},
		"other text": {native, "qwen", "llama3_1", true},
		"unknown":    {native, "qwen", "", false},
		"no tools":   {calls, "qwen", "llama3_1", false},
		"its own":    {trl, "qwen2_5", "llama3_1", false},
	} {
		if err := c.m.checkServer(c.template, c.server); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Our own templates hold calls where LLaMA-Factory's program says that its templates do.
func TestOurTemplatesHoldCalls(t *testing.T) {
	of := templates()[LlamaFactory]

	for _, ours := range chat.Templates() {
		theirs, ok := of.find(ours.String())

		says := theirs.Verdicts
		if !ok || !says["react"].is(exact) || says["function-call"].is(exact) != ours.HoldsCalls() {
			t.Errorf("%s: %+v, holds calls: %v", ours, theirs, ours.HoldsCalls())
		}
	}
}
