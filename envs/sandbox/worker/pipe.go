package worker

import (
	"io"
	"os"
	"runtime"
	"time"
)

// turn is how long a goroutine may read pipes without the scheduler having chosen it anew. After 10
// ms it counts as one that hogs its processor, which is then taken from it whenever the runtime
// looks, every 20 µs: that costs a call of a fraction of a millisecond more than everything else
// about it.
const turn = 3 * time.Millisecond

// pipe reads from a pipe, and blocks a thread meanwhile. That is back sooner than a goroutine, and
// takes less processor time.
type pipe struct {
	*os.File
	chosen time.Time
}

// newPipe makes the file one whose reads block.
func newPipe(f *os.File) io.Reader {
	f.Fd()
	return &pipe{File: f}
}

// Read implements [io.Reader].
func (p *pipe) Read(to []byte) (int, error) {
	if now := time.Now(); now.Sub(p.chosen) > turn {
		runtime.Gosched()
		p.chosen = now
	}
	return p.File.Read(to)
}
