package questions

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"toolevo/toolqa/corpus"
)

// agendaHard are the templates that count or compare appointments.
func agendaHard() []Template {
	return []Template{
		{
			Name: "events-on-date",
			Text: "How many events happen on {date:slashdate} in the agenda table?",
			gold: onAgenda(func(_ *Agenda, rows []uint32) (string, error) { return strconv.Itoa(len(rows)), nil }),
			draw: drawAgenda("date"),
			steps: []step{
				loadDB("agenda", "The question is about the agenda table, so I load it first."),
				{
					"I filter by the date, which tells how many rows are left.", "FilterDB",
					[]arg{{"condition", "date={date}"}}, rowsLeft("events"),
				},
				finish("{events}", "Every row that is left is an event on {date}, so I know the number."),
			},
		},
		{
			Name: "unavailable",
			Text: "How many people are {busy:unavailble}between {start:clock} and {end:clock} on " +
				"{date:slashdate} in the agenda table?",
			gold:   on((*Agenda).unavailable),
			draw:   drawUnavailable,
			choose: unavailableSteps,
		},
		agendaFreeSlots(),
		{
			Name: "events-of-person",
			Text: "What events does {person:text} have on {date:slashdate} in the agenda table?",
			gold: onAgenda(func(a *Agenda, rows []uint32) (string, error) {
				return strings.Join(distinctCells(rows, a.event), ", "), nil
			}),
			draw: drawAgenda("person", "date"),
			steps: []step{
				loadDB("agenda", "The events are in the agenda table, so I load it first."),
				filterRows("person={person}, date={date}", "I keep the rows of {person} on {date}."),
				{
					"The column with what {person} does is event.", "GetValue",
					[]arg{{"column_name", "event"}}, readEvents,
				},
				finish("{events}", "These are all events that {person} has on that day."),
			},
		},
		{
			Name: "dates-of-person",
			Text: "How many dates in the agenda table have {person:text} scheduled?",
			gold: onAgenda(func(a *Agenda, rows []uint32) (string, error) {
				return strconv.Itoa(len(distinctCells(rows, a.date))), nil
			}),
			draw: drawAgenda("person"),
			steps: []step{
				querySQL("SELECT COUNT(DISTINCT date) AS dates FROM agenda.agenda_data WHERE person = {person|sql}",
					"{person} may have several events on one date, so I count the different dates with a query.",
					row(number("dates"))),
				finish("{dates}", "The query has counted every date once, so this is the answer."),
			},
		},
	}
}

// agendaFreeSlots asks for the gaps between appointments. Its published rule is faulty.
func agendaFreeSlots() Template {
	return Template{
		Name: "free-slots",
		Text: "When should I schedule a meeting with {person:text} from 9:00 AM to 6:00 PM on {date:slashdate} " +
			"in the agenda table?",
		Fault: "the published slots go beyond 9:00 AM to 6:00 PM, or end before they start, where a meeting is " +
			"outside of these hours or within another",

		Corrected: true,
		gold:      onAgenda((*Agenda).freeSlots),
		official:  onAgenda((*Agenda).publishedSlots),
		draw:      drawAgenda("person", "date"),
		steps: []step{
			loadDB("agenda", "I need to know when {person} is busy on {date}, which is in the agenda table."),
			filterRows("person={person}, date={date}", "I keep the appointments of {person} on that day."),
			{
				"I need the times at which these appointments start and end.", "GetValue",
				[]arg{{"column_name", "start_time, end_time"}}, readMeetings,
			},
			runCode(agendaSlots, "I look for the gaps of at least one hour between these appointments, from nine "+
				"in the morning to six in the evening."),
			finish("{answer}", "These are the times at which {person} is free for at least one hour."),
		},
	}
}

// unavailable counts the people who have an appointment at some time between start and end. Who has one that
// ends before it starts may be among them or not; then there is no answer.
func (a *Agenda) unavailable(s Slots) (string, error) {
	start, ok1 := minutesOf(corpus.ClockText(s.Get("start")))

	end, ok2 := minutesOf(corpus.ClockText(s.Get("end")))
	if !ok1 || !ok2 || start >= end {
		return "", errNoAnswer
	}

	rows, err := a.find(Slots{{"date", s.Get("date")}})
	if err != nil {
		return "", err
	}

	busy, perhaps := map[int]bool{}, map[int]bool{}

	for _, row := range rows {
		from, to, ok := a.minutes(int(row))
		switch person := a.person.Code(int(row)); {
		case ok && from < end && to > start:
			busy[person] = true
		case !ok && from < end:
			perhaps[person] = true
		}
	}

	for person := range perhaps {
		if !busy[person] {
			return "", errNoAnswer
		}
	}

	return strconv.Itoa(len(busy)), nil
}

