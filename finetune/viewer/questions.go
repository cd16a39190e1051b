package viewer

import (
	"cmp"
	"context"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/kept"
)

// pageSize is how many questions a page lists.
const pageSize = 100

// filter says which questions of a run are listed, in which order, and which page of them.
type filter struct {
	Show  string // a name of shows, or of an outcome; "" is all
	Text  string // is in the question, its ID or, with Turns, in an action or observation
	Turns bool
	Sort  string // the key of a heading, "-" before it ascends; "" is the run's order
	Page  int    // from 1; 0 is also the first
}

// listing is a page of the list of a run.
type listing struct {
	at place
	filter
}

// String returns the address of the page, like that of a place.
func (l listing) String() string {
	query := url.Values{}

	for key, value := range map[string]string{"show": l.Show, "q": l.Text, "sort": l.Sort} {
		if value != "" {
			query.Set(key, value)
		}
	}

	if l.Turns {
		query.Set("turns", "1")
	}

	if l.Page > 1 {
		query.Set("page", strconv.Itoa(l.Page))
	}

	if len(query) == 0 {
		return l.at.String()
	}
	return l.at.String() + "?" + query.Encode()
}

// heading is a column of the list, and the address of the list sorted by it.
type heading struct {
	Name, Second string // lines
	Number       bool   // right-aligned
	Sorted       string // "ascending" or "descending", as in aria-sort; "" if it is not
	Link         listing
	key          string
	value        func(facts) int // what lists are sorted by
}

// headings returns the columns of a run, for a page of its list.
func headings(l listing, columns []column) []heading {
	all := []heading{{Name: "question"}}

	for i, c := range columns {
		all = append(all, heading{
			Name: c.Policy, Second: c.API, key: "column" + strconv.Itoa(i),
			value: func(f facts) int { return slices.Index(marks, f.columns[c]) },
		})
	}

	// A collection tries questions many times, so that counts say more than one mark.
	if len(columns) == 0 {
		for _, n := range numbers {
			all = append(all, heading{Name: n.name, Number: true, key: n.name, value: n.value})
		}
	}

	for i := range all {
		h := &all[i]

		// Another order begins at its first page. Following a heading twice turns the order round.
		h.Link = listing{l.at, l.filter}
		h.Link.Sort, h.Link.Page = h.key, 0

		switch {
		case h.key == "":
		case l.Sort == h.key:
			h.Sorted, h.Link.Sort = "descending", "-"+h.key
		case l.Sort == "-"+h.key:
			h.Sorted = "ascending"
		}
	}

	return all
}

// numbers are the columns of a collection.
var numbers = []struct {
	name  string
	value func(facts) int
}{
	{"trees", func(f facts) int { return f.Attempts }},
	{"unresolved", func(f facts) int { return f.Open }},
	{"nodes", func(f facts) int { return f.Nodes }},
	{"calls", func(f facts) int { return f.Calls }},
	{"notices", func(f facts) int { return f.Notices }},
	{"recovered", func(f facts) int { return toInt(f.Recovered) }},
	{"correct", func(f facts) int { return f.Correct }},
	{"accepted", func(f facts) int { return f.Accepted }},
}

// questionLine is a question in the list of a run.
type questionLine struct {
	At      place
	Text    string
	Marks   []mark // one for each column of an evaluation
	Numbers []int  // or for each of a collection
	Found   *found // where the text of the filter is in a turn
	facts
}

// runBody is the list of a run's questions.
type runBody struct {
	Dir, Kind, State string
	Panel            *panel
	Filter           filter
	Choices          []string
	Headings         []heading
	Totals           []string // of an evaluation's columns: accepted or official, of all
	Lines            []questionLine
	Listed           int // questions that the filter takes, on all pages
	All              int // questions, listed or not
	Pages            int
	First, Last      *listing // pages, nil where this is it
	Previous, Next   *listing
}

// reading is the state of a run when it was read.
type reading struct {
	all         []facts
	kind, state string
	grows       bool
	panel       *panel
}

// read reads the state of a run.
func (s *Site) read(ctx context.Context, r *Run) (*reading, error) {
	// The state comes first: what is read of a run that has ended is then all of it.
	state, grows, err := r.State()
	if err != nil {
		return nil, err
	}

	all, err := s.ledgers[r.Name].facts(ctx, s.step)
	if err != nil {
		return nil, err
	}

	kind, err := r.kind()
	if err != nil {
		return nil, err
	}

	sums, err := panelOf(r, kind, grows, all)
	return &reading{all, kind, state, grows, sums}, err
}

