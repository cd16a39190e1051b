package viewer

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"strings"

	"toolevo/finetune/rundir"
	"toolevo/trajectories"
)

// errNowhere is the error of a place that does not exist. It is fs.ErrNotExist.
var errNowhere error = nowhere{"there is no page here"}

// nowhere says in words what does not exist.
type nowhere struct{ words string }

func (n nowhere) Error() string      { return n.words }
func (nowhere) Is(target error) bool { return target == fs.ErrNotExist }

// Step is called with what takes a while, and returns what to call when it is done.
type Step func(what string) (done func())

// Site is the pages of some runs.
type Site struct {
	runs    []*Run
	ledgers map[string]*ledger // by the runs' names
	step    Step
}

// New returns the pages of runs, whose names are unique. step may be nil.
func New(runs []*Run, step Step) *Site {
	if step == nil {
		step = func(string) func() { return func() {} }
	}

	s := &Site{runs, map[string]*ledger{}, step}
	for _, r := range runs {
		s.ledgers[r.Name] = &ledger{run: r, known: make([]facts, len(r.Questions))}
	}
	return s
}

// page is the data of a template.
type page struct {
	Title    string
	At       place
	Way      []crumb // to the page, starting at all runs
	Template string
	Grows    bool // more may still be added to what it shows
	Body     any
}

// Here returns the name of the page itself at the end of its way.
func (p *page) Here() string {
	if p.At.Run == "" || p.Template == "prompt" {
		return p.Title
	}
	return p.At.Label()
}

// newPage returns a page without a body.
func newPage(at place, template, title string) *page {
	p := &page{Title: title, At: at, Template: template}
	for above := at; above.Run != ""; {
		below := above
		above = above.parent()

		c := crumb{above.Label(), above.String(), ""}
		if above.Run != "" && below.Node < 0 {
			c.Row = below.String()
		}

		p.Way = append([]crumb{c}, p.Way...)
	}
	return p
}

// crumb is a page on the way to another one, and the row of that one in it, if it has rows.
type crumb struct{ Label, Address, Row string }

func (c crumb) String() string { return c.Address }

// page makes the page of a place.
func (s *Site) page(ctx context.Context, at place, f filter) (*page, error) {
	if at.Run == "" {
		return s.runsPage(ctx, rundir.Listing{Where: strings.Fields(f.Text), Sort: f.Sort})
	}

	r, err := s.run(at.Run)
	if err != nil {
		return nil, err
	}

	if at.Question == "" {
		return s.runPage(ctx, r, f)
	}

	// An address is a path that may end anywhere: each part it has narrows the page down.
	q, err := r.question(at.Question)
	if err != nil {
		return nil, errors.Join(err, errNowhere)
	}

	if at.Attempt < 0 {
		attempts, err := r.Source.Attempts(ctx, q)
		if err != nil {
			return nil, err
		}

		p, err := s.questionPage(ctx, r, q, attempts)
		if err == nil {
			// Asked here, not in questionPage: a file, which uses that, too, does not grow.
			_, p.Grows, err = r.State()
		}
		return p, err
	}

	a, err := s.attempt(ctx, at)
	if err != nil {
		return nil, err
	}
	return s.attemptPage(at, a, false), nil
}

// run returns the run of a name.
func (s *Site) run(name string) (*Run, error) {
	for _, r := range s.runs {
		if r.Name == name {
			return r, nil
		}
	}

	return nil, nowhere{fmt.Sprintf("no run %q is shown here", name)}
}

// placeOf returns the place of a run.
func placeOf(r *Run) place { return place{Run: r.Name, Attempt: -1, Node: -1} }

// toInt returns 1 for true.
func toInt(counts bool) int {
	if counts {
		return 1
	}
	return 0
}

// attemptLine is an attempt in the list of a question.
type attemptLine struct {
	At, Best    place // the attempt, and its most telling trajectory
	Policy, API string
	Mark        mark
	Answer      string
	Turns       int
	facts
}

// linesOf returns the attempts at a question in a run.
func linesOf(r *Run, q trajectories.Question, attempts []Attempt) (lines []attemptLine) {
	for i := range attempts {
		a := &attempts[i]

		at := placeOf(r)
		at.Question, at.Attempt = q.ID, i

		best := at
		best.Node = a.bestNode()
		n := &a.Tree.Nodes[best.Node]

		lines = append(lines, attemptLine{
			At:     at,
			Best:   best,
			Policy: a.Meta.Run.Policy,
			API:    a.API,
			Mark:   markOf(n),
			Answer: n.Answer,
			Turns:  n.Depth,
			facts:  factsOf(attempts[i : i+1]),
		})
	}

	return lines
}

// questionBody is a question with the attempts at it.
type questionBody struct {
	Question       trajectories.Question
	Lines          []attemptLine
	Elsewhere      []attemptLine // in other runs
	Beside         template.URL  // in a file: the page of trajectories side by side
	Previous, Next *place
}

// questionPage lists the attempts at a question, including those in other runs.
func (s *Site) questionPage(ctx context.Context, r *Run, q trajectories.Question,
	attempts []Attempt) (*page, error) {
	at := placeOf(r)
	at.Question = q.ID
	p := newPage(at, "question", q.ID)
	r.leadBack(p, q.ID)
	body := &questionBody{Question: q, Lines: linesOf(r, q, attempts)}

	for _, other := range s.runs {
		if other == r {
			continue
		}

		// The same ID may be another question in other data: only equal texts are compared.
		same, err := other.question(q.ID)
		if err != nil || same.Text != q.Text {
			continue
		}

		attempts, err := other.Source.Attempts(ctx, same)
		if err != nil {
			return nil, err
		}

		body.Elsewhere = append(body.Elsewhere, linesOf(other, same, attempts)...)
	}

	// Neighbours in the run, whatever the order of the list that led here: a page has one address.
	i, _ := r.number(q.ID)
	if i > 0 {
		body.Previous = &place{r.Name, r.Questions[i-1].ID, -1, -1}
	}

	if i+1 < len(r.Questions) {
		body.Next = &place{r.Name, r.Questions[i+1].ID, -1, -1}
	}

	p.Body = body
	return p, nil
}
