package gate

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolevo/envs/display"
	"toolevo/finetune/tabulate"
)

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.Embedded(tablesYAML, nil, []string{"text", "markdown", "tasks"})

// The width of a terminal, and what it leaves for the text of a change besides the figures.
const (
	terminal      = 80
	widthOfChange = terminal - 26
)

// states lists the states of tasks in the order of reports, and their names.
var states = []struct {
	state State
	words string
}{
	{Lost, "lost"},
	{Failed, "failed"},
	{Won, "won"},
	{Same, "the same"},
	{Equal, "equal by construction"},
}

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder

	b.WriteString(display.Wrap("", r.title()+".", terminal))
	b.WriteString(display.Wrap("", r.counts()+".", terminal))

	// Foreign text is shortened here, not in changeRows: Markdown has room for all of it, and
	// escapes it in its own way.
	rows := r.changeRows()
	for _, row := range rows {
		row["tool"] = display.Line(row.Text("tool"), terminal)
		row["change"] = display.Line(row.Text("change"), widthOfChange)
	}

	if len(rows) > 0 {
		b.WriteByte('\n')
	}

	grids := tables().Grids("text", map[string][]tabulate.Row{"changes": rows})
	if err := tabulate.WriteText(&b, grids, terminal); err != nil {
		return err
	}

	// Only the tasks to look at are named: a won or an equal one needs no action.
	for _, s := range []State{Lost, Failed} {
		if names := r.named(s); names != "" {
			b.WriteString("\n" + display.Wrap(string(s)+": ", names, terminal))
		}
	}

	_, err := io.WriteString(w, b.String())
	return err
}

// title returns the verdict and its reason.
func (r *Report) title() string {
	return fmt.Sprintf("%s: %s → %s: %s", r.Verdict, r.Current, r.Next, r.Because)
}

// counts counts the tasks of each state, and names what a reader must know about them.
func (r *Report) counts() string {
	var parts []string

	for _, s := range states {
		if n := r.States[s.state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.words))
		}
	}

	text := fmt.Sprintf("%d tasks: %s", len(r.Tasks), strings.Join(parts, ", "))

	// A language model's verdict is weaker evidence than a matcher's, so it is said.
	judged := 0

	for i := range r.Tasks {
		if r.Tasks[i].Judge != "" {
			judged++
		}
	}

	if judged > 0 {
		text += fmt.Sprintf(". A language model judged %d of them, by rubrics", judged)
	}

	// Allowed changes are not in the table of changes; without this line nobody would see that the
	// gate let them pass.
	var allowed []string

	for _, c := range r.Changes {
		if c.Allowed && !slices.Contains(allowed, c.Tool) {
			allowed = append(allowed, c.Tool)
		}
	}

	if len(allowed) > 0 {
		text += ". Changed, used by no task, and allowed: " + firstFew(allowed)
	}
	return text
}

// named returns the IDs of the tasks of a state.
func (r *Report) named(s State) string {
	var names []string

	for _, t := range r.Tasks {
		if t.State == s {
			names = append(names, t.ID)
		}
	}

	return strings.Join(names, ", ")
}

// firstFew returns the first of some names, and how many more there are.
func firstFew(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// changeRows returns the rows of the table of changes.
func (r *Report) changeRows() []tabulate.Row {
	var rows []tabulate.Row

	for _, c := range r.Changes {
		if c.Allowed { // named above the table
			continue
		}

		rows = append(rows, tabulate.Row{
			"tool": c.title(), "change": c.Change.String(), "lost tasks": firstFew(c.Lost),
			"tasks": float64(c.Users), "lost": float64(len(c.Lost)), "won": float64(len(c.Won)),
		})
	}

	return rows
}

// title returns the tool and what is special about it.
func (c *Cost) title() string {
	switch {
	case c.Tool == "":
		return "no changed tool"
	case c.New:
		return c.Tool + " (new)"
	case c.Unused:
		return c.Tool + " (no task uses it)"
	}

	return c.Tool
}

// mostListed is how many tasks Markdown lists: comments on a pull request have a limit.
const mostListed = 200

// taskRows returns the rows of tasks that are not equal by construction, the costliest first, and
// how many are left out.
func (r *Report) taskRows() (rows []tabulate.Row, left int) {
	for _, s := range states[:len(states)-1] {
		for _, t := range r.Tasks {
			if t.State != s.state {
				continue
			}

			rows = append(rows, tabulate.Row{
				"task": t.ID, "state": s.words, "changed tools": strings.Join(t.Tools, ", "),
				"current": t.Current.String(), "next": t.Next.String(),
			})
		}
	}

	shown := min(len(rows), mostListed)
	return slices.Clip(rows[:shown]), len(rows) - shown
}