// drawUnavailable draws a time of an appointment, and its date.
func drawUnavailable(r *rand.Rand, c Corpus) ([]string, error) {
	values, err := drawAgenda("start", "end", "date")(r, c)
	if err != nil {
		return nil, err
	}

	return append([]string{lostWord}, values...), nil
}

// lostWord is the word, spelt as it is, that most of the published test questions of agenda-hard/unavailable have lost.
const lostWord = "unavailble "

// unavailableSteps is the plan; times in SQL are on 24 hours.
func unavailableSteps(s Slots) []step {
	query := fmt.Sprintf("SELECT COUNT(DISTINCT person) AS people FROM agenda.agenda_data WHERE date = {date|sql} "+
		"AND start_time < '%s' AND end_time > '%s'",
		corpus.ClockText(s.Get("end")), corpus.ClockText(s.Get("start")))

	return []step{
		querySQL(query, "Whoever has an event on {date} that starts before the end of that time and ends after "+
			"its start is unavailable. "+
			"I count these people, each once, and write the times on 24 hours as the table does.",
			row(number("people"))),
		finish("{people}", "The query has counted the people who are busy at that time."),
	}
}

// The day in which a meeting is looked for, and how long it takes, in minutes.
const (
	dayStart, dayEnd = 9 * 60, 18 * 60
	meetingLength    = 60
)

// freeSlots lists the times, of an hour or more, at which there is none of the rows' appointments.
func (a *Agenda) freeSlots(rows []uint32) (string, error) {
	var free []string
	slot := func(from, to int) {
		if to-from >= meetingLength {
			free = append(free, clock12(from)+"-"+clock12(to))
		}
	}
	now := dayStart

	for _, row := range a.byStart(rows) {
		start, end, ok := a.minutes(int(row))
		if !ok {
			if from, isTime := minutesOf(a.start.printed.Text(int(row))); isTime && from >= dayEnd {
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
func (a *Agenda) publishedSlots(rows []uint32) (string, error) {
	var free []string
	from, end := "9:00 AM", dayStart

	slot := func(to string, start int) {
		if (start-end+24*60)%(24*60) >= meetingLength {
			free = append(free, from+"-"+to)
		}
	}
	for _, row := range a.byStart(rows) {
		start, ok1 := minutesOf(a.start.printed.Text(int(row)))

		stop, ok2 := minutesOf(a.end.printed.Text(int(row)))
		if !ok1 || !ok2 {
			return "", errNoAnswer
		}

		slot(a.start.stored.Text(int(row)), start)
		from, end = a.end.stored.Text(int(row)), stop
	}

	slot("6:00 PM", dayEnd)

	return noneIfEmpty(strings.Join(free, ", "))
}

// rowsLeft reads how many rows a filter has left.
func rowsLeft(name string) reader {
	return func(result string, known *Slots) error {
		n, _, _ := strings.Cut(strings.TrimPrefix(result, "We have successfully filtered the data ("), " ")
		if !isInteger(n) {
			return unexpected(result, "a number of rows")
		}

		*known = append(*known, Slot{name, n})

		return nil
	}
}

// readMeetings reads the times of the rows left as a list in Python.
func readMeetings(result string, known *Slots) error {
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

	*known = append(*known, Slot{"meetings", "[" + strings.Join(meetings, ", ") + "]"})

	return nil
}

// readEvents reads the distinct events of the rows left.
func readEvents(result string, known *Slots) error {
	events, err := cellLists(result, "event")
	*known = append(*known, Slot{"events", strings.Join(eachOnce(events), ", ")})

	return err
}

const agendaSlots = `def minutes(text):
    return int(text[:2]) * 60 + int(text[3:5])

def clock(m):
    return '%d:%02d %s' % ((m // 60 + 11) % 12 + 1, m % 60, 'AM' if m < 720 else 'PM')

meetings = {meetings}
free = []
now = minutes('09:00')
for start, end in sorted(meetings) + [('18:00', '18:00')]:
    until = min(minutes(start), minutes('18:00'))
    if until - now >= 60:
        free.append(clock(now) + '-' + clock(until))
    now = max(now, until, minutes(end))
print(', '.join(free))`
