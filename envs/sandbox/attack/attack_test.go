package attack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/disk"
	"toolevo/envs/sandbox"
)

func lay(t *testing.T) *Bait {
	t.Helper()

	b, err := Lay()
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})

	return b
}

// What a process left behind that was killed is removed by the next one, and nothing else is.
func TestBaitIsSwept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	in := lay(t)

	killed, err := disk.MkdirTemp("", folderName)
	if err != nil {
		t.Fatal(err)
	}
	killed.Close()

	elsewhere := filepath.Join(t.TempDir(), "file")
	for _, dir := range []string{filepath.Join(os.TempDir(), "other"), filepath.Dir(elsewhere)} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}

	write(t, filepath.Join(killed.Name(), "file"), "secret")
	write(t, elsewhere, "")

	if err := os.Symlink(filepath.Dir(elsewhere), filepath.Join(os.TempDir(), folderName+"link")); err != nil {
		t.Fatal(err)
	}

	b := lay(t)

	names, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	if err != nil {
		t.Fatal(err)
	}

	want := []string{in.dir, b.dir, filepath.Join(os.TempDir(), "other"),
		filepath.Join(os.TempDir(), folderName+"link")}
	slices.Sort(want)

	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("the folder for temporary files, -want +got:\n%s", diff)
	}

	if _, err := os.Stat(elsewhere); err != nil {
		t.Error(err)
	}

	if _, err := os.Stat(filepath.Join(in.dir, "file")); err != nil {
		t.Errorf("bait that is in use: %v", err)
	}
}

// harmlessAnywhere are attacks that an engine without walls contains, too: it has limits, a process
// for each program, or the machine has not what they need.
var harmlessAnywhere = []string{
	"calls-of-x32", "poison-memory", "crash", "forge-answer", "forge-status-of-driver", "error-flood", "raise-limits",
	"threads",
	"change-libraries", "change-numpy", "change-objects", "change-process", "change-python",
}

// Against an engine without walls attacks get through. One that does not could not tell a good
// engine from a bad one.
func TestAttacksGetThrough(t *testing.T) {
	e := newCareless(t)
	b := lay(t)
	before := answersOf(t, e)
	e.memory = 2 * memory

	for _, a := range List() {
		if a.Wall == Resources && !a.Short || slices.Contains(harmlessAnywhere, a.Name) ||
			slices.Contains(a.ends, sandbox.OutOfTime) || slices.Contains(a.ends, sandbox.OutOfSpace) {
			continue
		}

		f, err := b.try(t.Context(), e, a, before, true)
		if err != nil {
			t.Fatal(err)
		}

		if f.Contained {
			t.Errorf("%s: %s", a.Name, f.Seen)
		}

		t.Logf("%s: %v %.200s", a.Name, f.Took, f.Seen)
	}

	if seen := b.touched(true); len(seen) > 0 {
		t.Errorf("the bait was not laid out again: %q", seen)
	}
}

// In one interpreter for all programs, what one of them changes the next one shows.
func TestChangesAreSeen(t *testing.T) {
	b := lay(t)

	for _, a := range List() {
		if !strings.HasPrefix(a.Name, "change-") || a.Wall != OtherCalls || a.Name == "change-numpy" {
			continue
		}

		e := newShared(t)

		f, err := b.try(t.Context(), e, a, answersOf(t, e), true)
		if err != nil {
			t.Fatal(err)
		}

		if f.Contained || !strings.Contains(f.Seen, "the next program") {
			t.Errorf("%s: %s", a.Name, f.Seen)
		}

		t.Logf("%s: %.200s", a.Name, f.Seen)
	}
}

func answersOf(t *testing.T, e sandbox.Engine) answers {
	t.Helper()

	before := answers{}

	for _, thorough := range []bool{false, true} {
		r, err := ask(t.Context(), e, thorough)
		if err != nil || r.End != sandbox.Finished {
			t.Fatal(r, err)
		}

		before[thorough] = r
	}
	return before
}

// stated is an engine that answers what it is told to.
type stated struct {
	reply sandbox.Reply
	err   error
	slow  func() // called while an attack runs
}

func (stated) Stamp() sandbox.Stamp { return sandbox.Stamp{Engine: "stated", Python: "3"} }
func (stated) Close() error         { return nil }

