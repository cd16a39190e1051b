package sqltool

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolevo/toolqa/corpus/synth"

	"toolevo/envs"
	"toolevo/envs/memo"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

func BenchmarkQuery(b *testing.B) {
	in := interpreter(b, Options{}, synthetic(b))
	for name, sql := range map[string]string{
		"cell": "SELECT High FROM coffee.coffee_data WHERE Date = '2010-01-05'",
		"aggregate": "SELECT ROUND(AVG(Close), 1) FROM coffee.coffee_data WHERE Date BETWEEN '2010-01-01' AND " +
			"'2012-12-31'",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				in.recent = &memo.Recent[envs.Result]{Most: recentStatements}
				query(b, in, sql)
			}
		})
	}
}

// BenchmarkStart is a child from its start until it can take a statement.
func BenchmarkStart(b *testing.B) {
	coffee := synthetic(b)

	start, err := newSetup(Options{}.withDefaults(), []*corpus.Corpus{coffee}).starter(childName,
		[]*corpus.Corpus{coffee})
	if err != nil {
		b.Fatal(err)
	}

	for b.Loop() {
		c, err := start(b.Context())
		if err != nil {
			b.Fatal(err)
		}

		b.StopTimer()
		c.End()
		b.StartTimer()
	}
}

// BenchmarkCallers measures statements as one caller and as eight send them, none of which has run
// before: the median of a statement's time, and how many end in a second.
func BenchmarkCallers(b *testing.B) {
	in := interpreter(b, Options{}, synthetic(b))

	for _, callers := range []int{1, 8} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			took := make([]time.Duration, b.N)
			in.recent = &memo.Recent[envs.Result]{Most: recentStatements}

			b.ResetTimer()

			var next atomic.Int64
			var wg sync.WaitGroup

			for range callers {
				wg.Go(func() {
					for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
						start := time.Now()
						query(b, in, fmt.Sprintf("SELECT High, %d FROM coffee.coffee_data WHERE Date = '2010-01-05'",
							i))
						took[i] = time.Since(start)
					}
				})
			}

			wg.Wait()
			b.StopTimer()

			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
			b.ReportMetric(float64(took[len(took)/10].Microseconds()), "p10-µs")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "statements/s")
		})
	}
}

// BenchmarkFlights measures what models ask of flights, over a tenth of the published rows. Those
// that name no index read every row.
func BenchmarkFlights(b *testing.B) {
	if testing.Short() {
		b.Skip("builds a corpus of 400,000 rows")
	}

	dir := b.TempDir()
	if _, err := synth.Build(b.Context(), dir, toolqa.Flights,
		synth.Options{Seed: 1, Rows: 400_000}); err != nil {
		b.Fatal(err)
	}

	c, err := corpus.Open(b.Context(), dir, toolqa.Flights)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()

	column := func(name string) string {
		v, err := c.Table().Column(name)
		if err != nil {
			b.Fatal(err)
		}
		return v.Text(1000)
	}
	route := fmt.Sprintf("Origin = '%s' AND Dest = '%s'", column("Origin"), column("Dest"))
	day := fmt.Sprintf("FlightDate = '%s'", column("FlightDate"))

	for name, textColumns := range map[string]bool{"typed": false, "text": true} {
		in := interpreter(b, Options{TextColumns: textColumns, Timeout: time.Minute}, c)
		for _, q := range []struct{ name, sql string }{
			{"cell", "SELECT DepTime FROM flights.flights_data WHERE " + route + " AND " + day},
			{"delay", "SELECT AVG(DepDelayMinutes) FROM flights.flights_data WHERE Origin = 'ATL' AND " + day},
			{"airtime", "SELECT ROUND(AVG(AirTime), 1) FROM flights.flights_data WHERE " + route},
			{"diverted", "SELECT COUNT(*) FROM flights.flights_data WHERE Diverted = 1 AND " + day},
			{"far", "SELECT COUNT(*) FROM flights.flights_data WHERE CAST(Distance AS DECIMAL) > 500 AND " + day},
			{"scan", "SELECT Airline, AVG(TaxiOut) FROM flights.flights_data GROUP BY Airline"},
			{"function", "SELECT COUNT(*) FROM flights.flights_data WHERE MONTH(FlightDate) = 1"},
		} {
			b.Run(name+"/"+q.name, func(b *testing.B) {
				for b.Loop() {
					in.recent = &memo.Recent[envs.Result]{Most: recentStatements}
					if r := query(b, in, q.sql); r.Outcome != envs.OK {
						b.Fatal(r)
					}
				}
			})
		}
	}
}
