package synth

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// flightRecord is a row by its column names, as the tools print it.
type flightRecord map[string]string

// number is a cell as a whole number, and whether it is one.
func (r flightRecord) number(column string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSuffix(r[column], ".0"))
	return n, err == nil
}

// numbers are cells as whole numbers; missing ones fail the test.
func (r flightRecord) numbers(t *testing.T, columns ...string) []int {
	t.Helper()
	var ns []int

	for _, c := range columns {
		n, ok := r.number(c)
		if !ok {
			t.Fatalf("%s is %q in %v", c, r[c], r)
		}

		ns = append(ns, n)
	}
	return ns
}

// synthFlights returns the rows that the generator makes. It checks that the forms of every cell
// agree with each other and with the schema.
func synthFlights(t *testing.T, seed uint64, n int) []flightRecord {
	t.Helper()

	schema, err := layout.SchemaOf(toolqa.Flights)
	if err != nil {
		t.Fatal(err)
	}
	var rows []flightRecord

	eachFlight(t, schema, seed, n, func(row []layout.Cell) {
		record := make(flightRecord, len(row))
		for i, c := range row {
			want, err := layout.ParseCell(schema.Columns[i], c.Text)
			if err != nil || want != c {
				t.Fatalf("row %d, %s: cell %+v, read back %+v, %v", len(rows), schema.Columns[i].Name, c, want, err)
			}

			record[schema.Columns[i].Name] = c.Text
		}

		rows = append(rows, record)
	})
	return rows
}

// flightColumns returns some columns of the rows that the generator makes, unchecked.
func flightColumns(t *testing.T, seed uint64, n int, columns ...string) []flightRecord {
	t.Helper()

	schema, err := layout.SchemaOf(toolqa.Flights)
	if err != nil {
		t.Fatal(err)
	}

	names, positions := schema.Names(), make([]int, len(columns))
	for i, column := range columns {
		positions[i] = slices.Index(names, column)
	}
	var rows []flightRecord

	eachFlight(t, schema, seed, n, func(row []layout.Cell) {
		record := make(flightRecord, len(columns))
		for i, position := range positions {
			record[columns[i]] = row[position].Text
		}

		rows = append(rows, record)
	})
	return rows
}

// eachFlight calls a function with each of the n rows that the generator makes.
func eachFlight(t *testing.T, schema layout.Schema, seed uint64, n int, do func(row []layout.Cell)) {
	t.Helper()

	next := tableRows(toolqa.Flights, rand.New(rand.NewPCG(seed, generators[toolqa.Flights].stream)), n)
	made := 0

	for {
		row, err := next()
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil || len(row) != len(schema.Columns) {
			t.Fatalf("a row of %d cells, %v", len(row), err)
		}

		do(row)
		made++
	}

	if _, err := next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}

	if made != n {
		t.Fatalf("%d rows, want %d", made, n)
	}
}

func TestFlightsOfAnySize(t *testing.T) {
	t.Parallel()

	for _, n := range []int{1, 2, 60, 999} {
		synthFlights(t, 3, n)
	}

	if diff := cmp.Diff(synthFlights(t, 4, 300), synthFlights(t, 4, 300)); diff != "" {
		t.Errorf("the same seed gives other rows:\n%s", diff)
	}

	if cmp.Equal(synthFlights(t, 4, 300), synthFlights(t, 5, 300)) {
		t.Error("another seed gives the same rows")
	}
}

// minutes reads HHMM.
func minutes(hhmm int) int { return hhmm/100*60 + hhmm%100 }

