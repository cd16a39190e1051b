package questions

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Agenda is the agenda corpus as its rules see it: who has which appointment, when and where. It is immutable.
type Agenda struct {
	table                         *corpus.Table
	event, location, person, date *corpus.Vector
	start, end                    agendaTimes
}

// agendaTimes is a column of times of day: as the tools print them, "20:00:00", and as they are published, "8:00 PM".
type agendaTimes struct{ printed, stored *corpus.Vector }

// agendaColumns are the columns that the slots of the templates are cells of.
var agendaColumns = map[string]string{
	"event": "event", "start": "start_time", "end": "end_time", "location": "location", "person": "person",
	"date": "date",
}

// NewAgenda returns the view of a table with the published columns.
func NewAgenda(t *corpus.Table) (*Agenda, error) {
	a := &Agenda{table: t}
	for name, to := range map[string]**corpus.Vector{
		"event": &a.event, "location": &a.location, "person": &a.person, "date": &a.date,
		"start_time": &a.start.printed, "end_time": &a.end.printed,
	} {
		var err error
		if *to, err = columnOf(t, toolqa.Agenda, name); err != nil {
			return nil, err
		}
	}

	var err error
	if a.start.stored, err = t.Stored("start_time"); err != nil {
		return nil, err
	}

	a.end.stored, err = t.Stored("end_time")

	return a, err
}

// agendaOf returns the view of an opened corpus.
func agendaOf(c *corpus.Corpus) (Corpus, error) { return NewAgenda(c.Table()) }

// Dataset returns toolqa.Agenda.
func (a *Agenda) Dataset() toolqa.Dataset { return toolqa.Agenda }

// find returns the rows, ascending, with the values of the slots of a question; none is errNoAnswer. Times
// are the same however they are written, and blanks around a location do not count: where there is one, the
// question may have lost it.
func (a *Agenda) find(s Slots) ([]uint32, error) {
	var equal []string

	for _, slot := range s {
		column, ok := agendaColumns[slot.Name]
		switch {
		case !ok || slot.Name == "location":
		case slot.Name == "start" || slot.Name == "end":
			equal = append(equal, column, corpus.ClockText(slot.Value))
		default:
			equal = append(equal, column, slot.Value)
		}
	}

	rows, err := a.table.Find(equal...)
	if err != nil {
		return nil, err
	}

	if place, ok := s.lookup("location"); ok {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row uint32) bool {
			return strings.TrimSpace(a.location.Text(int(row))) != strings.TrimSpace(place)
		})
	}

	if len(rows) == 0 {
		return nil, errNoAnswer
	}

	return rows, nil
}

// onAgenda makes a rule of a function of the rows that the slots select, at least one.
func onAgenda(answer func(a *Agenda, rows []uint32) (string, error)) rule {
	return onFound((*Agenda).find, answer)
}

// onAppointment makes a rule of a function of the rows that the slots select, whose value is the same for all
// of them: who asks means one appointment. Where it differs there is no answer.
func onAppointment(answer func(a *Agenda, row int) (string, error)) rule {
	return onAgenda(func(a *Agenda, rows []uint32) (string, error) {
		only := ""

		for i, row := range rows {
			text, err := answer(a, int(row))
			if err != nil {
				return "", err
			}

			if i > 0 && strings.TrimSpace(text) != strings.TrimSpace(only) {
				return "", errNoAnswer
			}

			if i == 0 {
				only = text
			}
		}

		return only, nil
	})
}

// minutes returns when an appointment starts and ends, in minutes after midnight, and whether it does so on one day.
// Nobody can tell whether one that ends before it starts goes on after midnight, or has a mistake.
func (a *Agenda) minutes(row int) (start, end int, ok bool) {
	start, okStart := minutesOf(a.start.printed.Text(row))
	end, okEnd := minutesOf(a.end.printed.Text(row))
	return start, end, okStart && okEnd && start < end
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

// agendaDraws is how many rows drawAgenda looks at before it gives up.
const agendaDraws = 1000

// drawAgenda draws the values of slots, by their names, from a random row.
func drawAgenda(names ...string) drawer {
	return drawOn(func(r *rand.Rand, a *Agenda) ([]string, error) {
		for range min(agendaDraws, a.table.Rows()) {
			row := r.IntN(a.table.Rows())
			values := make([]string, len(names))
			fits := true

			for i, name := range names {
				values[i] = a.stored(name).Text(row)
				switch name {
				case "date":
					fits = fits && kinds["slashdate"](values[i])
				case "start", "end":
					fits = fits && isClock(values[i])
				default:
					fits = fits && values[i] != ""
				}
			}

			if fits {
				return values, nil
			}
		}

		return nil, fmt.Errorf("a corpus of %d appointments has none with times and a date", a.table.Rows())
	})
}

// stored returns the published cells of a slot's column.
func (a *Agenda) stored(slot string) *corpus.Vector {
	return map[string]*corpus.Vector{
		"event": a.event, "location": a.location, "person": a.person, "date": a.date, "start": a.start.stored,
		"end": a.end.stored,
	}[slot]
}

// byStart returns the rows in the order of their starts; rows that start together stay in the order of the table.
func (a *Agenda) byStart(rows []uint32) []uint32 {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(x, y uint32) int {
		return cmp.Compare(a.start.printed.Text(int(x)), a.start.printed.Text(int(y)))
	})

	return sorted
}
