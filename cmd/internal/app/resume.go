package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/finetune/stored"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// beginRun makes a new run in Out, which exists once note has noted what it is made from.
func (j *RunJob) beginRun(ctx context.Context, b *Bench, note func(*store.Run) error) (
	*store.Run, error) {
	m := store.Manifest{
		ID: j.ID, Kind: j.kind, ConfigHash: b.Config.Hash(), Inputs: b.Lineage, Data: j.Data, Software: Software(),
	}
	if m.ID == "" {
		var err error
		if m.ID, err = store.NewID(); err != nil {
			return nil, err
		}
	}

	if j.Out == "" {
		j.Out = filepath.Join(RunsFolder, j.kind+"-"+m.ID)
	}

	run, err := store.StartRun(ctx, j.Out, m, b.Config.String(), note)
	return run, j.explainTaken(err)
}

// resumeRun continues the run in Out, or extends it by questions and trees.
func (j *RunJob) resumeRun(ctx context.Context, b *Bench) (*store.Run, error) {
	return store.ResumeRun(ctx, j.Out, func(ctx context.Context, run *store.Run) (store.Manifest, string, error) {
		m := run.Manifest

		lineage := maps.Clone(b.Lineage)

		// A run that mixes engines stays a run of its first; each trajectory names its own.
		if j.MixEngines && m.Inputs[inputPython] != "" {
			lineage[inputPython] = m.Inputs[inputPython]
		}

		if err := j.sameRun(run, b.Config, lineage); err != nil {
			return m, "", err
		}

		extended, err := extends(ctx, run, b, lineage)
		if err != nil {
			return m, "", err
		}

		givenUp, err := run.GivenUp(ctx)

		switch {
		case err != nil:
			return m, "", err
		case len(givenUp) > 0, j.Coordinate != nil && b.Config.Search.InTurn():
			// What was given up is asked for again. Trees that know those before them are then
			// grown anew, so the run may end with other rows than before. Likewise what workers
			// left of an earlier pass may take away trees that were grown since.
			m.Finished = nil
		case (extended || j.grows) && m.Finished != nil:
			finished := *m.Finished
			finished.Extended = true
			m.Finished = &finished
		}

		m.Inputs, m.Data = lineage, j.Data
		return m, b.Config.String(), nil
	})
}

// sameRun rejects a run that differs from what is wanted in more than its extent, and says how.
func (j *RunJob) sameRun(run *store.Run, c *configs.Resolved, lineage map[string]string) error {
	m := run.Manifest

	// A setting that did not exist then has its default.
	was, err := stored.Config(run)
	if err != nil {
		return err
	}

	// A gate that is asked for more tasks plays more of them again: its list grows with its extent.
	if j.Part && len(was.Only) > 0 && isWithin(was.Only, c.Only) {
		was.Only = c.Only
	}

	lines := configs.Difference(c.String(), was.String())
	if j.ID != "" && j.ID != m.ID {
		lines = append(lines, fmt.Sprintf("‹run-id›: %s, not %s", j.ID, m.ID))
	}

	// Questions may be added to a run: extends looks at them.
	inputs := differentInputs(lineage, m.Inputs, func(name string) bool { return !isQuestions(name) })
	lines = append(lines, inputs...)

	// A different Python alone need not end the run: engines can be mixed, which the error says
	// where there is an option for it.
	switch {
	case len(lines) == 0:
		return nil
	case len(lines) == 1 && lineage[inputPython] != m.Inputs[inputPython] && !j.oneEngine:
		return console.Usage("%s holds run %s, which differs:\n  %s\n"+
			"The output of programs may depend on it. Use the Python that the run was started "+
			"with (python.executable, python.engine),\nor add ‹mix-engines›: the run then "+
			"continues with this one, and each trajectory names its own.", run.Dir, m.ID, lines[0])
	}

	return console.Usage("%s holds run %s, which differs:\n  %s\nChoose another folder, or drop "+
		"what differs to continue that run.",
		run.Dir, m.ID, strings.Join(lines, "\n  "))
}

