package questions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// noObject is what the tools print for a missing text or object.
const noObject = "None"

// businesses is the yelp corpus as the rules about what is near see it, in the order of the file.
type businesses struct {
	table                                 *corpus.Table
	name, city, categories, stars, counts *corpus.Vector
	latitude, longitude                   *corpus.Vector
}

func businessesOf(s *Corpus) (*businesses, error) {
	b := &businesses{table: s.table}

	return b, s.columns(map[string]**corpus.Vector{
		"name": &b.name, "city": &b.city, "categories": &b.categories, "stars": &b.stars, "review_count": &b.counts,
		"latitude": &b.latitude, "longitude": &b.longitude,
	})
}

// isIn reports whether a list of categories, separated by a comma and a space, has the category. Some categories of the
// site hold that separator themselves; their parts are categories to the published questions.
func isIn(category, list string) bool {
	return strings.Contains(list, category) && list != noObject &&
		strings.Contains(", "+list+", ", ", "+category+", ")
}

// drawWord draws the slots' values of the first row with a cell of the argument's column, all cells with equal
// probability.
func drawWord(t *Template, column string) attempt {
	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		cells, err := s.column(column)
		if err != nil {
			return nil, false, err
		}

		if cells.Words() == 0 {
			return nil, false, fmt.Errorf("an empty corpus is too small")
		}

		rows := cells.RowsOf(r.IntN(cells.Words()))
		if len(rows) == 0 {
			return nil, false, nil
		}

		values, err := t.cells(s, int(rows[0]))

		return values, !slices.ContainsFunc(values, unfit), err
	}
}

// drawBusinessBy does the same after it has drawn a row, as every draw of a business begins: a seed keeps its
// questions.
func drawBusinessBy(t *Template, column string) attempt {
	word := drawWord(t, column)

	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		if _, err := s.anyRow(r); err != nil {
			return nil, false, err
		}

		return word(r, s)
	}
}

// drawTown draws a town, of all alike or as often as it has businesses, and a category of one of its businesses. Where
// the argument is mostly, it mostly draws of all alike.
func drawTown(t *Template, argument string) attempt {
	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		row, err := s.anyRow(r)
		if err != nil {
			return nil, false, err
		}

		b, err := businessesOf(s)
		if err != nil {
			return nil, false, err
		}

		if argument == "mostly" && r.IntN(4) > 0 || argument == "" && r.IntN(2) == 0 {
			rows := b.city.RowsOf(r.IntN(b.city.Words()))
			row = int(rows[r.IntN(len(rows))])
		}

		values, err := t.cells(s, row)
		if i := slices.IndexFunc(t.slots, func(s slot) bool { return s.name == "cat" }); i >= 0 {
			values[i] = b.drawCategory(r, row)
		}

		return values, !slices.ContainsFunc(values, unfit), err
	}
}

// drawCategory draws a category of a business.
func (b *businesses) drawCategory(r *rand.Rand, row int) string {
	listed := strings.Split(b.categories.Text(row), ", ")
	return listed[r.IntN(len(listed))]
}

// attribute returns the text that an object, as the tools print it, has under a name.
func attribute(object, name string) (string, bool) {
	v, _ := pytext.DecodeLiteral(object)
	entries, _ := v.(envs.Args)

	return entries.Text(name)
}

// openingHours returns the hours of an object as the published answers write them, "Monday: 9:0-17:0,
// Tuesday: 9:0-17:0", and whether there are any.
func openingHours(object string) (string, bool) {
	v, _ := pytext.DecodeLiteral(object)

	entries, _ := v.(envs.Args)
	if len(entries) == 0 {
		return "", false
	}

	days := make([]string, len(entries))
	for i, e := range entries {
		days[i] = e.Name + ": " + pytext.Str(e.Value)
	}

	return strings.Join(days, ", "), true
}

// distinctCellsOf reads a column of the rows that are left: the distinct cells, in order, become a value of its name.
func distinctCellsOf(column string) reader {
	return func(result string, known *slotValues) error {
		cells, err := cellLists(result, column)
		*known = append(*known, slotValue{column, strings.Join(eachOnce(cells), ", ")})

		return err
	}
}

// distinctRowsOf does the same with the rows of a query.
func distinctRowsOf(column string) reader {
	return func(result string, known *slotValues) error {
		var cells []string

		for line := range strings.SplitSeq(result, "\n") {
			cell, ok := strings.CutPrefix(line, column+": ")
			if !ok && line != column+":" {
				return unexpected(result, "rows of the column "+column)
			}

			cells = append(cells, cell)
		}

		*known = append(*known, slotValue{column, strings.Join(eachOnce(cells), ", ")})

		return nil
	}
}
