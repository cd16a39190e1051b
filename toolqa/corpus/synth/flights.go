package synth

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"toolevo/toolqa/corpus/internal/layout"
)

const (
	flightsStream = 0xf117
	flightsFull   = 4_078_318
	flightsDemo   = 42_400 // 200 flights on each of the published days

	flightsDays     = 212 // 2022-01-01 to 2022-07-31
	flightsPorts    = 375 // airports
	flightsZipf     = 0.8 // the k-th airport has k to the power of minus this of the traffic that goes to no hub
	flightsPortRows = 600 // so many rows for each airport, if there are few rows
	flightsDayRows  = 200 // and for each day
)

// The columns of the published file, by position.
const (
	flightDate = iota
	flightAirline
	flightOrigin
	flightDest
	flightCancelled
	flightDiverted
	flightCrsDepTime
	flightDepTime
	flightDepDelayMinutes
	flightDepDelay
	flightArrTime
	flightArrDelayMinutes
	flightAirTime
	flightCrsElapsedTime
	flightActualElapsedTime
	flightDistance
	flightYear
	flightQuarter
	flightMonth
	flightDayOfMonth
	flightDayOfWeek
	flightMarketingNetwork
	flightCodeShare
	flightMarketingID
	flightMarketingCode
	flightMarketingNumber
	flightOperatingAirline
	flightOperatingID
	flightOperatingCode
	flightTailNumber
	flightOperatingNumber
	flightOriginAirport // to OriginWac

	flightPortColumns = 8
	flightDestAirport = flightOriginAirport + flightPortColumns // to DestWac
)

// The columns after those of the airports.
const (
	flightDepDel15 = flightDestAirport + flightPortColumns + iota
	flightDepDelayGroup
	flightDepTimeBlock
	flightTaxiOut
	flightWheelsOff
	flightWheelsOn
	flightTaxiIn
	flightCrsArrTime
	flightArrDelay
	flightArrDel15
	flightArrDelayGroup
	flightArrTimeBlock
	flightDistanceGroup
	flightLandings
	flightsColumns
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
					return m.row[:], nil
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
	row      [flightsColumns]layout.Cell

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
	m := &flightsMaker{
		rng:      rng,
		airports: airports,
		trouble:  make([]float64, len(airports)),
		bools:    [2]layout.Cell{layout.BoolCell(false), layout.BoolCell(true)},
		missing:  layout.MissingCell(layout.Column{}, false),
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
	m.row[flightDate] = layout.TextCell(date.Format(time.DateOnly))
	m.row[flightYear] = m.integer(date.Year())
	m.row[flightQuarter] = m.integer((int(date.Month()) + 2) / 3)
	m.row[flightMonth] = m.integer(int(date.Month()))
	m.row[flightDayOfMonth] = m.integer(date.Day())
	m.row[flightDayOfWeek] = m.integer((int(date.Weekday())+6)%7 + 1)
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
		m.cancel(late)
		return
	}

	m.depart(f, late)
	m.arrive(f, late, m.rng.Float64() < 0.0026*trouble)
}

// fillSchedule sets the cells that do not depend on what happens.
func (m *flightsMaker) fillSchedule(f *flight) {
	s, r := &m.services[f.service], &m.row
	from, to := &m.airports[f.origin], &m.airports[f.dest]
	r[flightAirline], r[flightOperatingAirline], r[flightOperatingCode] = s.name, s.operator, s.operator
	r[flightMarketingNetwork], r[flightMarketingCode], r[flightCodeShare] = s.network, s.network, s.share
	r[flightMarketingID], r[flightOperatingID] = s.ids[0], s.ids[1]
	r[flightMarketingNumber], r[flightOperatingNumber] = m.integer(int(f.number)), m.integer(int(f.number))
	r[flightTailNumber] = s.fleet[(int(f.tail)+m.day*int(f.rotation))%len(s.fleet)]
	r[flightOrigin], r[flightDest] = from.name, to.name
	copy(r[flightOriginAirport:], from.fields[:])
	copy(r[flightDestAirport:], to.fields[:])
	r[flightDistance], r[flightDistanceGroup] = m.real(int(f.distance)), m.integer(min(int(f.distance)/250+1, 11))
	r[flightCrsElapsedTime] = m.real(int(f.elapsed))
	r[flightCrsDepTime], r[flightCrsArrTime] = m.integer(hhmm(int(f.departure))), m.integer(hhmm(int(f.arrival)))
	r[flightDepTimeBlock], r[flightArrTimeBlock] = m.blocks[hhmm(int(f.departure))/100%24],
		m.blocks[hhmm(int(f.arrival))/100%24]
	r[flightCancelled], r[flightDiverted], r[flightLandings] = m.bools[0], m.bools[0], m.integer(0)
}

