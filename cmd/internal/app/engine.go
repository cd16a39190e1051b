package app

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/mcts/store"
)

// inputPython names the stamp of the engine that a run began with in its manifest.
const inputPython = "python"

// resumedEngine makes sure that a resumed run keeps the engine that auto once chose, whatever auto
// would choose today.
func resumedEngine(o engines.Options, dir string) engines.Options {
	m, err := store.ReadManifest(dir)
	if name, _, _ := strings.Cut(m.Inputs[inputPython], " "); err == nil &&
		o.Engine == engines.Auto && name != "" {
		o.Engine = name
	}

	return o
}

// OpenFunc opens an engine that the caller closes.
type OpenFunc func(context.Context, engines.Options) (sandbox.Engine, error)

// OpenEngine opens the engine of a job.
func (h *Host) OpenEngine(ctx context.Context, o engines.Options) (sandbox.Engine, error) {
	if h.Open != nil {
		return h.Open(ctx, o)
	}
	return engines.Open(ctx, o)
}

// Guard warns of missing walls, attacks an engine like that of a run, which was opened by these
// options, and rejects one that lets any attack through.
func (h *Host) Guard(ctx context.Context, stamp sandbox.Stamp, o engines.Options) error {
	for _, line := range engines.Warnings([]sandbox.Stamp{stamp}) {
		h.warn(line)
	}
	return console.GaveUp(engines.Check(ctx, stamp, o, h.Attack))
}

// FitModules makes sure that programs can import what the configuration, and so the prompt, says.
// If something is missing a model is not asked: its prompt would promise what fails. A scripted
// policy reads no prompt: its run warns and continues, as its trajectories teach the prompt of the
// configuration, on every machine.
func (h *Host) FitModules(b *Bench) error {
	if b.OnServers() {
		return b.CheckModules()
	}

	if missing := b.missingModules(); len(missing) > 0 {
		h.warn(fmt.Sprintf("%s: programs that import it fail here; training data still names it (python.modules).\n%s",
			missingText(b, missing), installAdvice(b, missing)))
	}
	return nil
}

// CheckModules rejects a Python that lacks what the prompt says can be imported, and says what to
// do.
func (b *Bench) CheckModules() error {
	missing := b.missingModules()
	if len(missing) == 0 {
		return nil
	}
	return console.Usage("%s, which the prompt says can be imported (python.modules).\n%s;\n"+
		"or take it out of the prompt, wherever this model is trained or evaluated: ‹set› "+
		"python.modules=%s",
		missingText(b, missing), installAdvice(b, missing), strings.Join(b.Stamp.ModuleNames(), ","))
}

// missingModules lists what the prompt says can be imported and this Python lacks; nothing if no
// program is run.
func (b *Bench) missingModules() []string {
	if b.Engine == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(b.Config.Python.Modules), func(name string) bool {
		return slices.Contains(b.Stamp.ModuleNames(), name)
	})
}

// missingText returns the message that a run's Python lacks the missing modules.
func missingText(b *Bench, missing []string) string {
	names := strings.Join(missing, ", ")
	return fmt.Sprintf("%s (Python %s) has no %s", interpreter(b), b.Stamp.Python, names)
}

// interpreter returns the path of a run's Python: several may share its name.
func interpreter(b *Bench) string {
	path, err := exec.LookPath(b.Config.Python.Executable)
	if err != nil {
		return b.Config.Python.Executable
	}
	return path
}

// installAdvice says how to install the missing modules: the system's packages are for the system's
// Python alone.
func installAdvice(b *Bench, missing []string) string {
	const orName = "; or name an interpreter that has it: ‹set› python.executable=FILE"

	python := interpreter(b)
	if !slices.Contains([]string{"/usr/bin", "/bin"}, filepath.Dir(python)) {
		return "Install it: " + console.Shell(append([]string{python, "-m", "pip", "install"}, missing...)...) + orName
	}

	packages := make([]string, len(missing))
	for i, name := range missing {
		packages[i] = "python3-" + strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	}
	return "On Debian: apt-get install " + strings.Join(packages, " ") + orName
}

// recorded is the engine of a run that is only looked at: what its programs showed is in its log.
type recorded struct{ stamp sandbox.Stamp }

// Run fails: nothing is run again to look at it.
func (e recorded) Run(context.Context, sandbox.Program, sandbox.Limits) (sandbox.Reply, error) {
	return sandbox.Reply{}, fmt.Errorf("what the program showed: %w", store.ErrNotLogged)
}

// Stamp is that of the run's first engine.
func (e recorded) Stamp() sandbox.Stamp { return e.stamp }

// Close does nothing.
func (e recorded) Close() error { return nil }

// StartPrograms starts the engine of a bench that runs programs, and attacks it. It must have all
// modules of the prompt: those who play are models.
func (h *Host) StartPrograms(ctx context.Context, b *Bench, o engines.Options) error {
	if !b.RunsPrograms() {
		return nil
	}

	if err := b.Start(h.OpenEngine(ctx, o)); err != nil {
		return err
	}

	if err := b.CheckModules(); err != nil {
		return err
	}
	return h.Guard(ctx, b.Stamp, o)
}
