package importer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Arguments of the operations of a pickle: so many bytes, or one of these.
const (
	argLine  = -1 // text up to a newline
	argLines = -2 // two lines
	arg1     = -3 // a length of one byte, and as many bytes
	arg4     = -4 // a length of four bytes, and as many
	arg8     = -5 // a length of eight bytes, and as many
)

// maxMarks is how deep the lists and dictionaries of a pickle nest. The published ones reach seven.
const maxMarks = 1000

// pickleOps are the operations that a pickle may have, by their codes, with their arguments. Those that are
// missing call functions by other ways than GLOBAL and REDUCE, refer to what is outside the file, or were
// written by Python 1 and 2.
var pickleOps = map[byte]int{
	'(': 0, '.': 0, '0': 0, '1': 0, '2': 0, // MARK STOP POP POP_MARK DUP
	// INT BININT BININT1 LONG BININT2 FLOAT BINFLOAT
	'I': argLine, 'J': 4, 'K': 1, 'L': argLine, 'M': 2, 'F': argLine, 'G': 8,
	'N': 0, 'R': 0, 'b': 0, 'c': argLines, // NONE REDUCE BUILD GLOBAL
	'T': arg4, 'U': arg1, 'X': arg4, // BINSTRING SHORT_BINSTRING BINUNICODE
	'a': 0, 'd': 0, '}': 0, 'e': 0, 'l': 0, ']': 0, 's': 0, 't': 0, ')': 0, 'u': 0, // APPEND DICT … SETITEMS
	'g': argLine, 'h': 1, 'j': 4, 'p': argLine, 'q': 1, 'r': 4, // GET … LONG_BINPUT
	// PROTO NEWOBJ TUPLE1 … LONG4
	0x80: 1, 0x81: 0, 0x85: 0, 0x86: 0, 0x87: 0, 0x88: 0, 0x89: 0, 0x8a: arg1, 0x8b: arg4,
	'B': arg4, 'C': arg1, // BINBYTES SHORT_BINBYTES
	// SHORT_BINUNICODE BINUNICODE8 BINBYTES8 EMPTY_SET ADDITEMS FROZENSET
	0x8c: arg1, 0x8d: arg8, 0x8e: arg8, 0x8f: 0, 0x90: 0, 0x91: 0,
	0x92: 0, 0x93: 0, 0x94: 0, 0x95: 8, // NEWOBJ_EX STACK_GLOBAL MEMOIZE FRAME
	0x96: arg8, // BYTEARRAY8
}

// pickleReader reads the operations of a pickle without executing one.
type pickleReader struct {
	r    *bufio.Reader
	at   int64  // how far it has read
	size int64  // of the file
	raw  []byte // the last operation, with its argument
}

func newPickleReader(r io.Reader, size int64) *pickleReader {
	return &pickleReader{r: bufio.NewReaderSize(r, 1<<18), size: size}
}

// next reads an operation. The argument, without its length, is valid until the next call.
func (p *pickleReader) next() (op byte, arg []byte, err error) {
	p.raw = p.raw[:0]
	if err := p.read(1); err != nil {
		return 0, nil, err
	}

	op = p.raw[0]

	n, ok := pickleOps[op]
	if !ok {
		return 0, nil, fmt.Errorf("operation 0x%02x, which no pickled graph has", op)
	}

	start := 1

	switch n {
	case argLine, argLines:
		for range -n {
			if err := p.line(); err != nil {
				return 0, nil, err
			}
		}
	case arg1, arg4, arg8:
		width := map[int]int{arg1: 1, arg4: 4, arg8: 8}[n]
		if err := p.read(width); err != nil {
			return 0, nil, err
		}

		start += width

		length := littleEndian(p.raw[1:])
		if length > uint64(p.size-p.at) {
			return 0, nil, io.ErrUnexpectedEOF
		}

		err = p.read(int(length))
	default:
		err = p.read(n)
	}

	return op, p.raw[start:], err
}

// read reads n bytes more of the operation.
func (p *pickleReader) read(n int) error {
	start := len(p.raw)
	p.raw = slices.Grow(p.raw, n)[:start+n]
	read, err := io.ReadFull(p.r, p.raw[start:])
	p.at += int64(read)

	return err
}

// maxPickleLine is the longest line in a pickle: a module, a class or a number.
const maxPickleLine = 1000

func (p *pickleReader) line() error {
	for range maxPickleLine {
		if err := p.read(1); err != nil {
			return err
		}

		if p.raw[len(p.raw)-1] == '\n' {
			return nil
		}
	}

	return fmt.Errorf("a line of more than %d bytes", maxPickleLine)
}

