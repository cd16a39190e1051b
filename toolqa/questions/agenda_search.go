package questions

import (
	"strings"

	"toolevo/toolqa/corpus"
)

// readDescribed reads a part of the appointment from the descriptions that a search has found. If
// it is in none of them, "missed" is known, and after a second search "missed_twice".
func readDescribed(part string) reader {
	return func(result string, known *slotValues) error {
		asked := appointmentAsked(*known)

		for passage := range strings.Lines(result) {
			if described, ok := asked.read(strings.TrimSpace(passage), part); ok {
				*known = append(*known, described.slots(part)...)
				return nil
			}
		}

		name := "missed"
		if known.get(name) != "" {
			name = "missed_twice"
		}

		*known = append(*known, slotValue{name, "yes"})
		return nil
	}
}

// readAppointment reads a part of the appointment from the rows of the table.
func readAppointment(part string) reader {
	return func(result string, known *slotValues) error {
		asked := appointmentAsked(*known)

		// The plan filters by who it is, or else by the times, and asks for the other columns.
		columns := []string{"event", "start_time", "end_time", "location"}
		if asked.who == "" {
			columns = []string{"person", "event", "location"}
		}

		rows, ok := tableRows(result, columns)
		if !ok {
			return unexpected(result, "rows of the columns "+strings.Join(columns, ", "))
		}

		for _, row := range rows {
			found := appointment{row["person"], row["event"], row["location"], asked.date,
				fromPrinted(row["start_time"]), fromPrinted(row["end_time"])}

			// What the rows were filtered by is not printed, but the question says it.
			if asked.who != "" {
				found.who = asked.who
			} else {
				found.start, found.end = asked.start, asked.end
			}

			if asked.agrees(found) {
				*known = append(*known, found.slots(part)...)
				return nil
			}
		}

		return unexpected(result, "rows with the appointment")
	}
}

// tableRows reads what GetValue prints: an object with a text for every column, or with as many
// texts as there are rows.
func tableRows(result string, columns []string) ([]map[string]string, bool) {
	var rows []map[string]string

	for i, column := range columns {
		cells, err := cellLists(result, column)
		if i == 0 {
			rows = make([]map[string]string, len(cells))
		}

		if err != nil || len(cells) != len(rows) {
			return nil, false
		}

		for j, cell := range cells {
			if rows[j] == nil {
				rows[j] = map[string]string{}
			}

			rows[j][column] = cell
		}
	}
	return rows, true
}

// appointment is who does what, where and when; "" where that is not known.
type appointment struct{ who, what, place, date, start, end string }

// appointmentAsked returns what a question says.
func appointmentAsked(s slotValues) appointment {
	return appointment{s.get("person"), s.get("event"), strings.TrimSpace(s.get("location")), s.get("date"),
		s.get("start"), s.get("end")}
}

// slots returns a part by the name that plans call it: what, place, who, or times, which are
// written as in the agenda, 9:00 AM.
func (a appointment) slots(part string) slotValues {
	switch part {
	case "what":
		return slotValues{{part, a.what}}
	case "place":
		return slotValues{{part, a.place}}
	case "who":
		return slotValues{{part, a.who}}
	default:
		return slotValues{{"starts", a.start}, {"ends", a.end}}
	}
}

// agrees reports whether b is the same as a in all that is known of a.
func (a appointment) agrees(b appointment) bool {
	same := func(x, y string) bool {
		return x == "" || strings.EqualFold(strings.TrimSpace(x), strings.TrimSpace(y))
	}
	sameTime := func(x, y string) bool { return x == "" || corpus.ClockText(x) == corpus.ClockText(y) }
	return same(a.who, b.who) && same(a.what, b.what) && same(a.place, b.place) && same(a.date, b.date) &&
		sameTime(a.start, b.start) && sameTime(a.end, b.end)
}
