package sqltool

// long long sqlite3_hard_heap_limit64(long long);
// long long sqlite3_memory_highwater(int reset);
// long long sqlite3_memory_used(void);
import "C"

// heap bounds and measures the memory that SQLite has in this process, beside what it has before a
// statement. The pragma hard_heap_limit can only lower the bound, and what a connection keeps
// differs from statement to statement.
type heap struct{ before, most int64 }

// bound lets SQLite have at most this many bytes more than it has.
func bound(most int64) heap {
	C.sqlite3_memory_highwater(1)

	h := heap{before: int64(C.sqlite3_memory_used()), most: most}
	C.sqlite3_hard_heap_limit64(C.longlong(h.before + most))
	return h
}

// share returns the largest share of its bound that SQLite has used.
func (h heap) share() float64 {
	return float64(int64(C.sqlite3_memory_highwater(0))-h.before) / float64(h.most)
}

// free removes the bound.
func (h heap) free() { C.sqlite3_hard_heap_limit64(0) }
