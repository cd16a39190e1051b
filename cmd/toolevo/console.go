package main

import (
	"cmp"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"toolevo/envs/display"
)

// console is stderr with progress at its end. What is written while there is some takes its place, so that
// the words are whole lines of their own; the progress comes back when it is next drawn. Whatever is written
// is visible text, since words of models, servers and files are among it. It is safe for concurrent use.
type console struct {
	w io.Writer

	mu    sync.Mutex
	drawn bool // there is progress, and the cursor is at its beginning
}

// erase goes to the beginning of the line, and clears from there to the end of the screen.
const erase = "\r\x1b[J"

// up goes to the line above.
const up = "\x1b[1A"

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

	if _, err := io.WriteString(c.w, display.Visible(string(text))); err != nil {
		return 0, err
	}

	return len(text), nil
}

// draw puts progress, one line or two, in the place of what was drawn before, and goes back to its beginning.
func (c *console) draw(first, second string) {
	text := display.Visible(first)
	if second != "" {
		text += "\n" + display.Visible(second) + up
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	c.drawn = true
	_, _ = io.WriteString(c.w, erase+text+"\r") // progress that nobody can see is not a failure of the run
}

// columns is how wide the terminal is, or 80 where nobody knows.
func (c *console) columns() int { return cmp.Or(terminalWidth(c.w), 80) }

// terminalWidth is how many columns a writer has, 0 where it is not a terminal.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}

	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}

	return width
}

func (c *console) isTerminal() bool {
	f, ok := c.w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
