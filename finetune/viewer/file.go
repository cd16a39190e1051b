package viewer

import (
	"context"
	"errors"
	"html/template"
	"io"

	"toolevo/finetune/rundir"
)

// mostSides is how many trajectories a file shows side by side.
const mostSides = 4

// filePage is a page as a section of a file.
type filePage struct {
	Page *page
	Name string // after # in the address
}

// WriteFile writes all pages as one HTML file that needs no server and no network.
func (s *Site) WriteFile(ctx context.Context, w io.Writer) error {
	r := newRenderer(true)
	beside := map[string]string{} // pages of trajectories side by side, by the place of a question

	var failed error

	pages := func(yield func(filePage) bool) {
		failed = s.eachPage(ctx, beside, func(p filePage) bool {
			p.Page.Grows = false
			return yield(p)
		})
	}

	t := template.Must(r.templates.Funcs(template.FuncMap{
		"pages":  func() func(func(filePage) bool) { return pages },
		"style":  func() template.CSS { return template.CSS(asset("style.css")) },
		"script": func() template.JS { return template.JS(asset("keys.js")) },
		"beside": func(p *page) template.URL { return template.URL(beside[p.At.String()]) },
	}).ParseFS(pageFiles, "pages/file.html"))

	return errors.Join(t.ExecuteTemplate(w, "file", nil), failed)
}

// eachPage yields all pages until one is not wanted.
func (s *Site) eachPage(ctx context.Context, beside map[string]string, yield func(filePage) bool) error {
	first, err := s.runsPage(ctx, rundir.Listing{})
	if err != nil || !yield(filePage{first, ""}) {
		return err
	}

	for _, r := range s.runs {
		p, err := s.runPage(ctx, r, filter{})
		if err != nil || !yield(filePage{p, p.At.String()}) {
			return err
		}

		for i := range r.Questions {
			if err := ctx.Err(); err != nil {
				return err
			}

			if ok, err := s.eachOfQuestion(ctx, r, i, beside, yield); err != nil || !ok {
				return err
			}
		}
	}

	return nil
}

// eachOfQuestion yields the pages of a question of a run, and reports whether more are wanted.
func (s *Site) eachOfQuestion(ctx context.Context, r *Run, i int, beside map[string]string,
	yield func(filePage) bool) (bool, error) {
	q := r.Questions[i]

	attempts, err := r.Source.Attempts(ctx, q)
	if err != nil {
		return false, err
	}

	p, err := s.questionPage(ctx, r, q, attempts)
	if err != nil {
		return false, err
	}

	compared, err := s.besides(ctx, p.Body.(*questionBody))
	if err != nil {
		return false, err
	}

	if compared != nil {
		name := "-/compare/" + p.At.String()
		beside[p.At.String()] = name

		if !yield(filePage{compared, name}) {
			return false, nil
		}
	}

	if !yield(filePage{p, p.At.String()}) {
		return false, nil
	}

	for j := range attempts {
		at := p.At
		at.Attempt = j

		if !yield(filePage{s.attemptPage(at, &attempts[j], true), at.String()}) {
			return false, nil
		}
	}

	return true, nil
}

// besides is the page of a question's trajectories side by side: the best of each policy and version in each run, at
// most mostSides. It is nil where there is only one.
func (s *Site) besides(ctx context.Context, b *questionBody) (*page, error) {
	type of struct {
		run string
		column
	}

	best := map[of]attemptLine{}

	var order []of

	for _, l := range append(b.Lines, b.Elsewhere...) {
		o := of{l.At.Run, column{l.Policy, l.API}}
		old, ok := best[o]

		if !ok {
			order = append(order, o)
		}

		if !ok || old.Mark != markAccepted && l.Mark == markAccepted {
			best[o] = l
		}
	}

	if len(order) < 2 {
		return nil, nil
	}

	var places []place
	for _, o := range order[:min(len(order), mostSides)] {
		places = append(places, best[o].Best)
	}

	return s.comparePage(ctx, places)
}
