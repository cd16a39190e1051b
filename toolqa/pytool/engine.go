package pytool

import (
	"context"
	"time"
)

// Program is what an engine runs.
type Program struct {
	Code string
	// Published selects the published rules of what is shown; see [Options].
	Published bool
}

// Limits bound one program. Zero values mean the defaults. Wall should be several times CPU: it is there for a program
// that waits, and on a busy machine must not end one that computes, whose processor time is the same on every day.
type Limits struct {
	Wall     time.Duration // real time; default four times CPU
	CPU      time.Duration // processor time, in whole seconds; default 8 s
	Memory   int64         // bytes of address space; default 1 GiB
	Output   int           // bytes printed; default 64 KiB
	FileSize int64         // bytes of any file it writes; default 1 MiB
}

func (l Limits) withDefaults() Limits {
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
	if l.FileSize == 0 {
		l.FileSize = 1 << 20
	}
	return l
}

// End is how a program ended.
type End uint8

// The ends.
const (
	Finished   End = iota // it came to its end, or called sys.exit with no complaint
	Raised                // it raised; the last line of the output says what
	OutOfTime             // it used up its processor time or its real time
	OutOfSpace            // it printed more than allowed
	Died                  // the interpreter died of it, e.g. of a stack overflow in C
)

// Reply is what an engine has to say of a program.
type Reply struct {
	Output string // what is shown, up to Limits.Output bytes
	End    End
	Detail string // of Died: how, e.g. "signal: segmentation fault"
}

// Engine runs programs. Implementations are safe for concurrent use.
type Engine interface {
	// Run runs a program in an interpreter that knows nothing of other programs. An error is a failure of ours or the
	// end of ctx; whatever the program does is a Reply.
	Run(ctx context.Context, p Program, l Limits) (Reply, error)

	// ID names the engine and everything about it that observations depend on, e.g. "process python 3.11.7".
	ID() string
}
