package export

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"toolevo/trajectories"
)

//go:embed card.md
var cardText string

var cardTemplate = template.Must(template.New("card").Funcs(template.FuncMap{
	"makers": trajectories.InWords,
}).Parse(cardText))

// card returns the data card: the manifest for people, and for Hugging Face datasets which file is what.
func (m *Manifest) card() string {
	var b strings.Builder

	f, t := m.Form()
	l := layoutOf(f, t)

	// The template is ours and the manifest has what it asks for.
	_ = cardTemplate.Execute(&b, map[string]any{
		"M": m, "Config": m.configName(),
		"About": forms[f].about, "Trainer": t, "Sets": m.cardSets(), "LeftOut": m.LeftOut(),
		"Columns": l.columns, "Objects": l.objects(),
	})

	return b.String()
}

// configName names the samples for datasets, which knows a folder again by its name and its
// configuration's: of another export in the same folder it would load what was there before. It is
// the files' checksums, as far as they are noted.
func (m *Manifest) configName() string {
	h := sha256.New()

	for _, d := range m.datasets() {
		if i := slices.IndexFunc(m.Files, func(f FileSum) bool { return f.Name == d.parquet() }); i >= 0 {
			fmt.Fprintln(h, m.Files[i].Name, m.Files[i].SHA256)
		}
	}

	return "toolevo_" + hex.EncodeToString(h.Sum(nil)[:6])
}

// cardSet is a set of samples as the card tells it.
type cardSet struct {
	Split, Name, File string
	Rows, Questions   int
}

func (m *Manifest) cardSets() []cardSet {
	sets := []cardSet{{"train", "", "", m.Rows, m.Questions}, {"dev", "", "", m.DevRows, m.DevQuestions}}

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
		{len(m.Refused), "imported documents that no sample can say"},
		{m.Lost, "episodes that failures of ours ended"},
		{d.Split, "of another split than " + m.Selection.Split},
		{d.Elsewhere, "their questions are asked in another split, too"},
		{d.Score, fmt.Sprintf("the %s matcher does not accept them", m.Selection.Score)},
		{d.NoRecovery, "no recovery from a deprecation"},
		{d.NoUpdate, "no truthful call of UpdateTool"},
		{d.Faulty, "more faulty turns than wanted"},
		{d.Duplicate, "duplicates"},
		{d.Surplus, "more than wanted of a question"},
		{d.Weight, "more than the weights allow"},
		{m.Selected.SkippedSteps, "faulty turns of chosen trajectories"},
		{m.Selected.Repeated, "samples that are there already: the lineage counts them"},
		{m.Lint.Samples, "samples rejected by the linter" + byRule(m.Lint.SamplesByRule)},
	}

	return slices.DeleteFunc(all, func(l LeftOut) bool { return l.N == 0 })
}

// byRule says how many broke which rule: " (too-long 3)".
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
