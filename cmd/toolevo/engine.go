package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/mcts/store"
)

// inputPython is the name under which a run's manifest has the stamp of the engine that the run began with.
const inputPython = "python"

// resumedEngine makes sure that a run that goes on keeps the engine that auto once chose, whatever auto would
// choose today.
func resumedEngine(o engines.Options, dir string) engines.Options {
	m, err := store.ReadManifest(dir)
	if name, _, _ := strings.Cut(m.Inputs[inputPython], " "); err == nil && o.Engine == engines.Auto && name != "" {
		o.Engine = name
	}

	return o
}

// openFunc opens an engine that the caller closes.
type openFunc func(context.Context, engines.Options) (sandbox.Engine, error)

// openEngine opens the engine of a command.
func (a *app) openEngine(ctx context.Context, o engines.Options) (sandbox.Engine, error) {
	if a.open != nil {
		return a.open(ctx, o)
	}

	return engines.Open(ctx, o)
}

// guard runs attacks against an engine like the one of a run, which was opened by these options, and refuses
// to go on with one that lets any through. It says which walls there are not.
func (a *app) guard(ctx context.Context, stamp sandbox.Stamp, o engines.Options) error {
	for _, line := range engines.Warnings([]sandbox.Stamp{stamp}) {
		a.Say("%s", line)
	}

	return console.GaveUp(engines.Check(ctx, stamp, o, a.attack))
}

// fitModules makes sure that programs can import what the configuration says, which is what the prompt says.
// Where something is missing, a model is not asked: its prompt would promise what fails. A scripted policy
// reads no prompt: its run says so and goes on. What its trajectories teach is the prompt of the
// configuration, on every machine.
func (a *app) fitModules(b *bench) error {
	if b.OnServers() {
		return b.checkModules()
	}

	if missing := b.missingModules(); len(missing) > 0 {
		a.Say("%s: programs that import it fail here; training data still names it (python.modules).\n%s",
			missingText(b, missing), installAdvice(b, missing))
	}

	return nil
}

// checkModules refuses a Python that lacks what the prompt says can be imported, and says what to
// do.
func (b *bench) checkModules() error {
	missing := b.missingModules()
	if len(missing) == 0 {
		return nil
	}

	return console.Usage("%s, which the prompt says can be imported (python.modules).\n%s;\n"+
		"or take it out of the prompt, wherever this model is trained or evaluated: --set python.modules=%s",
		missingText(b, missing), installAdvice(b, missing), strings.Join(b.stamp.ModuleNames(), ","))
}

// missingModules are those that the prompt says can be imported, and that this Python lacks.
func (b *bench) missingModules() []string {
	return slices.DeleteFunc(slices.Clone(b.Config.Python.Modules), func(name string) bool {
		return slices.Contains(b.stamp.ModuleNames(), name)
	})
}

// missingText returns the message that a run's Python lacks the missing modules.
func missingText(b *bench, missing []string) string {
	names := strings.Join(missing, ", ")
	return fmt.Sprintf("%s (Python %s) has no %s", b.Config.Python.Executable, b.stamp.Python, names)
}

// installAdvice returns how to install the missing modules.
func installAdvice(b *bench, missing []string) string {
	packages := make([]string, len(missing))
	for i, name := range missing {
		packages[i] = "python3-" + strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	}

	return fmt.Sprintf("On Debian: apt-get install %s; or name an interpreter that has it: --python FILE",
		strings.Join(packages, " "))
}

// printEngines says in a report what ran the programs, and which walls were not there.
func printEngines(w io.Writer, engines, warnings []string) {
	if len(engines) > 0 {
		fmt.Fprintf(w, "programs ran in %s\n", display.Line(strings.Join(engines, "; then in "), 0))
	}

	for _, line := range warnings {
		fmt.Fprintln(w, line)
	}
}

// recorded is the engine of a run that is only looked at: what its programs showed stands in its log.
type recorded struct{ stamp sandbox.Stamp }

// Run fails: nothing is run again to look at it.
func (e recorded) Run(context.Context, sandbox.Program, sandbox.Limits) (sandbox.Reply, error) {
	return sandbox.Reply{}, fmt.Errorf("what the program showed: %w", store.ErrNotLogged)
}

// Stamp is that of the run's first engine.
func (e recorded) Stamp() sandbox.Stamp { return e.stamp }

// Close does nothing.
func (e recorded) Close() error { return nil }
