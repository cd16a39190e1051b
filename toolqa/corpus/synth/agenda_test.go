package synth

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/internal/layout"
)

// agendaCells returns the published cells of every row, by column.
func agendaCells(t testing.TB, c *corpus.Corpus) []map[string]string {
	t.Helper()

	rows := make([]map[string]string, c.Table().Rows())
	for _, name := range c.Table().Columns() {
		v, err := c.Table().Stored(name)
		if err != nil {
			t.Fatal(err)
		}

		for i := range rows {
			if rows[i] == nil {
				rows[i] = map[string]string{}
			}

			rows[i][name] = v.Text(i)
		}
	}
	return rows
}

func documentsOf(t testing.TB, c *corpus.Corpus) []corpus.Document {
	t.Helper()
	var all []corpus.Document

	for d, err := range c.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}

		all = append(all, d)
	}
	return all
}

func TestSyntheticAgendaHasThePublishedOddities(t *testing.T) {
	dir := t.TempDir()

	info := mustBuild(t, dir, toolqa.Agenda, Options{Seed: 1})
	if info.Rows != 10_000 {
		t.Errorf("%d rows, want 10000", info.Rows)
	}

	c := mustOpen(t, dir, toolqa.Agenda)
	rows := agendaCells(t, c)
	shares, people, dates := map[string]float64{}, map[string]map[string]bool{}, map[string]int{}

	for i, row := range rows {
		count := func(what string, is bool) {
			if is {
				shares[what] += 1 / float64(len(rows))
			}
		}

		if id := fmt.Sprintf("agenda-%04d", i); row["id"] != id {
			t.Fatalf("row %d has the id %s", i, row["id"])
		}

		for _, column := range []string{"start_time", "end_time"} {
			if layout.ClockText(row[column]) == row[column] {
				t.Fatalf("row %d: %s is %q", i, column, row[column])
			}

			count("bare hour", !strings.Contains(row[column], ":"))
			count("padded hour", strings.HasPrefix(row[column], "0"))
		}

		count("after midnight", layout.ClockText(row["end_time"]) <= layout.ClockText(row["start_time"]))
		_, err := time.Parse("2006/01/02", row["date"])
		count("no such day", err != nil)
		count("blank", strings.HasSuffix(row["location"], " "))
		count("comma in location", strings.Contains(row["location"], ", "))
		count("comma in event", strings.Contains(row["event"], ", "))
		count("apostrophe", strings.Contains(row["location"], "'"))

		if people[row["person"]] == nil {
			people[row["person"]] = map[string]bool{}
		}

		people[row["person"]][row["date"]] = true
		dates[row["date"]]++
	}

	for what, limits := range map[string][2]float64{
		"bare hour": {0.01, 0.05}, "padded hour": {0.005, 0.03}, "after midnight": {0.001, 0.01},
		"no such day": {0.01, 0.03},
		"blank":       {0.03, 0.1}, "comma in location": {0.05, 0.3}, "comma in event": {0.005, 0.05},
		"apostrophe": {0.05, 0.3},
	} {
		if s := shares[what]; s < limits[0] || s > limits[1] {
			t.Errorf("%s: a share of %v, want one in %v", what, s, limits)
		}
	}

	if len(people) != 100 || len(dates) != 372 {
		t.Errorf("%d people, %d dates", len(people), len(dates))
	}

	for name, on := range people { // in the published questions from 69 to 95
		if len(on) < 55 || len(on) > 115 {
			t.Errorf("%s is busy on %d dates", name, len(on))
		}
	}
}

func TestSyntheticAgendaDescribesEveryAppointment(t *testing.T) {
	dir := t.TempDir()
	mustBuild(t, dir, toolqa.Agenda, Options{Seed: 2, Rows: 2000})
	c := mustOpen(t, dir, toolqa.Agenda)

	rows, documents := agendaCells(t, c), documentsOf(t, c)
	if len(documents) != len(rows) {
		t.Fatalf("%d passages for %d rows", len(documents), len(rows))
	}

	slashed := 0

	for i, d := range documents {
		row := rows[i]
		if d.Name != row["id"] || d.ID != i+1 {
			t.Errorf("passage %d is %d, about %s", i, d.ID, d.Name)
		}

		for _, part := range []string{row["event"], row["person"], row["start_time"], row["end_time"],
			strings.TrimSpace(row["location"])} {
			if !strings.Contains(d.Content, part) {
				t.Errorf("%q does not say %q", d.Content, part)
			}
		}

		if strings.Contains(d.Content, row["date"]) {
			slashed++
		} else if !strings.Contains(d.Content, " 2022") {
			t.Errorf("%q has no date", d.Content)
		}

		if strings.ContainsAny(d.Content, "{}\n") {
			t.Errorf("passage %q", d.Content)
		}
	}

	if slashed < 800 || slashed > 1200 {
		t.Errorf("%d of 2000 passages have the date as in the table", slashed)
	}

	again := t.TempDir()
	mustBuild(t, again, toolqa.Agenda, Options{Seed: 2, Rows: 2000})

	if diff := cmp.Diff(documents, documentsOf(t, mustOpen(t, again, toolqa.Agenda))); diff != "" {
		t.Errorf("the same seed gives other passages (-first +second):\n%s", diff)
	}
}
