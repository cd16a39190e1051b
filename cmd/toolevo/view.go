package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/wire"
	"toolevo/finetune/rundir"
	"toolevo/finetune/viewer"
	"toolevo/mcts/store"
)

// viewOptions are the flags of view.
type viewOptions struct{ listen, out string }

func (a *app) viewCommand() *cobra.Command {
	o := viewOptions{}
	cmd := newCommand("view [RUN…]")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{"runs"}
		}
		return a.view(cmd.Context(), args, o)
	}

	o.listen = "127.0.0.1:8765"
	addFlags(cmd, "view", into{
		"listen": &o.listen,
		"out":    &o.out,
	})

	return cmd
}

// view shows runs until the process is told to end, or writes them into a file.
func (a *app) view(ctx context.Context, args []string, o viewOptions) error {
	// Opening runs takes a while: the address and the folders are checked first.
	address, err := parseLoopback(o.listen)
	if err != nil {
		return err
	}

	dirs, err := runDirs(args)
	if err != nil {
		return err
	}

	names, err := runNames(ctx, dirs)
	if err != nil {
		return err
	}

	var runs []*viewer.Run

	starting := a.Start(console.ProgressAuto, 0)

	for i, dir := range dirs {
		opened := starting.Step("opening " + dir)

		v, err := toolevo.OpenSource(ctx, dir)
		if err != nil {
			return err
		}
		// Deferred in the loop, as pages read from every run until the command ends.
		defer v.Close()

		opened()

		runs = append(runs, &viewer.Run{Name: names[i], Dir: dir, Questions: v.Questions, Source: v})
	}

	site := viewer.New(runs, starting.Step)
	if o.out != "" {
		return a.writePage(o.out, func(w io.Writer) error { return site.WriteFile(ctx, w) })
	}

	_, err = (&wire.Door{Listen: address}).Serve(ctx, &a.Program, site.Handler(), func(address string) {
		a.Say("Open %s/ in a browser. Ctrl-C ends it.", address)
	})
	return err
}

// parseLoopback parses an address, and refuses one that others could reach: runs hold questions,
// answers and the output of programs.
func parseLoopback(text string) (address string, err error) {
	address, err = wire.ParseAddress(text)
	if errors.Is(err, wire.ErrOpen) {
		return "", console.Usage("--listen is %q: pages are served to this machine only (127.0.0.1, ::1, localhost); "+
			"from another one, use ssh -L 8765:127.0.0.1:8765", text)
	} else if err != nil {
		return "", console.Usage("--listen: %w", err)
	}

	return address, nil
}

// runDirs returns the runs that args name, or that the folders they name hold.
func runDirs(args []string) (dirs []string, err error) {
	for _, arg := range args {
		_, err := store.ReadManifest(arg)
		if err == nil {
			dirs = append(dirs, filepath.Clean(arg))
			continue
		}

		inside, findErr := rundir.Find(arg, rundir.Deep)
		if findErr != nil || len(inside) == 0 {
			return nil, err
		}

		dirs = append(dirs, inside...)
	}

	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}

// runNames returns a different name for each run: that of its folder, after that of its experiment
// if it belongs to one, with a number where another run has that name.
func runNames(ctx context.Context, dirs []string) ([]string, error) {
	all, err := rundir.ReadAll(ctx, dirs)
	if err != nil {
		return nil, err
	}

	experiments := map[string]string{}
	for _, r := range all {
		experiments[r.Dir] = r.Parent
	}

	names, taken := make([]string, len(dirs)), map[string]bool{}

	for i, dir := range dirs {
		if names[i] = filepath.Base(absolute(dir)); experiments[dir] != "" {
			names[i], _ = filepath.Rel(filepath.Dir(absolute(experiments[dir])), absolute(dir))
		}

		for base, n := names[i], 2; taken[names[i]]; n++ {
			names[i] = fmt.Sprintf("%s (%d)", base, n)
		}

		taken[names[i]] = true
	}
	return names, nil
}

// absolute returns a path that does not depend on the working directory, if that is known.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}
