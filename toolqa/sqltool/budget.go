package sqltool

/*
#cgo LDFLAGS: -lm
#include <stdlib.h>
#include "budget.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/pytext"
)

// installed is what came of putting the allocator in place that knows what each statement takes. SQLite
// allows it before its first use only, so it is done when the program starts. It does nothing but count for
// the statements of this package.
var installed = C.budget_install()

// fileSystem is the name of the file system of SQLite that a connection with a budget opens.
const fileSystem = C.vfs_name

// maxText is the longest text or row of a statement, in bytes.
const maxText = C.LONGEST_TEXT

// openFileSystem registers the file system.
var openFileSystem = sync.OnceValue(func() error {
	if installed != C.SQLITE_OK {
		return fmt.Errorf("sqltool: SQLite was in use before its memory could be counted (code %d)", installed)
	}
	if rc := C.budget_open_vfs(); rc != C.SQLITE_OK {
		return fmt.Errorf("sqltool: register the file system %s: code %d", fileSystem, rc)
	}
	return nil
})

// budget runs the statements of a connection, one at a time, and bounds what each may take.
type budget struct {
	c       *C.budget
	columns []C.cell // of the row that was read last
}

// newBudget returns the budget of a connection.
func newBudget(conn *sqlite3.SQLiteConn, memory, spill int64) (*budget, error) {
	// The driver keeps the connection of SQLite to itself.
	db := reflect.ValueOf(conn).Elem().FieldByName("db")
	if db.Kind() != reflect.Pointer || db.IsNil() {
		return nil, errors.New("sqltool: the driver's connection has no field db")
	}
	c := C.budget_new((*C.sqlite3)(db.UnsafePointer()), C.int64_t(memory), C.int64_t(spill))
	if c == nil {
		return nil, errors.New("sqltool: no memory for the budget of a connection")
	}
	return &budget{c: c}, nil
}

// free releases the budget, after its connection has been closed.
func (b *budget) free() { C.free(unsafe.Pointer(b.c)) }

// start prepares a statement and returns the names of its columns. It has until the timeout from now on. Whatever start
// returns, finish must be called.
func (b *budget) start(stmt string, timeout time.Duration) ([]string, error) {
	text := C.CString(stmt)
	defer C.free(unsafe.Pointer(text))
	if rc := C.budget_start(b.c, text, C.int(len(stmt)), C.int64_t(timeout)); rc != C.SQLITE_OK {
		return nil, b.failure(rc)
	}
	names := make([]string, C.sqlite3_column_count(b.c.stmt))
	for i := range names {
		names[i] = C.GoString(C.sqlite3_column_name(b.c.stmt, C.int(i)))
	}
	b.columns = make([]C.cell, len(names))
	return names, nil
}

// next reads the next row, and reports whether there is one.
func (b *budget) next() (bool, error) {
	switch rc := C.budget_step(b.c, unsafe.SliceData(b.columns), C.int(len(b.columns))); rc {
	case C.SQLITE_ROW:
		return true, nil
	case C.SQLITE_DONE:
		return false, nil
	default:
		return false, b.failure(rc)
	}
}

// appendCell appends a value of the row that was read last, as Python prints it.
func (b *budget) appendCell(to []byte, i int) []byte {
	switch c := &b.columns[i]; c._type {
	case C.SQLITE_INTEGER:
		return strconv.AppendInt(to, int64(c.whole), 10)
	case C.SQLITE_FLOAT:
		return append(to, pytext.FormatFloat(float64(c.real))...)
	case C.SQLITE_NULL:
		return append(to, "None"...)
	default:
		return append(to, unsafe.Slice((*byte)(c.text), c.n)...)
	}
}

// cancel ends the statement that runs. It may be called from any goroutine, while one does.
func (b *budget) cancel() { C.budget_cancel(b.c) }

// rearm makes the budget ready for the next statement, before anybody can cancel that.
func (b *budget) rearm() { C.budget_rearm(b.c) }

// finish ends a statement. It returns the largest share of what it might have that it took of memory or of temporary
// files.
func (b *budget) finish() float64 {
	C.budget_finish(b.c)
	return max(float64(b.c.memory_peak)/float64(b.c.memory_most), float64(b.c.spill_peak)/float64(b.c.spill_most))
}

// sqliteError is an error of SQLite.
type sqliteError struct {
	code    int // the primary result code
	message string
	host    bool // the machine has no more memory
}

func (e sqliteError) Error() string {
	return fmt.Sprintf("sqltool: SQLite: %s (code %d)", e.message, e.code)
}

// Why a statement was stopped.
var (
	errLate      = errors.New("sqltool: deadline passed")
	errCancelled = errors.New("sqltool: cancelled")
	errMemory    = errors.New("sqltool: too much memory")
	errSpill     = errors.New("sqltool: too much in temporary files")
)

// failure returns the error of a statement that SQLite ended with a code.
func (b *budget) failure(rc C.int) error {
	e := sqliteError{code: int(rc & 0xff), message: C.GoString(C.sqlite3_errmsg(b.c.db))}
	if b.c.over == C.NOTHING && !ours(e) { // a disk that is broken may take its time to say so
		C.exhausted(b.c) // a function that found no time left may be the first to know
	}
	switch b.c.over {
	case C.TIME:
		return errLate
	case C.CANCELLED:
		return errCancelled
	case C.MEMORY:
		return errMemory
	case C.SPILL:
		return errSpill
	}
	e.host = b.c.over == C.HOST
	return e
}
