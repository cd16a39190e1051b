package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/display"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
)

func (a *app) runsCommand() *cobra.Command {
	cmd := a.command("runs [DIR…]")
	cmd.ValidArgsFunction = runs(-1)

	var folders []string

	return does(a, cmd, func(ctx context.Context, args []string) (runList, error) {
		if folders = args; len(args) == 0 {
			folders = []string{toolevo.RunsFolder}
		}

		all, err := rundir.List(ctx, folders)
		if errors.Is(err, fs.ErrNotExist) && len(args) == 0 {
			all, err = []rundir.Run{}, nil
		}

		return runList{all}, err
	}, func(list runList) { a.printRuns(folders, list.Runs) })
}

// runList is what runs prints.
type runList struct {
	Runs []rundir.Run `json:"runs"` // in the order of the folders, then of names
}

func (a *app) printRuns(folders []string, all []rundir.Run) {
	if len(all) == 0 {
		a.Say("No runs in %s.", strings.Join(folders, ", "))
		return
	}

	var table strings.Builder

	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "STATE\tKIND\tDONE\tSOLVED\tCORRECT\tLOST\tSIZE\tRUN")

	for _, r := range all {
		p := r.Progress
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.State, display.Line(r.Kind, 0), done(r),
			solved(p), figure(p.Correct), figure(p.Unresolved), display.Bytes(r.Bytes),
			display.Line(nameIn(folders, r.Dir), 0))
	}

	t.Flush()

	for line := range strings.Lines(table.String()) {
		fmt.Fprintln(a.Out, display.Cut(strings.TrimSuffix(line, "\n"), a.columns))
	}

	for _, r := range all {
		if r.Problem != "" {
			a.Say("%s", display.Line(r.Problem, 0))
		}
	}
}

// nameIn is the name of a run in the only folder that is listed, else its path.
func nameIn(folders []string, dir string) string {
	if rel, err := filepath.Rel(folders[0], dir); err == nil && len(folders) == 1 && rel != "." {
		return rel
	}

	return dir
}

// done is how much of a run is done, or how many trees or episodes are there where it has not noted
// how many it may have.
func done(r rundir.Run) string {
	switch p := r.Progress; {
	case r.Problem != "":
		return figure(nil)
	case p.Total > 0:
		return fmt.Sprintf("%d%%", 100*p.Done/p.Total)
	case r.Kind == stored.Evaluated:
		return fmt.Sprintf("%d episodes", p.Done)
	default:
		return fmt.Sprintf("%d trees", p.Done)
	}
}

func solved(p rundir.Progress) string {
	if p.Solved == nil {
		return figure(nil)
	}

	return fmt.Sprintf("%d/%d", *p.Solved, p.Questions)
}

// figure is a number, or a dash where it is not known.
func figure(n *int64) string {
	if n == nil {
		return "-"
	}

	return fmt.Sprint(*n)
}
