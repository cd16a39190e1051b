package synth

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"toolevo/toolqa/corpus/internal/layout"
)

// flightsAirline operates flights, under its own code or for another airline.
type flightsAirline struct {
	Name string
	ID   int64
}

// flightsService is what one airline flies for itself or another.
type flightsService struct {
	Operating, Marketing string
	Share                float64  // of all flights, in per cent
	First, Last          int      // flight numbers
	Reach                int      // the longest flight, in miles
	Hubs                 []string // one end of every flight; none for airlines that fly between any two airports
}

// flight is one line of the schedule: a number on a route at a time, on some days.
type flight struct {
	service      uint8
	weekdays     uint8 // bit i%7 is day i
	first, last  int16 // days, counted from the first of the corpus
	number       int16
	origin, dest int16
	departure    int16 // minutes since midnight
	elapsed      int16 // minutes by the schedule
	air          int16 // minutes that it takes in still weather
	distance     int16 // miles
	tail         int16 // the aircraft of the first day, and
	rotation     int16 // how many further in the fleet that of the next one is
	// lateness in per cent, and when it arrives by the schedule: minutes since its day's midnight
	// there
	weight, arrival int16
}

// flies reports whether the flight is on a day.
func (f *flight) flies(day int) bool {
	return int(f.first) <= day && day <= int(f.last) && f.weekdays>>(day%7)&1 == 1
}

// days is how many days the flight is on.
func (f *flight) days() int {
	full, rest := (int(f.last)-int(f.first)+1)/7, (int(f.last)-int(f.first)+1)%7

	n := full * bits.OnesCount8(f.weekdays)
	for day := int(f.last) - rest + 1; day <= int(f.last); day++ {
		n += int(f.weekdays >> (day % 7) & 1)
	}

	return n
}

// scheduler draws the schedule.
type scheduler struct {
	dice
	services []flightsService
	airports []flightsAirport
	busy     []float64 // the airports' weights, added up
	shares   []float64 // the services' shares, added up
	hubs     [][]int   // of each service
	days     int
	numbers  map[numbered]bool
	flights  []flight
}

// numbered is what no two flights share.
type numbered struct {
	marketing            string
	number, origin, dest int16
}

// newSchedule returns flights that are on exactly n days in all, in the order of a day's rows.
func newSchedule(rng *rand.Rand, airports []flightsAirport, n, days int) []flight {
	s := &scheduler{
		dice: newDice(rng), services: flightsWords().Services, airports: airports, days: days,
		numbers: map[numbered]bool{},
	}

	position := map[string]int{}
	for i, a := range airports {
		position[a.code] = i
	}

	s.busy = sumUp(airports, func(a flightsAirport) float64 { return a.weight })

	s.shares = sumUp(s.services, func(service flightsService) float64 { return service.Share })
	for _, service := range s.services {
		var hubs []int
		for _, code := range service.Hubs {
			if i, ok := position[code]; ok {
				hubs = append(hubs, i)
			}
		}

		s.hubs = append(s.hubs, hubs)
	}

	for pairs, rows := 0, 0; rows < n; pairs++ {
		for _, f := range s.pair(pairs) {
			if days := f.days(); rows+days <= n {
				rows += days
			} else {
				for f.days() > n-rows {
					f.last--
				}

				rows = n
			}

			s.flights = append(s.flights, f)

			if rows == n {
				break
			}
		}
	}

	slices.SortStableFunc(s.flights, func(a, b flight) int { return int(a.service) - int(b.service) })

	return s.flights
}

// pair draws a flight and the one back. The first ones serve every airport once.
func (s *scheduler) pair(serial int) [2]flight {
	service, from, to := s.route(serial)
	there := s.season(flight{
		service: uint8(service), origin: int16(from), dest: int16(to), departure: int16(drawDeparture(s.rng)),
		tail: int16(s.rng.IntN(fleetMost)), rotation: int16(s.rng.IntN(40)),
	})
	s.fly(&there)
	back := there
	back.origin, back.dest = there.dest, there.origin

	back.departure = int16((int(there.arrival) + 40 + 5*s.rng.IntN(7)) % 1440)
	if back.departure < 5*60 { // the aircraft stays for the night
		back.departure = int16(5*60 + 5*s.rng.IntN(36))
	}

	s.fly(&back)
	there.number = s.number(service, there.origin, there.dest, 0)

	next := there.number + 1
	if s.rng.IntN(5) == 0 { // a number may be that of both legs
		next = there.number
	}

	back.number = s.number(service, back.origin, back.dest, next)

	return [2]flight{there, back}
}

