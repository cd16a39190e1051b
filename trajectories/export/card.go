package export

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"toolevo/envs"
	"toolevo/trajectories"
)

//go:embed card.md
var cardText string

var cardTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("card").Funcs(template.FuncMap{"makers": trajectories.InWords}).Parse(cardText))
})

// card returns the data card. It shows people the manifest, and tells the library datasets which
// file is which.
func (m *Manifest) card() string {
	var b strings.Builder

	f, t := m.Format, m.Trainer
	reader := f.Reader()
	l := m.layout()
	fit, _ := m.CheckTemplate(m.ChatTemplate) // without a name there is no advice

	// The template is embedded, and all that it asks for is given here.
	_ = cardTemplate().Execute(&b, map[string]any{
		"M": m, "Config": m.configName(), "Size": sizeCategory(m.Rows + m.DevRows),
		"About": f.words().About, "Trainer": cmp.Or(reader, string(t)), "Sets": m.cardSets(), "LeftOut": m.LeftOut(),
		"Columns": l.columns, "Objects": l.objects(), "Told": m.instructions(), "Labelled": f.IsLabelled(),
		"Trained": reader != "" || t == TRL || m.FitsLlamaFactory(), "Whole": SFTTrajectory, "TRL": TRL,
		"Advice": fit.Advice(), "Command": m.commandLine(), "Tokens": m.Lengths.TotalChars / 4,
		"Mix": m.cardMix(), "Drifted": m.drifted(), "All": m.Rows + m.DevRows,
	})

	return b.String()
}

// configName names the samples after their checksums, as far as those are noted. The library
// datasets caches by folder and name: with a fixed name it would go on loading an earlier export of
// the folder.
func (m *Manifest) configName() string {
	var sums strings.Builder

	for _, d := range m.datasets() {
		if i := slices.IndexFunc(m.Files,
			func(f FileSum) bool { return f.Name == d.parquet() }); i >= 0 {
			fmt.Fprintln(&sums, m.Files[i].Name, m.Files[i].SHA256)
		}
	}

	return "toolevo_" + envs.SHA256(sums.String())[:12]
}

// sizeCategory returns the Hugging Face Hub's name for a number of samples, between powers of ten.
func sizeCategory(rows int) string {
	if rows < 1000 {
		return "n<1K"
	}

	const units = "KMBT"

	// 1K, 10K, 100K, and then the same with the next unit.
	bound := func(power int) string {
		return "1" + strings.Repeat("0", power%3) + units[power/3-1:power/3]
	}

	power := len(strconv.Itoa(rows)) - 1
	return bound(power) + "<n<" + bound(power+1)
}

// licenseLine matches a line in the head of a card that states the licence of the samples. Whoever
// shares them fills it in.
var licenseLine = regexp.MustCompile(`(?m)^license(_name|_link|_details)?: (.*)\n`)

// licenses are the names of licences that the Hub knows. Any other text is damage, not a licence
// that somebody filled in.
//
//go:embed licenses.txt
var licenses string

// unlicensed returns a card as it was written, before somebody filled in the licence.
func unlicensed(card string) string {
	const begin, end = "---\n", "\n---\n"

	head, rest, ok := strings.Cut(card, end)
	if head += "\n"; !ok || !strings.HasPrefix(head, begin) {
		return card
	}

	for _, line := range licenseLine.FindAllStringSubmatch(head, -1) {
		known := line[1] == "" && slices.Contains(strings.Fields(licenses), line[2])
		if !known && (line[1] == "" || !strings.Contains(head, "license: other\n")) {
			return card
		}
	}

	filled := false
	head = licenseLine.ReplaceAllStringFunc(head, func(string) (line string) {
		if !filled {
			line, filled = "license: unknown\n", true
		}
		return line
	})
	return strings.TrimSuffix(head, "\n") + end + rest
}

