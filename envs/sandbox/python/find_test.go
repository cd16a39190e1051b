package python

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox"
)

// debian is the interpreter of the distribution.
const debian = "/usr/bin/python3"

func TestFindDistribution(t *testing.T) {
	if _, err := os.Stat(debian); err != nil {
		t.Skip("no interpreter of the distribution: ", err)
	}

	shim := script(t, "exec "+debian+` "$@"`)
	for _, executable := range []string{debian, shim} {
		in := find(t, executable, "numpy", "json", "no_such_module")
		check(t, in)

		if strings.HasPrefix(in.Executable, filepath.Dir(shim)) {
			t.Errorf("%s: the interpreter is the shim", executable)
		}

		for _, m := range in.Modules {
			if name, version, _ := strings.Cut(m, " "); name != "numpy" || version == "" {
				t.Errorf("%s: module %q", executable, m)
			}
		}
	}
}

func TestFindInPath(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 in PATH: ", err)
	}

	check(t, find(t, "", "numpy"))
}

func TestFindVirtualEnvironment(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 in PATH: ", err)
	}

	venv := filepath.Join(t.TempDir(), "venv")
	if out, err := exec.Command("python3", "-m", "venv", "--without-pip", venv).CombinedOutput(); err != nil {
		t.Skipf("no virtual environment: %v: %s", err, out)
	}

	executable := filepath.Join(venv, "bin", "python3")

	sites, _ := filepath.Glob(filepath.Join(venv, "lib", "*", "site-packages"))
	if len(sites) != 1 {
		t.Fatalf("site-packages of the environment: %q", sites)
	}

	site := sites[0]
	write(t, filepath.Join(site, "good.py"), "__version__ = '1.2'\nimport needed, mute")
	write(t, filepath.Join(site, "needed.py"), "__version__ = '7'")
	write(t, filepath.Join(site, "unwanted.py"), "")
	write(t, filepath.Join(site, "mute.py"), "")
	write(t, filepath.Join(site, "broken.py"), "import no_such_module")
	write(t, filepath.Join(site, "failing.py"), "raise RuntimeError('out of order')")
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "editable.py"), "__version__ = '3'")
	write(t, filepath.Join(site, "editable.pth"), elsewhere)

	in := find(t, executable, "good", "mute", "editable", "absent")
	check(t, in)

	if strings.HasPrefix(in.Executable, venv) {
		t.Errorf("the interpreter is the environment's link %s", in.Executable)
	}

	if want := []string{"good 1.2 (needed 7)", "mute"}; !slices.Equal(in.Modules, want) {
		t.Errorf("modules %q, want %q", in.Modules, want)
	}

	if !slices.Contains(in.Site, site) || slices.Contains(in.Read, elsewhere) {
		t.Errorf("site folders %q, readable %q", in.Site, in.Read)
	}

	for name, want := range map[string]bool{"good.py": true, "needed.py": true, "mute.py": true, "unwanted.py": false,
		"": false} {
		if got := slices.Contains(in.Read, filepath.Join(site, name)); got != want {
			t.Errorf("%q can be read: %t, readable %q", name, got, in.Read)
		}
	}

	if !slices.Contains(in.Hide, site) {
		t.Errorf("%s is not hidden: %q", site, in.Hide)
	}

	for name, want := range map[string]string{
		"broken": "module broken is installed, but cannot be imported: ModuleNotFoundError: No module named " +
			"'no_such_module'",
		"failing": "RuntimeError: out of order",
	} {
		if _, err := Find(t.Context(), executable, []string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %s: %v, want %q", name, err, want)
		}
	}
}

// A shim is asked once, and again when its file or the environment has changed; the interpreter
// that it starts is asked once for each list of modules.
func TestFindRemembers(t *testing.T) {
	if _, err := os.Stat(debian); err != nil {
		t.Skip("no interpreter of the distribution: ", err)
	}

	asked := filepath.Join(t.TempDir(), "asked")
	shim := script(t, "echo >>"+asked+"; exec "+debian+` "$@"`)

	first := find(t, shim)
	if find(t, shim) != first {
		t.Error("it was asked again")
	}

	touched := time.Now().Add(time.Hour)
	if err := os.Chtimes(shim, touched, touched); err != nil {
		t.Fatal(err)
	}

	if find(t, shim) != first {
		t.Error("the interpreter was asked again because its shim has changed")
	}

	t.Setenv("TOOLEVO_TEST_OTHER", "surroundings")

	if find(t, shim) != first {
		t.Error("the interpreter was asked again because the environment has changed")
	}

	if find(t, shim, "numpy") == first {
		t.Error("it was not asked about another module")
	}

	if text, err := os.ReadFile(asked); err != nil || len(text) != 3 {
		t.Errorf("the shim was asked %d times (%v), want 3: at first, after each change", len(text), err)
	}
}

