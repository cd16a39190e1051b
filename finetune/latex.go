package finetune

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"toolevo/finetune/tabulate"
)

// Block is policies among which LaTeX tables mark the best: those made from one base model.
type Block struct {
	Name     string   // e.g. "Llama3"; "" has no line of its own
	Policies []string // in the order of their lines
}

// standIn is what ends the name of a version that stands in for another one, NAME_proprietary for NAME: the authors
// gave proprietary models another set of unseen APIs, and Table 4 has both.
const standIn = "_proprietary"

// WriteLaTeX writes a table for each API version in the layout of the paper's Tables 2 to 4, for booktabs: the official
// accuracy in percent, a line for each policy, a column for each dataset and difficulty, and averages over the
// datasets. Within a block the best are bold and the second-best underlined. Policies of no block make up one without a
// name, and those that were measured under NAME_proprietary in place of NAME stand above the others, unmarked.
func (r *Report) WriteLaTeX(w io.Writer) error { return r.WriteBlocks(w, nil) }

// WriteBlocks is [Report.WriteLaTeX] with the policies in blocks.
func (r *Report) WriteBlocks(w io.Writer, blocks []Block) error {
	l := r.layout(blocks)

	var b strings.Builder

	b.WriteString("% Needs \\usepackage{booktabs}.\n")

	for _, api := range l.apis {
		l.table(&b, api)
	}

	_, err := io.WriteString(w, b.String())

	return err
}

// layout is what the LaTeX tables of a report have in common.
type layout struct {
	apis        []string // a table each
	columns     []column
	blocks      []Block
	proprietary []string // policies that stand above the blocks
	figures     map[Cell]Row
}

// column is a dataset, "" for the average, and a difficulty.
type column struct{ dataset, difficulty string }

func (r *Report) layout(blocks []Block) *layout {
	l := &layout{figures: map[Cell]Row{}}

	for _, row := range r.Rows {
		l.figures[row.Cell] = row
		place(&l.columns, column{row.Dataset, row.Difficulty})
	}

	// The difficulties of a dataset stand side by side.
	datasets := tabulate.Distinct(r.Rows, func(row Row) string { return row.Dataset })
	slices.SortStableFunc(l.columns, func(a, b column) int {
		return slices.Index(datasets, a.dataset) - slices.Index(datasets, b.dataset)
	})

	difficulties := tabulate.Distinct(r.Rows, func(row Row) string { return row.Difficulty })

	for _, s := range r.Summaries {
		if !slices.Contains(difficulties, s.Difficulty) && len(difficulties) > 1 {
			continue // over easy and hard questions: the paper has no such column
		}

		l.figures[Cell{s.Policy, s.API, "", s.Difficulty}] = Row{N: s.N, Official: s.Official}
		place(&l.columns, column{"", s.Difficulty})
	}

	l.divide(r, blocks)

	return l
}

// divide assigns the policies to blocks, and the API versions to tables.
func (l *layout) divide(r *Report, blocks []Block) {
	measured := map[Contender]bool{}
	for _, row := range r.Rows {
		measured[Contender{row.Policy, row.API}] = true
	}

	for _, row := range r.Rows {
		base, isStandIn := strings.CutSuffix(row.API, standIn)
		if !isStandIn || measured[Contender{row.Policy, base}] {
			place(&l.apis, row.API)
			continue
		}

		place(&l.apis, base)
		place(&l.proprietary, row.Policy)
	}

	rest := tabulate.Distinct(r.Rows, func(row Row) string { return row.Policy })
	rest = slices.DeleteFunc(rest, func(policy string) bool {
		inBlock := func(b Block) bool { return slices.Contains(b.Policies, policy) }
		return slices.Contains(l.proprietary, policy) || slices.ContainsFunc(blocks, inBlock)
	})

	l.blocks = blocks
	if len(rest) > 0 {
		l.blocks = append(slices.Clone(blocks), Block{Policies: rest})
	}
}

