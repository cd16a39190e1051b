package synth

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

const (
	flightsDays     = 212 // 2022-01-01 to 2022-07-31
	flightsPorts    = 375 // airports
	flightsZipf     = 0.8 // the k-th airport has k to the power of minus this of the traffic that goes to no hub
	flightsPortRows = 600 // so many rows for each airport, if there are few rows
	flightsDayRows  = 200 // and for each day

	flightPortColumns = 8 // from OriginAirportID to OriginWac, and from DestAirportID to DestWac
)

// flightsRows returns a generator of n rows of flights: a schedule of flights that recur, day by day, some of
// them late, cancelled or diverted. Of few rows there are fewer airports and days.
func flightsRows(rng *rand.Rand, n int) func() ([]layout.Cell, error) {
	days := min(max(n/flightsDayRows, 7), flightsDays)
	airports := newFlightsAirports(rng, min(max(n/flightsPortRows, 20), flightsPorts))
	m := newFlightsMaker(rng, airports)
	m.schedule = newSchedule(rng, airports, n, days)
	m.beginDay(0)

	return func() ([]layout.Cell, error) {
		for {
			for m.next < len(m.schedule) {
				f := &m.schedule[m.next]

				m.next++
				if f.flies(m.day) {
					m.fill(f)
					return m.row, nil
				}
			}

			if m.day == days-1 {
				return nil, io.EOF
			}

			m.beginDay(m.day + 1)
		}
	}
}

// flightsMaker makes rows. Its cells of numbers and names are made once.
type flightsMaker struct {
	rng      *rand.Rand
	airports []flightsAirport
	schedule []flight
	services []serviceCells
	trouble  []float64 // how bad things are at each airport today; 1 on average
	day      int
	next     int // the position in the schedule
	row      []layout.Cell
	columns  map[string]int // positions in a row

	reals, integers []layout.Cell   // of the numbers from numbersFrom on
	blocks          [24]layout.Cell // of the hours
	bools           [2]layout.Cell  // false, true
	missing         layout.Cell     // of any column
	cancels         float64         // of a thousand flights, those cancelled this month
}

// serviceCells are the cells of a service's flights.
type serviceCells struct {
	name, operator layout.Cell
	network, share layout.Cell
	ids            [2]layout.Cell // of the marketing and the operating airline
	fleet          []layout.Cell
}

const (
	numbersFrom = -1000
	numbersTo   = 10_000
)

func newFlightsMaker(rng *rand.Rand, airports []flightsAirport) *flightsMaker {
	schema := layout.Schemas()[toolqa.Flights]
	m := &flightsMaker{
		rng:      rng,
		row:      make([]layout.Cell, len(schema.Columns)),
		columns:  map[string]int{},
		airports: airports,
		trouble:  make([]float64, len(airports)),
		bools:    [2]layout.Cell{layout.BoolCell(false), layout.BoolCell(true)},
		missing:  layout.MissingCell(layout.Column{}, false),
	}
	for i, name := range schema.Names() {
		m.columns[name] = i
	}

	for n := numbersFrom; n < numbersTo; n++ {
		m.reals = append(m.reals, layout.RealCell(float64(n)))
		m.integers = append(m.integers, layout.IntegerCell(int64(n)))
	}

	for hour := range m.blocks {
		m.blocks[hour] = layout.TextCell(fmt.Sprintf("%02d00-%02d59", hour, hour))
		if hour < 6 {
			m.blocks[hour] = layout.TextCell("0001-0559")
		}
	}

	fleets, taken := map[string][]layout.Cell{}, map[string]bool{}
	words := flightsWords()
	for _, s := range words.Services {
		if fleets[s.Operating] == nil {
			fleets[s.Operating] = newFleet(rng, s.Share, taken)
		}

		operating, marketing := words.Airlines[s.Operating], words.Airlines[s.Marketing]

		share := s.Marketing
		if s.Operating != s.Marketing {
			share += "_CODESHARE"
		}

		m.services = append(m.services, serviceCells{
			name:     layout.TextCell(operating.Name),
			operator: layout.TextCell(s.Operating),
			network:  layout.TextCell(s.Marketing),
			share:    layout.TextCell(share),
			fleet:    fleets[s.Operating],
			ids:      [2]layout.Cell{layout.IntegerCell(marketing.ID), layout.IntegerCell(operating.ID)},
		})
	}

	return m
}

