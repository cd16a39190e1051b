package questions

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"toolevo/toolqa/corpus/synth"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// syntheticAgenda builds a corpus of n rows.
func syntheticAgenda(t testing.TB, n int) *corpus.Corpus {
	t.Helper()
	return synthetic(t, toolqa.Agenda, synth.Options{Seed: 3, Rows: n})
}

func TestAgendaSecondOpinions(t *testing.T) {
	c := syntheticAgenda(t, 3_000)
	wantAnswers(t, toolqa.Agenda, answersOf(t, c, drawEach(t, mustLoad(t, c), 90)), 5)
}

// TestAgendaPassagesAreRead reads every synthetic passage for what each template wants of it.
func TestAgendaPassagesAreRead(t *testing.T) {
	t.Parallel()
	c := syntheticAgenda(t, 300)
	s := mustLoad(t, c)
	cell := func(column string, row int) string {
		v, err := s.stored(column)
		if err != nil {
			t.Fatal(err)
		}
		return v.Text(row)
	}
	wrong := map[string]int{}

	for d, err := range c.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}

		row := d.ID - 1
		all := appointment{cell("person", row), cell("event", row), strings.TrimSpace(cell("location", row)),
			cell("date", row), cell("start_time", row), cell("end_time", row)}
		what, place, who, times := all, all, all, all
		what.what, what.place = "", ""
		place.place, place.start, place.end = "", "", ""
		who.who = ""

		times.place, times.start, times.end = "", "", ""
		for w, asked := range map[string]appointment{"what": what, "place": place, "who": who, "times": times} {
			told, ok := asked.read(d.Content, w)
			if got, want := told.slots(w), all.slots(w); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
				if wrong[w]++; wrong[w] < 5 {
					t.Logf("%q: read %v, %v, want %v", d.Content, got, ok, want)
				}
			}

			other := asked

			other.date = "2021/01/01"
			if _, ok := other.read(d.Content, w); ok {
				t.Errorf("%q is read for another date", d.Content)
			}
		}
	}

	for w, n := range wrong {
		t.Errorf("want %s: %d of 300 passages are not read", w, n)
	}
}

func TestReaderSolvesAgenda(t *testing.T) {
	t.Parallel()
	c := syntheticAgenda(t, 3_000)
	view := mustLoad(t, c)
	w := newWorld(t, c)
	w.wantShare("p_c", drawEach(t, view, 12), 0.95)

	for _, api := range apiVersions[1:] {
		w.wantShare(api, drawEach(t, view, 8), 0.95)
	}
}

func TestAgendaSearch(t *testing.T) {
	const (
		ask     = "Where did Jazz concert that Grace attended take place on 2022/02/07?"
		nothing = "There is no information that can be matched in the database. Please try another query."
		other   = "On 2022/02/08, Grace attended Jazz concert at Blue Note from 8:00 PM to 10:00 PM."
		told    = "Grace is looking forward to the Jazz concert on February 7th, 2022. It takes place at St. " +
			"Mary's Hall, Bath, starting at 8:00 PM and ending at 10:00 PM. Bring a coat."
		loaded = "We have successfully loaded the agenda database, including the following columns: event, " +
			"start_time."
		filtered = "We have successfully filtered the data (2 rows)."
		cells    = `{"event": ["Lunch", "Jazz concert"], "start_time": ["12:00:00", "20:00:00"], "end_time": ["13:00:00", "22:00:00"], "location": ["Cafe", "Blue Note "]}`
	)
	inputs := func(calls []envs.Call) (s []string) {
		for _, c := range calls {
			s = append(s, fmt.Sprint(c.Name, " ", c.Args[0].Value))
		}
		return s
	}
	first, second := "RetrieveAgenda Grace Jazz concert 2022/02/07",
		"RetrieveAgenda Grace Jazz concert February 7, 2022"

	table := []string{"LoadDB agenda", "FilterDB person=Grace, date=2022/02/07",
		"GetValue event, start_time, end_time, location"}
	for _, tt := range []struct {
		results []string
		want    []string
	}{
		{[]string{other + "\n" + told}, []string{first, "Finish St. Mary's Hall, Bath"}},
		{[]string{other, told}, []string{first, second, "Finish St. Mary's Hall, Bath"}},
		{[]string{nothing, other, loaded, filtered, cells},
			append(append([]string{first, second}, table...), "Finish Blue Note ")},
	} {
		if got := inputs(planCalls(t, ask, tt.results...)); strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
			t.Errorf("after %q the calls are\n%q, want\n%q", tt.results, got, tt.want)
		}
	}

	who := planCalls(t, "Who attended Jazz concert between 8 PM and 10:00 PM on 2022/02/07 in Blue Note ?", nothing,
		nothing, loaded, filtered,
		`{"person": ["Ann", "Bob"], "event": ["Lunch", "Jazz concert"], "location": ["Blue Note", "Blue Note"]}`)
	if got := inputs(who)[3]; got != "FilterDB date=2022/02/07, start_time=8 PM, end_time=10:00 PM" {
		t.Errorf("the filter is %q", got)
	}

	if got := inputs(who)[5]; got != "Finish Bob" {
		t.Errorf("the last call is %q", got)
	}

	length := planCalls(t, "How long did Grace attend Jazz concert on 2022/02/07?", told)
	if got := fmt.Sprint(length[1].Args[0].Value); !strings.Contains(got, "clock('10:00 PM') - clock('8:00 PM')") {
		t.Errorf("the code is %s", got)
	}

	when := planCalls(t, "When did Grace attend Jazz concert on 2022/02/07?", nothing, nothing, loaded, filtered, cells)
	if got := inputs(when)[5]; got != "Finish 8:00 PM" {
		t.Errorf("the last call is %q", got)
	}
}

