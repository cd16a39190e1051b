package console

import (
	"cmp"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"toolevo/envs/display"
)

// Screen is stderr with progress at its end. Text that is written takes the place of the progress,
// so that it has lines of its own, and the progress comes back when it is next drawn. Everything is
// written as visible text, because words of models, servers and files are among it. It is safe for
// concurrent use.
type Screen struct {
	W io.Writer

	mu    sync.Mutex
	drawn bool // there is progress, and the cursor is at its beginning
}

// erase goes to the beginning of the line, and clears from there to the end of the screen.
const erase = "\r\x1b[J"

// up goes to the line above.
const up = "\x1b[1A"

// Write implements [io.Writer].
func (s *Screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.drawn {
		s.drawn = false
		if _, err := io.WriteString(s.W, erase); err != nil {
			return 0, err
		}
	}

	if _, err := io.WriteString(s.W, display.Visible(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// draw puts progress, one line or two, in the place of what was drawn before, and goes back to its
// beginning.
func (s *Screen) draw(first, second string) {
	text := display.Visible(first)
	if second != "" {
		text += "\n" + display.Visible(second) + up
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	// Progress that cannot be shown is not a failure of the run.
	s.drawn = true
	_, _ = io.WriteString(s.W, erase+text+"\r")
}

// columns returns the width of the terminal, or 80 if it is not known.
func (s *Screen) columns() int { return cmp.Or(Width(s.W), 80) }

// Width returns how many columns a writer has, or 0 if it is not a terminal.
func Width(w io.Writer) int {
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

func (s *Screen) isTerminal() bool {
	f, ok := s.W.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