// real is the cell of a whole number in a column that has decimals.
func (m *flightsMaker) real(n int) layout.Cell { return m.reals[n-numbersFrom] }

func (m *flightsMaker) integer(n int) layout.Cell { return m.integers[n-numbersFrom] }

// flightsCancels is how many of a thousand flights are cancelled in each month.
var flightsCancels = [...]float64{62, 44, 16, 23, 20, 30, 18}

// beginDay sets the cells that all rows of a day share, and draws its trouble.
func (m *flightsMaker) beginDay(day int) {
	m.day, m.next = day, 0
	date := time.Date(2022, time.January, 1+day, 0, 0, 0, 0, time.UTC)
	m.set(layout.TextCell(date.Format(time.DateOnly)), "FlightDate")
	m.set(m.integer(date.Year()), "Year")
	m.set(m.integer((int(date.Month())+2)/3), "Quarter")
	m.set(m.integer(int(date.Month())), "Month")
	m.set(m.integer(date.Day()), "DayofMonth")
	m.set(m.integer((int(date.Weekday())+6)%7+1), "DayOfWeek")
	m.cancels = flightsCancels[date.Month()-1]

	everywhere := 0.35 * m.rng.NormFloat64()
	for i := range m.trouble {
		const spread = 0.8
		m.trouble[i] = math.Exp(everywhere + spread*m.rng.NormFloat64() - (spread*spread+0.35*0.35)/2)
	}
}

// fill makes the row of a flight on this day.
func (m *flightsMaker) fill(f *flight) {
	m.fillSchedule(f)
	trouble := m.trouble[f.origin]

	late := m.lateness(trouble * float64(f.weight) / 100)
	if m.rng.Float64() < min(0.9, trouble*m.cancels/1000) {
		m.cancel(f, late)
		return
	}

	out := m.depart(f, late)
	m.arrive(f, late, out, m.rng.Float64() < 0.0026*trouble)
}

// fillSchedule sets the cells that do not depend on what happens.
func (m *flightsMaker) fillSchedule(f *flight) {
	s, from, to := &m.services[f.service], &m.airports[f.origin], &m.airports[f.dest]
	m.set(s.name, "Airline")
	m.set(s.operator, "Operating_Airline", "IATA_Code_Operating_Airline")
	m.set(s.network, "Marketing_Airline_Network", "IATA_Code_Marketing_Airline")
	m.set(s.share, "Operated_or_Branded_Code_Share_Partners")
	m.set(s.ids[0], "DOT_ID_Marketing_Airline")
	m.set(s.ids[1], "DOT_ID_Operating_Airline")
	m.set(m.integer(int(f.number)), "Flight_Number_Marketing_Airline", "Flight_Number_Operating_Airline")
	m.set(s.fleet[(int(f.tail)+m.day*int(f.rotation))%len(s.fleet)], "Tail_Number")

	m.set(from.name, "Origin")
	m.set(to.name, "Dest")
	copy(m.row[m.columns["OriginAirportID"]:], from.fields[:])
	copy(m.row[m.columns["DestAirportID"]:], to.fields[:])
	m.set(m.real(int(f.distance)), "Distance")
	m.set(m.integer(min(int(f.distance)/250+1, 11)), "DistanceGroup")

	departure, arrival := hhmm(int(f.departure)), hhmm(int(f.arrival))
	m.set(m.real(int(f.elapsed)), "CRSElapsedTime")
	m.set(m.integer(departure), "CRSDepTime")
	m.set(m.integer(arrival), "CRSArrTime")
	m.set(m.blocks[departure/100%24], "DepTimeBlk")
	m.set(m.blocks[arrival/100%24], "ArrTimeBlk")
	m.set(m.bools[0], "Cancelled", "Diverted")
	m.set(m.integer(0), "DivAirportLandings")
}

// set sets the cells of columns.
func (m *flightsMaker) set(c layout.Cell, columns ...string) {
	for _, name := range columns {
		m.row[m.columns[name]] = c
	}
}

// lateness draws how many minutes late a flight departs; it is less than zero for most.
func (m *flightsMaker) lateness(trouble float64) int {
	if m.rng.Float64() < min(0.85, 0.24+0.12*trouble) {
		return 1 + int(min(1500, m.rng.ExpFloat64()*(16+18*min(trouble, 4))*math.Exp(0.6*m.rng.NormFloat64())))
	}

	return -min(25, int(m.rng.ExpFloat64()*5))
}

