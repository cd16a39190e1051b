package sandbox

import (
	"context"
	"strings"
	"time"
)

// Program is what an engine runs.
type Program struct {
	Code string
	// Published selects the published rules of what is shown, those of ToolQA's own code.
	Published bool
	// Seed is what the generators of random and numpy.random begin with. It depends only on the
	// code.
	Seed uint32
}

// Limits bound one program. Zero values mean the defaults. Wall should be several times CPU: it is
// meant for programs that wait, and must not end one that computes on a busy machine. Processor
// time does not depend on how busy the machine is.
type Limits struct {
	Wall   time.Duration // real time; default four times CPU
	CPU    time.Duration // processor time, in whole seconds; default 8 s
	Memory int64         // bytes of address space; default 1 GiB
	Output int           // bytes printed; default 64 KiB
}

// WithDefaults returns the limits with zero values replaced by the defaults.
func (l Limits) WithDefaults() Limits {
	if l.CPU == 0 {
		l.CPU = 8 * time.Second
	}

	if l.Wall == 0 {
		l.Wall = 4 * l.CPU
	}

	if l.Memory == 0 {
		l.Memory = 1 << 30
	}

	if l.Output == 0 {
		l.Output = 64 << 10
	}
	return l
}

// End is how a program ended.
type End uint8

// The ends.
const (
	Finished   End = iota // it came to its end, or called sys.exit without an error
	Raised                // it raised an exception, which is the end of the output
	OutOfTime             // it used up its processor time or its real time
	OutOfSpace            // it printed more than allowed
	Died                  // the interpreter died of it, e.g. of a stack overflow in C
)

// Reply is what an engine says about a program.
type Reply struct {
	Output string // what is shown, up to Limits.Output bytes
	End    End
	Detail string // of Died: how, e.g. "signal: segmentation fault"
}

// Engine runs programs. Implementations are safe for concurrent use.
type Engine interface {
	// Run runs a program in an interpreter that knows nothing of other programs. An error is a
	// failure of the engine or the end of ctx; whatever the program does is a Reply.
	Run(ctx context.Context, p Program, l Limits) (Reply, error)

	// Stamp says what the engine is. It does not change.
	Stamp() Stamp

	// Close ends the engine's processes and waits for them. Programs that run end with an error.
	Close() error
}

// Stamp is everything about an engine on which the output of a program, or what it could do to its
// host, depends. A run keeps to one stamp, and every trajectory names it.
type Stamp struct {
	Engine string `json:"engine"` // "forkserver", "bwrap" or "unsafe"
	Python string `json:"python"` // the interpreter's version, "3.11.2"
	// what can be imported beside the standard library, with versions, sorted: "numpy 1.24.2"
	Modules []string `json:"modules"`
	// walls that the machine does not offer and the user does without, sorted: "landlock"
	Missing []string `json:"missing"`
}

// String returns the stamp in words: "forkserver python 3.11.2 numpy 1.24.2 without landlock".
func (s Stamp) String() string {
	words := append([]string{s.Engine, "python", s.Python}, s.Modules...)
	if len(s.Missing) > 0 {
		words = append(words, "without")
		words = append(words, s.Missing...)
	}

	return strings.Join(words, " ")
}

// ModuleNames returns the names of the modules that can be imported beside the standard library.
func (s Stamp) ModuleNames() []string {
	names := make([]string, len(s.Modules))
	for i, m := range s.Modules {
		names[i], _, _ = strings.Cut(m, " ")
	}
	return names
}