func TestFlightsAreConsistent(t *testing.T) {
	t.Parallel()
	rows := synthFlights(t, 1, 50*212)
	same := map[[2]string]string{} // what a cell says about another
	determines := func(r flightRecord, key string, others ...string) {
		for _, other := range others {
			k := [2]string{key + "=" + r[key], other}
			if before, ok := same[k]; ok && before != r[other] {
				t.Fatalf("%s has %s %q and %q", k[0], other, before, r[other])
			}

			same[k] = r[other]
		}
	}
	onWay := map[string]bool{}

	previous := ""
	for _, r := range rows {
		if r["FlightDate"] < previous {
			t.Fatalf("%s comes after %s", r["FlightDate"], previous)
		}

		previous = r["FlightDate"]

		key := strings.Join([]string{r["FlightDate"], r["IATA_Code_Marketing_Airline"],
			r["Flight_Number_Marketing_Airline"], r["Origin"], r["Dest"]}, " ")
		if onWay[key] {
			t.Fatalf("two flights %s", key)
		}

		onWay[key] = true

		determines(r, "FlightDate", "Year", "Quarter", "Month", "DayofMonth", "DayOfWeek")
		determines(r, "Origin", "OriginAirportID", "OriginAirportSeqID", "OriginCityName", "OriginState")
		determines(r, "OriginState", "OriginStateName", "OriginStateFips", "OriginWac")
		determines(r, "OriginAirportID", "Origin")
		determines(r, "Airline", "Operating_Airline", "DOT_ID_Operating_Airline", "IATA_Code_Operating_Airline")
		determines(r, "Marketing_Airline_Network", "DOT_ID_Marketing_Airline", "IATA_Code_Marketing_Airline")

		if partner := r["Operated_or_Branded_Code_Share_Partners"]; strings.HasSuffix(partner,
			"_CODESHARE") == (r["Operating_Airline"] == r["Marketing_Airline_Network"]) {
			t.Fatalf("%s flies for %s as %s", r["Operating_Airline"], r["Marketing_Airline_Network"], partner)
		}

		checkTimes(t, r)
	}

	for _, r := range rows { // both ends of a route are of one world
		for _, c := range []string{"AirportID", "AirportSeqID", "CityMarketID", "CityName", "State", "StateFips",
			"StateName", "Wac"} {
			if origin, ok := same[[2]string{"Origin=" + r["Dest"], "Origin" + c}]; ok && origin != r["Dest"+c] {
				t.Fatalf("%s has %s %q as origin and %q as destination", r["Dest"], c, origin, r["Dest"+c])
			}
		}
	}
}

// checkTimes checks what must agree with what in one row.
func checkTimes(t *testing.T, r flightRecord) {
	t.Helper()

	n := r.numbers(t, "CRSDepTime", "CRSArrTime", "CRSElapsedTime", "Distance", "DistanceGroup")
	for i, block := range []string{r["DepTimeBlk"], r["ArrTimeBlk"]} {
		first, last, _ := strings.Cut(block, "-")
		from, _ := strconv.Atoi(first)

		to, _ := strconv.Atoi(last)
		if at := n[i] % 2400; (at < from || at > to) && at != 0 {
			t.Fatalf("block %s of %d", block, n[i])
		}
	}

	if n[4] != min(n[3]/250+1, 11) || n[2] < 30 || n[3] < 31 {
		t.Fatalf("elapsed %d, distance %d, group %d", n[2], n[3], n[4])
	}

	if late, ok := r.number("DepDelay"); ok {
		dep := r.numbers(t, "DepTime", "DepDelayMinutes", "DepDel15", "DepartureDelayGroups")
		if (minutes(dep[0])-minutes(n[0])-late)%1440 != 0 || dep[1] != max(late, 0) || dep[2] == 1 != (late >= 15) ||
			dep[3] > 12 || dep[3] < -2 {
			t.Fatalf("departure %d, scheduled %d, late %d: %v", dep[0], n[0], late, dep)
		}
	} else if r["DepTime"] != "nan" || r["Cancelled"] != "True" {
		t.Fatalf("no delay in %v", r)
	}

	switch {
	case r["Cancelled"] == "True":
		for _, c := range []string{"ArrTime", "ArrDelay", "AirTime", "ActualElapsedTime", "WheelsOn", "TaxiIn",
			"TaxiOut", "ArrDel15"} {
			if r[c] != "nan" {
				t.Fatalf("a cancelled flight has %s %s", c, r[c])
			}
		}
	case r["Diverted"] == "True":
		if landings := r.numbers(t, "DivAirportLandings")[0]; landings == 0 || r["AirTime"] != "nan" ||
			r["ArrDelay"] != "nan" {
			t.Fatalf("a diverted flight: %v", r)
		}
	default:
		x := r.numbers(t, "DepDelay", "ArrDelay", "ActualElapsedTime", "TaxiOut", "AirTime", "TaxiIn", "ArrTime",
			"ArrDelayMinutes", "WheelsOn", "WheelsOff", "DepTime")
		if x[2] != x[3]+x[4]+x[5] || x[1] != x[0]+x[2]-n[2] || x[7] != max(x[1], 0) ||
			(minutes(x[6])-minutes(n[1])-x[1])%1440 != 0 || (minutes(x[6])-minutes(x[8])-x[5])%1440 != 0 ||
			(minutes(x[9])-minutes(x[10])-x[3])%1440 != 0 {
			t.Fatalf("the times of %v", r)
		}
	}
}

