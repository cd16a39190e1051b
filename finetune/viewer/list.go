package viewer

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs/display"
	"toolevo/finetune/rundir"
)

// runLine is a run in the list of all, or the folder of several.
type runLine struct {
	At    *place // nil if it has no page
	Part  bool   // of the experiment above it
	Cells []runCell
}

// runCell is the cell of a run in a column.
type runCell struct{ Column, Text, Class string }

// runsBody is the list of runs.
type runsBody struct {
	Text    string // the filter
	Sort    string // the column that they are sorted by; "" is the newest first
	Columns []listColumn
	Lines   []runLine
	All     int // runs, listed or not
}

// listColumn is the head of a column, and the address of the list sorted by it.
type listColumn struct{ Name, Address, Class string }

// runsPage lists the runs by what they note about themselves: no tree is read.
func (s *Site) runsPage(ctx context.Context, l rundir.Listing) (*page, error) {
	p := newPage(place{Attempt: -1, Node: -1}, "runs", "Runs")

	all, err := s.listed(ctx)
	if err != nil {
		return nil, err
	}

	body := &runsBody{Text: strings.Join(l.Where, " "), Sort: l.Sort, All: len(all)}
	for _, c := range columnsByRank() {
		// Sorting keeps the filter, without scripts: both are in the address of each heading.
		query := url.Values{"sort": {c.Name}}
		if body.Text != "" {
			query.Set("q", body.Text)
		}

		body.Columns = append(body.Columns, listColumn{c.Name, "/?" + query.Encode(), classOf(&c)})
	}

	shown, err := l.Of(all)
	if err != nil {
		return nil, errors.Join(err, errNowhere) // the address names an unknown column
	}

	for i := range shown {
		r := &shown[i]

		// Only running runs that are listed make the page ask for news.
		p.Grows = p.Grows || r.State == rundir.Running
		body.Lines = append(body.Lines, lineOfRun(r))
	}

	p.Body = body
	return p, nil
}

// listed reads the runs, under the names that their pages have.
func (s *Site) listed(ctx context.Context) ([]rundir.Run, error) {
	dirs, names := make([]string, len(s.runs)), map[string]string{}
	for i, r := range s.runs {
		dirs[i], names[r.Dir] = r.Dir, r.Name
	}

	all, err := rundir.ReadAll(ctx, dirs)
	for i := range all {
		all[i].Name = cmp.Or(names[all[i].Dir], filepath.Base(all[i].Dir))
	}
	return all, err
}

// lineOfRun returns the line of a run in the list.
func lineOfRun(r *rundir.Run) runLine {
	l := runLine{Part: r.Parent != ""}
	if !r.IsExperiment() {
		l.At = &place{Run: r.Name, Attempt: -1, Node: -1}
	}

	for _, c := range columnsByRank() {
		cell := runCell{c.Name, display.Line(c.Text(r), 0), classOf(&c)}
		if c.Name == "state" && r.State == rundir.Running {
			cell.Class = "growing"
		}

		l.Cells = append(l.Cells, cell)
	}
	return l
}

// columnsByRank returns the columns of the list, the most important first: a narrow window shows
// only the first ones.
func columnsByRank() []rundir.Column {
	all := rundir.Columns()
	slices.SortFunc(all, func(a, b rundir.Column) int { return a.Rank - b.Rank })
	return all
}

// classOf returns the CSS class of a column.
func classOf(c *rundir.Column) string {
	if c.Number() {
		return "n"
	}
	return ""
}
