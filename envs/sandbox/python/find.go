package python

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/worker"
)

// Interpreter is an installed CPython. All paths are absolute.
type Interpreter struct {
	Executable string   // the interpreter itself, not a shim or link
	Version    string   // "3.11.2"
	Path       []string // module search path of the standard library
	Site       []string // folders of third-party modules
	Read       []string // files and folders that it has to read, and to execute, to work
	Hide       []string // folders in them that it must not read, except what Read names in them

	// Modules are the wanted third-party modules that it has, sorted, with their versions and those
	// of other third-party modules that they import: "numpy 1.24.2", "pandas 2.1.0 (dateutil 2.8.2
	// six 1.16.0)".
	Modules []string
}

const install = "install Python 3.8 or later, e.g. with `apt-get install python3`, or name another interpreter"

//go:embed probe.py
var probe string

// Find asks an interpreter what the engines must know about it: the one named, or for "" python3 in
// PATH. want are the third-party modules that programs should be able to import; those it lacks are
// not in Modules. If an interpreter is missing, too old, or does not start, the error says what to
// install; it is also an error if a module is there but cannot be imported.
//
// The answer is remembered while this process lives and the interpreter's file stays the same, and
// which one a shim starts, while the environment stays the same, too. Callers must not change the
// result.
func Find(ctx context.Context, executable string, want []string) (*Interpreter, error) {
	if executable == "" {
		executable = "python3"
	}

	// A lacking module is no error, so a name that no module can have would go unnoticed.
	for _, name := range want {
		isOdd := func(r rune) bool { return r != '_' && !isAlphanumeric(r) }
		if name == "" || strings.ContainsFunc(name, isOdd) {
			return nil, fmt.Errorf("python: %q is not the name of a module that can be imported",
				name)
		}
	}

	found, err := exec.LookPath(executable)
	if err != nil {
		return nil, fmt.Errorf("python: %w: %s", err, install)
	}

	// A shim looks at the user's environment to choose an interpreter, which is then asked without
	// one.
	real, err := chosen.ask(found, strings.Join(os.Environ(), "\x00"), func() (string, error) {
		return choose(ctx, found)
	})
	if err != nil {
		return nil, fmt.Errorf("python: ask %s: %w: %s", found, err, install)
	}

	in, err := described.ask(real, strings.Join(want, ","), func() (*Interpreter, error) {
		return describe(ctx, real, want)
	})
	if err != nil {
		return nil, fmt.Errorf("python: ask %s: %w", found, err)
	}

	return in, nil
}

var (
	chosen    answers[string]       // by the environment
	described answers[*Interpreter] // by the modules that are wanted
)

// answers has what programs answered, by their file and by what else the answer depends on.
type answers[T any] struct{ all sync.Map }

type question struct {
	path, rest string
	size       int64
	changed    time.Time
}

// ask returns the remembered answer of a program, or asks it. An error is not remembered.
func (a *answers[T]) ask(path, rest string, ask func() (T, error)) (T, error) {
	var said T

	info, err := os.Stat(path)
	if err != nil {
		return said, err
	}

	q := question{path, rest, info.Size(), info.ModTime()}
	if said, ok := a.all.Load(q); ok {
		return said.(T), nil
	}

	if said, err = ask(); err == nil {
		a.all.Store(q, said)
	}
	return said, err
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// choose returns the path of the interpreter that a program is or starts.
func choose(ctx context.Context, found string) (string, error) {
	out, err := output(ctx, found, withoutPython(os.Environ()), "-S", "-s", "-B", "-c",
		"import sys; print(sys.executable)")
	if err != nil {
		return "", err
	}

	real := strings.TrimSpace(string(out))
	if !filepath.IsAbs(real) {
		return "", fmt.Errorf("it does not answer like Python, but %.60q", real)
	}
	return real, nil
}

// describe asks an interpreter about itself, in the environment that it will have.
func describe(ctx context.Context, real string, want []string) (*Interpreter, error) {
	out, err := output(ctx, real, Environment(), append([]string{"-S", "-s", "-B", "-c", probe}, want...)...)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w: %s", real, err, install)
	}

	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		return nil, fmt.Errorf("%s does not answer like Python: %w: %s", real, err, install)
	}
	return a.interpreter()
}

// answer is what probe.py prints.
type answer struct {
	Version        [3]int
	Implementation string
	Executable     string
	Library        []string
	Site           []string
	Modules        []string
	Packages       []string          // files and folders of these modules and of what they import of third parties
	Broken         map[string]string // module: what importing it raises
	Mapped         []string          // shared objects that it has loaded

	searched map[string][]string // what foreign found, by folder: most of Mapped are in one
}

func (a answer) interpreter() (*Interpreter, error) {
	v := a.Version
	if a.Implementation != "cpython" {
		return nil, fmt.Errorf("it is %s, which is not CPython: %s", a.Implementation, install)
	}

	if v[0] != 3 || v[1] < 8 {
		return nil, fmt.Errorf("its version %d.%d.%d is too old: %s", v[0], v[1], v[2], install)
	}

	for _, name := range slices.Sorted(maps.Keys(a.Broken)) {
		return nil, fmt.Errorf("module %s is installed, but cannot be imported: %s: repair it, or do without it", name,
			a.Broken[name])
	}

	slices.Sort(a.Modules)
	a.searched = map[string][]string{}
	read, hide := a.readable()
	return &Interpreter{
		Executable: a.Executable,
		Version:    fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]),
		Path:       a.Library,
		Site:       a.Site,
		Modules:    a.Modules,
		Read:       read,
		Hide:       hide,
	}, nil
}

