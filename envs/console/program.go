package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Program is one invocation of a program, as its commands see it.
type Program struct {
	In      io.Reader
	Out     io.Writer // results
	Err     *Screen   // words for people
	Environ []string
}

// Say writes a line for people.
func (p *Program) Say(format string, args ...any) { fmt.Fprintf(p.Err, format+"\n", args...) }

// Lookup returns a variable of the environment the program was started with.
func (p *Program) Lookup(name string) string {
	for _, v := range p.Environ {
		if k, value, _ := strings.Cut(v, "="); k == name {
			return value
		}
	}

	return ""
}

// DataFlag adds --data.
func (p *Program) DataFlag(cmd *cobra.Command) *string {
	dir := cmd.Flags().String("data", cmp.Or(p.Lookup("TOOLEVO_DATA"), "data"), "data folder `DIR` (or TOOLEVO_DATA)")
	Complete(cmd, "data", Folders)

	return dir
}