// runPage lists the questions of a run that a filter takes: one page of them.
func (s *Site) runPage(ctx context.Context, r *Run, f filter) (*page, error) {
	now, err := s.read(ctx, r)
	if err != nil {
		return nil, err
	}
	return s.listPage(ctx, r, f, now)
}

// listPage returns the page of runPage from what was read already.
func (s *Site) listPage(ctx context.Context, r *Run, f filter, now *reading) (*page, error) {
	p, all, kind := newPage(placeOf(r), "run", r.Name), now.all, now.kind

	// A search in turns does not follow the run: it would read all turns every two seconds.
	p.Grows = now.grows && !f.Turns
	body := &runBody{
		Dir: r.Dir, Kind: kind, State: now.state, Panel: now.panel,
		Filter: f, Choices: choices(), All: len(all),
	}

	var columns []column
	if kind == "eval" {
		columns = sortedColumns(all)
		body.Totals = totals(columns, all)
	}

	body.Headings = headings(listing{p.At, f}, columns)

	lines, err := s.listedQuestions(ctx, r, f, all)
	if err != nil {
		return nil, err
	}

	// Sorted as a whole, then cut into pages; only the lines of one page get their cells.
	sortLines(lines, body.Headings, f.Sort)
	body.turnTo(listing{p.At, f}, lines)

	for i := range body.Lines {
		l := &body.Lines[i]
		for _, c := range columns {
			l.Marks = append(l.Marks, l.facts.columns[c])
		}

		if len(columns) == 0 {
			for _, n := range numbers {
				l.Numbers = append(l.Numbers, n.value(l.facts))
			}
		}
	}

	p.Body = body
	return p, nil
}

// listedQuestions returns the questions that a filter takes, in the order of the run.
func (s *Site) listedQuestions(ctx context.Context, r *Run, f filter, all []facts) ([]questionLine, error) {
	lines := make([]*questionLine, len(all))
	take := func(ctx context.Context, i int) error {
		if !f.matches(all[i]) {
			return nil
		}
		q := r.Questions[i]

		where, ok, err := f.finds(ctx, r, q)
		if err == nil && ok {
			at := place{r.Name, q.ID, -1, -1}
			lines[i] = &questionLine{At: at, Text: q.Text, Found: where, facts: all[i]}
		}
		return err
	}

	// Only turns have to be read: what else a filter looks at is in memory.
	err := ctx.Err()
	if f.Turns && f.Text != "" {
		defer s.step("searching the turns of " + r.Name)()
		err = kept.Each(ctx, len(all), runtime.GOMAXPROCS(0), nil, take)
	} else {
		for i := 0; i < len(all) && err == nil; i++ {
			err = take(ctx, i)
		}
	}

	var taken []questionLine
	for _, l := range lines {
		if l != nil {
			taken = append(taken, *l)
		}
	}
	return taken, err
}

// sortLines sorts by a column, and what is equal in it by the run's order.
func sortLines(lines []questionLine, headings []heading, by string) {
	key, least := strings.CutPrefix(by, "-")

	for _, h := range headings {
		if h.value == nil || h.key != key {
			continue
		}

		slices.SortStableFunc(lines, func(a, b questionLine) int {
			order := cmp.Compare(h.value(b.facts), h.value(a.facts))
			if least {
				return -order
			}
			return order
		})
	}
}

// turnTo takes a page of lines, and finds the adjacent pages.
func (b *runBody) turnTo(l listing, lines []questionLine) {
	b.Listed, b.Pages = len(lines), max(1, (len(lines)+pageSize-1)/pageSize)
	l.Page = min(max(l.Page, 1), b.Pages)
	b.Filter.Page = l.Page
	b.Lines = lines[(l.Page-1)*pageSize : min(l.Page*pageSize, len(lines))]

	page := func(n int) *listing { return &listing{l.at, filter{l.Show, l.Text, l.Turns, l.Sort, n}} }
	if l.Page > 1 {
		b.First, b.Previous = page(1), page(l.Page-1)
	}

	if l.Page < b.Pages {
		b.Next, b.Last = page(l.Page+1), page(b.Pages)
	}
}

// totals returns how many answers the official matcher takes in each column.
func totals(columns []column, all []facts) (texts []string) {
	for _, c := range columns {
		right, n := 0, 0

		for _, f := range all {
			if m, ok := f.columns[c]; ok {
				n++
				right += toInt(m == markAccepted || m == markOfficial)
			}
		}

		texts = append(texts, strconv.Itoa(right)+" of "+strconv.Itoa(n))
	}
	return texts
}

// leadBack makes the path to a question's page lead through the page of the run's list that has the
// question.
func (r *Run) leadBack(p *page, question string) {
	i, _ := r.number(question)
	p.Way[1].Address = listing{placeOf(r), filter{Page: i/pageSize + 1}}.String()
}
