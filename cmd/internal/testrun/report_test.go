package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	events := []event{
		{Action: "build-output", ImportPath: "toolevo/broken", Output: "broken.go:1: no\n"},
		{Action: "build-fail", ImportPath: "toolevo/broken"},
		{Action: "run", Package: "toolevo/envs", Test: "TestGood"},
		{Action: "output", Package: "toolevo/envs", Test: "TestGood", Output: "never shown\n"},
		{Action: "pass", Package: "toolevo/envs", Test: "TestGood"},
		{Action: "output", Package: "toolevo/envs", Test: "TestBad", Output: "    a_test.go:3: want 1\n"},
		{Action: "fail", Package: "toolevo/envs", Test: "TestBad", Elapsed: 2},
		{Action: "output", Package: "toolevo/envs", Test: "TestWalls/one", Output: "    a_test.go:9: no bubblewrap:\n"},
		{Action: "output", Package: "toolevo/envs", Test: "TestWalls/one", Output: "        not installed\n"},
		{
			Action:  "output",
			Package: "toolevo/envs",
			Test:    "TestWalls/one",
			Output:  "    --- SKIP: TestWalls/one (0.00s)\n",
		},
		{Action: "skip", Package: "toolevo/envs", Test: "TestWalls/one"},
		{
			Action:  "output",
			Package: "toolevo/envs",
			Test:    "TestOther",
			Output:  "    a_test.go:9: no bubblewrap: at all\n--- SKIP: TestOther\n",
		},
		{Action: "skip", Package: "toolevo/envs", Test: "TestOther"},
		{Action: "skip", Package: "toolevo/empty"}, // no test files
		{Action: "fail", Package: "toolevo/envs", Elapsed: 3},
		{Action: "pass", Package: "toolevo/mcts", Elapsed: 0.25},
	}
	var in strings.Builder

	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}

		in.Write(append(line, '\n'))
	}

	in.WriteString("exit status 2\n")

	var out strings.Builder

	r := report{out: &out}
	if err := r.read(strings.NewReader(in.String())); err != nil {
		t.Fatal(err)
	}

	allowed, err := parseSkips("# all\n\nno bubblewrap\n\tenvs.TestWalls/one\n")
	if err != nil {
		t.Fatal(err)
	}

	if n := r.writeSkips(allowed); n != 1 || r.passed != 1 || r.failed != 1 {
		t.Errorf("%d unlisted, %d passed, %d failed", n, r.passed, r.failed)
	}

	want := `FAIL  broken does not build
broken.go:1: no
FAIL  envs.TestBad (2.0 s)
    a_test.go:3: want 1
FAIL  envs (3.0 s)
ok    mcts (0.2 s)
exit status 2
skipped: no bubblewrap
    envs.TestWalls/one
skipped: no bubblewrap: at all (not in the list of what may be skipped)
    envs.TestOther
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	if _, err := parseSkips("\tenvs.TestA\n"); err == nil {
		t.Error("a test without a reason is no error")
	}
}

// When the time of a package is over, go test ascribes what its program writes to a test that has
// passed, and says of no test that it failed.
func TestReportOfTooLong(t *testing.T) {
	in := `{"Action":"run","Package":"toolevo/a","Test":"TestHangs"}
{"Action":"run","Package":"toolevo/a","Test":"TestWaits"}
{"Action":"pause","Package":"toolevo/a","Test":"TestWaits"}
{"Action":"run","Package":"toolevo/a","Test":"TestGood"}
{"Action":"output","Package":"toolevo/a","Test":"TestGood","Output":"--- PASS: TestGood\n"}
{"Action":"output","Package":"toolevo/a","Test":"TestGood","Output":"panic: test timed out\n"}
{"Action":"output","Package":"toolevo/a","Test":"TestGood","Output":"goroutine 1:\n"}
{"Action":"pass","Package":"toolevo/a","Test":"TestGood"}
{"Action":"fail","Package":"toolevo/a","Elapsed":9}
`
	var out strings.Builder

	r := report{out: &out}
	if err := r.read(strings.NewReader(in)); err != nil {
		t.Fatal(err)
	}

	want := "FAIL  a (9.0 s)\npanic: test timed out\ngoroutine 1:\nFAIL  a.TestHangs did not end\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	if r.failed != 1 {
		t.Errorf("%d failed, want 1", r.failed)
	}
}

func TestReason(t *testing.T) {
	for text, want := range map[string]string{ // what a test wrote, and why it was skipped
		"=== RUN   TestA\n    a_test.go:1: some log\n    b_test.go:2: no " +
			"Python\n--- SKIP: TestA (0.00s)\n": "no Python",
		"--- SKIP: TestA (0.00s)\n": "no reason",
	} {
		if got := reason(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Arguments behind each -- are of another go test.
func TestSplit(t *testing.T) {
	got := split([]string{"-race", "./a", "--", "./b", "./c"})
	want := [][]string{{"-race", "./a"}, {"./b", "./c"}}

	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("got %q, want %q", got, want)
	}
}
