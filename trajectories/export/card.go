package export

import (
	_ "embed"
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
		"M": m, "About": forms[f].about, "Trainer": t, "Sets": m.cardSets(), "LeftOut": m.LeftOut(),
		"Columns": l.columns, "Objects": l.objects(),
	})

	return b.String()
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
	N   int
	Why string
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
