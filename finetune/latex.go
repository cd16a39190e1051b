package finetune

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"toolevo/finetune/tabulate"
)

// Block is policies among which LaTeX tables mark the best: those made from one base model.
type Block struct {
	Name     string   // e.g. "Llama3"
	Policies []string // in the order of their lines
}

// standIn ends the name of a version that replaces another one, NAME_proprietary for NAME: the
// authors gave proprietary models another set of unseen APIs, and Table 4 has both.
const standIn = "_proprietary"

// WriteLaTeX writes a table for each API version in the layout of the paper's Tables 2 to 4, for
// booktabs: the official accuracy in percent, a line for each policy, a column for each dataset and
// difficulty, and averages over the datasets. Within a block the best are bold and the second-best
// underlined. Policies outside all blocks form one without a name, and those that were measured
// under NAME_proprietary in place of NAME are above the others, unmarked.
func (r *Report) WriteLaTeX(w io.Writer) error { return r.WriteBlocks(w, nil) }

// WriteBlocks writes the tables of [Report.WriteLaTeX] with the policies in blocks.
func (r *Report) WriteBlocks(w io.Writer, blocks []Block) error {
	view := tables().Report("latex")[0]
	rows := slices.Concat(tabulate.RowsOf(r.Rows), r.averages())

	// Policies measured under a stand-in get a block of their own, above the others; which they are
	// is found below.
	blocks = append([]Block{{Name: view.Apart}}, blocks...)
	measured := map[Contender]bool{}

	for _, row := range r.Rows {
		measured[Contender{row.Policy, row.API}] = true
	}

	for _, row := range rows {
		policy := row.Text("policy")

		// A policy that met both versions keeps both, each in a table of its own.
		base, ok := strings.CutSuffix(row.Text("api"), standIn)
		if ok && !measured[Contender{policy, base}] {
			row["api"] = base
			blocks[0].Policies = append(blocks[0].Policies, policy)
		}
	}

	for _, row := range rows {
		row["dataset"], row["difficulty"] = title(row.Text("dataset")), title(row.Text("difficulty"))

		// Backwards, so that of several blocks with a policy the first counts.
		for _, b := range slices.Backward(blocks) {
			if slices.Contains(b.Policies, row.Text("policy")) {
				row["block"] = b.Name
			}
		}
	}

	sortForPaper(rows, blocks)
	return tabulate.WriteLaTeX(w, view.Grids(rows))
}

// sortForPaper sorts the columns by dataset, the difficulties of each side by side, and the lines
// in the order of the blocks.
func sortForPaper(rows []tabulate.Row, blocks []Block) {
	var policies []string
	for _, b := range blocks {
		policies = append(policies, b.Policies...)
	}

	for _, key := range []string{"policy", "difficulty", "dataset"} {
		order := tabulate.Distinct(rows, func(row tabulate.Row) string { return row.Text(key) })
		if key == "policy" {
			order = append(policies, order...)
		}

		slices.SortStableFunc(rows, func(a, b tabulate.Row) int {
			return cmp.Compare(slices.Index(order, a.Text(key)), slices.Index(order, b.Text(key)))
		})
	}
}

// averages returns the means over datasets without those over easy and hard questions: the paper
// has no such column.
func (r *Report) averages() []tabulate.Row {
	difficulties := tabulate.Distinct(r.Rows, func(row Row) string { return row.Difficulty })

	rows := slices.DeleteFunc(tabulate.RowsOf(r.Summaries), func(row tabulate.Row) bool {
		return len(difficulties) > 1 && !slices.Contains(difficulties, row.Text("difficulty"))
	})
	for _, row := range rows {
		row["dataset"] = "average"
	}

	return rows
}

// title returns a word with its first letter in upper case.
func title(word string) string {
	if word == "" || word == tabulate.All {
		return word
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
