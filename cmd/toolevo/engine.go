package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/attack"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// inputPython is the name under which a run's manifest has the stamp of the engine that the run began with.
const inputPython = "python"

// metaEngines is where a run notes the stamps of its engines, the one of the manifest first.
const metaEngines = "engines"

// engineOptions says which engine a configuration chooses.
func engineOptions(p configs.Python, servers int) engines.Options {
	o := engines.Options{Engine: p.Engine, Executable: p.Executable, Wasm: p.Wasm, Modules: p.Modules, Servers: servers}
	for _, wall := range p.Accept {
		o.Accept = append(o.Accept, confine.Wall(wall))
	}

	return o
}

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

// attackFunc tries to get out of an engine of a stamp.
type attackFunc func(ctx context.Context, stamp sandbox.Stamp, open func(context.Context) (sandbox.Engine, error)) error

// attackOnce returns an attack that keeps its verdict on each kind of engine.
func attackOnce() attackFunc {
	var verdicts sync.Map

	return func(ctx context.Context, stamp sandbox.Stamp, open func(context.Context) (sandbox.Engine, error)) error {
		check := sync.OnceValue(func() error { return attack.Check(ctx, open) })
		verdict, _ := verdicts.LoadOrStore(stamp.String(), check)
		return verdict.(func() error)()
	}
}

// guard runs attacks against an engine like the one of a run, which was opened by these options, and refuses
// to go on with one that lets any through. It says which walls there are not.
func (a *app) guard(ctx context.Context, stamp sandbox.Stamp, o engines.Options) error {
	for _, line := range wallWarnings([]sandbox.Stamp{stamp}) {
		a.Say("%s", line)
	}

	if stamp.Engine == engines.Unsafe {
		return nil
	}

	o.Engine, o.Servers = stamp.Engine, 1
	open := func(ctx context.Context) (sandbox.Engine, error) { return engines.Open(ctx, o) }

	var err error
	if a.attack != nil {
		err = a.attack(ctx, stamp, open)
	} else {
		err = attack.Check(ctx, open)
	}

	var breach *attack.BreachError
	if errors.As(err, &breach) {
		breach.Breaches = slices.DeleteFunc(breach.Breaches,
			func(f attack.Finding) bool { return isAccepted(stamp, f.Attack) })
		if len(breach.Breaches) == 0 {
			return nil
		}

		err = fmt.Errorf("%w\nNothing was run. `toolevo doctor sandbox` tries all attacks; SECURITY.md says what "+
			"each engine needs", err)
	}

	return console.GaveUp(err)
}

// breached is what gets through for lack of a wall while the other one stands: all attacks on some walls of
// package attack, and single ones.
var breached = map[confine.Wall]struct{ walls, attacks []string }{
	confine.Landlock: {nil, []string{"devices", "list-folders", "read-file", "read-system", "all-processes",
		"descriptors-of-others", "host-environment", "kernel-log"}},
	confine.Seccomp: {[]string{attack.Network, attack.Processes, attack.Signals, attack.Kernel, attack.OtherCalls},
		[]string{"change-metadata", "file-handles", "kernel-log", "memory-in-kernel", "open-for-neither", "threads"}},
}

// isAccepted reports whether an attack gets through for lack of a wall that the user does without. Out of bubblewrap
// nothing gets for lack of Landlock, and out of WebAssembly for lack of either.
func isAccepted(s sandbox.Stamp, a attack.Attack) bool {
	switch {
	case s.Engine == engines.WASI:
		return false
	case s.Engine != engines.Bwrap && len(s.Missing) == len(confine.Walls()):
		return true
	}

	return slices.ContainsFunc(s.Missing, func(wall string) bool {
		if s.Engine == engines.Bwrap && wall == string(confine.Landlock) {
			return false
		}

		b := breached[confine.Wall(wall)]

		return slices.Contains(b.walls, a.Wall) || slices.Contains(b.attacks, a.Name)
	})
}

// wallWarnings says, of each engine that has not all its walls, what that means.
func wallWarnings(stamps []sandbox.Stamp) []string {
	var lines []string

	for _, s := range stamps {
		if line, _ := wallWarning(s); line != "" {
			lines = append(lines, line)
		}
	}

	slices.Sort(lines)

	return slices.Compact(lines)
}

// wallWarning says of an engine that has not all its walls what that means, and whether there are fewer walls around
// programs than there should be.
func wallWarning(s sandbox.Stamp) (line string, unconfined bool) {
	walls := strings.Join(s.Missing, " and ")
	switch {
	case s.Engine == engines.Unsafe:
		return "No walls around model-written programs (python.engine unsafe).", true
	case walls == "":
		return "", false
	case s.Engine == engines.WASI:
		return fmt.Sprintf("No %s around the engine wasi, whose first wall is WebAssembly.", walls), false
	case s.Engine == engines.Bwrap && walls == string(confine.Landlock):
		return "No landlock around model-written programs; bubblewrap stands in for it.", false
	}

	return fmt.Sprintf("No %s around model-written programs (python.accept).", walls), true
}

