package failure

import (
	"fmt"
	"io"
	"strings"

	"toolevo/envs/toolapi"
	"toolevo/finetune/table"
	"toolevo/trajectories"
)

// Row says how the episodes of a policy under an API version failed: a line of Table 7.
type Row struct {
	Policy string `json:"policy"` // e.g. "scripted:reader"
	API    string `json:"api"`    // the deployed API version, or a family of versions
	N      int    `json:"n"`      // questions measured
	Lost   int    `json:"lost"`   // questions lost to infrastructure failures, in no other figure
	Failed int    `json:"failed"` // questions that were measured and not answered right

	Classes  []Count        `json:"classes"`  // of those that failed, in the order of Table 7
	Refusals []RefusalCount `json:"refusals"` // refused calls, in all that were measured
}

// Count is how many episodes have a class.
type Count struct {
	Class    Class   `json:"class"`    // why they failed
	Heading  Heading `json:"heading"`  // what Table 7 has the class under
	Episodes int     `json:"episodes"` // that did
	Share    float64 `json:"share"`    // of those that failed, 0..1
}

// Tally counts failures by class. The zero value has none.
type Tally struct {
	rows  []*counted
	cells map[[2]string]*counted
}

// counted is a row while it is counted.
type counted struct {
	Row
	refused RefusalTally
}

// Add counts an episode, failed or not, under the API that reports call what it met, which is the deployed version; nil
// is one of which nothing is known. It returns what Classify does.
func (t *Tally) Add(e *trajectories.Episode, api string, deployed *toolapi.Version) (v Verdict, failed bool) {
	row := t.row(e.Policy, api)

	v, failed = Classify(e, namesOf(deployed))
	if v.Class == Infrastructure {
		row.Lost++
		return v, failed
	}

	row.N++
	row.refused.Add(e.Turns, deployed)

	if failed {
		row.Failed++

		for i := range row.Classes {
			if row.Classes[i].Class == v.Class {
				row.Classes[i].Episodes++
			}
		}
	}

	return v, failed
}

// namesOf returns the names that a version exposes.
func namesOf(deployed *toolapi.Version) []string {
	if deployed == nil {
		return nil
	}

	names := make([]string, len(deployed.APIs))
	for i, api := range deployed.APIs {
		names[i] = api.Name
	}

	return names
}

func (t *Tally) row(policy, api string) *counted {
	if t.cells == nil {
		t.cells = map[[2]string]*counted{}
	}

	cell := [2]string{policy, api}
	if t.cells[cell] == nil {
		row := &counted{Row: Row{Policy: policy, API: api}}

		for _, c := range Classes() {
			if c != Infrastructure {
				row.Classes = append(row.Classes, Count{Class: c, Heading: c.Heading()})
			}
		}

		t.cells[cell] = row
		t.rows = append(t.rows, row)
	}

	return t.cells[cell]
}

// Rows returns the counts so far, in the order in which policies and APIs came first.
func (t *Tally) Rows() []Row {
	rows := make([]Row, len(t.rows))

	for i, r := range t.rows {
		rows[i] = r.Row
		rows[i].Refusals = r.refused.Counts()
		rows[i].Classes = append([]Count{}, r.Classes...)

		for j := range rows[i].Classes {
			c := &rows[i].Classes[j]
			c.Share = float64(c.Episodes) / float64(max(r.Failed, 1))
		}
	}

	return rows
}

// Write writes rows for a terminal, some lines for each: the classes that occur, under Table 7's headings. With names
// of up to 40 columns it fits 80.
func Write(w io.Writer, rows []Row) error { return table.WriteSections(w, rows, (*Row).write) }

func (r *Row) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s under %s: %d of %d failed, %d lost\n", r.Policy, r.API, r.Failed, r.N, r.Lost)

	heading := NoHeading

	for _, c := range r.Classes {
		if c.Episodes == 0 {
			continue
		}

		if c.Heading != heading && c.Heading != NoHeading {
			r.line(b, "  "+string(c.Heading), r.under(c.Heading))
		}

		indent := "    "
		if heading = c.Heading; heading == NoHeading {
			indent = "  "
		}

		r.line(b, indent+string(c.Class), c.Episodes)
	}

	head := "  refused calls, by what was not taken\n"

	for _, c := range r.Refusals {
		if c.Calls > 0 {
			fmt.Fprintf(b, "%s    %-30s %6d %6.1f %%\n", head, c.Refusal, c.Calls, 100*c.Share)
			head = ""
		}
	}
}

func (r *Row) line(b *strings.Builder, name string, n int) {
	fmt.Fprintf(b, "%-34s %6d %6.1f %%\n", name, n, 100*float64(n)/float64(r.Failed))
}

// under counts the episodes whose classes a heading has below it.
func (r *Row) under(h Heading) (n int) {
	for _, c := range r.Classes {
		if c.Heading == h {
			n += c.Episodes
		}
	}

	return n
}
