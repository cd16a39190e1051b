package console

import "time"

// A rate is the mean of at least this time, and of a time in which at least this many events
// happened. A call to a slow model takes many seconds.
const (
	rateTime   = time.Minute
	rateEvents = 5
)

// Meter measures how fast a count grows. One goroutine may use it.
type Meter struct{ marks []mark } // the last ones, of counts that differ

// mark is a count at a time.
type mark struct {
	at    time.Time
	count int64
}

// NewMeter returns the meter of a count that is 0 now.
func NewMeter() *Meter { return &Meter{[]mark{{at: time.Now()}}} }

// Rate takes the present count, and returns how much it grows in a second: the mean of the last
// minute, or of the longer time in which it grew by five. Counts from before the meter began are
// not included.
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
