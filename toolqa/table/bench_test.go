package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

func benchmark(b *testing.B, tool tool, s toolqa.Session, name, value string) {
	args, ctx := envs.Args{{Name: name, Value: value}}, b.Context()
	b.ReportAllocs()

	for b.Loop() {
		if _, r, err := tool.Call(ctx, s, args); err != nil || r.Outcome != envs.OK {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkTools(b *testing.B) {
	c := full()
	load := newLoadDB(c)
	all, _ := call(b, load, toolqa.Session{}, "DBName", "coffee")
	const span, day = "Date>=2010-01-01, Date<=2012-12-31", "Date=2010-01-04"
	some, _ := call(b, &FilterDB{}, all, "condition", span)
	one, _ := call(b, &FilterDB{}, all, "condition", day)
	b.Run("LoadDB", func(b *testing.B) { benchmark(b, load, toolqa.Session{}, "DBName", "coffee") })
	b.Run("FilterDB/day", func(b *testing.B) { benchmark(b, &FilterDB{}, all, "condition", day) })
	b.Run("FilterDB/range", func(b *testing.B) { benchmark(b, &FilterDB{}, all, "condition", span) })
	b.Run("GetValue/day", func(b *testing.B) { benchmark(b, GetValue{}, one, "column_name", "Open, High, Low, Close") })
	b.Run("GetValue/range", func(b *testing.B) { benchmark(b, GetValue{}, some, "column_name", "Close") })
	b.Run("GetValue/all", func(b *testing.B) { benchmark(b, GetValue{}, all, "column_name", "Close") })
}

// flights returns a table of the published size of flights, of some of its columns, with hub
// airports.
func flights(b *testing.B) *corpus.Table {
	if testing.Short() {
		b.Skip("makes a table of four million rows")
	}
	const n = 4_078_318
	rng := rand.New(rand.NewPCG(1, 2))
	names := func(format string, n int) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(format, i)
		}
		return all
	}
	skewed := func(words []string) string { return words[int(float64(len(words))*math.Pow(rng.Float64(), 3))] }
	airports, airlines, numbers, miles := names("%03d", 375), names("Airline %d, Inc.", 21), names("%d", 7000),
		names("%d.0", 1600)

	days := make([]string, 212)
	for i := range days {
		days[i] = time.Date(2022, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}

	columns := []string{"FlightDate", "Airline", "Origin", "Dest", "Flight_Number_Marketing_Airline", "Distance",
		"DepTime"}
	cells := make([]string, 0, n*len(columns))

	rows := make([][]string, n)
	for i := range rows {
		cells = append(cells, days[i*len(days)/n], skewed(airlines), skewed(airports), skewed(airports),
			skewed(numbers), skewed(miles), numbers[rng.IntN(1440)])
		rows[i] = cells[len(cells)-len(columns):]
	}

	return corpus.NewTable(toolqa.Flights, columns, rows)
}

// BenchmarkFlights measures what the templates of flights do. Each filter of a run is another one;
// the worst of a hundred is reported beside the mean.
func BenchmarkFlights(b *testing.B) {
	t := flights(b)
	load := newLoadDB(t)
	all, _ := call(b, load, toolqa.Session{}, "DBName", "flights")
	cell := func(name string, i int) string { return name + "=" + column(t, name).Text(i*7_919%t.Rows()) }

	row := func(i int) string {
		return cell("Origin", i) + ", " + cell("Dest", i) + ", " + cell("FlightDate", i)
	}
	for name, condition := range map[string]func(i int) string{
		"three":    row,
		"date":     func(i int) string { return cell("FlightDate", i) },
		"distance": func(i int) string { return cell("FlightDate", i) + ", Distance>500" },
		"far":      func(i int) string { return "Distance>500, " + cell("FlightDate", i) },
		"airline":  func(i int) string { return cell("Airline", i) + ", " + cell("FlightDate", i) },
		"route": func(i int) string {
			return cell("Airline", i) + ", " + cell("Origin", i) + ", " +
				cell("Dest", i)
		},
		"number": func(i int) string {
			return cell("Airline", i) + ", " +
				cell("Flight_Number_Marketing_Airline", i)
		},
		"range": func(i int) string {
			return "FlightDate>=2022-02-01, FlightDate<=2022-05-31, " +
				cell("Airline", i)
		},
	} {
		b.Run("FilterDB/"+name, func(b *testing.B) {
			call(b, &FilterDB{}, all, "condition", condition(0)) // reads the columns and makes their indexes
			var times []time.Duration

			for i := 0; b.Loop(); i++ {
				args := envs.Args{{Name: "condition", Value: condition(i)}}
				start := time.Now()

				if _, r, err := (&FilterDB{}).Call(b.Context(), all, args); err != nil ||
					r.Outcome == envs.InvocationError {
					b.Fatal(r, err)
				}

				times = append(times, time.Since(start))
			}

			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
		})
	}

	found, r := call(b, &FilterDB{}, all, "condition", row(1))
	if r.Outcome != envs.OK {
		b.Fatal(r)
	}

	b.Run("LoadDB", func(b *testing.B) { benchmark(b, load, toolqa.Session{}, "DBName", "flights") })
	b.Run("GetValue/rows", func(b *testing.B) { benchmark(b, GetValue{}, found, "column_name", "DepTime, Airline") })
	b.Run("GetValue/all", func(b *testing.B) { benchmark(b, GetValue{}, all, "column_name", "DepTime, Airline") })
}