func littleEndian(b []byte) uint64 {
	var buf [8]byte
	copy(buf[:], b)
	return binary.LittleEndian.Uint64(buf[:])
}

// memoUse is which of the objects that a pickle puts aside it fetches again: few of many.
type memoUse struct{ fetched []uint64 }

func (m *memoUse) add(n uint64) {
	for n/64 >= uint64(len(m.fetched)) {
		m.fetched = append(m.fetched, 0)
	}

	m.fetched[n/64] |= 1 << (n % 64)
}

func (m *memoUse) has(n uint64) bool {
	return n/64 < uint64(len(m.fetched)) && m.fetched[n/64]>>(n%64)&1 == 1
}

// memoIndex returns the object that an operation puts aside, or fetches; made is how many were put aside before.
func memoIndex(op byte, arg []byte, made uint64) (n uint64, puts, fetches bool, err error) {
	switch op {
	case 0x94:
		return made, true, false, nil
	case 'q', 'r':
		return littleEndian(arg), true, false, nil
	case 'h', 'j':
		return littleEndian(arg), false, true, nil
	case 'p', 'g':
		n, err = strconv.ParseUint(string(bytes.TrimSuffix(arg, []byte{'\n'})), 10, 32)
		return n, op == 'p', op == 'g', err
	}

	return 0, false, false, nil
}

// What objects take in memory, about, without their texts; and how much all of a pickle may take: so many
// bytes for each of the file, and something for small files. The published graphs take seven for each; a
// list, of one byte, takes a hundred.
const (
	containerBytes = 64 // a list, dictionary, tuple, set or mark
	valueBytes     = 16 // anything else
	pickleGrowth   = 12
	pickleFloor    = 1 << 20
)

// objectBytes is what an operation adds to the objects in memory.
func objectBytes(op byte, arg []byte) int64 {
	switch op {
	case '(', ']', '}', ')', 'l', 'd', 't', 0x85, 0x86, 0x87, 0x8f, 0x91, 'R', 'b', 'c', 0x81, 0x92, 0x93:
		return containerBytes
	case 'a', 's', 'e', 'u', 0x90, '.', '0', '1', 'q', 'r', 'p', 0x94, 0x95, 0x80: // what is there already
		return 0
	}

	return valueBytes + int64(len(arg))
}

// scanPickle checks that r, of size bytes, is a pickle of protocol 2 to 5, whole, without operations that
// graphs do not need, without an argument longer than the file, and without more objects than graphs of that
// size have: unpickle would ask for as much memory as that.
func scanPickle(r io.Reader, size int64) (*memoUse, error) {
	p := newPickleReader(r, size)

	use, err := p.scan()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("truncated: it ends after %d bytes, within the pickle: %w", p.at, errNotGraph)
	case err != nil:
		return nil, fmt.Errorf("byte %d: %w: %w", p.at, err, errNotGraph)
	}

	return use, nil
}

func (p *pickleReader) scan() (*memoUse, error) {
	if err := p.head(); err != nil {
		return nil, err
	}

	use := &memoUse{}
	made, marks, numbered := uint64(0), 0, false

	room := pickleFloor + pickleGrowth*p.size
	for {
		op, arg, err := p.next()
		if err != nil {
			return nil, err
		}

		n, puts, fetches, err := memoIndex(op, arg, made)
		switch {
		case err != nil:
			return nil, err
		case puts:
			made++

			numbered = numbered || op != 0x94
			if numbered && op == 0x94 {
				return nil, errors.New("objects are put aside with and without numbers")
			}
		case fetches && n > uint64(p.size):
			return nil, fmt.Errorf("object %d is fetched", n)
		case fetches:
			use.add(n)
		}

		if room -= objectBytes(op, arg); room < 0 {
			return nil, fmt.Errorf("more lists and values than a graph in %d bytes has", p.size)
		}

		switch op {
		case '.':
			return use, nil
		case '(':
			if marks++; marks > maxMarks {
				return nil, fmt.Errorf("more than %d levels", maxMarks)
			}
		case '1', 'd', 'e', 'l', 't', 'u', 0x90, 0x91:
			marks--
		case 0x95:
			if littleEndian(arg) > uint64(p.size-p.at) {
				return nil, io.ErrUnexpectedEOF
			}
		}
	}
}

// head reads the first operation, which names the protocol.
func (p *pickleReader) head() error {
	if err := p.read(2); err != nil {
		return err
	}

	if p.raw[0] != 0x80 || p.raw[1] < 2 || p.raw[1] > 5 {
		return errors.New("it does not begin as a pickle of protocol 2 to 5 does")
	}

	return nil
}