// TestFlightsLookLikeThePublished compares shares with those of the published file.
func TestFlightsLookLikeThePublished(t *testing.T) {
	t.Parallel()
	rows := flightColumns(t, 2, 60_000, "Cancelled", "Diverted", "DepTime", "DepDelayMinutes", "DepDel15", "Origin",
		"Dest", "Airline",
		"Distance", "FlightDate", "IATA_Code_Marketing_Airline", "Flight_Number_Marketing_Airline")
	share := func(of string, holds func(flightRecord) bool, least, most float64) {
		t.Helper()

		n := 0

		for _, r := range rows {
			if holds(r) {
				n++
			}
		}

		if got := float64(n) / float64(len(rows)) * 100; got < least || got > most {
			t.Errorf("%.2f %% of the flights %s; expected %v to %v", got, of, least, most)
		}
	}
	share("are cancelled", func(r flightRecord) bool { return r["Cancelled"] == "True" }, 2.2, 4)
	share("are diverted", func(r flightRecord) bool { return r["Diverted"] == "True" }, 0.15, 0.4)
	share("are cancelled after they left",
		func(r flightRecord) bool { return r["Cancelled"] == "True" && r["DepTime"] != "nan" }, 0.03, 0.15)
	share("depart late", func(r flightRecord) bool {
		return r["DepDelayMinutes"] > "0.0" &&
			r["DepDelayMinutes"] != "nan"
	}, 30, 45)
	share("depart a quarter of an hour late", func(r flightRecord) bool { return r["DepDel15"] == "1.0" }, 16, 28)
	share("depart after midnight", func(r flightRecord) bool { n, ok := r.number("DepTime"); return ok && n < 100 },
		0.3, 2)
	share("begin in Atlanta", func(r flightRecord) bool { return r["Origin"] == "ATL" }, 3, 8)
	share("are Southwest's", func(r flightRecord) bool { return r["Airline"] == "Southwest Airlines Co." }, 14, 22)
	share("have an airline with a comma", func(r flightRecord) bool { return strings.Contains(r["Airline"], ", ") },
		0.2, 3)
	share("are longer than 500 miles", func(r flightRecord) bool { n, _ := r.number("Distance"); return n > 500 }, 60,
		88)

	dates, airports, lastDays := map[string]int{}, map[string]bool{}, map[string]int{}
	for _, r := range rows {
		dates[r["FlightDate"]]++
		airports[r["Origin"]] = true
		lastDays[r["IATA_Code_Marketing_Airline"]+r["Flight_Number_Marketing_Airline"]+r["Origin"]+r["Dest"]]++
	}

	if len(dates) != 212 || dates["2022-01-01"] == 0 || dates["2022-07-31"] == 0 {
		t.Errorf("%d dates", len(dates))
	}

	if want := 60_000 / 600; len(airports) < want-2 || len(airports) > want {
		t.Errorf("%d airports, want about %d", len(airports), want)
	}

	var recur []int
	for _, n := range lastDays {
		recur = append(recur, n)
	}

	slices.Sort(recur)

	if median := recur[len(recur)/2]; median < 60 {
		t.Errorf("half of the flights are on no more than %d days", median)
	}
}

func BenchmarkFlightsRows(b *testing.B) {
	b.ReportAllocs()

	rng := rand.New(rand.NewPCG(1, generators[toolqa.Flights].stream))
	next := tableRows(toolqa.Flights, rng, generators[toolqa.Flights].full)
	for b.Loop() {
		if _, err := next(); err != nil {
			b.Fatal(err)
		}
	}
}
