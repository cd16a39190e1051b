package layout

// meter reports how much of a corpus is written.
type meter struct {
	in       Input
	rows     int // of all tables, how many are written
	reported int // the share that was reported last, in thousandths
}

// The work in thousandths: reading (or making) and inserting the rows, then writing the columns,
// then the indexes, then hashing the blocks and waiting for the disk.
const (
	work        = 1000
	rowsWork    = 680
	columnsWork = 130
	indexesWork = 150
	filledWork  = rowsWork + columnsWork + indexesWork
)

func newMeter(in Input) *meter { return &meter{in: in, reported: -1} }

// add counts rows of any table.
func (m *meter) add(rows int) {
	m.rows += rows

	done, total := int64(m.rows), int64(m.in.Expected)
	if m.in.Files != nil {
		done, total = m.in.Files.Read()
	}

	m.report(share(done, total, rowsWork))
}

// columns and indexes count what is finished of the later work.
func (m *meter) columns(done, total int) {
	m.report(rowsWork + share(int64(done), int64(total), columnsWork))
}

func (m *meter) indexes(done, total int) {
	m.report(rowsWork + columnsWork + share(int64(done), int64(total), indexesWork))
}

func (m *meter) filled() { m.report(filledWork) }
func (m *meter) end()    { m.report(work) }

func share(done, total, whole int64) int { return int(whole * min(done, total) / max(total, 1)) }

// report reports what is done when it is more than before.
func (m *meter) report(done int) {
	if m.in.Progress != nil && done > m.reported {
		m.reported = done
		m.in.Progress(done, work)
	}
}
