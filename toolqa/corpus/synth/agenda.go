package synth

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"toolevo/toolqa/corpus/internal/layout"
)

// The published agenda, in figures.
const (
	agendaPeople = 100 // everybody has about as much to do
	agendaYear   = 2022

	agendaBareHour   = 0.02  // times written as "2 PM"
	agendaPadded     = 0.01  // times written as "07:00 PM"
	agendaBlank      = 0.06  // locations with a blank at the end
	agendaCapitals   = 0.5   // events with all their words in capitals
	agendaWithPrefix = 0.25  // events with a word that narrows them down
	agendaOvernight  = 0.004 // events that end after midnight
)

// agendaWords are what appointments and passages are made of.
var agendaWords = wordsIn[struct {
	Kinds                            []agendaKind
	Night                            agendaKind
	Places, Wordings, Verbs, Remarks []string
}]("agenda.yaml")

// agendaKind is a kind of things to do. Times are in half hours after midnight.
type agendaKind struct {
	Events, Prefixes, Places []string
	First, Last              int   // the earliest and the latest start
	Lengths                  []int // as often as they occur
}

// appointment is one row of the agenda, as the published file has it.
type appointment struct {
	event, start, end, location, person, date, id string
}

// agendaMaker makes appointments. Every appointment is drawn apart from the others: two of them may be at the
// same time, and some are on days that no calendar has, since every month has 31.
type agendaMaker struct {
	dice
	words  *rand.Rand // for the passages, so that writing them changes no row
	people []string
}

func newAgendaMaker(rng *rand.Rand) *agendaMaker {
	m := &agendaMaker{dice: newDice(rng), words: rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))}
	for len(m.people) < agendaPeople {
		name := m.fake.FirstName()
		if !slices.Contains(m.people, name) && !isMonth(name) {
			m.people = append(m.people, name)
		}
	}

	return m
}

// isMonth reports whether a name is that of a month, too: April would be taken for a part of a date.
func isMonth(name string) bool {
	_, err := time.Parse("January", name)
	return err == nil
}

// agendaRows returns a generator of n appointments.
func agendaRows(rng *rand.Rand, n int) func() ([]layout.Cell, error) {
	m := newAgendaMaker(rng)
	row := make([]layout.Cell, 7)

	return countedRows(n, func(i int) []layout.Cell {
		a := m.appointment(i)
		row[0], row[1], row[2] = layout.TextCell(a.event), layout.ClockCell(a.start), layout.ClockCell(a.end)

		for k, text := range []string{a.location, a.person, a.date, a.id} {
			row[3+k] = layout.TextCell(text)
		}

		return row
	})
}

// agendaParts returns the passages: one for each of the n appointments, in their order.
func agendaParts(rng *rand.Rand, n int) []layout.Part {
	return []layout.Part{func(_ context.Context, put func(table string, values ...any) error) error {
		m := newAgendaMaker(rng)
		for i := range n {
			a := m.appointment(i)
			if err := put(layout.Documents, i+1, a.id, m.describe(a)); err != nil {
				return err
			}
		}

		return nil
	}}
}

// appointment makes the i-th appointment.
func (m *agendaMaker) appointment(i int) appointment {
	words := agendaWords()
	kind := words.Kinds[m.rng.IntN(len(words.Kinds))]

	start := kind.First + m.rng.IntN(kind.Last-kind.First+1)
	if m.rng.IntN(4) > 0 {
		start &^= 1 // mostly on the hour
	}

	end := min(start+kind.Lengths[m.rng.IntN(len(kind.Lengths))], 47)
	if m.chance(agendaOvernight) {
		kind, start, end = words.Night, 44+m.rng.IntN(3), 48+1+m.rng.IntN(4)
	}

	return appointment{
		event: m.event(kind), start: m.clock(start), end: m.clock(end), location: m.location(kind),
		person: m.pick(m.people...),
		date:   fmt.Sprintf("%d/%02d/%02d", agendaYear, 1+m.rng.IntN(12), 1+m.rng.IntN(31)),
		id:     fmt.Sprintf("agenda-%04d", i),
	}
}

// event names something to do.
func (m *agendaMaker) event(kind agendaKind) string {
	name := m.pick(kind.Events...)
	if m.chance(agendaWithPrefix) {
		name = m.pick(kind.Prefixes...) + " " + name
	}

	if m.chance(agendaCapitals) {
		name = capitalised(name)
	}

	return name
}

// capitalised begins every word of three letters or more with a capital.
func capitalised(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		if len(w) > 3 || i == 0 {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}

	return strings.Join(words, " ")
}

// location names a place for something to do.
func (m *agendaMaker) location(kind agendaKind) string {
	place := m.pick(kind.Places...)

	word := m.pick(agendaWords().Places...)
	switch m.rng.IntN(7) {
	case 0, 1:
		place = "The " + word + " " + place
	case 2:
		place = m.fake.LastName() + "'s " + place
	case 3:
		place = m.fake.City() + " " + place
	case 4:
		place += ", " + m.fake.City()
	case 5:
		place = m.fake.LastName() + " & " + m.fake.LastName() + " " + place
	default:
		place = word + " " + place
	}

	if m.chance(agendaBlank) {
		place += " "
	}

	return place
}

// clock writes a time of so many half hours after midnight in one of the ways of the published file.
func (m *agendaMaker) clock(halfHours int) string {
	at := time.Date(agendaYear, 1, 1, 0, 30*halfHours, 0, 0, time.UTC)
	switch p := m.rng.Float64(); {
	case p < agendaBareHour && at.Minute() == 0:
		return at.Format("3 PM")
	case p > 1-agendaPadded:
		return at.Format("03:04 PM")
	default:
		return at.Format("3:04 PM")
	}
}

// describe says in a passage what an appointment is, in one of many wordings. Times are as in the row.
func (m *agendaMaker) describe(a appointment) string {
	words := agendaWords()
	pick := func(texts []string) string { return texts[m.words.IntN(len(texts))] }
	text := strings.Replace(pick(words.Wordings), "{attends}", pick(words.Verbs), 1)

	text = strings.NewReplacer("{person}", a.person, "{event}", a.event, "{location}", strings.TrimSpace(a.location),
		"{date}", m.writeDate(a.date), "{start}", a.start, "{end}", a.end).Replace(text)
	if m.words.IntN(2) == 0 {
		text += " " + pick(words.Remarks)
	}

	return text
}

// writeDate writes a date as it is or in words. Days need not be on the calendar.
func (m *agendaMaker) writeDate(date string) string {
	var year, month, day int
	if _, err := fmt.Sscanf(date, "%d/%d/%d", &year, &month, &day); err != nil {
		panic(err) // the dates are made here
	}

	switch p := m.words.Float64(); {
	case p < 0.5:
		return date
	case p < 0.8:
		return fmt.Sprintf("%s %d, %d", time.Month(month), day, year)
	case p < 0.9:
		return fmt.Sprintf("%s %s, %d", time.Month(month), ordinal(day), year)
	default:
		return fmt.Sprintf("the %s of %s %d", ordinal(day), time.Month(month), year)
	}
}

// ordinal writes 1 as 1st.
func ordinal(n int) string {
	suffix := "th"

	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}

	return fmt.Sprint(n, suffix)
}
