package questions

import (
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/pytext"
)

// The slots of the easy questions, and what they look up.
var (
	yelpByArea  = []string{"name", "pc"}
	yelpByState = []string{"name", "state"}
	yelpByName  = []string{"name"}
	yelpByCity  = []string{"name", "city", "state"}
	yelpByAll   = []string{"name", "pc", "city", "state"}
)

// yelpWhere ends the questions that name a business by all that is known of where it is.
const yelpWhere = "in area with postal code {pc:text}, {city:text+}, {state:text}?"

// yelpEasy are the questions about one business, or the branches of one in the same place.
func yelpEasy() []Template {
	return slices.Concat(yelpCells(), yelpAnswers())
}

// yelpCells are the questions whose answer is the cells of one column.
func yelpCells() []Template {
	return []Template{
		yelpCell("address", "What is the address of {name:text+} in area with postal code {pc:text}?", yelpByArea,
			"address", "address", 0),
		yelpCell("city", "Which city is {name:text+} located in {state:text}?", yelpByState, "city", "city", 0),
		yelpCell("state", "What state is {name:text+} located in?", yelpByName, "state", "state", 1),
		yelpCell("postal-code", "What is the postal code of {name:text+} in {city:text+}, {state:text}?", yelpByCity,
			"postal code", "postal_code", 1),
		yelpCell("stars", "What is the star rating of {name:text+} "+yelpWhere, yelpByAll, "star rating", "stars", 0),
		yelpCell("reviews", "How many reviews does {name:text+} receive in the area with postal code {pc:text}, "+
			"{city:text+}, {state:text}, received?",
			yelpByAll, "number of reviews", "review_count", 0),
	}
}

// yelpLongest is up to how many businesses a question is about: the cells of more are not read well from a list.
const yelpLongest = 100

// yelpCell is a question for the distinct cells of a column: of most businesses there is one. Where limit is 1 there is
// no answer if there are more.
func yelpCell(name, text string, by []string, what, column string, limit int) Template {
	cells := func(y *Yelp, s Slots) ([]uint32, []string, error) {
		rows, err := y.find(s, by...)
		if err != nil {
			return nil, nil, err
		}

		v, err := y.column(column)
		if err != nil {
			return nil, nil, err
		}

		distinct := distinctCells(rows, v)
		if limit > 0 && len(distinct) > limit || len(distinct) == 1 && distinct[0] == "" {
			return nil, nil, errNoAnswer
		}

		return rows, distinct, nil
	}

	return Template{
		Name: name,
		Text: text,
		gold: on(func(y *Yelp, s Slots) (string, error) {
			_, distinct, err := cells(y, s)
			return strings.Join(distinct, ", "), err
		}),
		draw: drawYelpCells(by, func(y *Yelp, s Slots) bool {
			rows, distinct, err := cells(y, s)
			return err == nil && len(rows) <= yelpLongest && !slices.Contains(distinct, "")
		}),
		choose: yelpLookup(by, []string{column}, "The question asks for the "+what+
			" of a business. The yelp database should have it, so I load it first.",
			distinctly(column),
			finish("{"+column+"}", "The column "+column+" says {"+column+"}, which is what was asked.")),
	}
}

// drawYelpCells draws the cells of slots from a random row for which keep holds.
func drawYelpCells(by []string, keep func(*Yelp, Slots) bool) drawer {
	return drawYelp(func(_ *rand.Rand, y *Yelp, row int) ([]string, bool, error) {
		var s Slots
		var values []string

		for _, name := range by {
			v, err := y.column(yelpSlots[name])
			if err != nil {
				return nil, false, err
			}

			values = append(values, v.Text(row))
			s = append(s, Slot{name, v.Text(row)})
		}

		return values, keep(y, s), nil
	})
}

// yelpLookup makes the plan that reads columns of a business from the table, and then finishes. Where the
// value of a slot could be misread in a condition, the plan uses SQL.
func yelpLookup(by, columns []string, load string, read func(sql bool) reader, last step) func(Slots) []step {
	var conditions, where []string
	for _, name := range by {
		conditions = append(conditions, yelpSlots[name]+"={"+name+"}")
		where = append(where, yelpSlots[name]+" = {"+name+"|sql}")
	}

	get := step{"Now I read what was asked for, " + strings.Join(columns, " and ") + ", from the rows that are left.",
		"GetValue", []arg{{"column_name", strings.Join(columns, ", ")}}, read(false)}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM yelp.yelp_data WHERE " + strings.Join(where, " AND ")

	return func(s Slots) []step {
		for _, name := range by {
			if value := s.Get(name); strings.ContainsAny(value, "<>=") || strings.Contains(value, ", ") ||
				value != pytext.Strip(value) {
				return []step{
					querySQL(query, "The name holds characters that a filter could take for its own, so I look "+
						"the business up with SQL, in the table of yelp.", read(true)),
					last,
				}
			}
		}

		return []step{
			loadDB("yelp", load),
			filterRows(strings.Join(conditions, ", "), "I keep only the rows of {name}, with all that the "+
				"question says about where it is."),
			get,
			last,
		}
	}
}

// distinctly reads a column of one row or more: the distinct cells, in order, become a value of the column's name.
func distinctly(column string) func(sql bool) reader {
	return func(sql bool) reader {
		return func(result string, known *Slots) error {
			var cells []string

			if sql {
				for line := range strings.SplitSeq(result, "\n") {
					cell, ok := strings.CutPrefix(line, column+": ")
					if !ok && line != column+":" {
						return unexpected(result, "rows of the column "+column)
					}

					cells = append(cells, cell)
				}
			} else {
				var err error
				if cells, err = cellLists(result, column); err != nil {
					return err
				}
			}

			*known = append(*known, Slot{column, strings.Join(eachOnce(cells), ", ")})

			return nil
		}
	}
}
