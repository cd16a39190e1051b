package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// dblpLists are what papers are made of.
type dblpLists struct {
	Adjectives, Methods, Tasks, Domains, Openings, Endings, Same []string // of titles
	Series, Fields                                               []string // of venues
	Types                                                        []string // of documents
	Given, Family, Accented                                      []string // names of people
	Schools, Units                                               []string // of organizations
}

var readDBLPLists = wordsIn[dblpLists]("dblp.yaml")

// dblpWords draws texts.
type dblpWords struct {
	dice
	*dblpLists
	orgs   []string // of number 0: none
	venues []string // by topic, as many for each
}

func newDBLPWords(rng *rand.Rand, orgs int) *dblpWords {
	w := &dblpWords{dice: newDice(rng), dblpLists: readDBLPLists(), orgs: []string{""}}
	for len(w.orgs) <= orgs {
		w.orgs = append(w.orgs, w.newOrg())
	}

	for _, field := range w.Fields {
		for _, series := range w.Series {
			w.venues = append(w.venues, series+" "+field)
		}
	}

	return w
}

// name draws a person's name. A quarter of them are common enough to be those of several people.
func (w *dblpWords) name() string {
	switch x := w.rng.Float64(); {
	case x < 0.25:
		return w.pick(w.Given...) + " " + w.pick(w.Family...)
	case x < 0.4:
		return w.fake.FirstName() + " " + w.pick(w.Accented...)
	case x < 0.45:
		return w.fake.LastName() + ", " + w.fake.FirstName()[:1] + "."
	case x < 0.8:
		return fmt.Sprintf("%s %c. %s", w.fake.FirstName(), 'A'+rune(w.rng.IntN(26)), w.fake.LastName())
	default:
		return w.fake.FirstName() + " " + w.fake.LastName()
	}
}

func (w *dblpWords) newOrg() string {
	city, school := w.fake.City(), w.pick(w.Schools...)
	if strings.Contains(school, "%s") {
		school = fmt.Sprintf(school, city)
	} else {
		school += " " + city
	}

	switch x := w.rng.Float64(); {
	case x < 0.15:
		return w.fake.Company()
	case x < 0.4:
		return school
	default:
		return w.pick(w.Units...) + ", " + school + ", " + city + ", " + w.fake.Country()
	}
}

// orgNumber draws an organization; three of ten are none.
func (w *dblpWords) orgNumber() uint32 {
	if w.rng.Float64() < 0.3 {
		return 0
	}

	return 1 + uint32(float64(len(w.orgs)-1)*math.Pow(w.rng.Float64(), 2))
}

func (w *dblpWords) org() string { return w.orgs[w.orgNumber()] }

// title draws a title, of which one in fifty is that of another paper, too.
func (w *dblpWords) title(previous string) string {
	x := w.rng.Float64()
	if x < 0.004 {
		return w.pick(w.Same...)
	}

	if x < 0.014 && previous != "" {
		return previous
	}

	method := w.pick(w.Adjectives...) + " " + w.pick(w.Methods...)

	task := w.pick(w.Tasks...)
	if w.rng.IntN(2) == 0 {
		task += " in " + w.pick(w.Domains...)
	}
	var title string

	switch w.rng.IntN(5) {
	case 0:
		title = method + " for " + task
	case 1:
		title = w.pick(w.Openings...) + " " + method + " for " + task
	case 2:
		title = task + " Using " + method + " and " + w.pick(w.Methods...)
	case 3:
		title = w.acronym() + ": " + method + " for " + task
	default:
		title = w.pick(w.Adjectives...) + " " + task + " via " + method + w.pick(w.Endings...)
	}

	if w.rng.IntN(5) < 2 && !strings.HasSuffix(title, "?") {
		title += "."
	}

	return title
}

func (w *dblpWords) acronym() string {
	letters := make([]byte, 3+w.rng.IntN(4))
	for i := range letters {
		letters[i] = "ABCDEFGHILMNOPRSTUVX"[w.rng.IntN(20)]
	}

	return string(letters) + w.pick("", "", "-Net", "++", "2Vec", "é")
}

// venue draws a venue of a topic; one in twenty-five is missing.
func (w *dblpWords) venue(topic int) string {
	if w.rng.IntN(25) == 0 {
		return ""
	}

	if w.rng.IntN(4) == 0 {
		topic = w.rng.IntN(len(w.Fields))
	}

	series := int(float64(len(w.Series)) * math.Pow(w.rng.Float64(), 2))

	return w.venues[topic*len(w.Series)+series]
}

// keywords draws some keywords, none for three papers in ten. Some have blanks around them, and some papers have one
// twice.
func (w *dblpWords) keywords(topic int) []string {
	if w.rng.Float64() < 0.3 {
		return nil
	}

	keywords := make([]string, 1+w.rng.IntN(7))
	for i := range keywords {
		switch w.rng.IntN(4) {
		case 0:
			keywords[i] = w.Fields[topic]
		case 1:
			keywords[i] = w.pick(w.Methods...)
		case 2:
			keywords[i] = strings.ToLower(w.pick(w.Tasks...))
		default:
			keywords[i] = w.pick(w.Domains...)
		}

		if w.rng.IntN(30) == 0 {
			keywords[i] = " " + keywords[i]
		}
	}

	return keywords
}

// dblpPages draws the first and the last page: mostly numbers, often nothing, sometimes only one, article
// numbers, pages within an article, and now and then a range that ends before it begins.
func dblpPages(rng *rand.Rand) (start, end string) {
	first := 1 + int(rng.ExpFloat64()*900)

	last := first + rng.IntN(24)
	switch x := rng.Float64(); {
	case x < 0.55:
		return fmt.Sprint(first), fmt.Sprint(last)
	case x < 0.78:
		return "", ""
	case x < 0.83:
		return fmt.Sprint(first), ""
	case x < 0.86:
		return fmt.Sprint(last + 1), fmt.Sprint(first)
	case x < 0.90:
		return fmt.Sprintf("e%d", first), fmt.Sprintf("e%d", last)
	case x < 0.98:
		return fmt.Sprintf("%d:1", first), fmt.Sprintf("%d:%d", first, 1+last-first)
	default:
		return "i", "xii"
	}
}
