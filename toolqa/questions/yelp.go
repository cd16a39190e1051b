package questions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Yelp is the yelp corpus as its rules see it: the businesses, in the order of the file. It is immutable.
type Yelp struct {
	table                                       *corpus.Table
	name, address, city, state, postalCode      *corpus.Vector
	latitude, longitude, stars, reviews, isOpen *corpus.Vector
	categories                                  *corpus.Vector
}

// NewYelp returns the view of a table with the published columns. All but attributes and hours are read here.
func NewYelp(t *corpus.Table) (*Yelp, error) {
	y := &Yelp{table: t}
	for name, to := range map[string]**corpus.Vector{
		"name": &y.name, "address": &y.address, "city": &y.city, "state": &y.state, "postal_code": &y.postalCode,
		"latitude":  &y.latitude,
		"longitude": &y.longitude, "stars": &y.stars, "review_count": &y.reviews, "is_open": &y.isOpen,
		"categories": &y.categories,
	} {
		var err error
		if *to, err = y.column(name); err != nil {
			return nil, err
		}
	}

	return y, nil
}

// yelpOf returns the view of an opened corpus.
func yelpOf(c *corpus.Corpus) (Corpus, error) { return NewYelp(c.Table()) }

// Dataset returns toolqa.Yelp.
func (y *Yelp) Dataset() toolqa.Dataset { return toolqa.Yelp }

func (y *Yelp) column(name string) (*corpus.Vector, error) {
	return columnOf(y.table, toolqa.Yelp, name)
}

// noObject is what the tools print for a missing text or object.
const noObject = "None"

// yelpSlots are the columns that slots are cells of.
var yelpSlots = map[string]string{"name": "name", "address": "address", "pc": "postal_code", "city": "city",
	"state": "state"}

// find returns the businesses, in order, that have the values of the slots of these names; none is errNoAnswer.
func (y *Yelp) find(s Slots, names ...string) ([]uint32, error) {
	var equal []string
	for _, name := range names {
		equal = append(equal, yelpSlots[name], s.Get(name))
	}

	rows, err := y.table.Find(equal...)
	if err == nil && len(rows) == 0 {
		err = errNoAnswer
	}

	return rows, err
}

// first returns the first business that has the values of the slots of these names.
func (y *Yelp) first(s Slots, names ...string) (int, error) {
	rows, err := y.find(s, names...)
	if err != nil {
		return 0, err
	}

	return int(rows[0]), nil
}

// ofBusiness makes a rule of a function of the one business, the first or the only one, that the slots of these names
// find.
func ofBusiness(find func(*Yelp, Slots, ...string) (int, error),
	answer func(y *Yelp, row int, s Slots) (string, error), names ...string) rule {
	return on(func(y *Yelp, s Slots) (string, error) {
		row, err := find(y, s, names...)
		if err != nil {
			return "", err
		}

		return answer(y, row, s)
	})
}

// only returns the only business that has the values of slots. Where there are more nobody can tell which is meant, and
// there is no answer.
func (y *Yelp) only(s Slots, names ...string) (int, error) {
	rows, err := y.find(s, names...)
	if err != nil {
		return 0, err
	}

	if len(rows) > 1 {
		return 0, errNoAnswer
	}

	return int(rows[0]), nil
}

func (y *Yelp) at(row int) place {
	lat, _ := y.latitude.Number(row)
	long, _ := y.longitude.Number(row)
	return place{lat, long}
}

// isIn reports whether a list of categories, separated by a comma and a space, has the category. Some categories of the
// site hold that separator themselves; their parts are categories to the published questions.
func isIn(category, list string) bool {
	if list == noObject {
		return false
	}

	for from := 0; ; {
		i := strings.Index(list[from:], category)
		if i < 0 {
			return false
		}

		begin, end := from+i, from+i+len(category)
		if (begin == 0 || strings.HasSuffix(list[:begin], ", ")) &&
			(end == len(list) || strings.HasPrefix(list[end:], ", ")) {
			return true
		}

		from = begin + 1
	}
}

// doing returns those of the rows that have a category.
func (y *Yelp) doing(rows []uint32, category string) []uint32 {
	return rowsThat(rows, func(row int) bool { return isIn(category, y.categories.Text(row)) })
}

// most returns the rows with the largest number in a column, in order.
func most(rows []uint32, column *corpus.Vector) []uint32 {
	return best(rows, column.Number)
}

// nameOf returns the name of the businesses; where they have more than one, or there are none, there is no answer.
func (y *Yelp) nameOf(rows []uint32) (string, error) {
	names := distinctCells(rows, y.name)
	if len(names) != 1 {
		return "", errNoAnswer
	}

	return names[0], nil
}

// meanOf returns the mean of a column over rows with two decimals, as Python prints it. The cells are whole numbers or
// halves, of which the sum is exact.
func meanOf(rows []uint32, column *corpus.Vector) (string, error) {
	sum, n := sumNumbers(rows, []*corpus.Vector{column}, first)
	if n == 0 {
		return "", errNoAnswer
	}

	return round2(sum / float64(n)), nil
}

// attribute returns the text that an object, as the tools print it, has under a name.
func attribute(object, name string) (string, bool) {
	v, rest, ok := parseLiteral(object)

	entries, isObject := v.(envs.Args)
	if !ok || !isObject || rest != "" {
		return "", false
	}

	return entries.Text(name)
}

// openingHours returns the hours of an object as the published answers write them, "Monday: 9:0-17:0,
// Tuesday: 9:0-17:0", and whether there are any.
func openingHours(object string) (string, bool) {
	v, rest, ok := parseLiteral(object)

	entries, isObject := v.(envs.Args)
	if !ok || !isObject || rest != "" || len(entries) == 0 {
		return "", false
	}

	days := make([]string, len(entries))
	for i, e := range entries {
		days[i] = e.Name + ": " + pytext.Str(e.Value)
	}

	return strings.Join(days, ", "), true
}

// drawYelp makes a drawer. It draws a business, and values that pick makes of it, until pick holds.
func drawYelp(pick func(r *rand.Rand, y *Yelp, row int) ([]string, bool, error)) drawer {
	return drawOn(func(r *rand.Rand, y *Yelp) ([]string, error) {
		if y.table.Rows() == 0 {
			return nil, fmt.Errorf("a corpus without businesses is too small")
		}

		for range patience {
			values, ok, err := pick(r, y, r.IntN(y.table.Rows()))
			if err != nil || ok && !slices.ContainsFunc(values, unfit) {
				return values, err
			}
		}

		return nil, fmt.Errorf("%d draws gave no question with one answer; the corpus is too small", patience)
	})
}
