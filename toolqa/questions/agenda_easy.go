package questions

import (
	"fmt"
)

// agendaEasy are the templates about one appointment. It is searched for among the descriptions; where they
// do not tell, it is looked up in the table.
func agendaEasy() []Template {
	return []Template{
		{
			Name: "event",
			Text: "What did {person:text} do from {start:clock} to {end:clock} on {date:slashdate}?",
			gold: onAppointment(func(a *Agenda, row int) (string, error) { return a.event.Text(row), nil }),
			draw: drawAgenda("person", "start", "end", "date"),
			choose: search{
				asks: "what {person} did on that day", keywords: "{person} {date} {start} {end}", wants: wantWhat,
				end: []step{finish("{what}", "{person} was there for {what} at that time, so this is the answer.")},
			}.steps,
		},
		{
			Name: "location",
			Text: "Where did {event:text+} that {person:text} attended take place on {date:slashdate}?",
			gold: onAppointment(func(a *Agenda, row int) (string, error) { return a.location.Text(row), nil }),
			draw: drawAgenda("event", "person", "date"),
			choose: search{
				asks: "where {event} took place", keywords: "{person} {event} {date}", wants: wantPlace,
				end: []step{finish("{place}", "{person} was at {place} on that day, so this is the answer.")},
			}.steps,
		},
		{
			Name: "start",
			Text: "When did {person:text} attend {event:text} on {date:slashdate}?",
			gold: onAppointment(func(a *Agenda, row int) (string, error) { return a.start.stored.Text(row), nil }),
			draw: drawAgenda("person", "event", "date"),
			choose: search{
				asks:     "when {event} started",
				keywords: "{person} {event} {date}",
				wants:    wantTimes,
				end: []step{finish("{starts}", "I have found when {event} started, which is when {person} "+
					"attended it.")},
			}.steps,
		},
		agendaHowLong(),
		{
			Name: "person",
			Text: "Who attended {event:text} between {start:clock} and {end:clock} on {date:slashdate} in " +
				"{location:text}?",
			gold: onAppointment(func(a *Agenda, row int) (string, error) { return a.person.Text(row), nil }),
			draw: drawAgenda("event", "start", "end", "date", "location"),
			choose: search{
				asks: "who attended {event}", keywords: "{event} {location} {date} {start}", wants: wantWho,
				end: []step{finish("{who}", "{who} is the one who attended {event} at that time and place.")},
			}.steps,
		},
	}
}

// agendaHowLong asks for the time between the start and the end.
func agendaHowLong() Template {
	return Template{
		Name: "length",
		Text: "How long did {person:text} attend {event:text} on {date:slashdate}?",
		gold: onAppointment(func(a *Agenda, row int) (string, error) {
			start, end, ok := a.minutes(row)
			if !ok {
				return "", errNoAnswer
			}

			return timedelta(end - start), nil
		}),
		draw: drawAgenda("person", "event", "date"),
		choose: search{
			asks:     "when {event} started and ended",
			keywords: "{person} {event} {date}",
			wants:    wantTimes,
			end: []step{
				runCode(agendaLength, "I have found when {event} started and when it ended, so I can compute how "+
					"long it took."),
				finish("{answer}", "This is the time between the start and the end."),
			},
		}.steps,
	}
}

// timedelta prints a time of so many minutes as Python does.
func timedelta(minutes int) string { return fmt.Sprintf("%d:%02d:00", minutes/60, minutes%60) }

const agendaLength = `from datetime import datetime

def clock(text):
    return datetime.strptime(text, '%I:%M %p' if ':' in text else '%I %p')

print(clock({ends|py}) - clock({starts|py}))`
