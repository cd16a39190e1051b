package questions

import (
	"math/rand/v2"
	"strings"

	"toolevo/toolqa"
)

// airbnbFact is a question about one cell of one listing. A missing cell is answered with "nan", as the published rules
// do, where answer lets it; no question about one is drawn.
type airbnbFact struct {
	name, text string
	column     string
	answer     func(cell string) (string, bool) // false where there is none
	reason     string                           // why the column is read
}

// asIs returns the cell without the blanks around it: a price has one.
func asIs(cell string) (string, bool) { return strings.TrimSpace(cell), true }

// airbnbEasy are the questions about one listing.
func airbnbEasy() []Template {
	facts := []airbnbFact{
		{"host-name", "What is the host's name for {name:text+} in {nb:text}?", "host name", asIs,
			"The column host name says who rents it out."},
		{"available-days", "How many days are {name:text+} (id: {id:integer}) available during a year (365 days)?",
			"availability 365", whole,
			"The column availability 365 counts the days of a year on which it can be booked."},
		{"room-type", "What is the room type of {name:text+} (id: {id:integer}) in {nb:text}?", "room type", asIs,
			"I read its room type."},
		{"price", "What is the price of {name:text+} (id: {id:integer}) in {nb:text}?", "price", asIs,
			"I read its price."},
		{"minimum-nights", "What is the minimum number of nights of {name:text+} (id: {id:integer}) in {nb:text}?",
			"minimum nights", whole,
			"The column minimum nights holds what is asked for."},
		{"construction-year", "When was of {name:text+} (id: {id:integer}) in {nb:text} constructed?",
			"Construction year", whole,
			"The year is in the column Construction year."},
		{"reviews", "How many reviews does {name:text+} (id: {id:integer}) in {nb:text} have?", "number of reviews",
			whole,
			"The column number of reviews counts them."},
		{"last-review", "What is the last review date of {name:text+} (id: {id:integer}) in {nb:text}?", "last review",
			asIs,
			"The column last review holds the date."},
		{"review-rate", "What is the review rate number of {name:text+} (id: {id:integer}) in {nb:text}?",
			"review rate number", asIs,
			"I read its review rate number."},
		{"reviews-per-month", "What is the average number of reviews per month of {name:text+} (id: {id:integer}) " +
			"in {nb:text}?", "reviews per month", asIs,
			"The average is in the column reviews per month."},
	}

	ts := make([]Template, len(facts))
	for i, f := range facts {
		ts[i] = f.template()
	}

	return ts
}

func (f airbnbFact) template() Template {
	cell := func(a *Airbnb, row int) (string, error) {
		column, err := columnOf(a.table, toolqa.Airbnb, f.column)
		if err != nil {
			return "", err
		}

		return column.Text(row), nil
	}
	var slots []string

	for _, name := range []string{"name", "id", "nb"} {
		if strings.Contains(f.text, "{"+name+":") {
			slots = append(slots, name)
		}
	}

	return Template{
		Name: f.name,
		Text: f.text,
		gold: onListing(func(a *Airbnb, row int, _ Slots) (string, error) {
			text, err := cell(a, row)
			if err != nil {
				return "", err
			}

			if answer, ok := f.answer(text); ok {
				return answer, nil
			}

			return "", errNoAnswer
		}),
		draw: drawOn(func(r *rand.Rand, a *Airbnb) ([]string, error) {
			return drawListing(r, a, slots, func(a *Airbnb, row int) (bool, error) {
				text, err := cell(a, row)
				return text != noCell, err
			})
		}),
		choose: f.plan,
	}
}

// plan filters down to the listing and reads the cell. The name alone can do that only where a condition can hold it.
func (f airbnbFact) plan(s Slots) []step {
	load := loadDB("airbnb", "The question is about one listing of the airbnb database, so I load it first.")
	end := finish("{answer}", "The "+f.column+" of the listing is {answer}, which answers the question.")
	read := step{"One row is left. " + f.reason, "GetValue", []arg{{"column_name", f.column}},
		f.convert(textCells([]string{f.column}), f.column)}

	_, hasID := s.lookup("id")
	switch {
	case hasID:
		return []step{load, filterRow("id={id}", "The listing has the id {id}, which no other listing has. I "+
			"filter by it."), read, end}
	case conditionHolds(s.Get("name")) && conditionHolds(s.Get("nb")):
		return []step{load, filterRow("NAME={name}, neighbourhood={nb}",
			"I keep the listing that has this name and is in {nb}."), read, end}
	}

	column := strings.ReplaceAll(f.column, " ", "_")

	return []step{
		querySQL("SELECT "+column+" FROM airbnb.airbnb_data WHERE NAME = {name|sql} AND neighbourhood = {nb|sql}",
			"The name or the neighbourhood of the listing holds characters that a filter condition would read as "+
				"its own, so I ask for the "+f.column+" with SQL, where texts are quoted.",
			f.convert(textCell(column), column)),
		end,
	}
}

// convert adds the answer to what a reader reads.
func (f airbnbFact) convert(read reader, column string) reader {
	return derive(read, "answer", "a row with a number as "+column,
		func(known Slots) (string, bool) { return f.answer(known.Get(column)) })
}
