package sqltool

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"toolevo/toolqa/corpus/importer"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// What MySQL makes of columns of text, where SQLite makes something else of them.
func TestPublishedDatabase(t *testing.T) {
	in := interpreter(t, Options{TextColumns: true}, five(t)...)

	const coffee, flights = " FROM coffee.coffee_data ", " FROM flights.flights_data "
	for sql, want := range map[string]string{
		// A text and a number are compared as numbers, two texts as texts.
		"SELECT COUNT(*) n" + coffee +
			"WHERE Close > 100": "n: 4",
		"SELECT COUNT(*) n" + coffee +
			"WHERE 100 >= Close": "n: 1",
		"SELECT COUNT(*) n" + coffee +
			"WHERE coffee_data.`Close` >100 AND Low<116": "n: 2",
		"SELECT COUNT(*) n" + coffee +
			"WHERE NOT Close > -1": "n: 0",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Close > '100'": "n: 5",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Open > Close": "n: 2",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Open = 115": "n: 1",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Open <> 115": "n: 4",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Close > 100 + 16 * 1": "n: 4",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Close * 1 > (100)": "n: 4",
		"SELECT COUNT(*) n" + coffee +
			"WHERE (Close - Open) / Open * 100 > 0": "n: 1",
		"SELECT COUNT(*) n" + coffee + "WHERE Close > (SELECT AVG(Low)" + coffee +
			")": "n: 4",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Close BETWEEN 99 AND 117": "n: 4",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Close NOT BETWEEN 99 AND 117": "n: 1",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Volume IN (10, 5492.0)": "n: 2",
		"SELECT SUM(Close > 100) n, MAX(Close) m" +
			coffee: "n: 4, m: 99.5",
		"SELECT CASE WHEN Close > 100 THEN 'high' ELSE 'low' END x" + coffee +
			"WHERE Volume = 10": "x: low",
		"SELECT Close > 100 high" + coffee +
			"WHERE Volume = 10": "high: 0",
		"SELECT MAX(Close) > 100" + coffee: "MAX(Close) > 100: 0",
		"SELECT Currency, COUNT(*) n" + coffee +
			"GROUP BY Currency HAVING COUNT(*) > 1": "Currency: USD, n: 4",
		"SELECT a.Date FROM coffee.coffee_data a JOIN coffee.coffee_data b ON a.Date = b.Date + INTERVAL 1 " +
			"DAY LIMIT 1": "Date: 2000-01-04",
		"SELECT COUNT(*) n" + coffee +
			"WHERE Date > '2000-01-03' + INTERVAL 1 DAY AND Close > 116.8": "n: 2",
		"SELECT 1 < 2 < 3 x": "x: 1",
		"SELECT COUNT(*) n" + flights + "WHERE DepDelayMinutes < 5": "n: 1", // --- is 0

		// Truth values are digits.
		"SELECT DISTINCT Cancelled" + flights + "ORDER BY Cancelled":             "Cancelled: 0\nCancelled: 1",
		"SELECT COUNT(*) n" + flights + "WHERE Cancelled = 1":                    "n: 1",
		"SELECT COUNT(*) n" + flights + "WHERE Cancelled = '1' AND Diverted = 0": "n: 1",
		"SELECT COUNT(*) n" + flights + "WHERE Cancelled = 'True'":               "n: 0",

		// Columns are called as the statement calls them.
		"SELECT close, a.LOW, `open` FROM coffee.coffee_data AS a WHERE " +
			"volume = 10": "close: 99.5, LOW: 98.5, open: 99.5",
		"WITH d AS (SELECT Date, Volume" + coffee + ") SELECT DISTINCT volume FROM d WHERE Volume = 10": "volume: 10",

		// No database is selected.
		"SELECT Close FROM coffee_data":                                 wrongSQL,
		"SELECT a.Close FROM coffee.coffee_data a, coffee_data b":       wrongSQL,
		"WITH coffee_data AS (SELECT 7 AS x) SELECT x FROM coffee_data": "x: 7",
		"SELECT Volume FROM coffee.coffee_data coffee_data WHERE " +
			"coffee_data.Volume = 10": "Volume: 10",
	} {
		if got := query(t, in, sql); got.Observation != want {
			t.Errorf("%s\n got %q\nwant %q", sql, got.Observation, want)
		}
	}
}

// A comparison with a number, which SQLite makes without a call, is the same as one with a value
// that happens to be it.
func TestComparisonsWithNumbers(t *testing.T) {
	in := interpreter(t, Options{TextColumns: true}, five(t)...)

	for _, op := range []string{"=", "<", "<=", ">", ">=", "<>", "!="} {
		for _, column := range []string{"coffee_data.Close", "Volume + 0", "Date", "Currency", "NULL", "-Low"} {
			for _, number := range []string{"100", "-1", "116.50", "1e2", "0", "2000"} {
				counts := "SELECT COUNT(*) n, SUM(x) s FROM (SELECT %s x FROM coffee.coffee_data)"
				direct := query(t, in, fmt.Sprintf(counts, column+" "+op+" "+number))
				byValue := query(t, in, fmt.Sprintf(counts, column+" "+op+" (SELECT "+number+")"))

				if direct != byValue {
					t.Errorf("%s %s %s: %+v, of a value %+v", column, op, number, direct, byValue)
				}
			}
		}
	}
}

// The published coffee file closes above 190 on 683 days; as texts, 2,183 of its prices are
// greater.
func TestPublishedCoffee(t *testing.T) {
	shared := os.Getenv("TOOLEVO_SHARED_DATA")
	if shared == "" {
		shared = "../../../shared/data"
	}

	file := filepath.Join(shared, "toolqa/corpus/coffee/coffee_price.csv")
	if _, err := os.Stat(file); err != nil {
		t.Skip("the published files are not here: ", err)
	}

	dir := t.TempDir()
	if _, err := importer.Import(t.Context(), dir, toolqa.Coffee, file, importer.Options{Tool: "test"}); err != nil {
		t.Fatal(err)
	}

	c, err := corpus.Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}

	in := interpreter(t, Options{TextColumns: true}, c)
	for over, want := range map[string]string{"190": "n: 683", "'190'": "n: 2183"} {
		if got := query(t, in, "SELECT COUNT(*) n FROM coffee.coffee_data WHERE Close > "+
			over); got.Observation != want {
			t.Errorf("Close > %s: %q, want %q", over, got.Observation, want)
		}
	}
}
