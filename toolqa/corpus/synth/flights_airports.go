package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/brianvoe/gofakeit/v7"

	"toolevo/toolqa/corpus/internal/layout"
)

// flightsWords are the airports and airlines that flights are made of.
var flightsWords = wordsIn[struct {
	States   []flightsState
	Hubs     []flightsHub // the busiest first
	Airlines map[string]flightsAirline
	Services []flightsService // in the order of a day's flights
}]("flights.yaml")

// flightsState is a state or territory: its codes in the published file, a box of coordinates its airports lie in, and
// its standard time.
type flightsState struct {
	Code, Name string
	FIPS, WAC  int64
	Lat, Long  float64 // the middle of the box
	Span       float64 // how far the box extends to each side, in degrees
	Zone       int     // hours behind Eastern time
	Share      int     // of the airports that are no hubs
}

// flightsHub is one of the largest airports.
type flightsHub struct {
	Code, City, State string
	ID, Market        int64
	Lat, Long         float64
}

// flightsAirport is one end of a flight.
type flightsAirport struct {
	code      string
	lat, long float64
	zone      int // hours behind Eastern time
	weight    float64

	name   layout.Cell                    // Origin or Dest
	fields [flightPortColumns]layout.Cell // OriginAirportID to OriginWac, or the same of Dest
}

// newFlightsAirports returns n airports, the busiest first: the hubs, and then invented ones.
func newFlightsAirports(rng *rand.Rand, n int) []flightsAirport {
	faker, hubs := gofakeit.NewFaker(rng, false), flightsWords().Hubs

	codes, ids := map[string]bool{}, map[int64]bool{}
	for _, h := range hubs {
		codes[h.Code], ids[h.ID] = true, true
	}

	airports := make([]flightsAirport, n)
	for i := range airports {
		var h flightsHub
		var state flightsState

		if i < len(hubs) {
			h = hubs[i]
			state = stateOf(h.State)
		} else {
			state = drawState(rng)
			h = flightsHub{
				Code: drawFresh(codes, func() string { return string([]byte{letter(rng), letter(rng), letter(rng)}) }),
				City: strings.ReplaceAll(faker.City(), ",", ""), State: state.Code,
				ID: drawFresh(ids, func() int64 { return 10135 + rng.Int64N(6735) }), Market: 30000 + rng.Int64N(6200),
				Lat: state.Lat + state.Span*(2*rng.Float64()-1), Long: state.Long + state.Span*(2*rng.Float64()-1),
			}
		}

		airports[i] = newFlightsAirport(h, state, rng.Int64N(7))
		airports[i].weight = math.Pow(float64(i+1), -flightsZipf)
	}

	return airports
}

func newFlightsAirport(h flightsHub, state flightsState, sequence int64) flightsAirport {
	return flightsAirport{
		code: h.Code,
		lat:  h.Lat,
		long: h.Long,
		zone: state.Zone,
		name: layout.TextCell(h.Code),
		fields: [flightPortColumns]layout.Cell{
			layout.IntegerCell(h.ID), layout.IntegerCell(100*h.ID + 1 + sequence), layout.IntegerCell(h.Market),
			layout.TextCell(fmt.Sprintf("%s, %s", h.City, state.Code)),
			layout.TextCell(state.Code), layout.IntegerCell(state.FIPS),
			layout.TextCell(state.Name), layout.IntegerCell(state.WAC),
		},
	}
}

// drawFresh draws until the result is not taken, and takes it.
func drawFresh[T comparable](taken map[T]bool, draw func() T) T {
	for {
		if v := draw(); !taken[v] {
			taken[v] = true
			return v
		}
	}
}

func letter(rng *rand.Rand) byte { return byte('A' + rng.IntN(26)) }

// stateOf returns the state with the given code. The published file has Washington's airports in Virginia.
func stateOf(code string) flightsState {
	if code == "DC" {
		code = "VA"
	}

	for _, s := range flightsWords().States {
		if s.Code == code {
			return s
		}
	}

	panic("corpus: no state " + code) // a mistake in words/flights.yaml
}

// drawState draws the state of an airport that is not a hub.
func drawState(rng *rand.Rand) flightsState {
	states := flightsWords().States
	sums := sumUp(states, func(s flightsState) int { return s.Share })

	return states[newDice(rng).weighted(sums)]
}

// miles is the distance of two airports on a great circle.
func miles(a, b *flightsAirport) int {
	const radius, degree = 3959.0, math.Pi / 180
	half := func(d float64) float64 { s := math.Sin(d * degree / 2); return s * s }
	h := half(b.lat-a.lat) + math.Cos(a.lat*degree)*math.Cos(b.lat*degree)*half(b.long-a.long)

	return int(math.Round(2 * radius * math.Asin(math.Sqrt(min(h, 1)))))
}
