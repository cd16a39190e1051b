package questions

import (
	"fmt"
	"strings"
	"time"
)

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

// fromPrinted writes a time that the tools print as the agenda does; text that is not a time stays
// as it is.
func fromPrinted(clock string) string {
	if m, ok := minutesOf(clock); ok {
		return clock12(m)
	}
	return clock
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
