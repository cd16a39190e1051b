package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/display"
	"toolevo/finetune/rundir"
	"toolevo/finetune/tabulate"
)

func (a *app) runsCommand() *cobra.Command {
	cmd := a.command("runs [DIR…]")
	cmd.ValidArgsFunction = runs(-1)

	var (
		listing rundir.Listing
		wide    bool
		folders []string
	)

	addFlags(cmd, "runs", into{"sort": &listing.Sort, "where": &listing.Where, "wide": &wide})

	names := columnNames()
	cmdline.Complete(cmd, "sort", cmdline.Offered(names))
	cmdline.Complete(cmd, "where", cmdline.Listed(keys(names)))
	return does(a, cmd, func(ctx context.Context, args []string) (runList, error) {
		folders = args
		all, err := toolevo.ListRuns(ctx, args, listing)
		return runList{all}, err
	}, func(list runList) {
		if len(list.Runs) == 0 {
			a.Say("No runs in %s.", cmp.Or(strings.Join(folders, ", "), toolevo.RunsFolder))
			return
		}

		a.printRuns(list.Runs, wide)
	})
}

// runList is what runs prints.
type runList struct {
	Runs []rundir.Run `json:"runs"` // in the order of --sort, those of an experiment after it
}

func columnNames() (names []string) {
	for _, c := range rundir.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// keys returns names as the beginnings of NAME=VALUE.
func keys(names []string) (all []string) {
	for _, name := range names {
		all = append(all, name+"=")
	}
	return all
}

// printRuns prints a line for each run: the columns for which the terminal has room, or all of
// them.
func (a *app) printRuns(all []rundir.Run, wide bool) {
	table := tableOf(all)

	width := a.width()
	if !wide {
		table = fitting(table, width)
	}

	grid := tabulate.Grid{Lines: make([][]string, len(all))}
	for _, c := range table {
		grid.Heads = append(grid.Heads, strings.ToUpper(c.Name))
		for i, text := range c.texts {
			grid.Lines[i] = append(grid.Lines[i], text)
		}
	}

	// Given a width, the table would put columns that do not fit below the others. Lines are cut
	// instead, so that each run stays on one.
	var text strings.Builder
	_ = tabulate.WriteText(&text, []tabulate.Grid{grid}, math.MaxInt) // to memory

	for line := range strings.Lines(text.String()) {
		if !wide {
			line = display.Cut(strings.TrimSuffix(line, "\n"), width) + "\n"
		}

		fmt.Fprint(a.Out, line)
	}

	// A run that cannot be read is listed all the same; why it has no figures is said below.
	for _, r := range all {
		if r.Problem != "" {
			a.Say("%s", display.Line(r.Problem, 0))
		}
	}

	if hidden := len(tableOf(all)) - len(table); hidden > 0 {
		a.Say("%d more columns: --wide, or --json", hidden)
	}
}

// listedColumn is a column of the list with its text for each run.
type listedColumn struct {
	rundir.Column
	texts []string
	wide  int // columns of the terminal
}

// tableOf returns the columns of the list of some runs, without those that are empty.
func tableOf(all []rundir.Run) (table []listedColumn) {
	for _, c := range rundir.Columns() {
		l := listedColumn{c, make([]string, len(all)), utf8.RuneCountInString(c.Name)}
		empty := true

		for i := range all {
			text := display.Line(c.Text(&all[i]), 0)
			empty = empty && text == ""

			if c.Rank == 0 && all[i].Parent != "" {
				text = "  " + text
			}

			l.texts[i] = cmp.Or(text, tabulate.None)
			l.wide = max(l.wide, utf8.RuneCountInString(l.texts[i]))
		}

		if !empty {
			table = append(table, l)
		}
	}
	return table
}

// fitting returns the columns that fit side by side, preferring those of low rank. The last one,
// the result, need only have room for what most results take.
func fitting(table []listedColumn, width int) []listedColumn {
	const result, gap = 12, 2

	byRank := slices.Clone(table)
	slices.SortFunc(byRank, func(a, b listedColumn) int { return a.Rank - b.Rank })

	shown, left := map[string]bool{}, width+gap

	for _, c := range byRank {
		need := c.wide + gap
		if c.Name == "result" {
			need = min(need, result+gap)
		}

		if left -= need; left >= 0 || c.Rank <= 1 {
			shown[c.Name] = true
			continue
		}

		left += need
	}
	return slices.DeleteFunc(table, func(c listedColumn) bool { return !shown[c.Name] })
}
