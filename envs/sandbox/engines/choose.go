package engines

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs/sandbox/confine"
)

// machine is what a choice depends on.
type machine struct {
	missing   map[confine.Wall]error // walls, and why they are missing
	noPython  error                  // why there is no python3 to use
	findBwrap func() (string, error) // the path of a bubblewrap that works
}

// choice is an engine and how it is started.
type choice struct {
	engine  string
	bwrap   string         // of Bwrap: its path
	without []confine.Wall // walls that are missing, and accepted
}

// choose decides how an engine is started, and with Auto, which.
func (o Options) choose(m machine) (choice, error) {
	accepted := slices.DeleteFunc(confine.Walls(), func(w confine.Wall) bool {
		return m.missing[w] == nil ||
			!slices.Contains(o.Accept, w)
	})

	c := choice{engine: o.Engine, without: accepted}
	switch o.Engine {
	case ForkServer:
		return c, m.refuse(accepted)
	case Unsafe:
		return choice{engine: Unsafe}, nil
	case Bwrap:
		return m.inBwrap(c)
	}

	return o.best(m, accepted)
}

// best is Auto's choice.
func (o Options) best(m machine, accepted []confine.Wall) (choice, error) {
	if m.noPython != nil {
		return choice{}, m.noPython
	}

	c, noBwrap := m.inBwrap(choice{engine: Bwrap, without: accepted})
	if noBwrap == nil {
		return c, nil
	}

	if err := m.refuse(accepted); err != nil {
		return choice{}, &noEngineError{err, noBwrap}
	}
	return choice{engine: ForkServer, without: accepted}, nil
}

// inBwrap completes the choice of bubblewrap, which stands in for Landlock: its mount namespace
// shows a program only the files that Landlock would let it open.
func (m machine) inBwrap(c choice) (choice, error) {
	if m.missing[confine.Landlock] != nil && !slices.Contains(c.without, confine.Landlock) {
		c.without = append(slices.Clone(c.without), confine.Landlock)
	}

	if err := m.refuse(c.without); err != nil {
		return choice{}, err
	}
	var err error
	c.bwrap, err = m.findBwrap()

	return c, err
}

// refuse returns a MissingError for the walls that are missing and not accepted.
func (m machine) refuse(accepted []confine.Wall) error {
	missing := map[confine.Wall]error{}
	for w, why := range m.missing {
		if !slices.Contains(accepted, w) {
			missing[w] = why
		}
	}

	if len(missing) == 0 {
		return nil
	}
	return &confine.MissingError{Missing: missing}
}

// noEngineError is a MissingError, with the reason why bubblewrap does not help.
type noEngineError struct {
	missing, noBwrap error
}

func (e *noEngineError) Error() string { return e.missing.Error() }

func (e *noEngineError) Unwrap() []error { return []error{e.missing, e.noBwrap} }

// advise adds what can be done to an error about missing walls.
func advise(err error) error {
	var missing *confine.MissingError
	if !errors.As(err, &missing) {
		return err
	}
	var names []string

	for _, w := range confine.Walls() {
		if missing.Missing[w] != nil {
			names = append(names, string(w))
		}
	}

	ways := "\nThe ways on:"

	var none *noEngineError
	if errors.As(err, &none) && !errors.As(none.noBwrap, new(*confine.MissingError)) {
		ways += fmt.Sprintf("\n  bubblewrap, which stands in for landlock; here %v", none.noBwrap)
	}

	ways += fmt.Sprintf("\n  --set python.accept=%s, to do without; every report says so", strings.Join(names, ","))
	ways += "\n  --set python.engine=unsafe, for programs that you trust; every report says so"
	return fmt.Errorf("%w%s", err, ways)
}

// findBwrap returns the path of a bubblewrap that starts a program in namespaces of its own: being
// installed is not enough where user namespaces are forbidden, as in most containers.
func findBwrap(ctx context.Context) (string, error) {
	path, err := exec.LookPath("bwrap")
	if err == nil {
		path, err = filepath.Abs(path)
	}

	if err != nil {
		return "", errors.New("bubblewrap is not installed (on Debian: apt-get install bubblewrap)")
	}

	if err := confine.CheckBubblewrap(ctx, path); err != nil {
		return "", err
	}
	return path, nil
}
