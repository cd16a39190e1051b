package corpus

// meter tells how much of a corpus is written.
type meter struct {
	in       input
	expected int // rows of the typed table and of the first side table together
	rows     int // of those, how many are written
	told     int
}

// The work in thousandths: reading (or making) and inserting the rows, then writing the columns, then the indexes.
const (
	work        = 1000
	rowsWork    = 700
	columnsWork = 130
	indexesWork = work - rowsWork - columnsWork
)

func newMeter(in input, hasSide bool) *meter {
	m := &meter{in: in, told: -1}
	if in.next != nil {
		m.expected += in.expected
	}
	if hasSide {
		m.expected += in.expected
	}
	return m
}

// add counts rows of the typed table, or of the first side table.
func (m *meter) add(rows int) {
	m.rows += rows
	done, total := int64(m.rows), int64(m.expected)
	if m.in.source != nil {
		done, total = m.in.source.read.Load(), m.in.source.size
	}
	m.tell(share(done, total, rowsWork))
}

// columns and indexes count what is finished of the later work.
func (m *meter) columns(done, total int) {
	m.tell(rowsWork + share(int64(done), int64(total), columnsWork))
}

func (m *meter) indexes(done, total int) {
	m.tell(rowsWork + columnsWork + share(int64(done), int64(total), indexesWork))
}

func (m *meter) end() { m.tell(work) }

func share(done, total, of int64) int { return int(of * min(done, total) / max(total, 1)) }

// tell reports what is done when it is more than before.
func (m *meter) tell(done int) {
	if m.in.progress != nil && done > m.told {
		m.told = done
		m.in.progress(done, work)
	}
}
