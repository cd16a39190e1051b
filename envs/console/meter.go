package console

import "time"

// What a rate is the mean of: at least of this time, and of so long a time that it has these
// events. A call to a slow model takes many seconds.
const (
	rateTime   = time.Minute
	rateEvents = 5
)

// Meter tells how fast a count grows. One goroutine may use it.
type Meter struct{ marks []mark } // the last ones, of counts that differ

// mark is what was counted at a time.
type mark struct {
	at    time.Time
	count int64
}

// NewMeter returns the meter of a count that is 0 now.
func NewMeter() *Meter { return &Meter{[]mark{{at: time.Now()}}} }

// Rate takes the count now, and returns by how much it grows a second: the mean of the last minute,
// or of the longer time in which it grew by five. What there was before the meter began is not in
// it.
func (m *Meter) Rate(count int64) float64 {
	now := time.Now()
	if count != m.marks[len(m.marks)-1].count {
		m.marks = append(m.marks, mark{now, count})
	}

	enough := func(since mark) bool {
		return now.Sub(since.at) >= rateTime && count-since.count >= rateEvents
	}
	for len(m.marks) > 1 && enough(m.marks[1]) {
		m.marks = m.marks[1:]
	}

	passed := now.Sub(m.marks[0].at)
	if passed <= 0 {
		return 0
	}
	return float64(count-m.marks[0].count) / passed.Seconds()
}
