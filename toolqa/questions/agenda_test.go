package questions

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/toolqa/corpus/importer"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// smallAgendaRows is an agenda for computing by hand: event, start, end, location, person, date.
const smallAgendaRows = `Broadway Show;8:00 PM;10:30 PM;Majestic Theater;Grace;2022/02/17
Chili cook-off;9:00 AM;12:00 PM;Town Hall, Springfield;Henry;2022/02/17
Chili cook-off;9:00 AM;12:00 PM;Town Hall, Springfield;Ella;2022/02/18
Haircut;11:30 AM;12:30 PM;The Salon ;Henry;2022/02/17
Dinner, drinks and dancing;5 PM;06:30 PM;The Salon ;Henry;2022/02/17
Late Night Movie;11:00 PM;1:00 AM;Cinema;Daisy;2022/02/17
Meeting;2:00 PM;4:00 PM;Hub;Isabella;2022/09/31
Meeting;3:00 PM;3:30 PM;Office;Isabella;2022/09/31
Early swim;7:00 AM;10:00 AM;Pool;Ella;2022/03/20
Conference;9:00 AM;5:30 PM;Hotel;Ella;2022/03/21
Broadway Show;8:00 PM;10:30 PM;Majestic Theater;Grace;2022/02/17
Trip;noon;4:00 PM;Lake;Daisy;2022/03/22
Night shift;9:00 PM;9:00 AM (day 1);Hospital;Frank;2022/03/23
`

func smallAgenda(t testing.TB) *Corpus { return agendaOfRows(t, smallAgendaRows) }

