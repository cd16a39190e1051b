package app

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"toolevo/envs/console"
	"toolevo/finetune/rundir"
)

// ListRuns lists the runs in some folders, by default in [RunsFolder].
func ListRuns(ctx context.Context, folders []string, l rundir.Listing) ([]rundir.Run, error) {
	named := folders
	if len(folders) == 0 {
		named = []string{RunsFolder}
	}

	all, err := rundir.List(ctx, named)
	if errors.Is(err, fs.ErrNotExist) && len(folders) == 0 {
		return []rundir.Run{}, nil
	}

	if err != nil {
		return nil, err
	}

	nameRuns(all)

	shown, err := l.Of(all)
	return shown, console.AsUsage(err)
}

// nameRuns gives runs the names by which commands take them: their paths, below [RunsFolder]
// relative to it, and of generated names only what tells them apart.
func nameRuns(all []rundir.Run) {
	uses := map[string]int{}

	for i := range all {
		r := &all[i]
		if r.Name = r.Dir; isBelow(r.Dir) {
			r.Name, _ = filepath.Rel(RunsFolder, r.Dir)
		}

		for _, name := range rundir.Shorts(r.Name) {
			uses[name]++
		}
	}

	for i := range all {
		names := rundir.Shorts(all[i].Name)
		unique := slices.IndexFunc(names, func(name string) bool { return uses[name] == 1 })
		all[i].Name = names[max(unique, 0)]
	}
}

// isBelow reports whether a folder is below [RunsFolder].
func isBelow(dir string) bool {
	name, err := filepath.Rel(RunsFolder, dir)
	return err == nil && filepath.IsLocal(name) && name != "."
}

// RunNamed returns the run directory that a name in the list of [ListRuns] means.
func RunNamed(name string) (string, error) {
	dir, err := rundir.Named(RunsFolder, name)
	return dir, console.AsUsage(err)
}
