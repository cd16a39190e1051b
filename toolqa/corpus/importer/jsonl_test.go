package importer

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
)

func TestImportYelp(t *testing.T) {
	dir := t.TempDir()

	const lines = `{"business_id":"a","name":"Café \u2615","address":"","city":"X","state":"PA","postal_code":"19107","latitude":39,"longitude":-75.5,"stars":4.0,"review_count":7,"is_open":1,"attributes":{"ByAppointmentOnly":"True","Parking":"{'lot': False}"},"categories":"A, B","hours":null}

{"name":"O'Neil","business_id":"b","address":"x","city":"Y","state":"PA","postal_code":"","latitude":1.5,"longitude":2,"stars":1,"review_count":3,"is_open":0,"attributes":null,"categories":null,"hours":{"Monday":"8:0-22:0"}}` + "\r\n"
	if _, err := importText(t, dir, toolqa.Yelp, "\xef\xbb\xbf"+lines, Options{AllowShort: true}); err != nil {
		t.Fatal(err)
	}

	c := mustOpen(t, dir, toolqa.Yelp)

	want := [][]string{
		{"a", "Café ☕", "", "X", "PA", "19107", "39.0", "-75.5", "4.0", "7", "1",
			`{'ByAppointmentOnly': 'True', 'Parking': "{'lot': False}"}`, "A, B", "None"},
		{"b", "O'Neil", "x", "Y", "PA", "", "1.5", "2.0", "1.0", "3", "0", "None", "None", "{'Monday': '8:0-22:0'}"},
	}
	if diff := cmp.Diff(want, printed(t, c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	if diff := cmp.Diff([][]string{{"NULL", "NULL"}}, query(t, c, "SELECT attributes, categories FROM yelp_data "+
		"WHERE business_id = 'b'")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImportRefusesJSON(t *testing.T) {
	const good = `{"business_id":"a","name":"n","address":"","city":"X","state":"PA","postal_code":"1","latitude":1,"longitude":2,"stars":4.0,"review_count":7,"is_open":1,"attributes":null,"categories":null,"hours":null}`

	with := func(old, replacement string) string { return strings.Replace(good, old, replacement, 1) }
	for name, tt := range map[string]struct{ line, want string }{
		"broken":       {good[:100], "in:2: not JSON: Unterminated string starting at: line 1 column 99"},
		"extra":        {good + "}", "in:2: not JSON: Extra data: line 1 column"},
		"array":        {"[]", "in:2: a JSON list; expected an object"},
		"unknown key":  {with(`"stars"`, `"star"`), `in:2: unexpected key "star"; expected business_id, name`},
		"missing key":  {with(`"stars":4.0,`, ``), "in:2: key stars: no such key"},
		"null":         {with(`"stars":4.0`, `"stars":null`), "in:2: key stars: no value"},
		"not a number": {with(`"stars":4.0`, `"stars":"4.0"`), "in:2: key stars: '4.0': expected a number"},
		"not whole": {with(`"review_count":7`, `"review_count":7.5`),
			`in:2: key review_count: "7.5": expected a whole number`},
		"infinite":   {with(`"stars":4.0`, `"stars":Infinity`), "in:2: key stars: inf: expected a number"},
		"not a text": {with(`"city":"X"`, `"city":5`), "in:2: key city: 5: expected a text"},
		"not an object": {with(`"hours":null`, `"hours":"always"`), "in:2: key hours: 'always': expected an " +
			"object or null"},
		"not UTF-8": {with(`"city":"X"`, "\"city\":\"\xff\""), "in:2: not UTF-8"},
		"control":   {with(`"city":"X"`, "\"city\":\"\x01\""), "in:2: not JSON: Invalid control character"},
	} {
		t.Run(name, func(t *testing.T) {
			content := good + "\n" + tt.line + "\n" + good + "\n"
			dir := t.TempDir()

			_, err := importText(t, dir, toolqa.Yelp, content, Options{AllowShort: true})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}

			if left := leftBehind(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}

			done, err := importText(t, dir, toolqa.Yelp, content, Options{AllowShort: true, SkipBad: 1})
			if err != nil || done.Info.Rows != 2 || done.Info.Skipped != 1 ||
				!strings.Contains(done.Bad[0].Error(), tt.want) {
				t.Errorf("skipping one: %+v, %v", done, err)
			}
		})
	}

	for content, want := range map[string]string{
		"":          "in:1: the file ends without a row",
		good + "\n": "in:1: the file ends after 1 rows; expected the 150346",
	} {
		if _, err := importText(t, t.TempDir(), toolqa.Yelp, content, Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	// The last of two equal keys wins, as in Python.
	dir := t.TempDir()
	if _, err := importText(t, dir, toolqa.Yelp, with(`"city":"X"`, `"city":"X","city":"Y"`),
		Options{AllowShort: true}); err != nil {
		t.Fatal(err)
	}

	if got := printed(t, mustOpen(t, dir, toolqa.Yelp))[0][3]; got != "Y" {
		t.Errorf("city %q", got)
	}
}

func TestImportAgenda(t *testing.T) {
	dir := t.TempDir()
	line := func(start, end string) string {
		return `{"event":"e","start_time":"` + start + `","end_time":"` + end +
			`","location":"l","person":"p","date":"2022/09/31","id":"agenda-0000"}` + "\n"
	}

	content := line("9:00 AM", "12:30 PM") + line("2 PM", "12 am") + line("noon", "25:00 PM")
	if _, err := importText(t, dir, toolqa.Agenda, content, Options{AllowShort: true}); err != nil {
		t.Fatal(err)
	}

	c := mustOpen(t, dir, toolqa.Agenda)
	want := [][]string{{"09:00:00", "12:30:00", "9:00 AM", "12:30 PM"}, {"14:00:00", "00:00:00", "2 PM", "12 am"},
		{"noon", "25:00 PM", "noon", "25:00 PM"}}
	var got [][]string

	for row, cells := range printed(t, c) {
		start, err1 := c.Table().Stored("start_time")

		end, err2 := c.Table().Stored("end_time")
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}

		got = append(got, []string{cells[1], cells[2], start.Text(row), end.Text(row)})
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
