package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// Shown is what `tasks show --json` prints.
type Shown struct {
	Split  string          `json:"split"`  // train, dev or test
	Source string          `json:"source"` // the program as Python
	Task   json.RawMessage `json:"task"`   // as the data folder has it

	task *stategen.Task
}

func newShow(p *console.Program) *cobra.Command {
	cmd := console.Command("show ID", helpTexts)
	dir, asJSON := p.DataFlag(cmd), console.JSONFlag(cmd)

	cmd.RunE = func(_ *cobra.Command, args []string) error {
		shown, err := show(*dir, args[0])
		if err != nil {
			return err
		}

		return p.Show(*asJSON, shown, func() { shown.print(p) })
	}

	return cmd
}

// show finds the task of an ID, or of that of a case, in all splits.
func show(data, id string) (*Shown, error) {
	found := &Shown{}
	id, _, _ = strings.Cut(id, "/")

	for _, split := range suite.Splits() {
		f, err := taskfile.Open(data, split, func(t *stategen.Task) error {
			if t.ID == id {
				found.Split, found.task = split, t
			}

			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err == nil {
			err = f.Close()
		}

		if err != nil {
			return nil, err
		}
	}

	if found.task == nil {
		return nil, console.Usage("no task %q in %s: `toolevo play --set suite=stategen` lists tasks", id, data)
	}

	var err error
	if found.Source, err = source(&found.task.Program); err != nil {
		return nil, err
	}

	found.Task, err = json.Marshal(found.task)

	return found, err
}

// source writes a program as Python that calls the tools of the base version.
func source(p *stategen.Program) (string, error) {
	d, err := domains.Lookup(p.Domain)
	if err != nil {
		return "", err
	}

	all, err := versions()
	if err != nil {
		return "", err
	}

	v, err := all.Version(base)
	if err != nil {
		return "", err
	}

	return (&code.Surface{Domain: d, Base: v, Deployed: v}).Render(p)
}

func (s *Shown) print(p *console.Program) {
	t := s.task
	fmt.Fprintf(p.Out, "%s  %s, %s\n\nWhat a model is told:\n\n", t.ID, t.Program.Domain, s.Split)

	for line := range strings.Lines(t.Instruction.Variables + "\n\n" + t.Instruction.Text) {
		mark := ""
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			mark, line = "- ", rest
		}

		fmt.Fprint(p.Out, display.Wrap(mark, line, console.HelpWidth))
	}

	fmt.Fprint(p.Out, "\nThe values:\n\n")

	for _, v := range t.Program.Init {
		printValue(p, v.Name+" = ", v.Value.Any)
	}

	if t.Program.Server.Any != nil {
		fmt.Fprintln(p.Out)
		printValue(p, "The service begins with: ", t.Program.Server.Any)
	}

	fmt.Fprintf(p.Out, "\nThe program, which nobody is told:\n\n%s\nWhat its cases lead to:\n", s.Source)

	for _, c := range t.Cases {
		fmt.Fprintf(p.Out, "\n%s/%s\n", t.ID, c.Path)

		for _, v := range t.Program.Init {
			if other, ok := c.Set[v.Name]; ok {
				printValue(p, "  with "+v.Name+" = ", other.Any)
			}
		}

		printValue(p, "  RESULT: ", c.Result.Any)

		if c.Effects.Any != nil {
			printValue(p, "  left in the service: ", c.Effects.Any)
		}
	}
}

// printValue prints a value behind a label, on one line if it fits, else each element of a list on lines of its own.
func printValue(p *console.Program, label string, v any) {
	text := string(pytext.AppendJSON(nil, v))
	all, _ := v.([]any)

	if len(all) == 0 || len(label)+len(text) <= console.HelpWidth {
		fmt.Fprint(p.Out, display.Wrap(label, text, console.HelpWidth))
		return
	}

	fmt.Fprintln(p.Out, strings.TrimRight(label, " "))

	for _, item := range all {
		fmt.Fprint(p.Out, display.Wrap("    - ", string(pytext.AppendJSON(nil, item)), console.HelpWidth))
	}
}