// readable returns what must be readable: the interpreter, its standard library, the system's
// libraries that it has loaded, and the wanted modules with what these import. Whatever else is
// installed for Python is hidden, so that nothing can depend on it.
func (a answer) readable() (read, hide []string) {
	folders := []string{
		a.Executable, "/etc/ld.so.cache", "/usr/share/zoneinfo", "/usr/lib/locale", "/dev/urandom",
		"/etc/alternatives", // links to libraries, on Debian
	}
	linkers, _ := filepath.Glob("/lib*/ld-*.so*")
	folders = slices.Concat(folders, linkers, a.Library)

	packages := a.Packages
	for _, file := range a.Mapped {
		switch folder := filepath.Dir(file); {
		case !inAny(file, a.Site):
			folders = append(folders, a.libraries(file)...)
		case !slices.Contains(a.Site, folder): // as numpy.libs, which a wheel brings along
			packages = append(packages, folder)
		}
	}

	read, hide = outermost(folders), a.Site
	for _, folder := range read {
		hide = append(hide, a.foreign(folder)...)
	}

	slices.Sort(hide)
	return append(read, outermost(packages)...), slices.Compact(hide)
}

// libraries returns where the dynamic linker finds a shared object, under all its names: its
// folder, or only the file and the links to it if the folder has third-party modules.
func (a answer) libraries(file string) []string {
	folder := filepath.Dir(file)

	found := []string{folder}
	if tooWide(folder) || len(a.foreign(folder)) > 0 {
		found = []string{file}

		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			link := filepath.Join(folder, e.Name())

			target, err := filepath.EvalSymlinks(link)
			if err == nil && e.Type()&os.ModeSymlink != 0 && target == file {
				found = append(found, link)
			}
		}
	}

	for _, path := range found {
		if rest, ok := strings.CutPrefix(path, "/usr/lib"); ok {
			found = append(found, "/lib"+rest) // the same, where /lib is a link
		}
	}

	return found
}

// outermost sorts the paths that exist and are not too wide, and leaves out those inside another
// one.
func outermost(paths []string) []string {
	var found []string

	for _, p := range paths {
		p = filepath.Clean(p)
		if _, err := os.Stat(p); err == nil && filepath.IsAbs(p) && !tooWide(p) {
			found = append(found, p)
		}
	}

	return confine.Outermost(found)
}

// foreign returns the folders inside a folder that have third-party modules, or the library of
// another Python.
func (a answer) foreign(folder string) []string {
	found, ok := a.searched[folder]
	if !ok {
		found = a.search(folder)
		a.searched[folder] = found
	}

	return found
}

func (a answer) search(folder string) []string {
	found := packagesIn(folder, 2)

	pythons, _ := filepath.Glob(filepath.Join(folder, "python[0-9]*"))
	for _, p := range pythons {
		own := func(library string) bool { return confine.Within(library, p) || confine.Within(p, library) }
		if !slices.ContainsFunc(a.Library, own) {
			found = append(found, p)
		}
	}

	return found
}

// packagesIn returns the folders named like those for third-party modules in a folder, and in the
// folders below it down to a depth. filepath.Glob would ask the system about every file on the way,
// of which there are thousands.
func packagesIn(folder string, depth int) []string {
	var found []string

	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		name, kind := e.Name(), e.Type()
		if name == "site-packages" || name == "dist-packages" {
			found = append(found, filepath.Join(folder, name))
		}

		if depth > 0 && (kind.IsDir() || kind&os.ModeSymlink != 0) { // a link to a file has no entries
			found = append(found, packagesIn(filepath.Join(folder, name), depth-1)...)
		}
	}
	return found
}

func inAny(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return confine.Within(path, f) })
}

// tooWide reports whether a folder has more than a program may read, e.g. if a library is in a home
// folder.
func tooWide(path string) bool {
	home, _ := os.UserHomeDir()
	return slices.Contains([]string{"/", "/root", "/home", "/etc", "/usr", "/var", "/tmp", "/opt", "/proc", "/sys",
		"/dev", "/run", "/mnt", "/srv", home}, path) ||
		filepath.Dir(path) == "/home"
}

// withoutPython returns an environment without the variables that change what Python does.
func withoutPython(environment []string) []string {
	return slices.DeleteFunc(environment, func(v string) bool { return strings.HasPrefix(v, "PYTHON") })
}

// output returns what a command prints. Its error ends with the last line of standard error.
func output(ctx context.Context, path string, environment []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env, cmd.WaitDelay = environment, time.Second
	out, err := cmd.Output()

	var failed *exec.ExitError
	if errors.As(err, &failed) && len(failed.Stderr) > 0 {
		return nil, fmt.Errorf("%w: %s", err, worker.LastLine(failed.Stderr))
	}
	return out, err
}
