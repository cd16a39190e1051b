package python

import (
	"slices"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
)

// Jail returns the jail in which the interpreter executes a text of Python: it may read what the interpreter needs, and
// write nothing.
func (in *Interpreter) Jail(text string, without []confine.Wall) confine.Jail {
	return confine.Jail{
		Path:    in.Executable,
		Args:    Arguments(text),
		Env:     Environment(),
		Dir:     "/",
		Read:    in.Read,
		Hide:    in.Hide,
		Write:   []string{"/dev/null"},
		Without: without,
	}
}

// Arguments are those with which an interpreter executes a text, without site-packages.
func Arguments(text string) []string { return []string{"-S", "-s", "-B", "-c", text} }

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