func TestFindErrors(t *testing.T) {
	tests := []struct {
		name, executable string
		modules          []string
		want             []string // parts of the error
	}{
		{"absent", "/no/such/python3", nil, []string{"/no/such/python3", "install Python 3.8"}},
		{"not Python", script(t, "echo hello"), nil, []string{`"hello"`, "does not answer like Python"}},
		{"fails", script(t, "echo first >&2; echo no library >&2; exit 3"), nil,
			[]string{"exit status 3", "no library"}},
		{"too old", answering(t, `{"version": [3, 7, 16], "implementation": "cpython"}`), nil,
			[]string{"3.7.16 is too old", "install"}},
		{"another Python", answering(t, `{"version": [3, 11, 1], "implementation": "pypy"}`), nil,
			[]string{"pypy", "not CPython"}},
		{"a path as a module", debian, []string{"../../etc"}, []string{`"../../etc"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, err := Find(t.Context(), tt.executable, tt.modules)
			if err == nil {
				t.Fatalf("found %+v", in)
			}

			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q has no %q", err, part)
				}
			}
		})
	}
}

func TestRead(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("no home: ", err)
	}

	folder := t.TempDir()

	inside := filepath.Join(folder, "inside")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}

	a := answer{searched: map[string][]string{},
		Library: []string{"/", home, "/etc", "/usr", "relative", "/no/such/folder"},
		Mapped:  []string{filepath.Join(inside, "a.so"), filepath.Join(folder, "b.so")},
	}
	read, _ := a.readable()

	got := slices.DeleteFunc(slices.Clone(read), func(p string) bool { return !strings.HasPrefix(p, folder) })
	if want := []string{folder}; !slices.Equal(got, want) {
		t.Errorf("of the test's folders, readable are %q, want %q", got, want)
	}

	for _, wide := range a.Library[:4] {
		if slices.Contains(read, wide) {
			t.Errorf("%s is readable", wide)
		}
	}
}

// Of a folder with modules in it a library is readable alone, and the modules are hidden.
func TestFoldersOfPackages(t *testing.T) {
	lib := t.TempDir()
	for _, dir := range []string{"python3.11/site-packages/other", "python3.9", "python3/dist-packages", "x86"} {
		if err := os.MkdirAll(filepath.Join(lib, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}

	for _, name := range []string{"libz.so.1.2", "other.so", "x86/libm.so"} {
		write(t, filepath.Join(lib, name), "")
	}

	if err := os.Symlink("libz.so.1.2", filepath.Join(lib, "libz.so.1")); err != nil {
		t.Fatal(err)
	}

	names := func(paths []string) []string {
		var inside []string

		for _, p := range paths {
			if name, ok := strings.CutPrefix(p, lib+"/"); ok {
				inside = append(inside, name)
			}
		}

		slices.Sort(inside)
		return inside
	}
	own := filepath.Join(lib, "python3.11")
	site := filepath.Join(own, "site-packages")
	a := answer{
		searched: map[string][]string{},
		Library:  []string{own},
		Site:     []string{site},
		Packages: []string{filepath.Join(site, "wanted")},
		Mapped: []string{filepath.Join(lib, "libz.so.1.2"), filepath.Join(lib, "x86", "libm.so"),
			filepath.Join(site, "top.so")},
	}

	for file, want := range map[string][]string{"libz.so.1.2": {"libz.so.1", "libz.so.1.2"}, "x86/libm.so": {"x86"}} {
		if diff := cmp.Diff(want, names(a.libraries(filepath.Join(lib, file)))); diff != "" {
			t.Errorf("the linker's names of %s, -want +got:\n%s", file, diff)
		}
	}

	foreign := []string{"python3.11/site-packages", "python3.9", "python3/dist-packages", "python3"}
	slices.Sort(foreign)

	if diff := cmp.Diff(foreign, names(a.foreign(lib))); diff != "" {
		t.Errorf("foreign, -want +got:\n%s", diff)
	}

	read, hide := a.readable()
	if diff := cmp.Diff([]string{"libz.so.1", "libz.so.1.2", "python3.11", "x86"}, names(read)); diff != "" {
		t.Errorf("readable, -want +got:\n%s", diff)
	}

	if diff := cmp.Diff([]string{"python3.11/site-packages"}, names(hide)); diff != "" {
		t.Errorf("hidden, -want +got:\n%s", diff)
	}
}

func TestEnded(t *testing.T) {
	exit := func(status int) syscall.WaitStatus { return syscall.WaitStatus(status << 8) }
	signal := func(s syscall.Signal) syscall.WaitStatus { return syscall.WaitStatus(s) }

	tests := []struct {
		status syscall.WaitStatus
		end    sandbox.End
		detail string
	}{
		{exit(0), sandbox.Finished, ""},
		{exit(87), sandbox.Raised, ""},
		{exit(3), sandbox.Died, "exit status 3"},
		{signal(syscall.SIGXCPU), sandbox.OutOfTime, ""},
		{signal(syscall.SIGKILL), sandbox.OutOfTime, ""},
		{signal(syscall.SIGSEGV), sandbox.Died, "signal: segmentation fault"},
		{signal(syscall.SIGABRT) | 0x80, sandbox.Died, "signal: aborted"}, // with a core
	}
	for _, tt := range tests {
		if end, detail := Ended(tt.status); end != tt.end || detail != tt.detail {
			t.Errorf("status %#x: %v %q, want %v %q", tt.status, end, detail, tt.end, tt.detail)
		}
	}
}

func TestNewJob(t *testing.T) {
	got := NewJob(sandbox.Program{Code: "x", Published: true, Seed: 7}, sandbox.Limits{CPU: 1100e6, Memory: 5})
	if diff := cmp.Diff(Job{Code: "x", Published: true, Seed: 7, CPU: 2, Memory: 5}, got); diff != "" {
		t.Error(diff)
	}
}

// check holds what was found to what it promises.
func check(t *testing.T, in *Interpreter) {
	t.Helper()

	for _, p := range slices.Concat([]string{in.Executable}, in.Path, in.Site, in.Read) {
		if !filepath.IsAbs(p) {
			t.Errorf("%q is not absolute", p)
		}
	}

	for i, p := range in.Read {
		if tooWide(p) {
			t.Errorf("%s is readable as a whole", p)
		}

		for _, q := range in.Read[:i] {
			if strings.HasPrefix(p, q+"/") && !inAny(p, in.Hide) {
				t.Errorf("%s is readable, and so is %s inside", q, p)
			}
		}
	}

	for _, p := range slices.Concat([]string{in.Executable}, in.Path) {
		if _, err := os.Stat(p); err == nil && !inAny(p, in.Read) {
			t.Errorf("%s is not readable", p)
		}
	}

	for _, site := range in.Site {
		if !inAny(site, in.Hide) {
			t.Errorf("%s is not hidden", site)
		}
	}
	// The interpreter itself finds its library, and the modules with both search paths.
	code := "import sys\nsys.path[:] = sys.argv[1:]\nimport json, collections, ctypes\n"
	for _, name := range (sandbox.Stamp{Modules: in.Modules}).ModuleNames() {
		code += "import " + name + "\n"
	}

	cmd := exec.Command(in.Executable,
		append(Executing(code+"print('%d.%d.%d' % sys.version_info[:3])"), slices.Concat(in.Path, in.Site)...)...)
	cmd.Env = Environment()

	out, err := cmd.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != in.Version {
		t.Errorf("%s: version %q, %v, want %q", in.Executable, got, err, in.Version)
	}
}

func find(t *testing.T, executable string, modules ...string) *Interpreter {
	t.Helper()

	in, err := Find(t.Context(), executable, modules)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// script writes a shell script, and returns its path.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	write(t, path, "#!/bin/sh\n"+text+"\n")
	return path
}

// answering returns a script that passes for an interpreter of which the probe says something.
func answering(t *testing.T, answer string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	write(t, path, fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *'print(sys.executable)') echo %s ;; *) echo '%s' ;; esac\n",
		path, answer))
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()

	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
