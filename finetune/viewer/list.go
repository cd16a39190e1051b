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
	At    *place // nil where there is no page of it
	Part  bool   // of the experiment above it
	Cells []runCell
}

// runCell is what a column has of a run.
type runCell struct{ Column, Text, Class string }

// runsBody is the list of runs.
type runsBody struct {
	Text    string // that runs were chosen by
	Sort    string // the column that they are sorted by; "" is the newest first
	Columns []listColumn
	Lines   []runLine
	All     int // runs, listed or not
}

// listColumn is the head of a column, and where the list is sorted by it.
type listColumn struct{ Name, Address, Class string }

// runsPage lists the runs by what they note of themselves: no tree is read.
func (s *Site) runsPage(ctx context.Context, l rundir.Listing) (*page, error) {
	p := newPage(place{Attempt: -1, Node: -1}, "runs", "Runs")

	all, err := s.listed(ctx)
	if err != nil {
		return nil, err
	}

	body := &runsBody{Text: strings.Join(l.Where, " "), Sort: l.Sort, All: len(all)}
	for _, c := range columnsByRank() {
		query := url.Values{"sort": {c.Name}}
		if body.Text != "" {
			query.Set("q", body.Text)
		}

		body.Columns = append(body.Columns, listColumn{c.Name, "/?" + query.Encode(), classOf(&c)})
	}

	shown, err := l.Of(all)
	if err != nil {
		return nil, errors.Join(err, errNowhere)
	}

	for i := range shown {
		r := &shown[i]
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

// lineOfRun is a run as the list has it.
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

// columnsByRank are those of the list, what matters most first: a narrow window shows the first
// ones.
func columnsByRank() []rundir.Column {
	all := rundir.Columns()
	slices.SortFunc(all, func(a, b rundir.Column) int { return a.Rank - b.Rank })
	return all
}

// classOf is how a column is set.
func classOf(c *rundir.Column) string {
	if c.Number() {
		return "n"
	}
	return ""
}