// isWithin reports whether all of some names are among others.
func isWithin(some, others []string) bool {
	return !slices.ContainsFunc(some,
		func(name string) bool { return !slices.Contains(others, name) })
}

// extends reports whether a run is to get more questions or trees than it was started with. Fewer
// are rejected: some of its results would no longer belong to it.
func extends(ctx context.Context, run *store.Run, b *Bench, lineage map[string]string) (
	bool, error) {
	was, err := stored.Config(run)
	if err != nil {
		return false, err
	}

	trees := b.Config.Search.Trees - was.Search.Trees

	// A file of questions that differs may only have more: the questions themselves can tell.
	other := differentInputs(lineage, run.Manifest.Inputs, isQuestions)
	if len(other) == 0 && trees >= 0 {
		return trees > 0, nil
	}

	lost, err := lostQuestion(ctx, run, b.Questions)
	if err != nil {
		return false, err
	}

	if lost == "" && trees >= 0 {
		return true, nil
	}

	lines := configs.DifferentExtent(b.Config.String(), run.Config)
	if lost != "" {
		lines = append(lines, lost)
	}

	// The files are named only if the settings do not explain the rejection.
	if len(lines) == 0 || lost != "" {
		lines = append(lines, other...)
	}
	return false, console.Usage("%s was started with more than this:\n  %s\n"+
		"A run can be extended, by questions and by trees, but not shortened: choose another "+
		"folder, or drop what differs.",
		run.Dir, strings.Join(lines, "\n  "))
}

// lostQuestion says which question of a run is missing from those given, or has changed; "" if
// none.
func lostQuestion(ctx context.Context, run *store.Run, now []trajectories.Question) (
	string, error) {
	had, err := stored.Questions(ctx, run)
	if err != nil {
		return "", err
	}

	byID := map[string]trajectories.Question{}
	for _, q := range now {
		byID[q.ID] = q
	}

	for _, q := range had {
		again, ok := byID[q.ID]
		switch {
		case !ok:
			return fmt.Sprintf("question %s of the run is not among those chosen", q.ID), nil
		case !reflect.DeepEqual(again, q):
			return fmt.Sprintf("question %s is another one now: %q with the answer %q, "+
				"not %q with %q", q.ID, again.Text, again.Gold, q.Text, q.Gold), nil
		}
	}

	return "", nil
}

func isQuestions(input string) bool { return strings.HasPrefix(input, inputQuestions+" ") }

// differentInputs lists the inputs that count and differ, by name, ours first.
func differentInputs(ours, theirs map[string]string, counts func(name string) bool) []string {
	all := maps.Clone(ours)
	maps.Copy(all, theirs)

	var lines []string

	for _, name := range slices.Sorted(maps.Keys(all)) {
		if counts(name) && ours[name] != theirs[name] {
			lines = append(lines, fmt.Sprintf("%s: %s, not %s",
				name, cmp.Or(ours[name], "none"), cmp.Or(theirs[name], "none")))
		}
	}

	return lines
}

// notedVersions returns what the run to continue deploys, or a branch; nil for any other new run. A
// process that was killed may not have noted it: then the files are read again, and have to be what
// they were.
func (j *RunJob) notedVersions(ctx context.Context, c *configs.Resolved) (*drift.Deployed, error) {
	switch {
	case j.branch != nil:
		return j.branch.deployed(c, j.Data)
	case !j.Resume:
		return nil, nil
	}

	run, err := store.OpenRun(ctx, j.Out)
	if err != nil {
		return nil, err
	}

	d, err := stored.Versions(ctx, run, c)
	if errors.Is(err, store.ErrDamaged) || err == nil && !slices.Equal(d.API, c.API) {
		d, err = nil, nil
	}
	return d, errors.Join(err, run.Close())
}
