package engines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
)

// A program can use the modules that it was given, and what these need, and nothing else that is
// installed.
func TestProgramsReadNoOtherPackages(t *testing.T) {
	venv := filepath.Join(t.TempDir(), "venv")
	if out, err := exec.Command("python3", "-m", "venv", "--without-pip", venv).CombinedOutput(); err != nil {
		t.Skipf("no virtual environment: %v: %s", err, out)
	}

	sites, _ := filepath.Glob(filepath.Join(venv, "lib", "*", "site-packages"))
	if len(sites) != 1 {
		t.Fatalf("site-packages of the environment: %q", sites)
	}

	for name, text := range map[string]string{
		"wanted.py": "import needed\n__version__ = '1'", "needed.py": "__version__ = '2'", "other.py": "",
		"another/__init__.py": "",
	} {
		path := filepath.Join(sites[0], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	program := `
import sys
sys.path.append(SITE)
import wanted, needed
print(wanted.__version__, needed.__version__)
for name in ("other", "another"):
    try:
        __import__(name)
    except (ImportError, PermissionError):
        print("no", name)
    else:
        print("imported", name)
for file in ("other.py", "another/__init__.py"):
    try:
        open(SITE + "/" + file)
    except OSError:
        print("no", file)
    else:
        print("opened", file)
`

	for _, name := range []string{ForkServer, Bwrap} {
		t.Run(name, func(t *testing.T) {
			o := Options{
				Engine:     name,
				Executable: filepath.Join(venv, "bin", "python3"),
				Modules:    []string{"wanted"},
				Servers:    1,
			}

			e, err := Open(t.Context(), o)
			if err != nil {
				t.Skipf("not on this machine: %v", err)
			}
			defer e.Close()

			if diff := cmp.Diff([]string{"wanted 1 (needed 2)"}, e.Stamp().Modules); diff != "" {
				t.Errorf("the stamp's modules, -want +got:\n%s", diff)
			}

			code := fmt.Sprintf("SITE = %q\n", sites[0]) + program

			r, err := e.Run(t.Context(), sandbox.Program{Code: code}, sandbox.Limits{})
			if err != nil {
				t.Fatal(err)
			}

			want := "1 2\nno other\nno another\nno other.py\nno another/__init__.py\n"
			if r.Output != want {
				t.Errorf("it shows %q, want %q", r.Output, want)
			}
		})
	}
}

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

var (
	noLandlock = map[confine.Wall]error{confine.Landlock: errors.New("the kernel is too old")}
	noSeccomp  = map[confine.Wall]error{confine.Seccomp: errors.New("the kernel has it not")}
	noWalls    = map[confine.Wall]error{confine.Landlock: errors.New("the kernel is too old"),
		confine.Seccomp: errors.New("the kernel has it not")}
	landlock = []confine.Wall{confine.Landlock}
	seccomp  = []confine.Wall{confine.Seccomp}
	both     = confine.Walls()

	errNoBwrap  = errors.New("bubblewrap is not installed")
	errNoPython = errors.New("no python3")
)

func TestChoose(t *testing.T) {
	for _, test := range []struct {
		name    string
		options Options
		missing map[confine.Wall]error
		bwrap   bool  // there is one that works
		python  error // why there is none
		want    choice
		wrong   string // words of the error
	}{
		{"all there", Options{}, nil, true, nil, choice{engine: Bwrap, bwrap: "/bwrap"}, ""},
		{"no bubblewrap", Options{}, nil, false, nil, choice{engine: ForkServer}, ""},
		{"bubblewrap stands in for landlock", Options{}, noLandlock, true, nil, choice{Bwrap, "/bwrap", landlock}, ""},
		{"but not for seccomp", Options{}, noSeccomp, true, nil, choice{}, "seccomp is missing: the kernel has it not"},
		{"no landlock, no bubblewrap", Options{}, noLandlock, false, nil, choice{},
			"landlock is missing: the kernel is too old"},
		{"landlock accepted", Options{Accept: landlock}, noLandlock, false, nil, choice{ForkServer, "", landlock}, ""},
		{"accepted and not missing", Options{Accept: both}, nil, false, nil, choice{engine: ForkServer}, ""},
		{"seccomp accepted", Options{Accept: seccomp}, noSeccomp, true, nil, choice{Bwrap, "/bwrap", seccomp}, ""},
		{"one of two accepted", Options{Accept: landlock}, noWalls, false, nil, choice{}, "seccomp is missing"},
		{"both accepted", Options{Accept: both}, noWalls, false, nil, choice{ForkServer, "", both}, ""},
		{"no python", Options{}, nil, true, errNoPython, choice{}, "no python3"},

		{"forkserver", Options{Engine: ForkServer}, nil, true, nil, choice{engine: ForkServer}, ""},
		{"forkserver, no landlock", Options{Engine: ForkServer}, noLandlock, true, nil, choice{},
			"landlock is missing"},
		{"forkserver, landlock accepted", Options{Engine: ForkServer, Accept: landlock}, noLandlock, false, nil,
			choice{ForkServer, "", landlock}, ""},
		{"forkserver, no seccomp", Options{Engine: ForkServer}, noSeccomp, true, nil, choice{},
			"seccomp is missing"},
		{"bwrap", Options{Engine: Bwrap}, nil, true, nil, choice{engine: Bwrap, bwrap: "/bwrap"}, ""},
		{"bwrap, none", Options{Engine: Bwrap}, nil, false, nil, choice{}, "bubblewrap is not installed"},
		{"bwrap, no seccomp", Options{Engine: Bwrap}, noSeccomp, true, nil, choice{}, "seccomp is missing"},
		{"unsafe", Options{Engine: Unsafe}, noWalls, false, nil, choice{engine: Unsafe}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.options.Engine == "" {
				test.options.Engine = Auto
			}

			m := machine{missing: test.missing, noPython: test.python, findBwrap: func() (string, error) {
				if test.bwrap {
					return "/bwrap", nil
				}
				return "", errNoBwrap
			}}

			got, err := test.options.choose(m)
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Fatalf("chose %+v, error %v, want one with %q", got, err, test.wrong)
				}
				return
			}

			if err != nil {
				t.Fatal(err)
			}

			if len(got.without) == 0 {
				got.without = nil
			}

			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(choice{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// An error about missing walls says which, why, what still holds, and how to go on.
func TestAdvice(t *testing.T) {
	nowhere := func() (string, error) { return "", errNoBwrap }

	for _, test := range []struct {
		name         string
		missing      map[confine.Wall]error
		words, never []string
	}{
		{"landlock", noLandlock,
			[]string{"landlock is missing: the kernel is too old", "it still cannot",
				"bubblewrap, which stands in for landlock; here bubblewrap is not installed",
				"--set python.accept=landlock,",
				"--set python.engine=unsafe"}, nil},
		{"seccomp", noSeccomp, []string{"seccomp is missing", "--set python.accept=seccomp,"}, []string{"bubblewrap"}},
		{"both", noWalls, []string{"landlock is missing", "seccomp is missing",
			"--set python.accept=landlock,seccomp,"}, []string{"bubblewrap"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Options{Engine: Auto}.choose(machine{missing: test.missing, findBwrap: nowhere})

			text := advise(err).Error()
			for _, w := range test.words {
				if !strings.Contains(text, w) {
					t.Errorf("it does not say %q:\n%s", w, text)
				}
			}

			for _, w := range test.never {
				if strings.Contains(text, w) {
					t.Errorf("it says %q:\n%s", w, text)
				}
			}

			if !errors.As(advise(err), new(*confine.MissingError)) {
				t.Error("it is no MissingError")
			}
		})
	}

	if err := advise(errNoPython); err != errNoPython {
		t.Errorf("an error about something else becomes %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "python")
	for _, test := range []struct {
		options Options
		want    []string
	}{
		{Options{Engine: "docker"}, []string{"engine docker", "valid are auto, forkserver, bwrap, unsafe"}},
		{Options{Engine: ForkServer, Executable: missing}, []string{"engine forkserver", missing, "install"}},
		{Options{Executable: missing}, []string{"engine auto", missing}},
	} {
		_, err := Open(t.Context(), test.options)
		if err == nil {
			t.Errorf("%+v: no error", test.options)
			continue
		}

		for _, w := range test.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%+v: the error does not say %q: %v", test.options, w, err)
			}
		}
	}
}

// Every engine that this machine can run runs the same program to the same end, under its own name.
func TestOpen(t *testing.T) {
	for _, name := range []string{Auto, ForkServer, Bwrap, Unsafe} {
		t.Run(name, func(t *testing.T) {
			e, err := Open(t.Context(), Options{Engine: name, Servers: 1})
			if err != nil {
				t.Skip(err)
			}
			defer func() {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			}()

			stamp := e.Stamp()
			if stamp.Engine != name && name != Auto || stamp.Engine == Unsafe && name != Unsafe ||
				len(stamp.Modules) > 0 {
				t.Errorf("the stamp is %s", stamp)
			}

			got, err := e.Run(t.Context(), sandbox.Program{Code: "print(6 * 7)"}, sandbox.Limits{}.WithDefaults())
			if diff := cmp.Diff(sandbox.Reply{Output: "42\n"}, got); err != nil || diff != "" {
				t.Errorf("%v, -want +got:\n%s", err, diff)
			}
		})
	}
}

func TestOpenEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	for _, name := range Names() {
		if e, err := Open(ctx, Options{Engine: name}); err == nil {
			t.Errorf("%s: opened %s", name, e.Stamp())
		}
	}
}
