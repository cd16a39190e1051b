package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// deadly matches the first line of what a program writes that a panic ends.
var deadly = regexp.MustCompile(`^(panic|fatal error): `)

// skip is a test that was skipped.
type skip struct{ test, reason string }

// report reads events and writes what a person wants to know of them. Several runs may be read at a
// time.
type report struct {
	mu             sync.Mutex // guards the rest
	out            io.Writer
	passed, failed int
	skipped        []skip
	running        []string // tests that have begun, are not paused, and have not ended
}

// module begins the names of packages; what is printed leaves it out.
const module = "toolevo/"

// read reads events to the end. What is not an event is printed as it is.
func (r *report) read(in io.Reader) error {
	said := map[string]*strings.Builder{} // by test; what is of no test, by package
	dying := map[string]bool{}            // packages whose tests a panic ends
	lines := bufio.NewScanner(in)

	// A test may write very long lines, and each is one event.
	lines.Buffer(nil, 16<<20)

	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			r.print(lines.Text() + "\n")
			continue
		}

		pkg := strings.TrimPrefix(e.Package+e.ImportPath, module)
		name := pkg

		// go test ascribes the panic of a test that takes too long to another that has passed.
		dying[pkg] = dying[pkg] || deadly.MatchString(e.Output)
		if e.Test != "" && !(dying[pkg] && e.Output != "") {
			name += "." + e.Test
		}

		if said[name] == nil {
			said[name] = &strings.Builder{}
		}

		said[name].WriteString(e.Output)
		r.note(e, name, said[name].String())

		// What has ended writes no more, so its text need not be kept.
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			delete(said, name)
		}
	}
	return lines.Err()
}

// print writes a text as it is.
func (r *report) print(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()

	fmt.Fprint(r.out, text)
}

// note notes how a test or a package ended that wrote some text.
func (r *report) note(e event, name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()

	// A paused test waits for others, and is not what takes too long.
	switch e.Action {
	case "run", "cont":
		r.running = append(r.running, name)
	case "pause", "pass", "fail", "skip":
		r.running = slices.DeleteFunc(r.running, func(test string) bool { return test == name })
	}

	pkg := e.Test == ""
	switch {
	case e.Action == "build-fail":
		fmt.Fprintf(r.out, "FAIL  %s does not build\n%s", name, text)
	case e.Action == "fail":
		fmt.Fprintf(r.out, "FAIL  %s (%.1f s)\n%s", name, e.Elapsed, text)

		if pkg {
			r.failUnended(name)
		} else {
			r.failed++
		}
	case e.Action == "pass" && pkg:
		fmt.Fprintf(r.out, "ok    %s (%.1f s)\n", name, e.Elapsed)
	case e.Action == "pass":
		r.passed++
	case e.Action == "skip" && !pkg:
		r.skipped = append(r.skipped, skip{name, reason(text)})
	}
}

// failUnended fails the running tests of a package that has ended: go test says no more of them.
func (r *report) failUnended(pkg string) {
	for _, test := range r.running {
		if strings.HasPrefix(test, pkg+".") {
			fmt.Fprintf(r.out, "FAIL  %s did not end\n", test)
			r.failed++
		}
	}
}

// skipping matches what t.Skip writes, at the end of what a test wrote.
var skipping = regexp.MustCompile(`(?s)^(?:.*\n)? +[\w-]+\.go:\d+: (.*)\n[^\n]*--- SKIP`)

// reason returns why a test that wrote some text was skipped.
func reason(text string) string {
	found := skipping.FindStringSubmatch(text)
	if found == nil {
		return "no reason"
	}
	return strings.Join(strings.Fields(found[1]), " ")
}

// skips are the tests that may be skipped, by how the reason begins.
type skips map[string][]string

// parseSkips reads the list of them.
func parseSkips(text string) (skips, error) {
	allowed, why := skips{}, ""

	for i, line := range strings.Split(text, "\n") {
		word := strings.TrimSpace(line)
		switch {
		case word == "" || strings.HasPrefix(line, "#"):
		case word == line:
			why = line
		case why == "":
			return nil, fmt.Errorf("line %d: a test without a reason", i+1)
		default:
			allowed[why] = append(allowed[why], word)
		}
	}

	return allowed, nil
}

// listed returns how the reason begins for which a test may be skipped, "" if it may not.
func (s skips) listed(t skip) string {
	for why, tests := range s {
		if strings.HasPrefix(t.reason, why) && slices.Contains(tests, t.test) {
			return why
		}
	}

	return ""
}

// writeSkips says what was skipped and why, and returns how many tests the list does not name.
func (r *report) writeSkips(allowed skips) (unlisted int) {
	tests := map[string][]string{}

	for _, t := range r.skipped {
		why := allowed.listed(t)
		if why == "" {
			why = t.reason + " (not in the list of what may be skipped)"
			unlisted++
		}

		tests[why] = append(tests[why], t.test)
	}

	for _, why := range slices.Sorted(maps.Keys(tests)) {
		fmt.Fprintf(r.out, "skipped: %s\n", why)

		for _, test := range slices.Sorted(slices.Values(tests[why])) {
			fmt.Fprintf(r.out, "    %s\n", test)
		}
	}
	return unlisted
}
