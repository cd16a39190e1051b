package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/brianvoe/gofakeit/v7"
)

// flightsState is a state or territory: its codes in the published file, a box of coordinates its airports lie in, and
// its standard time.
type flightsState struct {
	code, name string
	fips, wac  int64
	lat, long  float64 // the middle of the box
	span       float64 // how far the box extends to each side, in degrees
	zone       int     // hours behind Eastern time
	share      int     // of the airports that are no hubs
}

// flightsStates are the states and territories that the published file has airports in.
var flightsStates = []flightsState{
	{"AK", "Alaska", 2, 1, 61.5, -152, 4.5, 4, 19}, {"AL", "Alabama", 1, 51, 32.8, -86.8, 1.3, 1, 5},
	{"AR", "Arkansas", 5, 71, 34.9, -92.4, 1.2, 1, 4}, {"AZ", "Arizona", 4, 81, 34.2, -111.8, 1.8, 2, 5},
	{"CA", "California", 6, 91, 36.8, -119.7, 2.6, 3, 22}, {"CO", "Colorado", 8, 82, 39.0, -105.7, 1.6, 2, 10},
	{"CT", "Connecticut", 9, 11, 41.6, -72.7, 0.4, 0, 1}, {"FL", "Florida", 12, 33, 28.2, -82.0, 1.9, 0, 14},
	{"GA", "Georgia", 13, 34, 32.5, -83.4, 1.3, 0, 6}, {"HI", "Hawaii", 15, 2, 20.6, -157.0, 1.2, 5, 3},
	{"IA", "Iowa", 19, 61, 42.0, -93.5, 1.5, 1, 7}, {"ID", "Idaho", 16, 83, 44.2, -114.6, 1.7, 2, 6},
	{"IL", "Illinois", 17, 41, 40.0, -89.2, 1.5, 1, 8}, {"IN", "Indiana", 18, 42, 39.9, -86.3, 1.3, 0, 4},
	{"KS", "Kansas", 20, 62, 38.5, -98.3, 1.5, 1, 6}, {"KY", "Kentucky", 21, 52, 37.5, -85.3, 1.1, 0, 4},
	{"LA", "Louisiana", 22, 72, 31.0, -92.0, 1.2, 1, 6}, {"MA", "Massachusetts", 25, 13, 42.1, -71.8, 0.6, 0, 4},
	{"MD", "Maryland", 24, 35, 39.0, -76.8, 0.6, 0, 2}, {"ME", "Maine", 23, 12, 45.2, -69.2, 1.1, 0, 3},
	{"MI", "Michigan", 26, 43, 44.3, -85.4, 1.7, 0, 14}, {"MN", "Minnesota", 27, 63, 46.3, -94.3, 1.8, 1, 8},
	{"MO", "Missouri", 29, 64, 38.4, -92.5, 1.4, 1, 6}, {"MS", "Mississippi", 28, 53, 32.7, -89.7, 1.3, 1, 5},
	{"MT", "Montana", 30, 84, 47.0, -109.6, 1.8, 2, 9}, {"NC", "North Carolina", 37, 36, 35.5, -79.4, 1.2, 0, 8},
	{"ND", "North Dakota", 38, 66, 47.4, -100.5, 1.4, 1, 8}, {"NE", "Nebraska", 31, 65, 41.5, -99.8, 1.4, 1, 7},
	{"NH", "New Hampshire", 33, 14, 43.7, -71.6, 0.7, 0, 2}, {"NJ", "New Jersey", 34, 21, 40.2, -74.7, 0.6, 0, 2},
	{"NM", "New Mexico", 35, 86, 34.4, -106.1, 1.6, 2, 5}, {"NV", "Nevada", 32, 85, 39.3, -116.6, 1.8, 3, 3},
	{"NY", "New York", 36, 22, 42.9, -75.5, 1.3, 0, 13}, {"OH", "Ohio", 39, 44, 40.3, -82.8, 1.2, 0, 6},
	{"OK", "Oklahoma", 40, 73, 35.6, -97.5, 1.1, 1, 5}, {"OR", "Oregon", 41, 92, 43.9, -120.6, 1.6, 3, 5},
	{"PA", "Pennsylvania", 42, 23, 40.9, -77.8, 1.0, 0, 9}, {"PR", "Puerto Rico", 72, 3, 18.2, -66.4, 0.4, -1, 2},
	{"RI", "Rhode Island", 44, 15, 41.7, -71.5, 0.2, 0, 1}, {"SC", "South Carolina", 45, 37, 33.9, -80.9, 0.9, 0, 6},
	{"SD", "South Dakota", 46, 67, 44.4, -100.2, 1.3, 1, 5}, {"TN", "Tennessee", 47, 54, 35.8, -86.3, 0.9, 1, 5},
	{"TX", "Texas", 48, 74, 31.5, -99.3, 3.0, 1, 24}, {"UT", "Utah", 49, 87, 39.3, -111.7, 1.5, 2, 5},
	{"VA", "Virginia", 51, 38, 37.5, -78.8, 1.0, 0, 8}, {"VI", "U.S. Virgin Islands", 78, 4, 18.0, -64.8, 0.3, -1, 2},
	{"VT", "Vermont", 50, 16, 44.0, -72.7, 0.7, 0, 1}, {"WA", "Washington", 53, 93, 47.4, -120.4, 1.3, 3, 8},
	{"WI", "Wisconsin", 55, 45, 44.6, -89.8, 1.4, 1, 9}, {"WV", "West Virginia", 54, 39, 38.6, -80.6, 0.9, 0, 5},
	{"WY", "Wyoming", 56, 88, 43.0, -107.5, 1.4, 2, 9},
}

