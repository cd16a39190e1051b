package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// Outcomes of a mutant.
const (
	killed    = "killed"
	hung      = "hung" // killed as well
	alive     = "alive"
	unreached = "unreached" // alive; no test reaches it
)

// result is one line of the file of results.
type result struct {
	Package string `json:"package"`
	Digest  string `json:"digest"` // of the package's sources and tests
	ID      int    `json:"id"`
	mutant
	Outcome string `json:"outcome"`
	By      string `json:"by,omitempty"` // the test that failed
}

// results are the results in the file, by digest and mutant.
type results struct {
	mu   sync.Mutex
	out  *os.File // nil if nothing is kept
	have map[string]map[int]result
}

// readResults reads earlier results from a file, which need not exist.
func readResults(path string) (*results, error) {
	r := &results{have: map[string]map[int]result{}}
	if path == "" {
		return r, nil
	}

	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}

	for s := bufio.NewScanner(f); s.Scan(); {
		var one result
		if json.Unmarshal(s.Bytes(), &one) != nil {
			continue // the last line of a program that was killed
		}

		r.keep(one)
	}

	r.out = f
	return r, nil
}

func (r *results) keep(one result) {
	if r.have[one.Digest] == nil {
		r.have[one.Digest] = map[int]result{}
	}

	r.have[one.Digest][one.ID] = one
}

func (r *results) lookup(digest string, id int) (result, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()

	one, ok := r.have[digest][id]
	return one, ok
}

func (r *results) add(one result) error {
	if r.out == nil {
		return nil
	}

	line, err := json.Marshal(one)
	if err != nil {
		return err
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	_, err = r.out.Write(append(line, '\n'))
	return err
}

// digest returns a hash of a package's sources, with and without mutants, and of its tests; what it
// imports may have changed.
func (t *target) digest() (string, error) {
	h := sha256.New()

	for _, name := range slices.Concat(t.GoFiles, t.TestGoFiles, t.XTestGoFiles) {
		text, err := os.ReadFile(filepath.Join(t.Dir, name))
		if err != nil {
			return "", err
		}

		fmt.Fprintf(h, "%s %d\n%s%s", name, len(text), text, t.planted[filepath.Join(t.Dir, name)])
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// list says what has to be killed, and what need not be.
type list struct {
	Packages []struct {
		Package string `yaml:"package"` // in the module
		Least   int    `yaml:"least"`   // percent
	} `yaml:"packages"`
	Accepted []struct {
		File   string `yaml:"file"`
		Func   string `yaml:"func"`
		Change string `yaml:"change"`
		Reason string `yaml:"reason"`
	} `yaml:"accepted"`
}

func readList(path string) (*list, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}

	var l list
	if err := yaml.UnmarshalWithOptions(text, &l, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	for _, a := range l.Accepted {
		if a.File == "" || a.Func == "" || a.Change == "" || a.Reason == "" {
			return nil, fmt.Errorf("%s: a survivor needs file, func, change and reason: %+v", path,
				a)
		}
	}

	return &l, nil
}

// accepts reports whether a survivor is on the list.
func (l *list) accepts(m mutant) bool {
	for _, a := range l.Accepted {
		if matches(a.File, m.File) && matches(a.Func, m.Func) && matches(a.Change, m.Change) {
			return true
		}
	}

	return false
}

// matches reports whether a text matches a pattern, in which * stands for any text.
func matches(pattern, text string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	text, ok := strings.CutPrefix(text, first)

	if !more || !ok {
		return ok && text == ""
	}

	for i := range len(text) + 1 {
		if matches(rest, text[i:]) {
			return true
		}
	}

	return false
}

// print writes the survivors of a package and its line of the table, and reports whether enough
// were killed.
func (l *list) print(w io.Writer, m *measurement) bool {
	// Results are in the order of the draw; survivors are read file by file.
	slices.SortFunc(m.results, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.ID, b.ID))
	})

	dead, accepted := 0, 0
	for _, r := range m.results {
		switch {
		case r.Outcome == killed || r.Outcome == hung: // a hang fails the tests, too
			dead++
		case l.accepts(r.mutant):
			accepted++
		default:
			fmt.Fprintf(w, "%s:%d: %s: %s (%s)\n", r.File, r.Line, r.Func, r.Change, r.Outcome)
		}
	}

	least := 0
	for _, p := range l.Packages {
		if strings.HasSuffix(m.pkg, "/"+p.Package) {
			least = p.Least
		}
	}

	// Accepted survivors change nothing that a test could see, so they count on neither side.
	counted := len(m.results) - accepted
	share := 100.0
	if counted > 0 {
		share = 100 * float64(dead) / float64(counted)
	}

	fmt.Fprintf(w, "%s: %d of %d killed (%.0f %%, at least %d), %d accepted, %d planted\n",
		m.pkg, dead, counted, share, least, accepted, m.planted)
	return share >= float64(least)
}
