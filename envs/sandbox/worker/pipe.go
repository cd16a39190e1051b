package worker

import (
	"io"
	"os"
	"runtime"
	"time"
)

// maxTurn is how long a goroutine may read pipes before it yields to the scheduler. After 10 ms it
// would count as hogging its processor, which would then be taken from it at every check of the
// runtime, every 20 µs: for a call of a fraction of a millisecond, that costs more than anything
// else.
const maxTurn = 3 * time.Millisecond

// pipe reads from a pipe, and blocks a thread meanwhile. That returns sooner than through the
// poller, and takes less processor time.
type pipe struct {
	*os.File
	yielded time.Time
}

// newPipe makes reads of the file block.
func newPipe(f *os.File) io.Reader {
	f.Fd()
	return &pipe{File: f}
}

// Read implements [io.Reader].
func (p *pipe) Read(to []byte) (int, error) {
	if now := time.Now(); now.Sub(p.yielded) > maxTurn {
		runtime.Gosched()
		p.yielded = now
	}
	return p.File.Read(to)
}
