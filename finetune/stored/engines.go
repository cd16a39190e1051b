package stored

import (
	"context"
	"slices"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// readEngines reads the engines that a run was grown with.
func readEngines(ctx context.Context, run *store.Run) (stamps []sandbox.Stamp, err error) {
	_, err = noted(ctx, run, metaEngines, "engines", &stamps)
	return stamps, console.GaveUp(err)
}

// addEngine adds an engine to those of the run.
func (r *Run) addEngine(ctx context.Context, stamp sandbox.Stamp) (err error) {
	if r.Engines, err = readEngines(ctx, r.Run); err != nil {
		return err
	}

	if slices.ContainsFunc(r.Engines,
		func(s sandbox.Stamp) bool { return s.String() == stamp.String() }) {
		return nil
	}

	r.Engines = append(r.Engines, stamp)
	return r.note(ctx, metaEngines, r.Engines)
}

// Warnings returns what a reader of the run must know, a sentence each: missing walls around
// programs, and questions that a language model judged.
func (r *Run) Warnings() []string {
	return append(engines.Warnings(r.Engines), trajectories.Judged(r.Questions)...)
}

// makers returns the engines of the run, as rows name them.
func (r *Run) makers() []trajectories.RunMaker {
	all := make([]trajectories.RunMaker, len(r.Engines))
	for i, s := range r.Engines {
		all[i] = trajectories.RunMaker{Result: s.String(), Maker: maker(s,
			r.Config.Python.LimitText())}
	}

	return all
}

// maker returns what rows say about an engine and the limits of its programs.
func maker(s sandbox.Stamp, limits string) trajectories.Maker {
	_, unconfined := engines.Warning(s)
	return trajectories.Maker{
		Kind:       trajectories.KindPython,
		Name:       s.Engine,
		Version:    s.Python,
		With:       strings.Join(s.Modules, ", "),
		Without:    strings.Join(s.Missing, ", "),
		Limits:     limits,
		Unconfined: unconfined,
	}
}

// Engine returns the engine that a row names.
func Engine(m trajectories.Maker) sandbox.Stamp {
	s := sandbox.Stamp{Engine: m.Name, Python: m.Version}
	if m.With != "" {
		s.Modules = strings.Split(m.With, ", ")
	}

	if m.Without != "" {
		s.Missing = strings.Split(m.Without, ", ")
	}
	return s
}
