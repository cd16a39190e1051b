package disk

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// What is wrong with text files that would be read as another text, or take all memory.
var (
	ErrNotUTF8 = errors.New("this line is not UTF-8 text: save the file in UTF-8")
	ErrHalf    = errors.New(`a \u escape is half a character: write both halves, or the character`)
	ErrNested  = fmt.Errorf("more than %d objects and lists within each other", maxNesting)
	ErrLong    = fmt.Errorf("longer than %d MiB: is it the right file?", maxText>>20)
)

// The limits of a file.
const (
	maxText    = 64 << 20 // bytes, unless it is JSON
	maxNesting = 1000     // objects and lists of JSON within each other
)

// ReadText reads all of a text file that somebody wrote, without a byte order mark. The error about
// what is not UTF-8 names the file and the line.
func ReadText(path string) ([]byte, error) { return readAll(OpenText(path)) }

// ReadJSON is ReadText for a file of JSON of any length, which may have no half of a character and
// no deep nesting either.
func ReadJSON(path string) ([]byte, error) { return readAll(OpenJSON(path)) }

func readAll(f io.ReadCloser, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}

	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}

// OpenText opens a file that is read as ReadText does.
func OpenText(path string) (io.ReadCloser, error) { return openLines(path, false) }

// OpenJSON opens a file that is read as ReadJSON does.
func OpenJSON(path string) (io.ReadCloser, error) { return openLines(path, true) }

func openLines(path string, isJSON bool) (io.ReadCloser, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}

	if stat, err := f.Stat(); err != nil || stat.Size() > maxText && !isJSON {
		return nil, errors.Join(cmp.Or(err, fmt.Errorf("%s: %w", path, ErrLong)), f.Close())
	}
	return &lines{Closer: f, in: bufio.NewReaderSize(f, 1<<16), path: path, isJSON: isJSON}, nil
}

// lines reads the lines of a text file, and checks each first.
type lines struct {
	io.Closer
	in     *bufio.Reader
	path   string
	isJSON bool
	number int    // of the last line
	depth  int    // of the objects and lists that are open
	line   []byte // its unread rest
	err    error  // after it
}

// Read implements [io.Reader].
func (l *lines) Read(p []byte) (int, error) {
	for len(l.line) == 0 {
		if l.err != nil {
			return 0, l.err
		}

		l.next()
	}

	n := copy(p, l.line)
	l.line = l.line[n:]
	return n, nil
}

// next reads a line.
func (l *lines) next() {
	l.number++

	l.line, l.err = l.in.ReadBytes('\n')
	if l.number == 1 {
		l.line = bytes.TrimPrefix(l.line, []byte("\ufeff"))
	}

	var wrong error

	switch {
	case !utf8.Valid(l.line):
		wrong = ErrNotUTF8
	case l.isJSON && hasHalf(l.line):
		wrong = ErrHalf
	case l.isJSON && !l.nest():
		wrong = ErrNested
	default:
		return
	}

	l.line, l.err = nil, fmt.Errorf("%s:%d: %w", l.path, l.number, wrong)
}

// nest follows the objects and lists of a line, and reports whether their depth is allowed.
func (l *lines) nest() bool {
	quoted := false

	for i := 0; i < len(l.line) && l.depth <= maxNesting; i++ {
		switch c := l.line[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			l.depth++
		case !quoted && (c == '}' || c == ']'):
			l.depth--
		}
	}

	return l.depth <= maxNesting
}

// hasHalf reports whether a line of JSON has an escape of half a character (of those beyond the
// first 65,536) without the other half.
func hasHalf(line []byte) bool {
	for {
		at := bytes.IndexByte(line, '\\')
		if at < 0 {
			return false
		}

		line = line[at:]

		first, ok := escaped(line)
		if !ok {
			line = line[min(2, len(line)):]
			continue
		}

		if line = line[escapeLength:]; !utf16.IsSurrogate(first) {
			continue
		}

		second, ok := escaped(line)
		if !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}

		line = line[escapeLength:]
	}
}

// escapeLength is how long an escape is, as in \u00e9.
const escapeLength = 6

// escaped returns what the escape at the beginning of a text stands for.
func escaped(text []byte) (rune, bool) {
	if len(text) < escapeLength || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}

	unit, err := strconv.ParseUint(string(text[2:escapeLength]), 16, 16)
	return rune(unit), err == nil
}
