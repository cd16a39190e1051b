package gate_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/finetune/gate"
)

var update = flag.Bool("update", false, "write the golden files anew")

// release is a report with all that a report can have: a release of a server of Git, of which one
// task did not come to an end.
func release() gate.Input {
	tools := []string{"git_log", "git_show", "git_blame", "git_tag", "git_status"}
	in := gate.Input{
		Current: gate.Version{Name: "git 2.3.2", Tools: tools},
		Next:    gate.Version{Name: "git 2.15.3", Tools: append(slices.Clone(tools), "git_stash")},
		Changes: []gate.Change{
			{
				Tool: "git_log", By: "rename-parameter",
				What: "the required parameter path is now repository_path",
			},
			{Tool: "git_log", What: "n is a text"},
			{Tool: "git_show", By: "rename-parameter", What: "path is now repository_path"},
			{Tool: "git_blame", By: "rename-parameter", What: "path is now repository_path"},
			{Tool: "git_tag", By: "flip-default"},
			{Tool: "git_stash", By: "add-tool"},
		},
	}

	right := gate.Try{Right: true, Answer: "3 commits"}
	wrong := gate.Try{Answer: "There is no parameter `path`.\n<stop>"}
	status := map[string][]string{"git_status": {"git_status({})"}}
	log := map[string][]string{
		"git_log": {`git_log({"path": "/tmp/r", "n": 3})`}, "git_status": status["git_status"],
	}
	show := map[string][]string{"git_show": {`git_show({"path": "/tmp/r"})`}}
	play := func(id string, calls map[string][]string, current, next []gate.Try) {
		in.Tasks = append(in.Tasks, gate.Task{ID: id, Calls: calls, Current: current, Next: next})
	}

	for i := range 7 {
		play(fmt.Sprintf("log-%d", i), log, []gate.Try{right, right}, []gate.Try{wrong, wrong})
	}

	play("log-7", log, []gate.Try{right, right}, []gate.Try{right, wrong})
	play("show-1", show, []gate.Try{wrong, wrong}, []gate.Try{right, wrong})
	play("show-2", show, []gate.Try{right, right}, []gate.Try{right, right})
	play("show-3", show, []gate.Try{right, right}, []gate.Try{down, down})

	play("other", status, []gate.Try{right, right}, []gate.Try{right, wrong}) // by chance

	for i := range 4 {
		in.Tasks = append(in.Tasks, gate.Task{
			ID: fmt.Sprintf("status-%d", i), Calls: status, Equal: true,
			Current: []gate.Try{right, right},
		})
	}

	return in
}

// unused is a tool that no task uses.
const unused = "<img src=y> @me #1"

// odd has in every name what a terminal, Markdown or XML could take for something else.
func odd() gate.Input {
	const name = "a|b <img src=x> `c` **d** [e](http://f) @admin #12 _g_ " +
		"\x1b[31m\x00\ufffe\u202e]]>\n| h & \\| \xff"

	calls := map[string][]string{name: {name}}
	return gate.Input{
		Current: gate.Version{Name: "1 " + name, Tools: []string{name, unused}},
		Next:    gate.Version{Name: "2 " + name, Tools: []string{name, unused}},
		Changes: []gate.Change{
			{Tool: name, By: name, What: name}, {Tool: unused, What: "it is faster"},
		},
		Tasks: []gate.Task{
			{
				ID: name, Calls: calls,
				Current: []gate.Try{{Right: true, Answer: name}}, Next: []gate.Try{{Answer: name}},
			},
			{ID: "2", Calls: calls, Current: []gate.Try{{Failure: name}}},
		},
	}
}

var reports = map[string]func(*gate.Report, io.Writer) error{
	"txt": (*gate.Report).WriteText,
	"md":  (*gate.Report).WriteMarkdown,
	"xml": (*gate.Report).WriteJUnit,
	"json": func(r *gate.Report, w io.Writer) error {
		text, err := console.EncodeJSON(r)
		_, writing := w.Write(text)
		return errors.Join(err, writing)
	},
}

