package importer

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/nlpodyssey/gopickle/types"
)

// The published graphs are millions of small dictionaries, of which the library, as Python, keeps every one,
// and every text, once more in a table of what might be fetched again. leanPickle rewrites a pickle on its
// way to the library to one that builds the same in less than half of the memory:
//
//   - only what is fetched is put aside;
//   - dictionaries are made by dictClass, without room for what does not come;
//   - the attributes of a node become JSON as soon as they are complete;
//   - the dictionary of predecessors of a directed graph, which says what the one of successors says, stays empty.

// leanModule is the module of the classes that leanPickle names.
const leanModule = "toolevo"

// dictRole says which dictionary of a graph a dictionary is.
type dictRole int

const (
	anyDict dictRole = iota
	nodeDict
	unusedDict
	dictRoles
)

// roleOf is the attributes of a graph by which a role is known.
var roleOf = map[string]dictRole{"_node": nodeDict, "node": nodeDict, "_pred": unusedDict, "pred": unusedDict}

// leanPickle is a reader of the rewritten pickle.
type leanPickle struct {
	p    *pickleReader
	use  *memoUse
	made uint64
	role dictRole // of the dictionary that comes next
	out  []byte
	read int // how much of out is read
}

// leanClass is the number under which the class of a role is put aside, beyond those of any pickle.
func leanClass(role dictRole) uint32 { return 0xffffffff - uint32(role) }

// newLeanPickle returns the rewritten pickle in r, which scanPickle has read before.
func newLeanPickle(r io.Reader, size int64, use *memoUse) (*leanPickle, error) {
	l := &leanPickle{p: newPickleReader(r, size), use: use}
	if err := l.p.head(); err != nil {
		return nil, err
	}

	l.out = append(l.out, l.p.raw...)
	for role := range dictRoles {
		l.out = fmt.Appendf(l.out, "c%s\n%d\n", leanModule, role)
		l.number('r', leanClass(role))
		l.out = append(l.out, '0')
	}

	return l, nil
}

// number writes an operation with a number of four bytes.
func (l *leanPickle) number(op byte, n uint32) {
	l.out = binary.LittleEndian.AppendUint32(append(l.out, op), n)
}

// fill rewrites some operations.
func (l *leanPickle) fill() error {
	l.out, l.read = l.out[:0], 0
	for len(l.out) < 1<<15 {
		op, arg, err := l.p.next()
		if err != nil {
			return err
		}

		n, puts, fetches, err := memoIndex(op, arg, l.made)
		if err != nil {
			return err
		}

		role := l.role
		if !puts {
			l.role = anyDict
		}

		switch {
		case puts:
			l.made++
			if l.use.has(n) {
				l.number('r', uint32(n))
			}
		case fetches:
			l.number('j', uint32(n))
		case op == 0x95: // frames are not kept
		case op == '}':
			l.number('j', leanClass(role))
			l.out = append(l.out, ')', 0x81) // NEWOBJ, without arguments
		default:
			l.out = append(l.out, l.p.raw...)
			if op == 'X' || op == 0x8c {
				l.role = roleOf[string(arg)]
			}
		}

		if op == '.' {
			return nil
		}
	}

	return nil
}

// Read reads of the rewritten pickle.
func (l *leanPickle) Read(b []byte) (int, error) {
	if l.read == len(l.out) {
		if err := l.fill(); err != nil {
			return 0, err
		}
	}

	n := copy(b, l.out[l.read:])
	l.read += n

	return n, nil
}

// ReadByte reads one byte.
func (l *leanPickle) ReadByte() (byte, error) {
	if l.read == len(l.out) {
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
	l.read++

	return l.out[l.read-1], nil
}

// dictClass makes dictionaries.
type dictClass struct {
	role dictRole
	keep func(node string) bool // of nodeDict: whose attributes are kept; nil for all
	err  error                  // of nodeDict: of the first attributes that are none
}

// PyNew makes an empty dictionary.
func (c *dictClass) PyNew(...any) (any, error) { return &pickledDict{class: c}, nil }

// pickledDict is a dictionary.
type pickledDict struct {
	class   *dictClass
	entries types.Dict
}

// rawAttributes is the attributes of a node as JSON; nil where they are not kept.
type rawAttributes []byte

// Set adds an entry.
func (d *pickledDict) Set(key, value any) {
	switch d.class.role {
	case unusedDict:
		return
	case nodeDict:
		value = d.attributes(key, value)
	}

	d.entries = append(d.entries, types.DictEntry{Key: key, Value: value})
}

// attributes returns what is kept of the attributes of a node.
func (d *pickledDict) attributes(key, value any) rawAttributes {
	node, ok := key.(string)
	if !ok || d.class.keep != nil && !d.class.keep(node) {
		return nil
	}

	raw, err := appendPickled(nil, value)
	if err != nil && d.class.err == nil {
		d.class.err = fmt.Errorf("node %.60q: %w", node, err)
	}

	return append(rawAttributes(nil), raw...) // of the right size
}
