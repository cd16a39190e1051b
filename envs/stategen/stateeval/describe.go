package stateeval

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Description is a row in short.
type Description struct {
	ID        int      `json:"id"`               // its number
	Domain    string   `json:"domain"`           // told by its calls
	Cases     int      `json:"cases"`            // runs of its program
	Variables []string `json:"variables"`        // that the program declares
	Loaded    []string `json:"loaded"`           // that are loaded before it runs
	Sessions  int      `json:"sessions"`         // that the service begins with
	Lines     int      `json:"lines"`            // of the program
	Prompt    int      `json:"prompt"`           // characters
	Task      string   `json:"task,omitempty"`   // the ID of the task that it makes, or ""
	Failed    string   `json:"failed,omitempty"` // why it makes no task
}

var evaluatorFile = regexp.MustCompile(`^evaluator_(\d+)\.json$`)

// Number returns the number of an evaluator's file, by its name.
func Number(path string) (n int, ok bool) {
	found := evaluatorFile.FindStringSubmatch(filepath.Base(path))
	if found == nil {
		return 0, false
	}

	n, err := strconv.Atoi(found[1])
	return n, err == nil
}

// Describe returns a row in short.
func Describe(r Row) (Description, error) {
	cases, err := r.Cases()
	if err != nil {
		return Description{}, fmt.Errorf("stateeval: row %d: %w", r.ExampleID, err)
	}

	first := cases[0]
	d := Description{
		ID: r.ExampleID, Domain: domain(first), Cases: len(cases), Variables: names(first.Info.InitLocalInfo),
		Loaded: names(first.Info.InitLoadInfo), Prompt: len([]rune(r.Prompt)),
		Sessions: len(entries(first.Info.InitImplicitDict.Any)),
		Lines:    strings.Count(strings.TrimSpace(first.Program), "\n") + 1,
	}

	return d, nil
}

// names returns the names of values, never nil: in JSON they are a list.
func names(all []Named) []string {
	list := make([]string, len(all))
	for i, n := range all {
		list[i] = n.Name
	}
	return list
}

// domain returns the scenario of a program, by its calls.
func domain(c TestCase) string {
	switch {
	case strings.Contains(c.Program, "requests."):
		return Session
	case strings.Contains(c.Program, "torch.") || strings.Contains(c.Program, "F."):
		return Tensor
	}

	return Voice
}

// The scenarios of the benchmark, which are also the names of our domains.
const (
	Session = "session"
	Tensor  = "tensor"
	Voice   = "voice"
)