// commandLine returns the command, in two lines, that trains the samples with the options that
// their trainer needs, or "" if no command does.
func (m *Manifest) commandLine() string {
	t := m.instructions()
	if t.Command == "" || m.Trainer == LlamaFactory && !m.FitsLlamaFactory() {
		return ""
	}

	options := " --dataset_name ."
	if m.Trainer == LlamaFactory {
		options = " --do_train true --template TEMPLATE --dataset_dir . --dataset " + m.Format.Dataset()
	}

	for _, line := range t.Lines {
		options += fmt.Sprintf(" --%v %v", line.Key, line.Value)
	}
	return t.Command + " --model_name_or_path MODEL --output_dir OUT \\\n " + options
}

// cardMix counts the samples of a suite under a deployed version, for the card.
type cardMix struct {
	Suite, PromptAPI, DeployedAPI string
	Rows                          int
	Share                         string // of all samples, in percent
}

// cardMix counts the samples by what their prompts show and what was deployed, the most first.
func (m *Manifest) cardMix() (all []cardMix) {
	for _, r := range m.Runs {
		i := slices.IndexFunc(all, func(c cardMix) bool {
			return c.Suite == r.Suite && c.PromptAPI == r.PromptAPI && c.DeployedAPI == r.DeployedAPI
		})
		if i < 0 {
			i, all = len(all), append(all, cardMix{Suite: r.Suite, PromptAPI: r.PromptAPI, DeployedAPI: r.DeployedAPI})
		}

		all[i].Rows += r.Rows
		all[i].Share = fmt.Sprintf("%.1f", 100*float64(all[i].Rows)/float64(m.Rows+m.DevRows))
	}

	slices.SortStableFunc(all, func(a, b cardMix) int { return b.Rows - a.Rows })
	return all
}

// drifted counts the samples that met another version than the one that their prompts show.
func (m *Manifest) drifted() (n int) {
	for _, r := range m.Runs {
		if r.DeployedAPI != r.PromptAPI {
			n += r.Rows
		}
	}

	return n
}

// cardSet is a set of samples as the card describes it.
type cardSet struct {
	Split, Name, File string
	Rows, Questions   int
}

func (m *Manifest) cardSets() []cardSet {
	sets := []cardSet{{"train", "", "", m.Rows, m.Questions},
		{"dev", "", "", m.DevRows, m.DevQuestions}}

	all := m.datasets()
	for i, d := range all {
		sets[i].Name, sets[i].File = d.name, d.parquet()
	}
	return sets[:len(all)]
}

// LeftOut is how many trajectories or samples were left out for a reason.
type LeftOut struct {
	N   int    `json:"n"`   // how many
	Why string `json:"why"` // in words
}

// LeftOut says how many trajectories and samples were left out, and why.
func (m *Manifest) LeftOut() []LeftOut {
	d := m.Selected.Dropped

	all := []LeftOut{
		{m.Lint.Dropped, "rejected by the linter" + byRule(m.Lint.ByRule)},
		{len(m.Refused), "documents and folders that no sample can be made of"},
		{m.Lost, "episodes that infrastructure failures ended"},
		{d.Split, "of another split than " + m.Selection.Split},
		{d.Elsewhere, "their questions are asked in another split, too"},
		{d.Score, fmt.Sprintf("the %s matcher does not accept them", m.Selection.Score)},
		{d.NoRecovery, "no recovery from a deprecation"},
		{d.NoUpdate, "no truthful call of UpdateTool"},
		{d.Blind, "nothing in them reveals that a call meant something else than before"},
		{d.NoDetection, "trusting every answer is right there, too"},
		{d.Faulty, "more faulty turns than wanted"},
		{d.Duplicate, "duplicates"},
		{d.Surplus, "more than wanted of a question"},
		{d.Weight, "more than the weights allow"},
		{m.Selected.SkippedSteps, "faulty turns of chosen trajectories"},
		{m.Selected.WithoutIDs,
			"turns whose text is not all that was sampled, or of which the log has no token ids"},
		{m.Selected.Repeated, "repeated samples, which the lineage counts"},
		{m.Lint.Samples, "samples rejected by the linter" + byRule(m.Lint.SamplesByRule)},
	}

	return slices.DeleteFunc(all, func(l LeftOut) bool { return l.N == 0 })
}

// byRule words how many samples broke each rule: " (too-long 3)".
func byRule(counts map[Rule]int) string {
	var words []string
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%s %d", rule, counts[rule]))
	}

	if words == nil {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}
