package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/sandbox/attack"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
)

// writeHead writes which engine was chosen, its walls and its limits.
func (r *sandboxReport) writeHead(w io.Writer) {
	io.WriteString(w, folded("engine   ", r.Engine.String()))

	// Whoever named an engine knows why it is this one.
	if r.Asked == engines.Auto {
		io.WriteString(w, folded("         ", "auto chose it: the first that works of bwrap and forkserver"))
	}

	modules := "the standard library alone"
	if len(r.Engine.Modules) > 0 {
		modules = "the standard library, " + strings.Join(r.Engine.Modules, ", ")
	}

	io.WriteString(w, folded("imports  ", modules))

	// An entry of Walls says why this machine lacks that wall.
	label := "walls    "

	for _, name := range confine.Walls() {
		present := "this machine has it"
		if name == confine.Landlock {
			present += landlockWords(r.Landlock)
		}

		io.WriteString(w, folded(label, string(name)+": "+cmp.Or(r.Walls[string(name)], present)))
		label = "         "
	}

	// Whoever has to change engines after a breach reads here which others work.
	label = "others   "

	for _, name := range []string{engines.Bwrap, engines.ForkServer} {
		if why, ok := r.Others[name]; ok {
			io.WriteString(w, folded(label, name+": "+cmp.Or(why, "works here, too")))
			label = "         "
		}
	}

	io.WriteString(w, folded("limits   ", "of a run: "+r.Limits+". The attacks have less."))
}

// landlockWords says which version of Landlock's interface is used, and what is lost by its not
// being a newer one.
func landlockWords(r toolevo.LandlockReport) string {
	text := fmt.Sprintf(", ABI %d", r.ABI)
	if r.ABI < r.Machine {
		text = fmt.Sprintf(", ABI %d, of which %d is used", r.Machine, r.ABI)
	}

	if len(r.LeftToSeccomp) > 0 {
		text += "; seccomp alone denies " + strings.Join(r.LeftToSeccomp, ", ")
	}
	return text
}

// The columns of a finding's line.
const (
	markColumns = 4 // "ok  "
	nameColumns = 24
	timeColumns = 9
	seenColumns = console.HelpWidth - markColumns - nameColumns - timeColumns
)

// findingsWriter returns a function that writes findings, grouped by the wall that they are about.
func findingsWriter(w io.Writer) func(attack.Finding) {
	wall := ""
	return func(f attack.Finding) {
		if f.Wall != wall {
			wall = f.Wall
			fmt.Fprintf(w, "\n%s\n", wall)
		}

		writeFinding(w, f)
	}
}

// writeFinding writes an attack's result in one line, or a breach in full.
func writeFinding(w io.Writer, f attack.Finding) {
	took := fmt.Sprintf("%*s", timeColumns, fmt.Sprintf("%.0f ms", float64(f.Took.Microseconds())/1000))
	if f.Contained {
		fmt.Fprintf(w, "ok  %-*s%-*s%s\n", nameColumns, f.Name, seenColumns, display.Line(f.Seen, seenColumns), took)
		return
	}

	fmt.Fprintf(w, "!!  %-*s%-*s%s\n", nameColumns, f.Name, seenColumns, "GOT THROUGH", took)
	io.WriteString(w, folded("    did:  ", display.Line(f.Seen, 600)))
	io.WriteString(w, folded("    what: ", f.What))
}

// folded puts a label before a text, and wraps the text into lines indented by the label's width.
func folded(label, text string) string { return display.Wrap(label, text, console.HelpWidth) }

// writeVerdict writes the verdict and what can be done.
func (r *sandboxReport) writeVerdict(w io.Writer) {
	fmt.Fprintf(w, "\n%d of %d contained.\n", r.Contained, r.Of)

	if r.Contained == r.Of {
		return
	}

	fmt.Fprintln(w)
	io.WriteString(w, folded("broken:  ", strings.Join(r.Breached, ", ")))

	if len(r.Holds) > 0 {
		io.WriteString(w, folded("holds:   ", strings.Join(r.Holds, ", ")))
	}

	if len(r.Engine.Missing) > 0 {
		io.WriteString(w, folded("missing: ", strings.Join(r.Engine.Missing, ", ")))
	}

	io.WriteString(w, folded("do:      ", r.advice()))
}

// advice says what can be done about a breach.
func (r *sandboxReport) advice() string {
	switch missing := strings.Join(r.Engine.Missing, " and "); {
	case r.Engine.Engine == engines.Unsafe:
		return "name any other engine. This one is for programs that you trust."
	case missing != "" && !slices.Contains(r.Breached, attack.Resources):
		return "use a machine with " + missing + ", or an engine that does not need it: bwrap, where bubblewrap " +
			"works. A run refuses to start without a wall unless python.accept names it."
	}

	others := slices.DeleteFunc([]string{engines.Bwrap, engines.ForkServer},
		func(name string) bool { return name == r.Engine.Engine })
	return "do not let models' programs run in this engine on this machine. Try another one (--engine " +
		strings.Join(others, " or ") + "), and report this as SECURITY.md says: it should hold."
}