// agendaOfRows imports rows written as in smallAgendaRows.
func agendaOfRows(t testing.TB, rows string) *Corpus {
	t.Helper()
	var lines strings.Builder

	for row := range strings.Lines(rows) {
		c := strings.Split(strings.TrimSuffix(row, "\n"), ";")

		line, err := json.Marshal(map[string]string{"event": c[0], "start_time": c[1], "end_time": c[2],
			"location": c[3], "person": c[4], "date": c[5], "id": "agenda-0000"})
		if err != nil {
			t.Fatal(err)
		}

		lines.Write(append(line, '\n'))
	}

	from := filepath.Join(t.TempDir(), "agenda_events.jsonl")
	if err := os.WriteFile(from, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return mustLoad(t, imported(t, toolqa.Agenda, from, importer.Options{AllowShort: true}))
}

// The golds of smallAgenda; official only where it differs.
var agendaGolds = []struct{ template, question, want, official string }{
	// which is there twice
	{"agenda-easy/event", "What did Grace do from 8:00 PM to 10:30 PM on 2022/02/17?", "Broadway Show", ""},
	{"agenda-easy/event", "What did Henry do from 5:00 PM to 6:30 PM on 2022/02/17?", "Dinner, drinks and dancing", ""},
	{"agenda-easy/event", "What did Daisy do from 11:00 PM to 1:00 AM on 2022/02/17?", "Late Night Movie", ""},
	{"agenda-easy/event", "What did Frank do from 9:00 PM to 9:00 AM (day 1) on 2022/03/23?", "Night shift", ""},
	{"agenda-easy/location", "Where did Haircut that Henry attended take place on 2022/02/17?", "The Salon ", ""},
	{"agenda-easy/location", "Where did Chili cook-off that Ella attended take place on 2022/02/18?",
		"Town Hall, Springfield", ""},
	{"agenda-easy/start", "When did Grace attend Broadway Show on 2022/02/17?", "8:00 PM", ""},
	{"agenda-easy/start", "When did Henry attend Dinner, drinks and dancing on 2022/02/17?", "5 PM", ""},
	{"agenda-easy/length", "How long did Grace attend Broadway Show on 2022/02/17?", "2:30:00", ""},
	{"agenda-easy/length", "How long did Henry attend Dinner, drinks and dancing on 2022/02/17?", "1:30:00", ""},
	{"agenda-easy/person", "Who attended Chili cook-off between 9:00 AM and 12:00 PM on 2022/02/18 in Town Hall, " +
		"Springfield?", "Ella", ""},
	{"agenda-easy/person", "Who attended Haircut between 11:30 AM and 12:30 PM on 2022/02/17 in The Salon ?", "Henry",
		""},
	{"agenda-easy/person", "Who attended Haircut between 11:30 AM and 12:30 PM on 2022/02/17 in The Salon?", "Henry",
		""},
	{"agenda-hard/events-on-date", "How many events happen on 2022/02/17 in the agenda table?", "6", ""},
	{"agenda-hard/events-on-date", "How many events happen on 2022/09/31 in the agenda table?", "2", ""},
	{"agenda-hard/unavailable", "How many people are unavailble between 9:00 AM and 12:00 PM on 2022/02/17 in the " +
		"agenda table?", "1", ""},
	{"agenda-hard/unavailable", "How many people are between 6:00 PM and 9:00 PM on 2022/02/17 in the agenda table?",
		"2", ""},
	// one has left, one has not come
	{"agenda-hard/unavailable", "How many people are between 12:30 PM and 5:00 PM on 2022/02/17 in the agenda table?",
		"0", ""},
	{"agenda-hard/free-slots", "When should I schedule a meeting with Henry from 9:00 AM to 6:00 PM on 2022/02/17 " +
		"in the agenda table?", "12:30 PM-5:00 PM",
		"12:00 PM-11:30 AM, 12:30 PM-5 PM, 06:30 PM-6:00 PM"},
	{"agenda-hard/free-slots", "When should I schedule a meeting with Grace from 9:00 AM to 6:00 PM on 2022/02/17 " +
		"in the agenda table?", "9:00 AM-6:00 PM", "9:00 AM-8:00 PM, 10:30 PM-8:00 PM, 10:30 PM-6:00 PM"},
	{"agenda-hard/free-slots", "When should I schedule a meeting with Daisy from 9:00 AM to 6:00 PM on 2022/02/17 " +
		"in the agenda table?", "9:00 AM-6:00 PM", "9:00 AM-11:00 PM, 1:00 AM-6:00 PM"},
	{"agenda-hard/free-slots", "When should I schedule a meeting with Isabella from 9:00 AM to 6:00 PM on " +
		"2022/09/31 in the agenda table?", "9:00 AM-2:00 PM, 4:00 PM-6:00 PM",
		"9:00 AM-2:00 PM, 4:00 PM-3:00 PM, 3:30 PM-6:00 PM"},
	{"agenda-hard/free-slots", "When should I schedule a meeting with Ella from 9:00 AM to 6:00 PM on 2022/03/20 " +
		"in the agenda table?", "10:00 AM-6:00 PM", "9:00 AM-7:00 AM, 10:00 AM-6:00 PM"},
	{"agenda-hard/events-of-person", "What events does Henry have on 2022/02/17 in the agenda table?",
		"Chili cook-off, Haircut, Dinner, drinks and dancing", ""},
	{"agenda-hard/events-of-person", "What events does Grace have on 2022/02/17 in the agenda table?", "Broadway Show",
		""},
	{"agenda-hard/dates-of-person", "How many dates in the agenda table have Ella scheduled?", "3", ""},
	{"agenda-hard/dates-of-person", "How many dates in the agenda table have Grace scheduled?", "1", ""},
}

func TestAgendaGold(t *testing.T) {
	c := smallAgenda(t)
	covered := map[string]bool{}

	for _, tt := range agendaGolds {
		m, ok := recognise(tt.question)
		if !ok || m.template.Name != tt.template {
			t.Errorf("Recognise(%q) = %v, %v, want %s", tt.question, m, ok, tt.template)
			continue
		}

		covered[tt.template] = true
		if got, err := rightAnswer(m, c); err != nil || got != tt.want {
			t.Errorf("Gold(%q) = %q, %v, want %q", tt.question, got, err, tt.want)
		}

		want := tt.want
		if tt.official != "" {
			want = tt.official
		}

		if got, err := officialAnswer(m, c); err != nil || got != want {
			t.Errorf("OfficialGold(%q) = %q, %v, want %q", tt.question, got, err, want)
		}
	}

	for _, d := range toolqa.Difficulties() {
		for _, tmpl := range Templates(toolqa.Agenda, d) {
			if !covered[tmpl.Name] {
				t.Errorf("no gold answer of %s is tested", tmpl.Name)
			}
		}
	}
}

func TestAgendaHasNoAnswer(t *testing.T) {
	c := smallAgenda(t)

	for _, q := range []string{
		"What did Grace do from 8:00 PM to 10:00 PM on 2022/02/17?",
		"Where did Meeting that Isabella attended take place on 2022/09/31?", // in two places
		"When did Isabella attend Meeting on 2022/09/31?",
		"How long did Daisy attend Late Night Movie on 2022/02/17?", // until the next day?
		"How long did Daisy attend Trip on 2022/03/22?",
		"Who attended Haircut between 11:30 AM and 12:30 PM on 2022/02/17 in Salon?",
		"How many events happen on 2022/12/31 in the agenda table?",
		"How many people are unavailble between 11:30 PM and 11:50 PM on 2022/02/17 in the agenda table?",
		"How many people are unavailble between 3:00 PM and 4:00 PM on 2022/03/22 in the agenda table?",
		"How many people are unavailble between 5:00 PM and 4:00 PM on 2022/02/17 in the agenda table?",
		// half an hour is left
		"When should I schedule a meeting with Ella from 9:00 AM to 6:00 PM on 2022/03/21 in the agenda table?",
		"When should I schedule a meeting with Daisy from 9:00 AM to 6:00 PM on 2022/03/22 in the agenda table?",
		"What events does Grace have on 2022/02/18 in the agenda table?",
		"How many dates in the agenda table have Nobody scheduled?",
	} {
		m, ok := recognise(q)
		if !ok {
			t.Errorf("%q is not recognised", q)
			continue
		}

		if got, err := rightAnswer(m, c); !isNoAnswer(err) {
			t.Errorf("Gold(%q) = %q, %v, want no answer", q, got, err)
		}
	}
}

// TestPublishedAgendaQuestions reads all published questions, and finds in each what was put into
// it.
func TestPublishedAgendaQuestions(t *testing.T) {
	lost := 0

	for d, want := range map[toolqa.Difficulty]map[string]int{
		toolqa.Easy: {"agenda-easy/event": 22, "agenda-easy/location": 15, "agenda-easy/start": 29,
			"agenda-easy/length": 21, "agenda-easy/person": 13},
		toolqa.Hard: {"agenda-hard/events-on-date": 20, "agenda-hard/unavailable": 20, "agenda-hard/free-slots": 20,
			"agenda-hard/events-of-person": 20, "agenda-hard/dates-of-person": 20},
	} {
		path := sharedData(t, "toolqa", "questions", string(d), "agenda-"+string(d)+".jsonl")

		qs, err := readPublished(path, toolqa.Agenda, d)
		if err != nil {
			t.Fatal(err)
		}

		for _, q := range qs {
			m, ok := recognise(q.Text)
			if !ok || m.template.dataset != toolqa.Agenda || m.template.difficulty != d || m.question() != q.Text ||
				fits(q.Text) != 1 {
				t.Errorf("%s: %q is read as %v, %v; %d templates fit", q.ID, q.Text, m, ok, fits(q.Text))
				continue
			}

			want[m.template.Name]--
			for _, slot := range m.slots {
				switch slot.name {
				case "person":
					if strings.Contains(slot.value, " ") {
						t.Errorf("%s: the person is %q", q.ID, slot.value)
					}
				case "busy":
					if slot.value == "" {
						lost++
					}
				case "event", "location":
					if strings.Contains(slot.value, "2022") || strings.HasPrefix(slot.value, " ") {
						t.Errorf("%s: %s is %q", q.ID, slot.name, slot.value)
					}
				}
			}
		}

		for name, n := range want {
			if n != 0 {
				t.Errorf("%s: %d published questions too few", name, n)
			}
		}
	}

	if lost != 19 {
		t.Errorf("%d questions have lost a word, want 19", lost)
	}
}

// TestPublishedSlots makes of every published answer about free slots the appointments that it
// leaves room for, and computes the answer from those. The right one has the published slots as far
// as they are within the day.
func TestPublishedSlots(t *testing.T) {
	path := sharedData(t, "toolqa", "questions", "hard", "agenda-hard.jsonl")

	qs, err := readPublished(path, toolqa.Agenda, toolqa.Hard)
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder

	qs = slices.DeleteFunc(qs, func(q toolqa.Question) bool { return q.Template != "agenda-hard/free-slots" })
	for _, q := range qs {
		m, _ := recognise(q.Text)
		meeting := func(start, end string) {
			if start != end {
				fmt.Fprintf(&rows, "Event;%s;%s;Place;%s;%s\n", start, end, m.slots.get("person"), m.slots.get("date"))
			}
		}
		from := "9:00 AM"

		for slot := range strings.SplitSeq(q.Answer, ", ") {
			start, end, _ := strings.Cut(slot, "-")
			meeting(from, start)
			from = end
		}

		meeting(from, "6:00 PM")
	}

	c := agendaOfRows(t, rows.String())
	differ := 0

	for _, q := range qs {
		m, _ := recognise(q.Text)
		if got, err := officialAnswer(m, c); err != nil || got != q.Answer {
			t.Errorf("%s: OfficialGold = %q, %v, want %q", q.ID, got, err, q.Answer)
		}

		right, err := rightAnswer(m, c)
		if err != nil {
			t.Errorf("%s: %v", q.ID, err)
		}

		if right != q.Answer {
			differ++
		}

		for slot := range strings.SplitSeq(right, ", ") {
			start, end, _ := strings.Cut(slot, "-")
			if from, to := corpus.ClockText(start), corpus.ClockText(end); from < "09:00:00" || to > "18:00:00" ||
				from >= to {
				t.Errorf("%s: the slot %s", q.ID, slot)
			}
		}
	}

	if differ != 11 {
		t.Errorf("%d answers are not as published, want the 11 that ToolQA-D has corrected", differ)
	}
}
