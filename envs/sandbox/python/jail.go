package python

import (
	"slices"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
)

// Jail returns the jail of an interpreter, which may read what it needs and write nothing. For the
// name see [Arguments].
func (in *Interpreter) Jail(name string, without []confine.Wall) confine.Jail {
	return confine.Jail{
		Path:    in.Executable,
		Args:    Arguments(name),
		Env:     Environment(),
		Dir:     "/",
		Read:    in.Read,
		Hide:    in.Hide,
		Write:   []string{"/dev/null"},
		Without: without,
	}
}

// Arguments returns those with which an interpreter, without site-packages, executes Python code
// that it first reads from standard input, as a frame of package worker. So lists of processes show
// the name instead of the code.
func Arguments(name string) []string { return append(Executing(loader), name) }

// loader reads the code and nothing behind it: a buffer of one byte is never filled ahead.
const loader = `import io; r = io.BufferedReader(io.FileIO(0, closefd=False), 1); ` +
	`exec(r.read(int.from_bytes(r.read(4), "big")))`

// Executing returns the arguments that make an interpreter execute code, without site-packages.
func Executing(text string) []string { return []string{"-S", "-s", "-B", "-c", text} }

// Stamp returns the stamp of an engine that runs this interpreter without some walls.
func (in *Interpreter) Stamp(engine string, without []confine.Wall) sandbox.Stamp {
	s := sandbox.Stamp{Engine: engine, Python: in.Version, Modules: slices.Clone(in.Modules)}
	for _, w := range without {
		s.Missing = append(s.Missing, string(w))
	}

	slices.Sort(s.Missing)
	s.Missing = slices.Compact(s.Missing)
	return s
}