// fitModules makes sure that programs can import what the configuration says, which is what the prompt says.
// Where something is missing, a model is not asked: its prompt would promise what fails. A scripted policy
// reads no prompt: its run says so and goes on. What its trajectories teach is the prompt of the
// configuration, on every machine.
func (a *app) fitModules(b *bench) error {
	here := b.stamp.ModuleNames()

	missing := slices.DeleteFunc(slices.Clone(b.config.Python.Modules), func(name string) bool {
		return slices.Contains(here, name)
	})
	if len(missing) == 0 {
		return nil
	}

	if b.onServers() {
		return console.Usage("%s, which the prompt says can be imported (python.modules).\n%s;\n"+
			"or take it out of the prompt, wherever this model is trained or evaluated: --set python.modules=%s",
			missingText(b, missing), installAdvice(b, missing), strings.Join(here, ","))
	}

	a.Say("%s: programs that import it fail here; training data still names it (python.modules).\n%s",
		missingText(b, missing), installAdvice(b, missing))

	return nil
}

// missingText returns the message that a run's Python lacks the missing modules.
func missingText(b *bench, missing []string) string {
	names := strings.Join(missing, ", ")
	if b.stamp.Engine == engines.WASI {
		return fmt.Sprintf("%s has no %s", b.config.Python.Wasm, names)
	}

	return fmt.Sprintf("%s (Python %s) has no %s", b.config.Python.Executable, b.stamp.Python, names)
}

// installAdvice returns how to install the missing modules.
func installAdvice(b *bench, missing []string) string {
	if b.stamp.Engine == engines.WASI {
		return "Give a module that has it inside (--wasm FILE), or use another engine"
	}

	packages := make([]string, len(missing))
	for i, name := range missing {
		packages[i] = "python3-" + strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	}

	return fmt.Sprintf("On Debian: apt-get install %s; or name an interpreter that has it: --python FILE",
		strings.Join(packages, " "))
}

// recordEngine adds this process's engine to those of the run. A program's output is logged once and reused, so every
// tree is what the log says, and each result names the engine that made it.
func (b *bench) recordEngine(ctx context.Context, run *store.Run) error {
	if b.engine == nil {
		return nil
	}

	var err error
	if b.stamps, err = stampsOf(ctx, run); err != nil {
		return err
	}

	stamp := b.engine.Stamp()
	if slices.ContainsFunc(b.stamps, func(s sandbox.Stamp) bool { return s.String() == stamp.String() }) {
		return nil
	}

	b.stamps = append(b.stamps, stamp)

	text, err := json.Marshal(b.stamps)
	if err != nil {
		return err
	}

	return run.SetMeta(ctx, metaEngines, string(text))
}

// makers are the engines of a run, as rows name them.
func makers(ctx context.Context, run *store.Run, p configs.Python) ([]trajectories.RunMaker, error) {
	stamps, err := stampsOf(ctx, run)

	all := make([]trajectories.RunMaker, len(stamps))
	for i, s := range stamps {
		all[i] = trajectories.RunMaker{Result: s.String(), Maker: makerOf(s, p)}
	}

	return all, err
}

// stampsOf are the engines that a run was grown with, the one it began with first.
func stampsOf(ctx context.Context, run *store.Run) ([]sandbox.Stamp, error) {
	text, err := run.Meta(ctx, metaEngines)
	if err != nil || text == "" {
		return nil, err
	}

	var stamps []sandbox.Stamp
	if err := json.Unmarshal([]byte(text), &stamps); err != nil {
		return nil, fmt.Errorf("%s: its engines cannot be read: %w", run.Dir, err)
	}

	return stamps, nil
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

// makerOf is what rows say of an engine and the limits of its programs.
func makerOf(s sandbox.Stamp, p configs.Python) trajectories.Maker {
	limits := fmt.Sprintf("wall %vs, cpu %ds, memory %d MiB, output %d KiB", p.WallSeconds, p.CPUSeconds, p.MemoryMiB,
		p.OutputKiB)

	_, unconfined := wallWarning(s)

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

// stampOf is the engine that a row names.
func stampOf(m trajectories.Maker) sandbox.Stamp {
	s := sandbox.Stamp{Engine: m.Name, Python: m.Version}
	if m.With != "" {
		s.Modules = strings.Split(m.With, ", ")
	}

	if m.Without != "" {
		s.Missing = strings.Split(m.Without, ", ")
	}

	return s
}

// inWords are stamps as text.
func inWords(stamps []sandbox.Stamp) []string {
	words := make([]string, len(stamps))
	for i, s := range stamps {
		words[i] = s.String()
	}

	return words
}

// recorded is the engine of a run that is only looked at: what its programs showed stands in its log.
type recorded struct{ stamp sandbox.Stamp }

// openRecorded returns the engine that a run began with, as its log has it.
func openRecorded(ctx context.Context, run *store.Run) (recorded, error) {
	stamps, err := stampsOf(ctx, run)
	if err != nil || len(stamps) == 0 {
		return recorded{}, err
	}

	return recorded{stamps[0]}, nil
}

// Run fails: nothing is run again to look at it.
func (e recorded) Run(context.Context, sandbox.Program, sandbox.Limits) (sandbox.Reply, error) {
	return sandbox.Reply{}, fmt.Errorf("what the program showed: %w", store.ErrNotLogged)
}

// Stamp is that of the run's first engine.
func (e recorded) Stamp() sandbox.Stamp { return e.stamp }

// Close does nothing.
func (e recorded) Close() error { return nil }
