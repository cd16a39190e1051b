package console

import (
	"fmt"
	"io"
	"strings"

	"toolevo/envs/display"
)

// HelpWidth is how many columns help, and text that is wrapped like help, may take.
const HelpWidth = 80

// Program is one invocation of a program, as its commands see it.
type Program struct {
	In      io.Reader
	Out     io.Writer // results; what others wrote is made visible on the way
	Raw     io.Writer // the same as it is, for protocols
	Err     *Screen   // words for people
	Environ []string
	JSON    bool // results are printed as JSON documents
}

// Say writes a line for people.
func (p *Program) Say(format string, args ...any) { fmt.Fprintf(p.Err, format+"\n", args...) }

// Announce writes the first line of a command that makes something, which names what it is made of:
// whoever forgot an option sees that here.
func (p *Program) Announce(command string, what ...string) {
	p.Say("%s: %s", command, display.Line(strings.Join(what, ", "), 0))
}

// Lookup returns a variable of the environment that the program was started with.
func (p *Program) Lookup(name string) string {
	for _, v := range p.Environ {
		if k, value, _ := strings.Cut(v, "="); k == name {
			return value
		}
	}

	return ""
}