// row is the figures of a policy in a column of an API version's table. They have no question where none was measured.
func (l *layout) row(policy, api string, c column) Row {
	if row, ok := l.figures[Cell{policy, api, c.dataset, c.difficulty}]; ok {
		return row
	}

	return l.figures[Cell{policy, api + standIn, c.dataset, c.difficulty}]
}

func (l *layout) table(b *strings.Builder, api string) {
	fmt.Fprintf(b, "\n\\begin{table}\n\\centering\n\\scriptsize\n\\setlength{\\tabcolsep}{3pt}\n"+
		"\\caption{Official accuracy in percent with %s on the server.}\n\\begin{tabular}{l*{%d}{r}}\n\\toprule\n",
		tabulate.Escape(api), len(l.columns))
	l.heads(b)

	if len(l.proprietary) > 0 {
		l.block(b, api, Block{"Proprietary models", l.proprietary}, false)
	}

	for _, block := range l.blocks {
		l.block(b, api, block, len(block.Policies) > 1)
	}

	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
}

// heads writes a line of datasets, and one of difficulties below it.
func (l *layout) heads(b *strings.Builder) {
	var rules strings.Builder

	for start := 0; start < len(l.columns); {
		end := start + 1
		for end < len(l.columns) && l.columns[end].dataset == l.columns[start].dataset {
			end++
		}

		name := "Average"
		if dataset := l.columns[start].dataset; dataset != "" {
			name = title(dataset)
		}

		fmt.Fprintf(b, " & \\multicolumn{%d}{c}{%s}", end-start, tabulate.Escape(name))
		fmt.Fprintf(&rules, "\\cmidrule(lr){%d-%d}", start+2, end+1)
		start = end
	}

	fmt.Fprintf(b, " \\\\\n%s\nModels", rules.String())

	for _, c := range l.columns {
		fmt.Fprintf(b, " & %s", tabulate.Escape(title(c.difficulty)))
	}

	b.WriteString(" \\\\\n")
}

// block writes the lines of a block's policies below a rule.
func (l *layout) block(b *strings.Builder, api string, block Block, marked bool) {
	b.WriteString("\\midrule\n")

	if block.Name != "" {
		fmt.Fprintf(b, "\\multicolumn{%d}{l}{\\emph{%s}} \\\\\n", len(l.columns)+1, tabulate.Escape(block.Name))
	}

	lines := make([]string, len(block.Policies))
	for i, policy := range block.Policies {
		lines[i] = tabulate.Escape(policy)
	}

	for _, c := range l.columns {
		texts := make([]string, len(block.Policies))
		for i, policy := range block.Policies {
			row := l.row(policy, api, c)
			texts[i] = row.percent()
		}

		for i, text := range texts {
			if marked {
				text = mark(text, texts)
			}

			lines[i] += " & " + text
		}
	}

	for _, line := range lines {
		fmt.Fprintf(b, "%s \\\\\n", line)
	}
}

// mark makes the highest of some percentages bold, and the next one underlined: as they are printed, and unless they
// are none.
func mark(text string, all []string) string {
	above := map[string]struct{}{}

	for _, other := range all {
		if value(other) > value(text) {
			above[other] = struct{}{}
		}
	}

	switch {
	case value(text) == 0:
		return text
	case len(above) == 0:
		return "\\textbf{" + text + "}"
	case len(above) == 1:
		return "\\underline{" + text + "}"
	}

	return text
}

// value is a percentage as it is printed, 0 where there is none.
func value(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// title has its first letter in upper case.
func title(word string) string {
	if word == "" {
		return ""
	}

	return strings.ToUpper(word[:1]) + word[1:]
}

// percent is the official accuracy; a row without a measured question has none.
func (r Row) percent() string {
	if r.N == 0 {
		return tabulate.None
	}

	return fmt.Sprintf("%.1f", 100*r.Official)
}

// place adds a value to others where it is new.
func place[V comparable](values *[]V, value V) {
	if !slices.Contains(*values, value) {
		*values = append(*values, value)
	}
}