func (s stated) Run(_ context.Context, p sandbox.Program, _ sandbox.Limits) (sandbox.Reply, error) {
	if p.Code == witness(false).Code || p.Code == witness(true).Code {
		return sandbox.Reply{Output: "42"}, nil
	}

	if s.slow != nil {
		s.slow()
	}
	return s.reply, s.err
}

func TestJudgement(t *testing.T) {
	b := lay(t)
	type verdicts struct{ plain, timed bool } // of an attack that must be refused, and of one that may run out of time
	tests := []struct {
		name   string
		engine stated
		want   verdicts
		seen   string
	}{
		{"refused", stated{reply: sandbox.Reply{Output: "denied connect: EPERM\n"}}, verdicts{true, true},
			"connect: EPERM"},
		{"refused twice", stated{reply: sandbox.Reply{Output: "denied a\ndenied b\n"}}, verdicts{true, true},
			"2 refused: a"},
		{"silent", stated{}, verdicts{false, false}, "finished"},
		{"a breach among refusals", stated{reply: sandbox.Reply{Output: "denied a\nBREACH b\ndenied c\n"}},
			verdicts{false, false}, "b"},
		{"a breach, then the limit", stated{reply: sandbox.Reply{Output: "BREACH b\n", End: sandbox.OutOfTime}},
			verdicts{false, false}, "b"},
		{"out of time", stated{reply: sandbox.Reply{End: sandbox.OutOfTime}}, verdicts{false, true}, "out of time"},
		{"too much output", stated{reply: sandbox.Reply{End: sandbox.OutOfSpace}}, verdicts{false, false},
			"too much output"},
		{"a mistake of the attack", stated{reply: sandbox.Reply{Output: "NameError: name 'x'", End: sandbox.Raised}},
			verdicts{false, false}, "NameError"},
		{"no such module", stated{reply: sandbox.Reply{
			Output: "Traceback\nModuleNotFoundError: no ctypes\n",
			End:    sandbox.Raised,
		}}, verdicts{true, true}, "no ctypes"},
		{"no such function", stated{reply: sandbox.Reply{
			Output: "AttributeError: module 'os' has no attribute 'fork'",
			End:    sandbox.Raised,
		}}, verdicts{true, true}, "fork"},
		{"killed by the filter", stated{reply: sandbox.Reply{End: sandbox.Died, Detail: "signal: bad system call"}},
			verdicts{true, true}, "bad system call"},
		{"crashed", stated{reply: sandbox.Reply{End: sandbox.Died, Detail: "signal: segmentation fault"}},
			verdicts{false, false}, "segmentation"},
		{"the engine failed", stated{err: errors.New("server gone")}, verdicts{false, false}, "server gone"},
		{"the secret", stated{reply: sandbox.Reply{Output: "denied a\n" + b.secret}}, verdicts{false, false},
			"it got the secret"},
		{"a listing", stated{reply: sandbox.Reply{Output: "denied a\n" + b.hidden}}, verdicts{false, false}, "listed"},
		{"a new file", stated{
			reply: sandbox.Reply{Output: "denied a"},
			slow:  func() { write(t, filepath.Join(b.dir, "new"), "") },
		}, verdicts{false, false}, "folder was changed"},
		{"a changed file", stated{
			reply: sandbox.Reply{Output: "denied a"},
			slow:  func() { write(t, filepath.Join(b.dir, "file"), "x") },
		}, verdicts{false, false}, "folder was changed"},
		{"a removed file", stated{
			reply: sandbox.Reply{Output: "denied a"},
			slow:  func() { os.Remove(filepath.Join(b.dir, "file")) },
		}, verdicts{false, false}, "folder was changed"},
		{"memory", stated{
			reply: sandbox.Reply{Output: "denied a"},
			slow:  func() { b.page[0]++ },
		}, verdicts{false, false}, "memory was changed"},
		{"open file", stated{
			reply: sandbox.Reply{Output: "denied a"},
			slow:  func() { b.file.WriteAt([]byte("x"), 3) },
		}, verdicts{false, false}, "open file"},
	}

	may := Attack{Name: "may", Wall: Resources, ends: []sandbox.End{sandbox.OutOfTime}}
	for _, test := range tests {
		for _, a := range []Attack{{Name: "must not", Wall: Network}, may} {
			f, err := b.try(t.Context(), test.engine, a, answers{false: {Output: "42"}, true: {Output: "42"}}, true)
			if err != nil {
				t.Fatal(err)
			}

			want := test.want.plain
			if a.Name == may.Name {
				want = test.want.timed
			}

			if f.Contained != want || !strings.Contains(f.Seen, test.seen) || strings.ContainsAny(f.Seen, "\n\t") ||
				strings.Contains(f.Seen, b.secret) {
				t.Errorf("%s, %s: %v, %q", test.name, a.Name, f.Contained, f.Seen)
			}
		}
	}
}