// flightsHub is one of the largest airports.
type flightsHub struct {
	code, city, state string
	id, market        int64
	lat, long         float64
}

// flightsHubs are the forty largest airports, the busiest first. They are real, so that a reader finds his way.
var flightsHubs = []flightsHub{
	{"ATL", "Atlanta", "GA", 10397, 30397, 33.64, -84.43},
	{"DFW", "Dallas/Fort Worth", "TX", 11298, 30194, 32.90, -97.04},
	{"DEN", "Denver", "CO", 11292, 30325, 39.86, -104.67}, {"ORD", "Chicago", "IL", 13930, 30977, 41.98, -87.90},
	{"LAX", "Los Angeles", "CA", 12892, 32575, 33.94, -118.41}, {"CLT", "Charlotte", "NC", 11057, 31057, 35.21, -80.94},
	{"LAS", "Las Vegas", "NV", 12889, 32211, 36.08, -115.15}, {"PHX", "Phoenix", "AZ", 14107, 30466, 33.43, -112.01},
	{"MCO", "Orlando", "FL", 13204, 31454, 28.43, -81.31}, {"SEA", "Seattle", "WA", 14747, 30559, 47.45, -122.31},
	{"LGA", "New York", "NY", 12953, 31703, 40.78, -73.87}, {"IAH", "Houston", "TX", 12266, 31453, 29.98, -95.34},
	{"MIA", "Miami", "FL", 13303, 32467, 25.79, -80.29}, {"EWR", "Newark", "NJ", 11618, 31703, 40.69, -74.17},
	{"BOS", "Boston", "MA", 10721, 30721, 42.36, -71.01}, {"MSP", "Minneapolis", "MN", 13487, 31650, 44.88, -93.22},
	{"DTW", "Detroit", "MI", 11433, 31295, 42.21, -83.35},
	{"SLC", "Salt Lake City", "UT", 14869, 34614, 40.79, -111.98},
	{"DCA", "Washington", "DC", 11278, 30852, 38.85, -77.04}, {"HNL", "Honolulu", "HI", 12173, 32134, 21.32, -157.92},
	{"JFK", "New York", "NY", 12478, 31703, 40.64, -73.78},
	{"SFO", "San Francisco", "CA", 14771, 32457, 37.62, -122.38},
	{"PHL", "Philadelphia", "PA", 14100, 34100, 39.87, -75.24}, {"BWI", "Baltimore", "MD", 10821, 30852, 39.18, -76.67},
	{"FLL", "Fort Lauderdale", "FL", 11697, 32467, 26.07, -80.15},
	{"MDW", "Chicago", "IL", 13232, 30977, 41.79, -87.75},
	{"SAN", "San Diego", "CA", 14679, 33570, 32.73, -117.19}, {"BNA", "Nashville", "TN", 10693, 30693, 36.12, -86.68},
	{"TPA", "Tampa", "FL", 15304, 33195, 27.98, -82.53}, {"IAD", "Washington", "DC", 12264, 30852, 38.95, -77.46},
	{"DAL", "Dallas", "TX", 11259, 30194, 32.85, -96.85}, {"PDX", "Portland", "OR", 14057, 34057, 45.59, -122.60},
	{"AUS", "Austin", "TX", 10423, 30423, 30.19, -97.67}, {"STL", "St. Louis", "MO", 15016, 31123, 38.75, -90.37},
	{"HOU", "Houston", "TX", 12191, 31453, 29.65, -95.28}, {"OAK", "Oakland", "CA", 13796, 32457, 37.72, -122.22},
	{"SJC", "San Jose", "CA", 14831, 32457, 37.36, -121.93}, {"ANC", "Anchorage", "AK", 10299, 30299, 61.17, -150.00},
	{"OGG", "Kahului", "HI", 13830, 33830, 20.90, -156.43}, {"SJU", "San Juan", "PR", 14843, 34819, 18.44, -66.00},
}

