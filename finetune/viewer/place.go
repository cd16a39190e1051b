package viewer

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// place is what a page shows: all runs, a run, a question, an attempt, or a node. Attempt and Node
// are -1 if none is named.
type place struct {
	Run, Question string
	Attempt, Node int
}

// parsePlace reads a place from the escaped path of a URL, without its first slash.
func parsePlace(path string) (p place, err error) {
	p = place{Attempt: -1, Node: -1}
	if path == "" {
		return p, nil
	}

	parts := strings.Split(path, "/")
	if len(parts) > 4 {
		return p, fmt.Errorf("%q names more than a run, a question, an attempt and a node", path)
	}

	// Split first, unescaped then: names of runs and questions may have slashes in them.
	for i, part := range parts {
		if parts[i], err = url.PathUnescape(part); err != nil {
			return p, err
		}
	}

	p.Run = parts[0]
	if len(parts) > 1 {
		p.Question = parts[1]
	}

	// A negative number would mean that none is named, so it is an error here.
	for i, to := range []*int{&p.Attempt, &p.Node} {
		if len(parts) > 2+i {
			if *to, err = strconv.Atoi(parts[2+i]); err != nil || *to < 0 {
				return p, fmt.Errorf("%q is not the number of an attempt or a node", parts[2+i])
			}
		}
	}

	return p, nil
}

// String returns the place as parsePlace reads it.
func (p place) String() string {
	var parts []string

	switch {
	case p.Run == "":
		return ""
	case p.Question == "":
		parts = []string{p.Run}
	default:
		parts = []string{p.Run, p.Question}
	}

	for _, n := range []int{p.Attempt, p.Node} {
		if n >= 0 {
			parts = append(parts, strconv.Itoa(n))
		}
	}

	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

// parent returns the enclosing place.
func (p place) parent() place {
	switch {
	case p.Node >= 0:
		p.Node = -1
	case p.Attempt >= 0:
		p.Attempt = -1
	case p.Question != "":
		p.Question = ""
	default:
		p.Run = ""
	}

	return p
}

// Label returns the name of the place in the path that leads to it.
func (p place) Label() string {
	switch {
	case p.Node >= 0:
		return "node " + strconv.Itoa(p.Node)
	case p.Attempt >= 0:
		return strconv.Itoa(p.Attempt)
	case p.Question != "":
		return p.Question
	case p.Run != "":
		return p.Run
	}

	return "runs"
}
