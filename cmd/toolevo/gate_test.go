package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs/remote/remotetest"
	"toolevo/finetune/gate"
	"toolevo/mcts/policy/simserver"
	"toolevo/toolqa"
	"toolevo/trajectories"
)

// lendingMoved is a version in which one tool has another name.
const lendingMoved = `version: next
deprecates: [p_c]
apis:
  - {name: find_books, parameters: [{name: author, type: string, required: false}]}
  - {name: get_book, parameters: [{name: book, type: integer}]}
  - {name: list_loans, parameters: [{name: reader, type: string}]}
  - name: borrow
    tool: lend_book
    parameters: [{name: book, type: integer}, {name: reader, type: string}]
    notice: {example: '{"book": 1, "reader": "Zoe"}'}
  - {name: return_book, parameters: [{name: book, type: integer}, {name: reader, type: string}]}
  - {name: Finish, parameters: [{name: answer}]}
  - {name: UpdateTool, parameters: [{name: newtool_desc, type: string}]}
`

// The gate of a release plays again only what uses what changed, and says by its exit code whether
// the release may go out.
func TestGate(t *testing.T) {
	t.Parallel()

	data, dir := libraryData(t), t.TempDir()

	next := filepath.Join(dir, "next.yaml")
	if err := os.WriteFile(next, []byte(lendingMoved), 0o600); err != nil {
		t.Fatal(err)
	}

	folder := filepath.Join(dir, "release")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}

	write(t, filepath.Join(folder, "next.yaml"), lendingMoved)
	write(t, filepath.Join(dir, "next.yml"), lendingMoved)

	empty := filepath.Join(dir, "empty.json")
	nothing := `{"openapi": "3.1.0", "info": {"title": "nothing"}, "paths": {}}`

	if err := os.WriteFile(empty, []byte(nothing), 0o600); err != nil {
		t.Fatal(err)
	}

	must(t, "tools", "next", "--data", data, "--name", "empty", "--openapi", empty)
	must(t, append([]string{"tools", "next", "--data", data, "--name", "same", "--"}, remotetest.Command(t)...)...)

	table := filepath.Join(dir, "tasks.csv")
	if err := os.WriteFile(table, []byte("question,answer\nWho wrote Emma?,Austen\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	lending := []string{"test-3", "test-4"}
	everything := []string{"test-1", "test-2", "test-3", "test-4", "test-5"}

	for name, test := range map[string]struct {
		args    []string
		exit    int
		verdict gate.Verdict
		again   []string // tasks that were played under the next version
	}{
		"nothing changes": {[]string{"p_c", "p_c"}, exitDone, gate.Green, nil},
		"the same list":   {[]string{"p_c", "same"}, exitDone, gate.Green, nil},
		"an empty list":   {[]string{"p_c", "empty", "--policy", "scripted:reader"}, exitBad, gate.Red, everything},
		"stale":           {[]string{"p_c", "p_s_in"}, exitBad, gate.Red, everything},
		"reader":          {[]string{"p_c", next, "--policy", "scripted:reader"}, exitBad, gate.Undecided, lending},
		"reader, passing": {[]string{"p_c", next, "--policy", "scripted:reader", "--undecided", "pass"},
			exitDone, gate.Undecided, lending},
		"tasks of a file": {[]string{"p_c", next, "--tasks", remotetest.WriteTasks(t, dir, "train")}, exitBad,
			gate.Undecided, []string{"train-3", "train-4"}},
		"a table":  {[]string{"p_c", next, "--tasks", table}, exitBad, gate.Red, nil}, // no task lends
		"one tool": {[]string{"p_c", next}, exitBad, gate.Undecided, lending},
		"a folder": {[]string{"p_c", folder}, exitBad, gate.Undecided, lending},
		"a .yml": {[]string{"p_c", filepath.Join(dir, "next.yml")}, exitBad, gate.Undecided,
			lending},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			out := filepath.Join(t.TempDir(), "gate")
			args := append([]string{
				"gate", "--set", "suite=remote", "--data", data, "--out", out, "--json",
			}, test.args...)

			for range 2 { // the second time it plays nothing
				ended := cli(t, args...)
				if r := document[gate.Report](t, ended.out); ended.code != test.exit || r.Verdict != test.verdict {
					t.Errorf("exit %d, %s: %s", ended.code, r.Verdict, r.Because)
				}
			}

			var again []string

			for e, err := range trajectories.ReadEpisodes(filepath.Join(out, "next")) {
				if err == nil {
					again = append(again, e.QuestionID)
				}
			}

			slices.Sort(again)

			if !slices.Equal(again, test.again) {
				t.Errorf("played under the next version: %v, want %v", again, test.again)
			}

			var suites struct {
				Suites []struct {
					Cases []struct{} `xml:"testcase"`
				} `xml:"testsuite"`
			}

			err := xml.Unmarshal(read(t, filepath.Join(out, "junit.xml")), &suites)
			if err != nil || len(suites.Suites) != 1 {
				t.Errorf("junit.xml: %v, %+v", err, suites)
			}

			if says := string(read(t, filepath.Join(out, "gate.md"))); !strings.Contains(says, string(test.verdict)) {
				t.Errorf("gate.md: %s", says)
			}
		})
	}
}

