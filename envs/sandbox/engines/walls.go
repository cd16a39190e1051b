package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/attack"
	"toolevo/envs/sandbox/confine"
)

// Attack tries to get out of an engine with a stamp.
type Attack func(ctx context.Context, stamp sandbox.Stamp, open func(context.Context) (sandbox.Engine, error)) error

// Once returns an attack that keeps its verdict on each kind of engine.
func Once() Attack {
	var verdicts sync.Map
	return func(ctx context.Context, stamp sandbox.Stamp, open func(context.Context) (sandbox.Engine, error)) error {
		check := sync.OnceValue(func() error { return attack.Check(ctx, open) })
		verdict, _ := verdicts.LoadOrStore(stamp.String(), check)
		return verdict.(func() error)()
	}
}

// Check attacks an engine like the one with a stamp, which was opened with these options. It is an
// error if an attack gets through that no accepted lack of a wall explains. A nil try is
// attack.Check.
func Check(ctx context.Context, stamp sandbox.Stamp, o Options, try Attack) error {
	if stamp.Engine == Unsafe {
		return nil
	}

	if try == nil {
		try = func(ctx context.Context, _ sandbox.Stamp, open func(context.Context) (sandbox.Engine, error)) error {
			return attack.Check(ctx, open)
		}
	}

	o.Engine, o.Servers = stamp.Engine, 1
	err := try(ctx, stamp, func(ctx context.Context) (sandbox.Engine, error) { return Open(ctx, o) })

	var breach *attack.BreachError
	if !errors.As(err, &breach) {
		return err
	}

	breach.Breaches = slices.DeleteFunc(breach.Breaches,
		func(f attack.Finding) bool { return isAccepted(stamp, f.Attack) })
	if len(breach.Breaches) == 0 {
		return nil
	}

	return fmt.Errorf("%w\nNothing was run. `toolevo doctor sandbox` tries all attacks; SECURITY.md says what "+
		"each engine needs", err)
}

// breached says what gets through for lack of one wall if there is the other: all attacks on some
// walls of package attack, and single ones.
var breached = map[confine.Wall]struct{ walls, attacks []string }{
	confine.Landlock: {nil, []string{"devices", "list-folders", "read-file", "read-system", "all-processes",
		"descriptors-of-others", "host-environment", "kernel-log"}},
	confine.Seccomp: {[]string{attack.Network, attack.Processes, attack.Signals, attack.Kernel, attack.OtherCalls},
		[]string{"change-metadata", "file-handles", "kernel-log", "memory-in-kernel", "open-for-neither", "threads"}},
}

// isAccepted reports whether an attack gets through for lack of a wall that the user accepted.
// Nothing gets out of bubblewrap for lack of Landlock.
func isAccepted(s sandbox.Stamp, a attack.Attack) bool {
	if s.Engine != Bwrap && len(s.Missing) == len(confine.Walls()) {
		return true
	}
	return slices.ContainsFunc(s.Missing, func(wall string) bool {
		if s.Engine == Bwrap && wall == string(confine.Landlock) {
			return false
		}

		b := breached[confine.Wall(wall)]
		return slices.Contains(b.walls, a.Wall) || slices.Contains(b.attacks, a.Name)
	})
}

// Warnings says what it means that engines lack walls.
func Warnings(stamps []sandbox.Stamp) []string {
	var lines []string

	for _, s := range stamps {
		if line, _ := Warning(s); line != "" {
			lines = append(lines, line)
		}
	}

	slices.Sort(lines)
	return slices.Compact(lines)
}

// Warning says what it means if an engine lacks walls, and whether programs have fewer walls around
// them than they should.
func Warning(s sandbox.Stamp) (line string, unconfined bool) {
	walls := strings.Join(s.Missing, " and ")
	switch {
	case s.Engine == Unsafe:
		return "No walls around model-written programs (python.engine unsafe).", true
	case walls == "":
		return "", false
	case s.Engine == Bwrap && walls == string(confine.Landlock):
		return "No landlock around model-written programs; bubblewrap stands in for it.", false
	}

	return fmt.Sprintf("No %s around model-written programs (python.accept).", walls), true
}

// InWords returns the stamps of engines as text.
func InWords(stamps []sandbox.Stamp) []string {
	words := make([]string, len(stamps))
	for i, s := range stamps {
		words[i] = s.String()
	}
	return words
}
