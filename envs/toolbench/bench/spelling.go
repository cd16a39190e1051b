package bench

import (
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/envs/toolbench"
)

// spelling finds the parameters that are meant by a client which spells names as StableToolBench's
// own does ([toolbench.Name]).
type spelling struct {
	published, deployed []string // the names of a function's parameters
}

// read returns the arguments under their parameters' names, and how many were spelled otherwise. An
// error is a mistake of the client.
func (s spelling) read(args envs.Args) (read envs.Args, respelled int, err error) {
	read = slices.Clone(args)

	for i, arg := range args {
		name, err := s.resolve(arg.Name)
		if err != nil {
			return nil, 0, err
		}

		if name == arg.Name {
			continue
		}

		if _, twice := read.Get(name); twice {
			return nil, 0, fmt.Errorf(
				"argument error: %q and %q are the same parameter: give one of them", arg.Name, name)
		}

		read[i].Name = name
		respelled++
	}
	return read, respelled, nil
}

// resolve returns the parameter that a name stands for, which is the name itself if no other fits.
func (s spelling) resolve(name string) (string, error) {
	if slices.Contains(s.deployed, name) || slices.Contains(s.published, name) {
		return name, nil
	}

	// Published names come first: whoever read the published documents has to meet what a version
	// has made of them, even if a new name happens to be spelled like an old one.
	for _, names := range [][]string{s.published, s.deployed} {
		found := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
			return toolbench.Name(n) != name
		})

		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return "", fmt.Errorf("argument error: %q may be any of %q: give the name that is meant",
				name, found)
		}
	}

	return name, nil
}
