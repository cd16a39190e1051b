package viewer

import (
	"context"
	"encoding/base64"
	"errors"
	"html"
	"html/template"
	"io"
	"runtime"
	"strings"

	"github.com/klauspost/compress/flate"

	"toolevo/envs/kept"
	"toolevo/finetune/rundir"
)

// The bounds of a file.
const (
	mostSides = 4 // trajectories side by side

	// mostPlain is up to how many attempts pages are plain. More are packed, and unpacked by a
	// script when they are looked at: as text they would be ten times as long.
	mostPlain = 500
	blockSize = 50 // questions that are packed together

	sortedPages = 2 // pages of a list in another order than the run's
)

// fileWriter writes the pages of a site as sections of one file.
type fileWriter struct {
	*Site
	*renderer
	packed bool
}

// WriteFile writes all pages as one HTML file that needs no server and no network.
func (s *Site) WriteFile(ctx context.Context, w io.Writer) error {
	f := &fileWriter{Site: s, renderer: newRenderer(true)}

	// Whether pages are packed must be known before the first is written.
	attempts := 0

	for _, r := range s.runs {
		counts, err := r.Source.Counts(ctx)
		if err != nil {
			return err
		}

		for _, n := range counts {
			attempts += n.Stored
		}
	}

	f.packed = attempts > mostPlain

	// The template pulls the sections one by one, so that they are never all in memory. It cannot
	// return their error.
	var failed error

	sections := func(yield func(template.HTML) bool) { failed = f.sections(ctx, yield) }

	t := template.Must(f.templates.Funcs(template.FuncMap{
		"sections": func() func(func(template.HTML) bool) { return sections },
		"packed":   func() bool { return f.packed },
		"style":    func() template.CSS { return template.CSS(asset("style.css")) },
		"script":   func() template.JS { return template.JS(asset("keys.js")) },
	}).ParseFS(pageFiles, "pages/file.html"))

	return errors.Join(t.ExecuteTemplate(w, "file", nil), failed)
}

// errEnough ends the pages when the template wants no more.
var errEnough = errors.New("no more pages are wanted")

// sections yields the sections of all pages. That of all runs comes last: it is shown if none
// before it is.
func (f *fileWriter) sections(ctx context.Context, yield func(template.HTML) bool) error {
	// A template that stops early must end the work as well: a large run takes minutes.
	put := func(text string) error {
		if !yield(template.HTML(text)) {
			return errEnough
		}
		return nil
	}

	for _, r := range f.runs {
		done := f.step("writing " + r.Name)

		// Questions go first: the lists need the facts that are read for them.
		err := f.questions(ctx, r, put)
		if err == nil {
			err = f.lists(ctx, r, put)
		}

		if done(); err != nil {
			return err
		}
	}

	first, err := f.runsPage(ctx, rundir.Listing{})
	if err != nil {
		return err
	}

	var b strings.Builder
	if err := f.section(&b, first, ""); err != nil {
		return err
	}
	return put(b.String())
}

// section writes a page under a name, which is its address after "#".
func (f *fileWriter) section(w io.Writer, p *page, name string) error {
	p.Grows = false
	return f.templates.ExecuteTemplate(w, "section", struct {
		Page *page
		Name string
	}{p, name})
}

// lists puts the pages of a run's list: all in its own order, and the first in every other.
func (f *fileWriter) lists(ctx context.Context, r *Run, put func(string) error) error {
	// Read once for all pages, which then agree even if the run grows meanwhile.
	now, err := f.read(ctx, r)
	if err != nil {
		return err
	}
	return f.ordered(ctx, r, now, filter{}, put)
}

// ordered puts the pages of a list in one order: all in the run's own, the first in another.
func (f *fileWriter) ordered(ctx context.Context, r *Run, now *reading, by filter,
	put func(string) error) error {
	for l := (&listing{placeOf(r), by}); l != nil; {
		p, err := f.listPage(ctx, r, l.filter, now)
		if err != nil {
			return err
		}

		body := p.Body.(*runBody)
		if by.Sort != "" {
			body.Pages, body.Last = min(body.Pages, sortedPages), nil
			if body.Filter.Page == sortedPages {
				body.Next = nil
			}
		}

		if err := f.list(p, *l, put); err != nil {
			return err
		}

		// A file cannot sort, so each order that a heading links to is written out, once.
		if by.Sort == "" && l.Page <= 1 {
			for _, h := range body.Headings[1:] {
				for _, key := range []string{h.key, "-" + h.key} {
					if err := f.ordered(ctx, r, now, filter{Sort: key}, put); err != nil {
						return err
					}
				}
			}
		}

		l = body.Next
	}
	return nil
}

