package questions

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// search is a plan that looks for one appointment: among the descriptions, once with the date as in the
// question and once with the date in words, and then in the table.
type search struct {
	asks     string // what is to be found out, for thoughts
	keywords string
	wants    want
	end      []step // when it is known
}

// want is a part of an appointment. What is found becomes the values of its names.
type want uint8

const (
	wantWhat  want = iota // what
	wantPlace             // place
	wantWho               // who
	wantTimes             // starts and ends, written as in the agenda: 9:00 AM
)

// steps returns the plan as far as it is known.
func (s search) steps(known Slots) []step {
	asked := appointmentAsked(known)

	steps := []step{s.retrieve(asked, asked.date, "first search", "I should find out "+s.asks+
		", so I search the agenda for it.")}
	if outcome, ok := known.lookup("first search"); !ok {
		return steps
	} else if outcome == missed {
		steps = append(steps, s.retrieve(asked, dateInWords(asked.date), "second search",
			"These passages do not say "+s.asks+". They may write the date in words, so I search for it again "+
				"like that."))
		if outcome, ok := known.lookup("second search"); !ok {
			return steps
		} else if outcome == missed {
			steps = append(steps, s.lookUp(asked)...)
		}
	}

	return append(steps, s.end...)
}

// The outcomes of a search.
const (
	found  = "found"
	missed = "missed"
)

// retrieve searches the descriptions. The outcome becomes the value called outcome.
func (s search) retrieve(asked appointment, date, outcome, thought string) step {
	keywords := strings.ReplaceAll(s.keywords, "{date}", date)

	return step{thought, "RetrieveAgenda", []arg{{"keyword", keywords}}, func(result string, known *Slots) error {
		for passage := range strings.Lines(result) {
			if told, ok := asked.read(strings.TrimSpace(passage), s.wants); ok {
				*known = append(*known, Slot{outcome, found})
				*known = append(*known, told.slots(s.wants)...)
				return nil
			}
		}

		*known = append(*known, Slot{outcome, missed})

		return nil
	}}
}

// lookUp finds the appointment in the table.
func (s search) lookUp(asked appointment) []step {
	condition, columns := "person={person}, date={date}", "event, start_time, end_time, location"
	if asked.who == "" {
		condition, columns = "date={date}, start_time={start}, end_time={end}", "person, event, location"
	}

	return []step{
		loadDB("agenda", "The passages do not say "+s.asks+", so I look it up in the agenda table."),
		filterRows(condition, "Now I keep the rows that may be the one."),
		{"I need the columns that tell which row it is, and what I should find out.", "GetValue",
			[]arg{{"column_name", columns}},
			func(result string, known *Slots) error {
				rows, ok := tableRows(result, strings.Split(columns, ", "))
				if !ok {
					return unexpected(result, "rows of the columns "+columns)
				}

				for _, row := range rows {
					told := appointment{row["person"], row["event"], row["location"], asked.date,
						fromPrinted(row["start_time"]), fromPrinted(row["end_time"])}
					if asked.who != "" {
						told.who = asked.who
					} else {
						told.start, told.end = asked.start, asked.end
					}

					if asked.agrees(told) {
						*known = append(*known, told.slots(s.wants)...)
						return nil
					}
				}

				return unexpected(result, "rows with the appointment")
			}},
	}
}

// tableRows reads what GetValue prints: an object with a text for every column, or with as many texts as
// there are rows.
func tableRows(result string, columns []string) ([]map[string]string, bool) {
	v, _ := pytext.Decode(result)

	object, ok := v.(envs.Args)
	if !ok {
		return nil, false
	}
	var rows []map[string]string

	for i, column := range columns {
		v, _ := object.Get(column)

		cells, several := v.([]any)
		if !several {
			cells = []any{v}
		}

		if i == 0 {
			rows = make([]map[string]string, len(cells))
		}

		if len(cells) != len(rows) {
			return nil, false
		}

		for j, cell := range cells {
			text, ok := cell.(string)
			if !ok {
				return nil, false
			}

			if rows[j] == nil {
				rows[j] = map[string]string{}
			}

			rows[j][column] = text
		}
	}

	return rows, true
}

// appointment is who does what, where and when; "" where that is not known.
type appointment struct{ who, what, place, date, start, end string }

// appointmentAsked returns what a question says.
func appointmentAsked(s Slots) appointment {
	return appointment{s.Get("person"), s.Get("event"), strings.TrimSpace(s.Get("location")), s.Get("date"),
		s.Get("start"), s.Get("end")}
}

// slots returns the wanted part.
func (a appointment) slots(w want) Slots {
	switch w {
	case wantWhat:
		return Slots{{"what", a.what}}
	case wantPlace:
		return Slots{{"place", a.place}}
	case wantWho:
		return Slots{{"who", a.who}}
	default:
		return Slots{{"starts", a.start}, {"ends", a.end}}
	}
}

// agrees reports whether b is as far as a is known.
func (a appointment) agrees(b appointment) bool {
	same := func(x, y string) bool {
		return x == "" || strings.EqualFold(strings.TrimSpace(x), strings.TrimSpace(y))
	}
	sameTime := func(x, y string) bool { return x == "" || corpus.ClockText(x) == corpus.ClockText(y) }

	return same(a.who, b.who) && same(a.what, b.what) && same(a.place, b.place) && same(a.date, b.date) &&
		sameTime(a.start, b.start) && sameTime(a.end, b.end)
}
