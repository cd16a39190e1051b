package python

import (
	"slices"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
)

// Jail returns the jail in which the interpreter is what name says: it may read what the
// interpreter needs, and write nothing. See [Arguments].
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

// Arguments are those with which an interpreter, without site-packages, executes a text of Python
// that it reads first, as a frame of package worker on standard input. So lists of processes show
// the name in place of the text.
func Arguments(name string) []string { return append(Executing(loader), name) }

// loader reads the text and nothing behind it: a buffer of one byte is never filled ahead.
const loader = `import io; r = io.BufferedReader(io.FileIO(0, closefd=False), 1); ` +
	`exec(r.read(int.from_bytes(r.read(4), "big")))`

// Executing are the arguments with which an interpreter executes a text, without site-packages.
func Executing(text string) []string { return []string{"-S", "-s", "-B", "-c", text} }

// Stamp returns the stamp of an engine that runs this interpreter and does without some walls.
func (in *Interpreter) Stamp(engine string, without []confine.Wall) sandbox.Stamp {
	s := sandbox.Stamp{Engine: engine, Python: in.Version, Modules: slices.Clone(in.Modules)}
	for _, w := range without {
		s.Missing = append(s.Missing, string(w))
	}

	slices.Sort(s.Missing)
	s.Missing = slices.Compact(s.Missing)
	return s
}