func TestAgendaPlanRefusesWhatItDoesNotExpect(t *testing.T) {
	const loaded, filtered = "We have successfully loaded the agenda database, including …",
		"We have successfully filtered the data (2 rows)."
	wantRefusals(t, []refusal{
		{"not in the table", "When did Grace attend Jazz concert on 2022/02/07?",
			[]string{"nothing", "nothing", loaded, filtered,
				`{"event": "Lunch", "start_time": "12:00:00", "end_time": "13:00:00", "location": "Cafe"}`}},
		{"no rows of texts", "When did Grace attend Jazz concert on 2022/02/07?",
			[]string{"nothing", "nothing", loaded, filtered, `{"event": "Jazz concert"}`}},
		{"columns of several lengths", "What events does Grace have on 2022/02/07 in the agenda table?",
			[]string{loaded, filtered, `["Lunch"]`}},
		{"no number of rows", "How many events happen on 2022/02/07 in the agenda table?",
			[]string{loaded, "We have successfully filtered the data."}},
		{"times that are none", "When should I schedule a meeting with Grace from 9:00 AM to 6:00 PM on " +
			"2022/02/07 in the agenda table?",
			[]string{loaded, filtered, `{"start_time": "');print('", "end_time": "13:00:00"}`}},
		{"no number", "How many dates in the agenda table have Grace scheduled?", []string{"dates: many"}},
		{"too many results", "How many dates in the agenda table have Grace scheduled?",
			[]string{"dates: 3", "Answer is CORRECT"}},
	})
}

func TestDatesOfTheAgenda(t *testing.T) {
	for text, want := range map[string]string{
		"2022/02/07": "2022/02/07", "February 7, 2022": "2022/02/07", "September 31st, 2022": "2022/09/31",
		"the 3rd of May 2022": "2022/05/03",
		"3rd May, 2022":       "2022/05/03", "May 3 2022": "2022/05/03", "": "", "7 2022": "", "Monday 7, 2022": "",
	} {
		if got := slashDate(text); got != want {
			t.Errorf("slashDate(%q) = %q, want %q", text, got, want)
		}
	}

	for date, want := range map[string]string{"2022/02/07": "February 7, 2022", "2022/09/31": "September 31, 2022",
		"2022/12/20": "December 20, 2022"} {
		if got := dateInWords(date); got != want || slashDate(got) != date {
			t.Errorf("dateInWords(%q) = %q, want %q", date, got, want)
		}
	}
}

// TestGenerateAgenda makes the questions in the paper's numbers, although there are only a hundred
// people to ask for.
func TestGenerateAgenda(t *testing.T) {
	view := mustLoad(t, syntheticAgenda(t, 3_000))

	for _, d := range toolqa.Difficulties() {
		want := PaperCounts(toolqa.Agenda, d)

		qs, err := Generate(rand.New(rand.NewPCG(1, 2)), view, d, Options{Counts: want})
		if err != nil {
			t.Fatal(err)
		}

		made, inTest := map[string]int{}, map[string]int{}
		for _, q := range qs {
			made[q.Template]++
			if q.Split == toolqa.Test {
				inTest[q.Template]++
			}
		}

		if len(qs) != want.Train+want.Dev+want.Test || len(made) != 5 {
			t.Errorf("%s: %d questions of %v", d, len(qs), made)
		}

		for name, n := range inTest {
			if n != 20 {
				t.Errorf("%d test questions of %s, want 20", n, name)
			}
		}

		if n := made["agenda-hard/dates-of-person"]; d == toolqa.Hard && (n < 80 || n > 100) {
			t.Errorf("%d questions about 100 people", n)
		}
	}
}

// FuzzAgendaRead reads any passage: what it tells agrees with what was asked, and was in the
// passage.
func FuzzAgendaRead(f *testing.F) {
	f.Add("On 2022/02/07, Grace attended Jazz concert at Blue Note from 8:00 PM to 10:00 PM.", "Grace", "Jazz concert",
		uint8(1))
	f.Add("Entry for May 3rd, 2022: Jazz, from 8 PM to 9 PM, at St. Mary's. Attending: Jazz.", "", "Jazz",
		uint8(2))
	f.Fuzz(func(t *testing.T, passage, who, what string, w uint8) {
		asked := appointment{who: who, what: what}
		asked.date = slashDate(agendaReading().date.FindString(passage))

		part := []string{"what", "place", "who", "times"}[w%4]

		told, ok := asked.read(passage, part)
		if !ok {
			return
		}

		if !asked.agrees(told) {
			t.Errorf("%q: asked %+v, told %+v", passage, asked, told)
		}

		lower := strings.ToLower(passage)
		for _, slot := range told.slots(part) {
			if utf8.ValidString(passage) && !strings.Contains(lower, strings.ToLower(slot.value)) &&
				!strings.ContainsAny(passage, markWhat+markPlace+markWho) {
				t.Errorf("%q does not say %q", passage, slot.value)
			}
		}
	})
}
