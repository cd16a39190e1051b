package pytooltest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the observations in testdata anew")

func TestUpdate(t *testing.T) {
	if !*update {
		t.Skip("without -update")
	}

	e := newest(t)

	for name, cases := range map[string][]Case{
		"testdata/snippets.txt": snippetCases(),
		"testdata/samples.txt":  sampleCases(),
	} {
		both := strings.Contains(name, "snippets")

		for i, c := range cases {
			one := runnable([]Case{c}, e.Stamp())
			if len(one) == 0 {
				t.Errorf("%s: %s cannot run %s, whose observation stays", name, e.Stamp(), c.Name)
				continue
			}

			plain, err := observe(t.Context(), e, one, false)
			if err != nil {
				t.Fatal(err)
			}

			cases[i].Plain = plain[0]

			if !both {
				continue
			}

			published, err := observe(t.Context(), e, one, true)
			if err != nil {
				t.Fatal(err)
			}

			cases[i].Published = &published[0]
		}

		if err := os.WriteFile(name, []byte(format(cases)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFilesAreComplete(t *testing.T) {
	if n := len(snippetCases()); n < 80 {
		t.Errorf("%d snippets, want 80", n)
	}

	if n := len(sampleCases()); n < 200 {
		t.Errorf("%d samples, want 200", n)
	}

	for _, cases := range [][]Case{snippetCases(), sampleCases()} {
		for _, c := range cases {
			if c.Plain.Text == "" {
				t.Errorf("%s has no observation", c.Name)
			}
		}

		again, err := parse(format(cases))
		if diff := cmp.Diff(cases, again); err != nil || diff != "" {
			t.Errorf("written and read again: %v\n%s", err, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"=== a\nx\n--- fine\n", "=== a\nx\n--- \n", "=== a\nx\n--- other ok\n", "=== a\nx\n=== a\nx\n", "=== \nx",
	} {
		if cases, err := parse(text); err == nil {
			t.Errorf("%q: %+v", text, cases)
		}
	}
}

func TestNormal(t *testing.T) {
	for text, want := range map[string]string{
		"Traceback (most recent call last):\n  File \"<string>\", line 2, in <module>\n    json.loads('{')\n  " +
			"File \"/usr/lib/python3.11/json/__init__.py\", line 346, in loads\n    return " +
			"_default_decoder.decode(s)\n           ^^^\n  File \"<string>\", " +
			"line 3, in f\n    1/0\nE: x": "Traceback (most recent call last):\n  File \"<string>\", line 2, in " +
			"<module>\n    json.loads('{')\n  File \"<string>\", line 3, in f\n    1/0\nE: x",
		"  File \"<string>\", line 2\n    print(\n         ^\nSyntaxError: " +
			"'(' was never closed": "SyntaxError in line 2",
		"1\nSyntaxError: x": "1\nSyntaxError in line ",
		"NameError: name 'a' is not defined. Did you mean: 'b'?": "NameError: name 'a' is not defined",
		"  [Previous line repeated 990 more times]\nRecursionError: " +
			"maximum recursion depth exceeded in x": "  [more]\nRecursionError",
		"a\n  File name\n": "a\n  File name\n",
	} {
		if got := normal(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}