func write(t *testing.T, path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Error(err)
	}
}

// The next program's answer counts, whatever the attack says.
func TestNextProgram(t *testing.T) {
	b := lay(t)
	a := Attack{Name: "quiet", Wall: Network}

	e := stated{reply: sandbox.Reply{Output: "denied a"}}
	for _, before := range []sandbox.Reply{{Output: "41"}, {Output: "42", End: sandbox.Raised}} {
		f, err := b.try(t.Context(), e, a, answers{false: before}, true)
		if err != nil || f.Contained || !strings.Contains(f.Seen, "the next program") {
			t.Errorf("%v: %v, %v", before, f, err)
		}
	}
}

func TestRunAndCheck(t *testing.T) {
	refusing := stated{reply: sandbox.Reply{Output: "denied a"}}
	var names []string

	found, err := Run(t.Context(), refusing, true, func(f Finding) { names = append(names, f.Name) })
	if err != nil {
		t.Fatal(err)
	}

	all := List()
	if len(found) != len(names) || len(found) < 24 || len(found) >= len(all) {
		t.Errorf("%d findings, %d told, of %d", len(found), len(names), len(all))
	}

	if n := len(Breaches(found)); n > 0 && !slices.ContainsFunc(found, func(f Finding) bool { return f.Contained }) {
		t.Errorf("%d breaches", n)
	}

	if _, err := Run(t.Context(), stated{}, true, nil); err != nil {
		t.Error(err)
	}

	var breach *BreachError

	err = Check(t.Context(), func(context.Context) (sandbox.Engine, error) { return stated{}, nil })
	if !errors.As(err, &breach) || breach.Of != len(found) || len(breach.Breaches) == 0 ||
		strings.Count(err.Error(), "\n") != len(breach.Breaches) {
		t.Errorf("Check: %v", err)
	}

	if _, set := os.LookupEnv(secretVariable); set {
		t.Error("the bait is still in the environment")
	}

	ended, end := context.WithCancel(t.Context())
	end()

	if found, err := Run(ended, refusing, true, nil); !errors.Is(err, context.Canceled) || len(found) > 0 {
		t.Errorf("an ended context: %v, %v", found, err)
	}

	start := time.Now()
	if f, err := lay(t).try(t.Context(), stated{}, Attack{Name: "quick", Wall: Network}, answers{},
		false); err != nil || f.Took > time.Since(start) {
		t.Error(f, err)
	}
}

func TestList(t *testing.T) {
	var walls []string

	names := map[string]bool{}
	for _, a := range List() {
		if names[a.Name] {
			t.Errorf("%s twice", a.Name)
		}

		names[a.Name] = true
		if !slices.Contains(walls, a.Wall) {
			walls = append(walls, a.Wall)
		}

		if len(a.Name) > 23 || len(a.What) > 130 || !strings.HasSuffix(a.What, ".") || a.code == "" {
			t.Errorf("%s: %q", a.Name, a.What)
		}
	}

	if !slices.Equal(walls, Walls()) {
		t.Errorf("walls %q", walls)
	}

	for _, text := range []string{"", "# wall: network\n", "# what: x.\n", "# wall: roof\n# what: x.\n",
		"# wall: files\n# what: x.\n# ends: never\n", "# wall: files\n# what: x.\n# long\n"} {
		if a, err := parse("wrong", text); err == nil {
			t.Errorf("%q: %+v", text, a)
		}
	}
}

// Run lays bait out and runs the attacks against an engine; see [Bait.Run].
func Run(ctx context.Context, e sandbox.Engine, short bool, each func(Finding)) ([]Finding, error) {
	b, err := Lay()
	if err != nil {
		return nil, err
	}

	found, err := b.Run(ctx, e, short, each)
	return found, errors.Join(err, b.Close())
}