// route draws a service and two airports within its reach. When it cannot find such, the airports are farther away.
func (s *scheduler) route(serial int) (service, from, to int) {
	const patience = 200

	service = s.share(s.shares)
	for try := 0; ; try++ {
		to = s.share(s.busy)
		if serial < len(s.airports) { // not every service can
			to, service = serial, s.share(s.shares)
		}

		from = s.share(s.busy)
		if hubs := s.hubs[service]; len(hubs) > 0 {
			from = hubs[min(s.rng.IntN(len(hubs)), s.rng.IntN(len(hubs)))]
		}

		if distance := miles(&s.airports[from], &s.airports[to]); from != to &&
			(distance >= 60 && distance <= s.services[service].Reach || try > patience) {
			return service, from, to
		}
	}
}

// season says on which days a flight is.
func (s *scheduler) season(f flight) flight {
	f.first, f.last = 0, int16(s.days-1)
	if s.days > 28 && s.rng.IntN(100) < 45 {
		length := 28 + s.rng.IntN(s.days-28)
		f.first = int16(s.rng.IntN(s.days - length + 1))
		f.last = f.first + int16(length) - 1
	}
	const daily = 0x7f
	f.weekdays = daily

	switch k := s.rng.IntN(100); {
	case k < 15: // not on two days that follow each other, such as a weekend
		two := s.rng.IntN(7)
		f.weekdays &^= 1<<two | 1<<((two+1)%7)
	case k < 40:
		f.weekdays &^= 1 << s.rng.IntN(7)
	case k < 55:
		f.weekdays = uint8(1 + s.rng.IntN(daily))
	}

	if f.last-f.first < 6 {
		f.weekdays = daily // it must be on some day
	}

	return f
}

// fly sets the distance and the times of a flight.
func (s *scheduler) fly(f *flight) {
	from, to := &s.airports[f.origin], &s.airports[f.dest]
	distance := max(31, miles(from, to))

	air := 17 + float64(distance)/8.2
	if to.long < from.long {
		air *= 1.04 // against the wind
	}

	f.distance, f.air = int16(distance), int16(air)
	f.elapsed = int16(air) + 24 + int16(s.rng.IntN(10))
	f.weight = int16(60 + s.rng.IntN(80))
	f.arrival = f.departure + f.elapsed + int16(60*(from.zone-to.zone))
}

// number returns a flight number that is free on the route: wanted, if it is not 0, or one drawn.
func (s *scheduler) number(service int, origin, dest, wanted int16) int16 {
	v := s.services[service]

	for {
		n := wanted
		if n == 0 {
			n = int16(v.First + s.rng.IntN(v.Last-v.First+1))
		}

		wanted = 0

		if key := (numbered{v.Marketing, n, origin, dest}); !s.numbers[key] {
			s.numbers[key] = true
			return n
		}
	}
}

// flightsHours is how many of a thousand flights depart in each hour of the day.
var flightsHours = [24]int{4, 2, 1, 1, 1, 34, 67, 68, 65, 60, 63, 61, 60, 57, 59, 59, 56, 62, 58, 55, 46, 36, 22, 13}

// drawDeparture draws the minute of a departure, which is never midnight.
func drawDeparture(rng *rand.Rand) int {
	at := rng.IntN(1010)
	for hour, share := range flightsHours {
		if at -= share; at < 0 {
			minute := 5 * rng.IntN(12)
			if rng.IntN(2) == 0 || hour == 0 {
				minute = 1 + rng.IntN(59)
			}

			return 60*hour + minute
		}
	}

	panic("corpus: hours do not add up")
}

// fleetMost is how many aircraft the largest fleet has.
const fleetMost = 740

// newFleet returns the registrations of an airline's aircraft.
func newFleet(rng *rand.Rand, share float64, taken map[string]bool) []layout.Cell {
	fleet := make([]layout.Cell, max(20, min(fleetMost, int(share*42))))
	for i := range fleet {
		fleet[i] = layout.TextCell(drawFresh(taken, func() string {
			return fmt.Sprintf("N%d%c%c", 100+rng.IntN(900), letter(rng), letter(rng))
		}))
	}

	return fleet
}