func written(t interface {
	Helper()
	Fatal(args ...any)
}, in gate.Input, o gate.Options, kind string) string {
	t.Helper()

	var b bytes.Buffer
	if err := reports[kind](judge(t, in, o), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReports(t *testing.T) {
	unchanged := changed(0, 0, 0, 3)
	unchanged.Changes = nil

	for name, test := range map[string]struct {
		in gate.Input
		o  gate.Options
	}{
		"release":   {release(), gate.Options{Limit: 0.05, Allowed: []string{"git_tag"}}},
		"odd":       {odd(), gate.Options{Limit: 0.05, Allowed: []string{unused}}},
		"undecided": {changed(1, 0, 9, 20), gate.Options{Limit: 0.05}},
		"green":     {unchanged, gate.Options{Limit: 0.05}},
	} {
		for kind := range reports {
			path, got := filepath.Join("testdata", name+"."+kind), written(t, test.in, test.o, kind)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}

			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v: make it with -update", err)
			}

			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	}
}

// Whoever lets an undecided release pass has no failure of the gate in JUnit XML.
// How many tasks a language model judged stands beside how many there are.
func TestJudgedTasksAreCounted(t *testing.T) {
	t.Parallel()

	in := release()
	in.Tasks[0].Judge, in.Tasks[1].Judge = "openai:m", "openai:m"

	r := judge(t, in, gate.Options{Limit: 0.05})

	var b bytes.Buffer
	if err := r.WriteMarkdown(&b); err != nil || !strings.Contains(b.String(),
		"A language model judged 2 of them, by rubrics.") {
		t.Errorf("%v\n%s", err, b.String())
	}

	judged := slices.DeleteFunc(slices.Clone(r.Tasks), func(t gate.Result) bool { return t.Judge != "openai:m" })
	if len(judged) != 2 {
		t.Errorf("%d results say who judged", len(judged))
	}
}

func TestUndecidedPasses(t *testing.T) {
	t.Parallel()

	in, o := changed(0, 0, 5, 0), gate.Options{Limit: 0.05, PassUndecided: true}

	text := written(t, in, o, "xml")
	if !strings.Contains(text, `tests="6" failures="0" errors="0" skipped="1"`) {
		t.Error(text)
	}
}

// What cannot be written is an error, wherever the writer ends.
func TestFullDisk(t *testing.T) {
	t.Parallel()

	for kind, write := range reports {
		in, o := release(), gate.Options{Limit: 0.05}
		n := len(written(t, in, o, kind))

		for _, room := range []int{0, n / 2, n - 1} {
			if err := write(judge(t, in, o), &full{room}); err == nil {
				t.Fatalf("%s: no error of a writer that has room for %d bytes", kind, room)
			}
		}
	}
}

// full is a writer that has room for some bytes.
type full struct{ room int }

func (f *full) Write(text []byte) (int, error) {
	if f.room -= len(text); f.room < 0 {
		return 0, errors.New("no space left")
	}
	return len(text), nil
}

// named is the input of a release whose names, calls and answers are all one text.
func named(text string) gate.Input {
	in := changed(2, 1, 1, 0)
	in.Current.Name, in.Next.Name = text, text
	in.Current.Tools = append(in.Current.Tools, text)
	in.Changes = []gate.Change{
		{Tool: "x" + text, By: text, What: text}, {Tool: "move", By: text, What: text},
	}
	in.Current.Tools = append(in.Current.Tools, "x"+text)

	for i := range in.Tasks {
		in.Tasks[i].ID += text
		in.Tasks[i].Calls["x"+text] = []string{text}
		in.Tasks[i].Next[0].Answer = text
	}

	in.Tasks[3].Next[0].Failure = text
	return in
}

var (
	odds    = rapid.StringMatching("[|<>`*_&@#\\\\\\[\\]\\(\\)\x00\x1b\n a-z-]{0,30}")
	anyText = rapid.OneOf(rapid.String(), odds)
	html    = regexp.MustCompile(`</?(code|details|summary)>`)
)

// Whatever stands in names, lines of a terminal are visible and fit, tables of Markdown have the
// same columns in each line and no marks of others, and XML can be read.
func TestReportsOfAnyText(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in, o := named(anyText.Draw(t, "text")), gate.Options{Limit: 0.05}

		for line := range strings.Lines(written(t, in, o, "txt")) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > 80 || display.Visible(line) != line {
				t.Errorf("%d columns: %q", n, line)
			}
		}

		columns := 0

		for line := range strings.Lines(written(t, in, o, "md")) {
			n := strings.Count(line, "|")
			if n > 0 && columns > 0 && n != columns {
				t.Errorf("%d columns in place of %d: %q", n, columns, line)
			}

			columns = n

			if rest := html.ReplaceAllString(line, ""); strings.ContainsAny(rest, "<>`[]@\\") {
				t.Errorf("marks are left in %q", line)
			}
		}

		var document struct {
			Suite struct {
				Tests int        `xml:"tests,attr"`
				Cases []struct{} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal([]byte(written(t, in, o, "xml")), &document); err != nil {
			t.Error(err)
		}

		tests, cases := document.Suite.Tests, len(document.Suite.Cases)
		if tests != cases || tests < 5 {
			t.Errorf("%d tests, of which %d can be read", tests, cases)
		}
	})
}

// Comments of a pull request are limited: what is left out is counted.
func TestLongListsAreCut(t *testing.T) {
	t.Parallel()

	o := gate.Options{Limit: 0.05}
	if text := written(t, changed(10, 0, 190, 0), o, "md"); strings.Contains(text, " more") {
		t.Errorf("something is left out of\n%s", text)
	}

	text := written(t, changed(250, 0, 0, 0), o, "md")
	for _, want := range []string{"task-009 and 240 more", "\nAnd 50 more, which"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// junitparser, a library that CI systems read with, counts what the report counts.
func TestJUnitIsReadByOthers(t *testing.T) {
	python := os.Getenv("TOOLEVO_JUNIT_PYTHON")
	if python == "" {
		t.Skip("TOOLEVO_JUNIT_PYTHON is not set: the path of a python with junitparser")
	}

	const program = `
import junitparser, sys
for suite in junitparser.JUnitXml.fromfile(sys.argv[1]):
    kinds = [type(r).__name__ for case in suite for r in case.result]
    counts = suite.tests, suite.failures, suite.errors, suite.skipped
    suite.update_statistics()
    assert counts == (suite.tests, suite.failures, suite.errors, suite.skipped), counts
    print(suite.tests, *(kinds.count(k) for k in ("Failure", "Error", "Skipped")))
    print(*(case.name for case in suite if any(type(r).__name__ == "Error" for r in case.result)))`

	for name, want := range map[string]string{
		"release": "19 11 1 5\nshow-3\n", "odd": "4 1 2 1\nverdict 2\n",
		"undecided": "31 2 0 20\n\n", "green": "4 0 0 3\n\n",
	} {
		file := filepath.Join("testdata", name+".xml")

		out, err := exec.Command(python, "-c", program, file).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v, %s; want %s", name, err, out, want)
		}
	}
}
