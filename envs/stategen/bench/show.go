package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

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
	Split  string          `json:"split"`  // train, dev, test or examples
	Source string          `json:"source"` // the program as Python
	Task   json.RawMessage `json:"task"`   // as the data folder has it

	task *stategen.Task
}

func showCommand() suite.Command {
	var data string
	return suite.Command{
		Use: "tasks show ID", Help: helpTexts, Document: Shown{},
		Options: []suite.Option{suite.DataOption(&data)},
		Run: func(_ context.Context, c *suite.Call) error {
			shown, err := show(data, c.Args[0])
			return c.Result(shown, shown.print, err)
		},
	}
}

// show finds the task of an ID, or of a case's ID, in all splits.
func show(data, id string) (*Shown, error) {
	found := &Shown{}
	id, path, ofCase := strings.Cut(id, "/")

	// An ID does not tell the split, and a damaged split is an error even if another one has it.
	for _, split := range suite.Splits() {
		f, err := taskfile.Open(data, split, func(t *stategen.Task) error {
			if t.ID == id {
				found.Split, found.task = split, t
			}
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) { // most folders lack some of the splits
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
		return nil, console.Usage("no task %q in %s: `toolevo play` of this suite lists tasks", id, data)
	}

	isNamed := func(c stategen.Case) bool { return c.Path == path }
	if ofCase && !slices.ContainsFunc(found.task.Cases, isNamed) {
		return nil, console.Usage("%s has no case %q: `toolevo tasks show %s` shows those that it has",
			id, path, id)
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
	d, err := domains.Of(p)
	if err != nil {
		return "", err
	}

	all, err := Catalog(p.APIs)
	if err != nil {
		return "", err
	}

	v, err := all.Version(base)
	if err != nil {
		return "", err
	}
	return (&code.Surface{Domain: d, Base: v, Deployed: v}).Render(p)
}

func (s *Shown) print(w io.Writer) {
	t := s.task
	fmt.Fprintf(w, "%s  %s, %s\n\nWhat a model is told:\n\n", t.ID, t.Program.Domain, s.Split)

	// The mark of a list item is a label of its own, so that wrapped lines are indented below it.
	for line := range strings.Lines(t.Instruction.Variables + "\n\n" + t.Instruction.Text) {
		mark := ""
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			mark, line = "- ", rest
		}

		fmt.Fprint(w, display.Wrap(mark, line, console.HelpWidth))
	}

	fmt.Fprint(w, "\nThe values:\n\n")

	for _, v := range t.Program.Init {
		printValue(w, v.Name+" = ", v.Value.Any)
	}

	if t.Program.Server.Any != nil {
		fmt.Fprintln(w)
		printValue(w, "The service begins with: ", t.Program.Server.Any)
	}

	fmt.Fprintf(w, "\nThe program, which nobody is told:\n\n%s\nWhat its cases lead to:\n", s.Source)

	for _, c := range t.Cases {
		fmt.Fprintf(w, "\n%s/%s\n", t.ID, c.Path)

		// In the order of their declaration: a map has none.
		for _, v := range t.Program.Init {
			if other, ok := c.Set[v.Name]; ok {
				printValue(w, "  with "+v.Name+" = ", other.Any)
			}
		}

		printValue(w, "  RESULT: ", c.Result.Any)

		if c.Effects.Any != nil {
			printValue(w, "  left in the service: ", c.Effects.Any)
		}
	}
}

// printValue prints a value after a label, on one line if it fits, else each element of a list on
// lines of its own.
func printValue(w io.Writer, label string, v any) {
	text := pytext.JSON(v)
	all, _ := v.([]any)

	if len(all) == 0 || len(label)+len(text) <= console.HelpWidth {
		fmt.Fprint(w, display.Wrap(label, text, console.HelpWidth))
		return
	}

	fmt.Fprintln(w, strings.TrimRight(label, " "))

	for _, item := range all {
		fmt.Fprint(w, display.Wrap("    - ", pytext.JSON(item), console.HelpWidth))
	}
}