// A gate that is asked again about a version that was edited does not answer about the earlier one.
func TestGateOfAnEditedVersion(t *testing.T) {
	t.Parallel()

	data, dir := libraryData(t), t.TempDir()
	next := filepath.Join(dir, "next.yaml")
	args := []string{"gate", "p_c", next, "--set", "suite=remote", "--data", data, "--out", filepath.Join(dir, "gate")}

	for i, text := range []string{lendingMoved, strings.Replace(lendingMoved, "borrow", "lend", 1)} {
		if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		if i == 0 {
			cli(t, args...)
			continue
		}

		fails(t, exitUsage, []string{"versions.yaml has them", "another --out"}, args...)
	}

	fails(t, exitUsage, []string{"CURRENT", "the name of a version"}, "gate", next, "p_c", "--set", "suite=remote",
		"--data", data, "--out", filepath.Join(dir, "other"))
}

// What cannot be played is said by name, before anything is.
func TestGateOfTasksThatCannotBePlayed(t *testing.T) {
	t.Parallel()

	data, dir := libraryData(t), t.TempDir()
	path := filepath.Join(dir, "tasks.jsonl")

	fails := func(text string, says []string, args ...string) {
		t.Helper()

		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		fails(t, exitUsage, says, append([]string{"gate", "p_c", "p_s_in", "--tasks", path, "--data", data,
			"--out", filepath.Join(dir, "gate")}, args...)...)
	}

	fails("{}\n", []string{"--tasks", "tasks.jsonl, line 1", "an id and a question"}, "--set", "suite=remote")
	fails("", []string{"tasks.jsonl has no questions"}, "--set", "suite=remote")
	fails("{}\n", []string{"--tasks", "the suite stategen reads no file of tasks"}, "--set", "suite=stategen")
	fails("{}\n", []string{"--split and --tasks"}, "--set", "suite=remote", "--split", "train")
}

// Options that could not be followed are refused before anything is played.
func TestGateOfWrongOptions(t *testing.T) {
	t.Parallel()

	data, out := libraryData(t), filepath.Join(t.TempDir(), "gate")

	for _, test := range []struct {
		says []string
		args []string
	}{
		{[]string{"--loss", "above 0 and below 1"}, []string{"--loss", "5"}},
		{[]string{"--allow", "unknown tool", "lend_book"}, []string{"--allow", "Nope"}},
		{[]string{"did you mean lend_book"}, []string{"--allow", "find_books,lend_bok"}},
	} {
		fails(t, exitUsage, test.says, append([]string{"gate", "p_c", "p_s_in", "--set",
			"suite=remote", "--data", data, "--out", out}, test.args...)...)

		if exists(out) {
			t.Errorf("%s: there is a folder of runs", test.args)
		}
	}
}

// A gate goes on with more tasks in the runs that are there.
func TestGateOfMoreTasks(t *testing.T) {
	t.Parallel()

	args := []string{"gate", "p_c", "p_s_in", "--set", "suite=remote", "--data", libraryData(t),
		"--json", "--out", filepath.Join(t.TempDir(), "gate"), "--limit"}

	for i, tasks := range []int{2, 5} {
		ended := cli(t, append(args, []string{"1", "5"}[i])...)
		if ended.out == "" {
			t.Fatal(ended.err)
		}

		if r := document[gate.Report](t, ended.out); ended.code != exitBad || r.N != tasks {
			t.Errorf("exit %d, %d tasks, want %d: %s", ended.code, r.N, tasks, ended.err)
		}
	}
}

// Tasks are played again whatever they are called.
func TestGateOfTasksOfAnyName(t *testing.T) {
	t.Parallel()

	data, file := smallData(t), filepath.Join(t.TempDir(), "tasks.jsonl")
	q, text := ask(t, data, "coffee-easy/open", toolqa.Train), ""

	for _, id := range []string{"q,1", "[x] y"} {
		text += fmt.Sprintf("{\"qid\": %q, \"question\": %q, \"answer\": %q, \"dataset\": "+
			"\"coffee\"}\n", id, q.Text, q.Answer)
	}

	write(t, file, text)

	ended := cli(t, "gate", "p_c", "p_s_in", "--data", data, "--tasks", file, "--engine", "unsafe",
		"--json", "--out", filepath.Join(t.TempDir(), "gate"))
	if r := document[gate.Report](t, ended.out); ended.code != exitBad || r.N != 2 {
		t.Errorf("exit %d, %d tasks: %s", ended.code, r.N, ended.err)
	}
}

// A gate whose server is gone when it is asked for more does not answer by what was there before.
func TestGateOfAServerThatIsGone(t *testing.T) {
	t.Parallel()

	s := serve(t, simserver.Options{Address: freePort(t)})
	args := []string{"gate", "p_c", "p_c", "--data", smallData(t), "--split", "train", "--engine",
		"unsafe", "--policy", "openai:sim", "--server", s.URL(), "--out",
		filepath.Join(t.TempDir(), "gate"), "--limit"}

	must(t, append(args, "1")...)
	s.Kill()
	fails(t, exitGaveUp, []string{"connection refused"}, append(args, "2")...)
}

// failingLibrary is the data of a library whose server does not start.
func failingLibrary(t *testing.T) string {
	t.Helper()

	data := libraryData(t)
	path := filepath.Join(data, "remote", "tools.yaml")
	text := strings.NewReplacer("serve-library", "serve-nothing", "patience: 2m0s", "patience: 10ms").
		Replace(string(read(t, path)))

	write(t, path, text)
	return data
}

// A service that fails is no verdict on a release.
func TestGateOfAServiceThatFails(t *testing.T) {
	t.Parallel()

	ended := cli(t, "gate", "p_c", "p_s_in", "--set", "suite=remote", "--data", failingLibrary(t),
		"--out", filepath.Join(t.TempDir(), "gate"), "--set", "attempts=1", "--json")
	if r := document[gate.Report](t, ended.out); ended.code != exitGaveUp || r.Verdict != gate.Unmeasured {
		t.Errorf("exit %d, %s: %s", ended.code, r.Verdict, r.Because)
	}
}
