package importer

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
)

// errNotPublished is what the errors of pickles that hold something else wrap.
var errNotPublished = errors.New("this is not one of the published pickles")

//go:embed pickles.py
var pickleReader string

// The limits of a pickle. A byte of the published ones takes up to 11 bytes of memory and 2 of
// JSON, and 20 MB take a second. The attributes of a node are small.
const (
	maxNodes   = 1 << 27
	maxObject  = 8 << 20
	memoryEach = 24
	outputEach = 32
)

// limitsOf returns the limits of a pickle of size bytes.
func limitsOf(size int64) sandbox.Limits {
	seconds := time.Duration(60 + size>>20)
	return sandbox.Limits{
		Wall:   4 * seconds * time.Second,
		CPU:    seconds * time.Second,
		Memory: 160<<20 + memoryEach*size,
		Output: int(1<<20 + outputEach*size),
	}
}

// pickled is what pickles.py writes about a pickle.
type pickled struct {
	ctx   context.Context
	lines *bufio.Scanner
}

// next reads a line into v.
func (p *pickled) next(v any) error {
	text, err := p.line()
	if err == nil && text[0] != '=' {
		err = fmt.Errorf("it ends too early: %w", errNotPublished)
	}

	if err != nil {
		return err
	}

	if err := json.Unmarshal(text[1:], v); err != nil {
		return fmt.Errorf("it holds %.200s: %w: %w", text[1:], err, errNotPublished)
	}
	return nil
}

// line returns the next line of data; a line that says what is wrong is returned as an error.
func (p *pickled) line() ([]byte, error) {
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}

	if !p.lines.Scan() {
		if p.lines.Err() != nil {
			return nil, fmt.Errorf("what it holds: %w: %w", p.lines.Err(), errNotPublished)
		}
		return nil, io.ErrUnexpectedEOF
	}

	text := p.lines.Bytes()
	switch {
	case len(text) == 0:
		return nil, errNotPublished
	case text[0] == '!':
		return nil, fmt.Errorf("%s: %w", text[1:], errNotPublished)
	}

	return text, nil
}

// count reads a number of objects.
func (p *pickled) count() (n int, err error) {
	if err := p.next(&n); err != nil {
		return 0, err
	}
	return n, checkCount(n)
}

func checkCount(n int) error {
	if n < 0 || n > maxNodes {
		return fmt.Errorf("it holds %d objects; expected at most %d: %w", n, maxNodes, errNotPublished)
	}
	return nil
}

// readPickle reads a pickle of size bytes by the function of pickles.py called kind.
func readPickle(ctx context.Context, o engines.Options, r io.Reader, size int64, kind string,
	use func(*pickled) error) error {
	limits := limitsOf(size)
	return o.Filter(ctx, pickleReader+"\nmain("+kind+")\n", limits, r, func(written io.Reader) error {
		p := &pickled{ctx, bufio.NewScanner(io.LimitReader(written, int64(limits.Output)))}
		p.lines.Buffer(nil, maxObject)

		if err := use(p); err != nil {
			return err
		}

		text, err := p.line()
		if err == nil && text[0] != '.' {
			err = fmt.Errorf("it does not end: %w", errNotPublished)
		}
		return err
	})
}
