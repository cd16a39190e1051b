package confine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Wall is a mechanism of the kernel that confines a program.
type Wall string

// The walls.
const (
	Landlock Wall = "landlock" // which files it may open
	Seccomp  Wall = "seccomp"  // which system calls it may make: no network, no process, no signal to another one
)

// Walls lists all walls.
func Walls() []Wall { return []Wall{Landlock, Seccomp} }

// Probe says why this machine does not offer a wall, for each that is missing.
func Probe() map[Wall]error {
	missing := make(map[Wall]error)

	for wall, probe := range probes {
		if err := probe(); err != nil {
			missing[wall] = err
		}
	}

	return missing
}

// Require returns a [MissingError] for the walls that this machine does not offer and that are not
// in without, or nil.
func Require(without ...Wall) error {
	for _, wall := range without {
		if !slices.Contains(Walls(), wall) {
			return fmt.Errorf("confine: there is no wall %q: the walls are %s", wall, list(Walls()))
		}
	}

	missing := Probe()
	for _, wall := range without {
		delete(missing, wall)
	}

	if len(missing) > 0 {
		return &MissingError{Missing: missing}
	}
	return nil
}

// MissingError says which walls a machine does not offer.
type MissingError struct {
	Missing map[Wall]error // why
}

// Error names the walls, says why they are missing, what still holds, and what can be done, in a
// few lines.
func (e *MissingError) Error() string {
	walls := slices.Sorted(maps.Keys(e.Missing))
	var b strings.Builder

	for i, wall := range walls {
		if i > 0 {
			b.WriteString("; ")
		}

		fmt.Fprintf(&b, "the wall %s is missing: %v", wall, e.Missing[wall])
	}

	what := "nothing holds but a program's limits"
	if len(walls) == 1 {
		what = consequences[walls[0]]
	}

	fmt.Fprintf(&b, "\nWithout %s %s.", list(walls), what)
	fmt.Fprintf(&b, "\nUse a machine that has it, or accept to do without %s.", list(walls))
	return b.String()
}

// Unwrap returns the reasons.
func (e *MissingError) Unwrap() []error {
	reasons := make([]error, 0, len(e.Missing))
	for _, wall := range slices.Sorted(maps.Keys(e.Missing)) {
		reasons = append(reasons, e.Missing[wall])
	}
	return reasons
}

// consequences says what a program can and cannot do without each wall.
var consequences = map[Wall]string{
	Landlock: "a program can read every file that this user can read, among them the environments of this user's " +
		"other processes; " +
		"it still cannot write or remove a file, reach the network, start a process or signal one, nor exceed " +
		"its limits",
	Seccomp: "a program can start processes that outlive it, signal this user's processes, open devices without " +
		"reading or writing them, " +
		"use the network as far as Landlock does not know it (UDP), and before Linux 6.2 empty the files that " +
		"this user may write; " +
		"it still cannot read or write a file outside of Python's, nor exceed its limits",
}

func list(walls []Wall) string {
	names := make([]string, len(walls))
	for i, wall := range walls {
		names[i] = string(wall)
	}
	return strings.Join(names, " and ")
}