// cancel makes the flight a cancelled one. A few of those have left the gate.
func (m *flightsMaker) cancel(f *flight, late int) {
	m.set(m.bools[1], "Cancelled")
	m.set(m.missing, "DepTime", "DepDelayMinutes", "DepDelay", "ArrTime", "ArrDelayMinutes", "AirTime",
		"ActualElapsedTime", "DepDel15", "DepartureDelayGroups", "TaxiOut", "WheelsOff", "WheelsOn", "TaxiIn",
		"ArrDelay", "ArrDel15", "ArrivalDelayGroups")

	switch m.rng.IntN(40) {
	case 0:
		m.leave(hhmm(int(f.departure)), late)
	case 1, 2, 3, 4, 5:
		m.set(m.missing, "Tail_Number")
	}
}

// leave sets the cells of a departure that is so many minutes late, of the scheduled one as HHMM.
func (m *flightsMaker) leave(scheduled, late int) {
	m.set(m.real(hhmm(scheduled/100*60+scheduled%100+late)), "DepTime")
	m.set(m.real(late), "DepDelay")
	m.set(m.real(max(late, 0)), "DepDelayMinutes")
	m.set(m.real(isLate(late)), "DepDel15")
	m.set(m.real(delayGroup(late)), "DepartureDelayGroups")
}

// depart sets what is known at take-off, and returns how many minutes the way to the runway took.
func (m *flightsMaker) depart(f *flight, late int) (out int) {
	m.leave(hhmm(int(f.departure)), late)

	out = 7 + int(min(170, m.rng.ExpFloat64()*9))
	m.set(m.real(out), "TaxiOut")
	m.set(m.real(hhmm(int(f.departure)+late+out)), "WheelsOff")

	return out
}

// arrive sets what is known after landing. A diverted flight has no times of its own, and may not arrive.
func (m *flightsMaker) arrive(f *flight, late, out int, away bool) {
	air := max(8, int(float64(f.air)*(1+0.035*m.rng.NormFloat64())+1.5*m.rng.NormFloat64()))

	in := 2 + int(min(80, m.rng.ExpFloat64()*5))
	if away {
		air += 60 + int(min(900, m.rng.ExpFloat64()*90)) // with a stop
		m.set(m.bools[1], "Diverted")
		m.set(m.integer(1+m.rng.IntN(8)/7), "DivAirportLandings")
	}

	elapsed := out + air + in
	behind := late + elapsed - int(f.elapsed)
	touchdown := int(f.arrival) + behind - in

	m.set(m.real(hhmm(touchdown)), "WheelsOn")
	m.set(m.real(in), "TaxiIn")
	m.set(m.real(hhmm(touchdown+in)), "ArrTime")

	if !away {
		m.set(m.real(air), "AirTime")
		m.set(m.real(elapsed), "ActualElapsedTime")
		m.set(m.real(behind), "ArrDelay")
		m.set(m.real(max(behind, 0)), "ArrDelayMinutes")
		m.set(m.real(isLate(behind)), "ArrDel15")
		m.set(m.real(delayGroup(behind)), "ArrivalDelayGroups")

		return
	}

	m.set(m.missing, "AirTime", "ActualElapsedTime", "ArrDelay", "ArrDelayMinutes", "ArrDel15", "ArrivalDelayGroups")

	if m.rng.IntN(4) == 0 { // it ended elsewhere
		m.set(m.missing, "WheelsOn", "TaxiIn", "ArrTime")
	}
}

// hhmm is a minute of some day as the published file writes times: 1425 for 14:25, 2400 for midnight.
func hhmm(minute int) int {
	minute = (minute%1440 + 1440) % 1440
	if minute == 0 {
		return 2400
	}

	return minute/60*100 + minute%60
}

// isLate is 1 for a quarter of an hour or more.
func isLate(minutes int) int {
	if minutes >= 15 {
		return 1
	}

	return 0
}

// delayGroup is the quarter of an hour that a delay is in, from -2 to 12.
func delayGroup(minutes int) int { return min(max(int(math.Floor(float64(minutes)/15)), -2), 12) }
