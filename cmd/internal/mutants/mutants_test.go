package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata/tiny.golden anew")

var tinyOptions = options{workers: 2, grace: 3 * time.Second}

// TestTiny measures a package that has a mutant of every kind, and then reads the results instead
// of running again.
func TestTiny(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	first := tiny(t, path)
	written := outcomes(first)

	want, err := os.ReadFile("testdata/tiny.golden")

	got := strings.Join(written, "\n") + "\n"
	if *update {
		err = os.WriteFile("testdata/tiny.golden", []byte(got), 0o644)
	}

	if err != nil {
		t.Fatal(err)
	}

	if !*update && got != string(want) {
		t.Errorf("the outcomes are\n%s\nwant\n%s", got, want)
	}

	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	// A line that says otherwise is believed: nothing ran again.
	kept = bytes.ReplaceAll(kept, []byte(`"killed"`), []byte(`"alive"`))
	if err := os.WriteFile(path, kept, 0o600); err != nil {
		t.Fatal(err)
	}

	for _, r := range tiny(t, path).results {
		if r.Outcome == killed {
			t.Errorf("%s was run again", r.Change)
		}
	}
}

func tiny(t *testing.T, path string) *measurement {
	t.Helper()

	known, err := readResults(path)
	if err != nil {
		t.Fatal(err)
	}

	m, err := measure(t.Context(), "./testdata/tiny", tinyOptions, known)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func outcomes(m *measurement) []string {
	var lines []string
	for _, r := range m.results {
		lines = append(lines, r.Func+": "+r.Change+": "+r.Outcome)
	}

	slices.Sort(lines)
	return lines
}

// TestPlantedPackages plants mutants in packages of the module, which must compile with hundreds of
// them.
func TestPlantedPackages(t *testing.T) {
	for _, name := range []string{"toolevo/mcts", "toolevo/envs/toolapi"} {
		p, err := load(name)
		if err != nil {
			t.Fatal(err)
		}

		if len(p.mutants) < 300 {
			t.Errorf("%s has %d mutants", name, len(p.mutants))
		}
	}
}

// TestList accepts survivors by file, function and change, and holds a package to its share.
func TestList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.yaml")
	text := `packages: [{package: a/b, least: 60}]
accepted:
  - {file: a/b/*.go, func: F, change: "x*", reason: equal}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	l, err := readList(path)
	if err != nil {
		t.Fatal(err)
	}

	survivor := result{mutant: mutant{File: "a/b/c.go", Func: "F", Change: "x -> y"}, Outcome: alive}
	other := result{mutant: mutant{File: "a/b/c.go", Func: "G", Change: "x -> y"}, Outcome: unreached}
	dead := result{mutant: mutant{File: "a/b/c.go", Func: "H", Change: "z"}, Outcome: hung}

	for _, c := range []struct {
		results []result
		good    bool
	}{
		{[]result{survivor, dead}, true},
		{[]result{survivor, survivor, dead, dead, other}, true},
		{[]result{survivor, dead, other}, false},
		{nil, true},
	} {
		var out strings.Builder
		if good := l.print(&out, &measurement{pkg: "toolevo/a/b", results: c.results}); good != c.good {
			t.Errorf("good is %t:\n%s", good, out.String())
		}
	}

	text = "accepted: [{file: a, func: b, change: c}]"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := readList(path); err == nil {
		t.Error("a survivor without a reason is accepted")
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		fits          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a*", "ab", true}, {"*b", "ab", true}, {"*", "", true},
		{"a*c*e", "abcde", true}, {"a*c*e", "abde", false}, {"a*bc", "abbc", true}, {"", "a", false},
	} {
		if matches(c.pattern, c.text) != c.fits {
			t.Errorf("matches(%q, %q) is %t", c.pattern, c.text, !c.fits)
		}
	}
}
