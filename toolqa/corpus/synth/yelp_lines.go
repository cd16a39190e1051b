package synth

import (
	"strings"
)

// yelpWords are what businesses are made of.
type yelpWords struct {
	Lines   []yelpLine
	Chains  []yelpChain // the most frequent first
	Regions []yelpRegion
	Country map[string][]string // the beginnings of the postal codes of small towns in each state

	Prefixes, Roots, Suffixes []string // of small towns
	Streets                   []string

	Attributes            map[yelpKind][]string
	Quoted, Flags, Values map[string][]string // of attributes
}

var readYelpWords = wordsIn[yelpWords]("yelp.yaml")

// yelpKind is what a business is like: it decides on attributes and hours. A service is of none of these kinds.
type yelpKind string

const (
	yelpDining yelpKind = "dining"
	yelpShop   yelpKind = "shop"
	yelpCare   yelpKind = "care" // by appointment, often
	yelpVenue  yelpKind = "venue"
)

// yelpLine is a line of business.
type yelpLine struct {
	Weight     int
	Kind       yelpKind
	Parent     string   // a category that most businesses of the line have
	Categories []string // of which each has some
	Words      []string // ends of names
}

// yelpChain is a chain with its categories.
type yelpChain struct {
	Name       string
	Categories []string
}

// yelpBusiness is what a business is called and does.
type yelpBusiness struct {
	name   string
	line   *yelpLine
	listed []string // all categories; nil when they are still to be drawn
}

// chain makes a branch of a chain.
func (m *yelpMaker) chain() yelpBusiness {
	chain := m.Chains[m.share(m.chains)]

	b := yelpBusiness{name: chain.Name, listed: chain.Categories, line: &m.Lines[len(m.Lines)-1]}
	for i, line := range m.Lines {
		if line.Parent == b.listed[0] {
			b.line = &m.Lines[i]
		}
	}

	return b
}

// categories lists what a business does, in any order.
func (m *yelpMaker) categories(b yelpBusiness) string {
	listed := b.listed
	if listed == nil {
		listed = m.some(1+m.rng.IntN(4), b.line.Categories)
		if m.chance(0.9) {
			listed = append(listed, b.line.Parent)
		}

		if m.chance(0.15) {
			other := m.Lines[m.weighted(m.lines)]
			if other.Parent != b.line.Parent {
				listed = append(listed, other.Parent, m.pick(other.Categories...))
			}
		}
	}

	return strings.Join(m.some(len(listed), listed), ", ")
}

// independent makes a business with a name of its own, though others may have it, too.
func (m *yelpMaker) independent() yelpBusiness {
	line := &m.Lines[m.weighted(m.lines)]

	name := m.name(line)
	switch p := m.rng.Float64(); { // what separates the parts of a question or of a condition
	case p < 0.003:
		name += " in " + m.pick("the Park", "the Village", "Bloom", "Bombay", "the Alley", "Motion", "Town")
	case p < 0.004:
		name += " located in " + m.pick("the Galleria", "Walmart", "the Old Mill", "Market Square")
	case p < 0.010:
		name += m.pick(", Inc.", ", LLC", ", The", " - Uptown, Suite 2", ", Hair, Nails & More")
	case p < 0.011:
		name = m.pick("Eat = Love ", "Less < More ", "Fit > Fat ") + name
	case p < 0.014:
		name = m.pick("Café ", "Crème ", "El Niño ", "Phở ", "Nội ", "L'Été ") + name
	case p < 0.0145:
		name += m.pick(" 🍕", " ❤", " ☕")
	case p < 0.0150:
		name = `"` + name + `"`
	}

	return yelpBusiness{name: name, line: line}
}

// name makes a name for a business of a line.
func (m *yelpMaker) name(line *yelpLine) string {
	last, word := m.fake.LastName(), m.pick(line.Words...)
	if line.Kind == yelpCare && m.chance(0.18) {
		return m.fake.FirstName() + " " + last + m.pick(", MD", ", DDS", ", DMD", ", OD", ", LMT", "")
	}

	switch m.rng.IntN(9) {
	case 0:
		return last + "'s " + word
	case 1:
		return "The " + m.color() + " " + m.thing() + m.pick(" "+word, "")
	case 2:
		return last + " & " + m.pick("Sons", "Co.", m.fake.LastName()) + " " + word
	case 3:
		return m.pick(m.Streets...) + " " + m.pick("Street ", "Avenue ", "", "") + word
	case 4:
		return m.color() + " " + m.thing() + " " + word
	case 5:
		return m.fake.FirstName() + "'s " + m.thing() + " " + word
	case 6:
		return string(rune('A'+m.rng.IntN(26))) + " & " + string(rune('A'+m.rng.IntN(26))) + " " + last + " " + word
	case 7:
		return m.pick(m.Roots...) + m.pick("wood", "field", "view", "stone", "crest") + " " + m.thing() + " " +
			word
	default:
		return m.fake.FirstName() + " " + last + " " + word
	}
}

func (m *yelpMaker) color() string { return yelpCapitals(m.fake.Color()) }

// thing is an animal or a common thing, in capitals.
func (m *yelpMaker) thing() string {
	if m.chance(0.5) {
		return yelpCapitals(m.fake.Animal())
	}

	return yelpCapitals(m.fake.NounCommon())
}

// yelpCapitals writes the words of a name, which may be run together, each with a capital.
func yelpCapitals(s string) string {
	var b strings.Builder
	begin, low := true, false

	for _, r := range s {
		upper := r >= 'A' && r <= 'Z'
		switch {
		case begin && r >= 'a' && r <= 'z':
			r += 'A' - 'a'
		case upper && low:
			b.WriteByte(' ')
		}

		b.WriteRune(r)
		begin, low = r == ' ', r >= 'a' && r <= 'z'
	}

	return b.String()
}