// lateness draws how many minutes late a flight departs; it is less than zero for most.
func (m *flightsMaker) lateness(trouble float64) int {
	if m.rng.Float64() < min(0.85, 0.24+0.12*trouble) {
		return 1 + int(min(1500, m.rng.ExpFloat64()*(16+18*min(trouble, 4))*math.Exp(0.6*m.rng.NormFloat64())))
	}

	return -min(25, int(m.rng.ExpFloat64()*5))
}

// cancel makes the flight a cancelled one. A few of those have left the gate.
func (m *flightsMaker) cancel(late int) {
	r := &m.row

	r[flightCancelled] = m.bools[1]
	for _, column := range [...]int{
		flightDepTime, flightDepDelayMinutes, flightDepDelay, flightArrTime, flightArrDelayMinutes, flightAirTime,
		flightActualElapsedTime, flightDepDel15, flightDepDelayGroup, flightTaxiOut,
		flightWheelsOff, flightWheelsOn, flightTaxiIn, flightArrDelay, flightArrDel15, flightArrDelayGroup,
	} {
		r[column] = m.missing
	}

	switch m.rng.IntN(40) {
	case 0:
		m.leave(int(r[flightCrsDepTime].Value.(int64)), late)
	case 1, 2, 3, 4, 5:
		r[flightTailNumber] = m.missing
	}
}

// leave sets the cells of a departure that is so many minutes late, of the scheduled one as HHMM.
func (m *flightsMaker) leave(scheduled, late int) {
	r := &m.row
	r[flightDepTime] = m.real(hhmm(scheduled/100*60 + scheduled%100 + late))
	r[flightDepDelay], r[flightDepDelayMinutes] = m.real(late), m.real(max(late, 0))
	r[flightDepDel15], r[flightDepDelayGroup] = m.real(isLate(late)), m.real(delayGroup(late))
}

// depart sets what is known at take-off.
func (m *flightsMaker) depart(f *flight, late int) {
	m.leave(hhmm(int(f.departure)), late)
	out := 7 + int(min(170, m.rng.ExpFloat64()*9))
	m.row[flightTaxiOut], m.row[flightWheelsOff] = m.real(out), m.real(hhmm(int(f.departure)+late+out))
}

// arrive sets what is known after landing. A diverted flight has no times of its own, and may not arrive.
func (m *flightsMaker) arrive(f *flight, late int, away bool) {
	r := &m.row
	out := int(r[flightTaxiOut].Value.(float64))
	air := max(8, int(float64(f.air)*(1+0.035*m.rng.NormFloat64())+1.5*m.rng.NormFloat64()))

	in := 2 + int(min(80, m.rng.ExpFloat64()*5))
	if away {
		air += 60 + int(min(900, m.rng.ExpFloat64()*90)) // with a stop
		r[flightDiverted], r[flightLandings] = m.bools[1], m.integer(1+m.rng.IntN(8)/7)
	}

	elapsed := out + air + in
	behind := late + elapsed - int(f.elapsed)
	touchdown := int(f.arrival) + behind - in

	r[flightWheelsOn], r[flightTaxiIn], r[flightArrTime] = m.real(hhmm(touchdown)), m.real(in),
		m.real(hhmm(touchdown+in))
	if !away {
		r[flightAirTime], r[flightActualElapsedTime] = m.real(air), m.real(elapsed)
		r[flightArrDelay], r[flightArrDelayMinutes] = m.real(behind), m.real(max(behind, 0))
		r[flightArrDel15], r[flightArrDelayGroup] = m.real(isLate(behind)), m.real(delayGroup(behind))

		return
	}

	for _, column := range [...]int{flightAirTime, flightActualElapsedTime, flightArrDelay, flightArrDelayMinutes,
		flightArrDel15, flightArrDelayGroup} {
		r[column] = m.missing
	}

	if m.rng.IntN(4) == 0 { // it ended elsewhere
		r[flightWheelsOn], r[flightTaxiIn], r[flightArrTime] = m.missing, m.missing, m.missing
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
