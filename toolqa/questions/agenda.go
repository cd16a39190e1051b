package questions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolevo/toolqa/corpus"
)

// busyTimes are the times of a day's appointments: as the tools print them, "20:00:00", and as they are published,
// "8:00 PM".
type busyTimes struct{ start, end, storedStart, storedEnd *corpus.Vector }

// onBusyDay makes a rule of a function of the appointments that a person has on a date, at least one, in the order of
// their starts; those that start together stay in the order of the table.
func onBusyDay(answer func(t busyTimes, rows []uint32) (string, error)) rule {
	return func(s *Corpus, slots slotValues) (string, error) {
		var t busyTimes
		if err := s.columns(map[string]**corpus.Vector{"start_time": &t.start, "end_time": &t.end}); err != nil {
			return "", err
		}

		var err error
		if t.storedStart, err = s.stored("start_time"); err != nil {
			return "", err
		}

		if t.storedEnd, err = s.stored("end_time"); err != nil {
			return "", err
		}

		rows, err := s.table.Find("person", slots.get("person"), "date", slots.get("date"))
		if err != nil || len(rows) == 0 {
			return "", cmp.Or(err, errNoAnswer)
		}

		rows = slices.Clone(rows)
		slices.SortStableFunc(rows, func(x, y uint32) int {
			return cmp.Compare(t.start.Text(int(x)), t.start.Text(int(y)))
		})

		return answer(t, rows)
	}
}

// minutesOf reads a time as the tools print it, "20:00:00".
func minutesOf(clock string) (int, bool) {
	t, err := time.Parse(time.TimeOnly, clock)
	return 60*t.Hour() + t.Minute(), err == nil && len(clock) == len(time.TimeOnly)
}

// clock12 writes a time as the agenda does: 540 minutes after midnight are 9:00 AM.
func clock12(minutes int) string {
	half := "AM"
	if minutes%(24*60) >= 12*60 {
		half = "PM"
	}

	return fmt.Sprintf("%d:%02d %s", (minutes/60+11)%12+1, minutes%60, half)
}

// fromPrinted writes a time that the tools print as the agenda does; text that is not a time stays as it is.
func fromPrinted(clock string) string {
	if m, ok := minutesOf(clock); ok {
		return clock12(m)
	}

	return clock
}

// The day in which a meeting is looked for, and how long it takes, in minutes.
const (
	dayStart, dayEnd = 9 * 60, 18 * 60
	meetingLength    = 60
)

// freeSlots lists the times, of an hour or more, at which there is none of the appointments. Nobody can tell whether
// one that ends before it starts goes on after midnight, or has a mistake.
func freeSlots(t busyTimes, rows []uint32) (string, error) {
	var free []string
	slot := func(from, to int) {
		if to-from >= meetingLength {
			free = append(free, clock12(from)+"-"+clock12(to))
		}
	}
	now := dayStart

	for _, row := range rows {
		start, isTime := minutesOf(t.start.Text(int(row)))
		end, ok := minutesOf(t.end.Text(int(row)))

		if !isTime || !ok || start >= end {
			if isTime && start >= dayEnd {
				continue // it ends when it may
			}

			return "", errNoAnswer
		}

		slot(now, min(start, dayEnd))
		now = max(now, end)
	}

	slot(now, dayEnd)

	return noneIfEmpty(strings.Join(free, ", "))
}

// publishedSlots is the published rule: it takes the time from one appointment's end to the next one's start
// for free if it is an hour or more, and when it is less than nothing goes round the clock.
func publishedSlots(t busyTimes, rows []uint32) (string, error) {
	var free []string
	from, end := "9:00 AM", dayStart

	slot := func(to string, start int) {
		if (start-end+24*60)%(24*60) >= meetingLength {
			free = append(free, from+"-"+to)
		}
	}
	for _, row := range rows {
		start, ok1 := minutesOf(t.start.Text(int(row)))

		stop, ok2 := minutesOf(t.end.Text(int(row)))
		if !ok1 || !ok2 {
			return "", errNoAnswer
		}

		slot(t.storedStart.Text(int(row)), start)
		from, end = t.storedEnd.Text(int(row)), stop
	}

	slot("6:00 PM", dayEnd)

	return noneIfEmpty(strings.Join(free, ", "))
}

// readRowsLeft reads how many rows a filter has left.
func readRowsLeft(name string) reader {
	return func(result string, known *slotValues) error {
		n, _, _ := strings.Cut(strings.TrimPrefix(result, filtered), " ")
		if !isInteger(n) {
			return unexpected(result, "a number of rows")
		}

		*known = append(*known, slotValue{name, n})

		return nil
	}
}

// readMeetings reads the times of the rows left as a list in Python.
func readMeetings(result string, known *slotValues) error {
	rows, ok := tableRows(result, []string{"start_time", "end_time"})
	if !ok {
		return unexpected(result, "times that start and end")
	}

	meetings := make([]string, len(rows))
	for i, row := range rows {
		start, end := row["start_time"], row["end_time"]
		_, ok1 := minutesOf(start)

		_, ok2 := minutesOf(end)
		if !ok1 || !ok2 {
			return unexpected(result, "times such as 09:00:00")
		}

		meetings[i] = fmt.Sprintf("('%s', '%s')", start, end)
	}

	*known = append(*known, slotValue{"meetings", "[" + strings.Join(meetings, ", ") + "]"})

	return nil
}
