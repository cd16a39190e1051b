package synth

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// yelpTown is a town and what is known of its businesses.
type yelpTown struct {
	Name, State string
	First       string // postal code
	Count       int    // of postal codes
	Weight      float64

	others []string     // ways to spell the name that occur, too
	codes  []string     // postal codes; Canadian ones end after their first half
	areas  [][2]float64 // the middle of each code's area
}

// canadian reports whether the town is in Alberta.
func (t *yelpTown) canadian() bool { return t.State == "AB" }

// yelpRegion is a city with the towns around it.
type yelpRegion struct {
	Lat, Long float64
	Around    float64 // the weight of its small towns together
	Towns     []yelpTown
}

// settle makes the towns: those of the regions, and small ones around.
func (m *yelpMaker) settle(n int) []yelpTown {
	small := min(max(n/300, 12), 60) // so many in a region of middle size
	var towns []yelpTown

	for _, region := range m.Regions {
		taken := map[string]bool{}
		var states []string

		for i, t := range region.Towns {
			t.complete()
			taken[t.Name] = true
			states = append(states, t.State)
			t.spread(m, region, i)
			towns = append(towns, t)
		}

		small := max(4, int(float64(small)*region.Around/2))
		for i := range small {
			name := m.pick(m.Prefixes...) + m.pick(m.Roots...) + m.pick(m.Suffixes...)
			if taken[name] {
				continue
			}

			taken[name] = true
			state := m.pick(states...)
			t := yelpTown{
				Name: name, State: state, First: m.outside(state), Count: 1 + i%3,
				Weight: sixDecimals(0.6 * math.Exp(m.normal()) * region.Around / float64(small)),
			}
			t.complete()
			t.spread(m, region, 5+i%20)
			towns = append(towns, t)
		}
	}

	return towns
}

// sixDecimals rounds a weight.
func sixDecimals(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', 6, 64), 64) // a number, for sure
	return x
}

// outside returns a postal code of the countryside.
func (m *yelpMaker) outside(state string) string {
	first := m.pick(m.Country[state]...)
	if len(first) == 2 {
		return first + string("ABCEGHJKLMNPRSTVX"[m.rng.IntN(17)])
	}

	return fmt.Sprintf("%s%02d", first, m.rng.IntN(97))
}

// complete adds the postal codes of a town and the other ways to spell its name.
func (t *yelpTown) complete() {
	for i := range t.Count {
		t.codes = append(t.codes, yelpCode(t.First, i))
	}

	short := strings.NewReplacer("Saint ", "St. ", "Mount ", "Mt ", "Township", "Twp", "Heights", "Hts", "Grove",
		"Grv").Replace(t.Name)
	if short != t.Name {
		t.others = append(t.others, short, strings.ReplaceAll(short, ".", ""))
	}

	if first, last, ok := strings.Cut(t.Name, " "); ok {
		t.others = append(t.others, first+" "+strings.ToLower(last))
	}

	t.others = append(t.others, strings.ToUpper(t.Name))
}

// yelpCode returns the i-th postal code after the first. In Canada it is the first half of one: T5A, T5B, T5C, T5E, …
func yelpCode(first string, i int) string {
	if first[0] == 'T' {
		const letters = "ABCEGHJKLMNPRSTVWXYZ"
		at := int(first[1]-'0')*len(letters) + strings.IndexByte(letters, first[2]) + i
		return "T" + string(rune('0'+at/len(letters)%10)) + string(letters[at%len(letters)])
	}

	var n int
	if _, err := fmt.Sscan(strings.TrimLeft(first, "0"), &n); err != nil {
		panic(fmt.Sprintf("corpus: the postal code %s: %v", first, err))
	}

	return fmt.Sprintf("%05d", n+i)
}

// spread places the areas of a town that is the i-th of its region: the first is in the middle.
func (t *yelpTown) spread(m *yelpMaker, region yelpRegion, i int) {
	angle := 2 * math.Pi * m.rng.Float64()

	away := 0.0
	if i > 0 {
		away = 0.08 + 0.3*m.rng.Float64()
	}

	lat, long := region.Lat+away*math.Sin(angle), region.Long+1.25*away*math.Cos(angle)

	for area := range t.codes {
		turn := 2.4 * float64(area) // the golden angle: areas fill a disc
		out := 0.018 * math.Sqrt(float64(area))
		t.areas = append(t.areas, [2]float64{lat + out*math.Sin(turn), long + 1.25*out*math.Cos(turn)})
	}
}

// spell returns the town's name as a row has it.
func (m *yelpMaker) spell(t *yelpTown) string {
	if m.chance(yelpMisspelt) {
		return m.pick(t.others...)
	}

	return t.Name
}

// postalCode returns the code of an area: of a few businesses in Canada.
func (m *yelpMaker) postalCode(t *yelpTown, area int) string {
	if m.chance(yelpNoPostalCode) {
		return ""
	}

	if !t.canadian() {
		return t.codes[area]
	}

	return t.codes[area] + fmt.Sprintf(" %d%c%d", m.rng.IntN(4), "ABCEGHJK"[m.rng.IntN(8)], m.rng.IntN(4))
}