func (f *fileWriter) list(p *page, l listing, put func(string) error) error {
	var b strings.Builder
	if err := f.section(&b, p, l.String()); err != nil {
		return err
	}
	return put(b.String())
}

// questions puts the pages of a run's questions, in blocks that all processors make in parallel.
func (f *fileWriter) questions(ctx context.Context, r *Run, put func(string) error) error {
	// Some blocks at a time, because a run need not fit into memory.
	workers := runtime.GOMAXPROCS(0)
	atOnce := blockSize * 2 * workers

	for start := 0; start < len(r.Questions); start += atOnce {
		end := min(len(r.Questions), start+atOnce)
		blocks := make([]string, (end-start+blockSize-1)/blockSize)

		write := func(ctx context.Context, i int) (err error) {
			from := start + i*blockSize
			blocks[i], err = f.block(ctx, r, from, min(from+blockSize, end))
			return err
		}

		if err := kept.Each(ctx, len(blocks), workers, nil, write); err != nil {
			return err
		}

		for _, text := range blocks {
			if err := put(text); err != nil {
				return err
			}
		}
	}

	return nil
}

// block returns the sections of some questions of a run, packed if the file is.
func (f *fileWriter) block(ctx context.Context, r *Run, from, to int) (string, error) {
	var (
		b     strings.Builder
		names []string
	)

	for _, q := range r.Questions[from:to] {
		names = append(names, place{r.Name, q.ID, -1, -1}.String())

		if err := f.question(ctx, r, q.ID, &b); err != nil {
			return "", err
		}
	}

	if !f.packed {
		return b.String(), nil
	}

	// The names stay outside what is packed: the script finds by them which block to unpack.
	var packed strings.Builder

	packed.WriteString(`<script type="text/plain" data-holds="` +
		html.EscapeString(strings.Join(names, " ")) + `">`)

	// A browser reads no bytes from a page, only letters.
	letters := base64.NewEncoder(base64.StdEncoding, &packed)

	z, err := flate.NewWriter(letters, flate.DefaultCompression)
	if err != nil {
		return "", err
	}

	_, err = io.WriteString(z, b.String())
	err = errors.Join(err, z.Close(), letters.Close())

	packed.WriteString("</script>\n")
	return packed.String(), err
}

// question writes the sections of a question.
func (f *fileWriter) question(ctx context.Context, r *Run, id string, b *strings.Builder) error {
	q, err := r.question(id)
	if err != nil {
		return err
	}

	attempts, err := r.Source.Attempts(ctx, q)
	if err != nil {
		return err
	}

	// Noted for the lists, which would otherwise read every tree a second time.
	f.ledgers[r.Name].note(id, attempts)

	p, err := f.questionPage(ctx, r, q, attempts)
	if err != nil {
		return err
	}

	body := p.Body.(*questionBody)

	compared, err := f.comparison(ctx, body)
	if err != nil {
		return err
	}

	// The question's page links to the comparison, so its address is set before that page is
	// written.
	if compared != nil {
		name := "-/compare/" + p.At.String()
		body.Beside = template.URL(name) // whose parts are escaped

		if err := f.section(b, compared, name); err != nil {
			return err
		}
	}

	if err := f.section(b, p, p.At.String()); err != nil {
		return err
	}

	for j := range attempts {
		at := p.At
		at.Attempt = j

		if err := f.section(b, f.attemptPage(at, &attempts[j], true), at.String()); err != nil {
			return err
		}
	}
	return nil
}

// comparison returns the page of a question's trajectories side by side: the best of each policy
// and version in each run, at most mostSides. It is nil if there is only one.
func (s *Site) comparison(ctx context.Context, b *questionBody) (*page, error) {
	type group struct {
		run string
		column
	}

	best := map[group]attemptLine{}

	var order []group

	for _, l := range append(b.Lines, b.Elsewhere...) {
		o := group{l.At.Run, column{l.Policy, l.API}}
		old, ok := best[o]

		if !ok {
			order = append(order, o)
		}

		// The first stands for its group unless a later one is accepted: readers compare the others
		// with that.
		if !ok || old.Mark != markAccepted && l.Mark == markAccepted {
			best[o] = l
		}
	}

	// Trajectories of one group are not compared: they differ only by chance.
	if len(order) < 2 {
		return nil, nil
	}

	var places []place
	for _, o := range order[:min(len(order), mostSides)] {
		places = append(places, best[o].Best)
	}
	return s.comparePage(ctx, places)
}