// flightsAirport is one end of a flight.
type flightsAirport struct {
	code      string
	lat, long float64
	zone      int // hours behind Eastern time
	weight    float64

	name   cell                    // Origin or Dest
	fields [flightPortColumns]cell // OriginAirportID to OriginWac, or the same of Dest
}

// newFlightsAirports returns n airports, the busiest first: the hubs, and then invented ones.
func newFlightsAirports(rng *rand.Rand, n int) []flightsAirport {
	faker := gofakeit.NewFaker(rng, false)

	codes, ids := map[string]bool{}, map[int64]bool{}
	for _, h := range flightsHubs {
		codes[h.code], ids[h.id] = true, true
	}

	airports := make([]flightsAirport, n)
	for i := range airports {
		var h flightsHub
		var state flightsState

		if i < len(flightsHubs) {
			h = flightsHubs[i]
			state = stateOf(h.state)
		} else {
			state = drawState(rng)
			h = flightsHub{
				code: drawFresh(codes, func() string { return string([]byte{letter(rng), letter(rng), letter(rng)}) }),
				city: strings.ReplaceAll(faker.City(), ",", ""), state: state.code,
				id: drawFresh(ids, func() int64 { return 10135 + rng.Int64N(6735) }), market: 30000 + rng.Int64N(6200),
				lat: state.lat + state.span*(2*rng.Float64()-1), long: state.long + state.span*(2*rng.Float64()-1),
			}
		}

		airports[i] = newFlightsAirport(h, state, rng.Int64N(7))
		airports[i].weight = math.Pow(float64(i+1), -flightsZipf)
	}

	return airports
}

func newFlightsAirport(h flightsHub, state flightsState, sequence int64) flightsAirport {
	return flightsAirport{
		code: h.code,
		lat:  h.lat,
		long: h.long,
		zone: state.zone,
		name: textCell(h.code),
		fields: [flightPortColumns]cell{
			integerCell(h.id), integerCell(100*h.id + 1 + sequence), integerCell(h.market),
			textCell(fmt.Sprintf("%s, %s", h.city, state.code)),
			textCell(state.code), integerCell(state.fips), textCell(state.name), integerCell(state.wac),
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

	for _, s := range flightsStates {
		if s.code == code {
			return s
		}
	}

	panic("corpus: no state " + code) // a mistake in flightsHubs
}

// drawState draws the state of an airport that is not a hub.
func drawState(rng *rand.Rand) flightsState {
	sums := sumUp(flightsStates, func(s flightsState) int { return s.share })
	return flightsStates[newDice(rng).weighted(sums)]
}

// miles is the distance of two airports on a great circle.
func miles(a, b *flightsAirport) int {
	const radius, degree = 3959.0, math.Pi / 180
	half := func(d float64) float64 { s := math.Sin(d * degree / 2); return s * s }
	h := half(b.lat-a.lat) + math.Cos(a.lat*degree)*math.Cos(b.lat*degree)*half(b.long-a.long)

	return int(math.Round(2 * radius * math.Asin(math.Sqrt(min(h, 1)))))
}
