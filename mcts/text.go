package mcts

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
)

// TextOptions say how a tree is drawn.
type TextOptions struct {
	Width  int  // columns; longer lines are cut; 0 means no cut
	Cached bool // draw the nodes that selection does not see, too
	Full   bool // draw all nodes, cut nothing, and show below each what the model wrote and saw
}

// WriteText draws the tree for people, one line a node: its ID, visits, Q and prior in columns of
// their own, then the call and what became of it. Nodes that a rollout cached are counted, or drawn
// with a dot for N.
//
//	ID    N      Q     P  What was the opening price of coffee on 2001-12-06?
//	 1    3  +0.33  0.61  ├ [deprecated] LoadDB {"DBName": "coffee"}
//	 4    2  +1.00  0.84  │ └ InitializeDatabase {"DatabaseName": "coffee"}  (+7 cached, 2 accepted)
func (t *TreeRecord) WriteText(w io.Writer, question string, o TextOptions) error {
	if o.Full {
		o.Width, o.Cached = 0, true
	}

	d := drawing{tree: t, options: o, out: bufio.NewWriter(w), children: t.children()}
	d.line("  ID    N      Q     P  " + display.Line(question, 0) + d.hidden(0))

	for id, branch := range t.Drawn(o.Cached) {
		d.line(t.figures(id) + branch.Lead + branch.Twig + t.Nodes[id].Label() + d.hidden(id))

		if o.Full {
			d.texts(id, branch.below())
		}
	}
	return d.out.Flush()
}

// Branch is what is drawn before a node's label, from box-drawing characters.
type Branch struct {
	Lead string // the branches that pass it, two characters for each depth below the first
	Twig string // what leads to it: "├ ", or "└ " to the last of its siblings
}

// below is the lead of what is below the node.
func (b Branch) below() string {
	if b.Twig == "└ " {
		return b.Lead + "  "
	}
	return b.Lead + "│ "
}

// Drawn yields the nodes below the root as a tree is drawn, each before those below it, and what is
// drawn before them: all nodes, or those that selection sees.
func (t *TreeRecord) Drawn(cached bool) iter.Seq2[int, Branch] {
	children := t.children()
	return func(yield func(int, Branch) bool) {
		var below func(id int, lead string) bool

		below = func(id int, lead string) bool {
			if !cached && !t.Nodes[id].Expanded {
				return true
			}

			for i, child := range children[id] {
				b := Branch{lead, "├ "}
				if i == len(children[id])-1 {
					b.Twig = "└ "
				}

				if !yield(child, b) || !below(child, b.below()) {
					return false
				}
			}
			return true
		}

		below(0, "")
	}
}

// children are the IDs of each node's children, in their order.
func (t *TreeRecord) children() [][]int {
	children := make([][]int, len(t.Nodes))
	for _, n := range t.Nodes {
		if n.Parent != NoParent {
			children[n.Parent] = append(children[n.Parent], n.ID)
		}
	}

	return children
}

// drawing is a tree while it is drawn.
type drawing struct {
	tree     *TreeRecord
	options  TextOptions
	children [][]int
	out      *bufio.Writer
}

func (d *drawing) line(text string) { fmt.Fprintln(d.out, display.Cut(text, d.options.Width)) }

// texts writes what the model wrote and saw at a node, below its line.
func (d *drawing) texts(id int, indent string) {
	n := &d.tree.Nodes[id]
	for line := range strings.Lines(strings.TrimSpace(n.Action) + "\nObservation: " +
		strings.TrimSpace(n.Observation)) {
		d.line(strings.Repeat(" ", figureColumns) + indent + "  " + display.Line(strings.TrimSuffix(line, "\n"), 0))
	}
}

// hidden counts the cached nodes below a node that are not drawn.
func (d *drawing) hidden(id int) string {
	if d.tree.Nodes[id].Expanded || d.options.Cached {
		return ""
	}

	nodes, accepted := d.count(id)
	switch {
	case nodes == 0:
		return ""
	case accepted == 0:
		return fmt.Sprintf("  (+%d cached)", nodes)
	}

	return fmt.Sprintf("  (+%d cached, %d accepted)", nodes, accepted)
}

func (d *drawing) count(id int) (nodes, accepted int) {
	for _, child := range d.children[id] {
		n, a := d.count(child)

		nodes, accepted = nodes+n+1, accepted+a
		if d.tree.Nodes[child].Accepted() {
			accepted++
		}
	}

	return nodes, accepted
}

// figureColumns is how wide the figures of a node are.
const figureColumns = 24

// figures are the columns before the drawing.
func (t *TreeRecord) figures(id int) string {
	n := &t.Nodes[id]
	if t.IsCached(id) {
		return fmt.Sprintf("%4d    ·         %.2f  ", id, n.Prior)
	}

	q := "     "
	if n.Visits > 0 {
		q = fmt.Sprintf("%+.2f", n.Q())
	}
	return fmt.Sprintf("%4d %4d  %s  %.2f  ", id, n.Visits, q, n.Prior)
}

// Label returns the call as it was understood, or the text where no call could be read, in one
// line, with the outcome where it is not ok and the limit that stopped it.
func (r *Record) Label() string {
	label := display.Line(r.Key, 0)
	switch {
	case r.Accepted():
		label = "✓ " + label
	case r.Outcome == envs.Correct:
		label = "(✓) " + label
	case r.Outcome == envs.Incorrect:
		label = "✗ " + label
	case r.Outcome != envs.OK:
		label = "[" + r.Outcome.String() + "] " + label
	}

	if r.Limit != LimitNone {
		label += "  stopped: " + string(r.Limit)
	}
	return label
}

// WriteTrajectory writes the turns from the root to a node as they happened.
func (t *TreeRecord) WriteTrajectory(w io.Writer, question string, id int) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Question: %s\n", question)

	for _, i := range t.Path(id)[1:] {
		n := &t.Nodes[i]
		fmt.Fprintf(out, "\n%s\n\nObservation: %s\n", strings.TrimSpace(n.Action), strings.TrimSpace(n.Observation))
	}
	return out.Flush()
}
