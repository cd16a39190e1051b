package mcts

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
)

// WriteText draws the tree for people, one line a node, at most width columns wide (0: no limit): visits, Q and prior in
// columns of their own, then the call and what became of it. Cached nodes, invisible to selection, have a dot for N.
//
//	N      Q     P  What was the opening price of coffee on 2001-12-06?
//	3  +0.33  0.61  ├ [deprecated] LoadDB {"DBName": "coffee"}
//	·         0.84  │ └ InitializeDatabase {"DatabaseName": "coffee"}
func (t *TreeRecord) WriteText(w io.Writer, question string, width int) error {
	children := make([][]int, len(t.Nodes))
	for _, n := range t.Nodes {
		if n.Parent != NoParent {
			children[n.Parent] = append(children[n.Parent], n.ID)
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, clip("   N      Q     P  "+question, width))
	var draw func(id int, indent string)
	draw = func(id int, indent string) {
		for i, child := range children[id] {
			branch, below := "├ ", "│ "
			if i == len(children[id])-1 {
				branch, below = "└ ", "  "
			}
			fmt.Fprintln(out, clip(t.figures(child)+indent+branch+t.Nodes[child].label(), width))
			draw(child, indent+below)
		}
	}
	draw(0, "")
	return out.Flush()
}

// figures are the columns before the drawing.
func (t *TreeRecord) figures(id int) string {
	n := &t.Nodes[id]
	if !t.Nodes[n.Parent].Expanded {
		return fmt.Sprintf("   ·         %.2f  ", n.Prior)
	}
	q := "     "
	if n.Visits > 0 {
		q = fmt.Sprintf("%+.2f", n.TotalValue/float64(n.Visits))
	}
	return fmt.Sprintf("%4d  %s  %.2f  ", n.Visits, q, n.Prior)
}

// label is the call as it was understood, or the text where no call could be read, and the outcome where it is not ok.
func (r *Record) label() string {
	label := strings.Join(strings.Fields(r.Key), " ")
	switch {
	case r.Outcome == envs.Correct && r.Accepted():
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

// clip cuts a line to width columns, marking the cut. Every character counts as one column.
func clip(line string, width int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	runes := []rune(line)
	return string(runes[:width-1]) + "…"
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
