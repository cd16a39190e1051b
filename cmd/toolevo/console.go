package main

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// console is stderr with progress at its end. What is written while there is some takes its place, so that the words are
// whole lines of their own; the progress comes back when it is next drawn. It is safe for concurrent use.
type console struct {
	w io.Writer

	mu    sync.Mutex
	drawn bool // there is progress, and the cursor is at its beginning
}

// erase goes to the beginning of the line, and clears from there to the end of the screen.
const erase = "\r\x1b[J"

// Write implements [io.Writer].
func (c *console) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drawn {
		c.drawn = false
		if _, err := io.WriteString(c.w, erase); err != nil {
			return 0, err
		}
	}
	return c.w.Write(text)
}

// draw puts progress in the place of what was drawn before; the text leaves the cursor at its own beginning.
func (c *console) draw(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawn = true
	_, _ = io.WriteString(c.w, erase+text) // progress that nobody can see is no failure of the run
}

// columns is how wide the terminal is, or 80 where nobody knows.
func (c *console) columns() int {
	if f, ok := c.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

func (c *console) isTerminal() bool {
	f, ok := c.w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
