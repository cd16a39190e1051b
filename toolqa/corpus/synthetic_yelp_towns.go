package corpus

import (
	"fmt"
	"math"
	"strings"
)

// yelpTown is a town and what is known of its businesses.
type yelpTown struct {
	name, state string
	others      []string // ways to spell the name that occur, too
	weight      float64
	codes       []string     // postal codes; Canadian ones end after their first half
	areas       [][2]float64 // the middle of each code's area
}

// canadian reports whether the town is in Alberta.
func (t *yelpTown) canadian() bool { return t.state == "AB" }

// yelpRegion is a city with the towns around it. A town is written "name/state/first postal code/number of
// codes/weight".
type yelpRegion struct {
	lat, long float64
	around    float64 // the weight of its small towns together
	towns     []string
}

// The regions of the published file.
var yelpRegions = []yelpRegion{
	{39.9526, -75.1652, 11.5, []string{
		"Philadelphia/PA/19102/52/14.6", "West Chester/PA/19380/4/0.8", "King of Prussia/PA/19406/1/0.6",
		"Phoenixville/PA/19460/1/0.5",
		"Doylestown/PA/18901/2/0.6", "Norristown/PA/19401/3/0.5", "Ardmore/PA/19003/1/0.4", "Media/PA/19063/1/0.4",
		"Lansdale/PA/19446/1/0.4",
		"Newtown/PA/18940/1/0.3", "Bensalem/PA/19020/1/0.5", "Kennett Square/PA/19348/1/0.2",
		"Mount Laurel/NJ/08054/1/0.4",
		"Cherry Hill/NJ/08002/2/1.1", "Voorhees/NJ/08043/1/0.3", "Marlton/NJ/08053/1/0.4", "Moorestown/NJ/08057/1/0.3",
		"Deptford/NJ/08096/1/0.3",
		"Mount Holly/NJ/08060/1/0.2", "Sicklerville/NJ/08081/1/0.2", "Franklin Township/NJ/08322/1/0.1",
		"Wilmington/DE/19801/9/1.3", "Newark/DE/19711/3/0.5",
	}},
	{27.9506, -82.4572, 3.5, []string{
		"Tampa/FL/33602/35/9.0", "Clearwater/FL/33755/9/1.5", "Saint Petersburg/FL/33701/14/1.6",
		"Largo/FL/33770/7/0.9", "Brandon/FL/33510/2/0.9",
		"New Port Richey/FL/34652/4/0.7", "Lutz/FL/33548/3/0.6", "Palm Harbor/FL/34683/3/0.6", "Dunedin/FL/34698/1/0.5",
		"Tarpon Springs/FL/34688/2/0.5",
		"Riverview/FL/33568/3/0.6", "Plant City/FL/33563/5/0.4", "Spring Hill/FL/34606/5/0.6",
		"Wesley Chapel/FL/33543/3/0.5",
	}},
	{36.1627, -86.7816, 1.8, []string{
		"Nashville/TN/37201/28/6.9", "Franklin/TN/37064/4/1.2", "Brentwood/TN/37027/1/0.6",
		"Murfreesboro/TN/37127/4/0.9", "Hendersonville/TN/37075/1/0.5",
		"Smyrna/TN/37167/1/0.3", "Hermitage/TN/37076/1/0.3", "Mount Juliet/TN/37121/2/0.3",
		"Goodlettsville/TN/37070/3/0.3", "Madison/TN/37115/2/0.3",
	}},
	{39.7684, -86.1581, 1.6, []string{
		"Indianapolis/IN/46201/60/7.5", "Carmel/IN/46032/2/1.0", "Fishers/IN/46037/2/0.7", "Greenwood/IN/46142/2/0.5",
		"Avon/IN/46123/1/0.3",
		"Franklin/IN/46131/1/0.2", "Zionsville/IN/46077/1/0.3", "Plainfield/IN/46168/1/0.2", "Speedway/IN/46224/1/0.2",
		"Brownsburg/IN/46112/1/0.3",
	}},
	{38.6270, -90.1994, 3.4, []string{
		"Saint Louis/MO/63101/47/5.5", "Chesterfield/MO/63005/2/0.5", "Florissant/MO/63031/4/0.4",
		"Ballwin/MO/63011/2/0.4", "Brentwood/MO/63144/1/0.2",
		"Maryland Heights/MO/63043/1/0.3", "Kirkwood/MO/63122/1/0.3", "Creve Coeur/MO/63141/1/0.3",
		"Maplewood/MO/63143/1/0.2", "O'Fallon/IL/62269/1/0.4",
		"Edwardsville/IL/62025/2/0.4", "Belleville/IL/62220/7/0.5", "Collinsville/IL/62234/1/0.2",
		"Swansea/IL/62226/1/0.1",
	}},
	{29.9511, -90.0715, 0.8, []string{
		"New Orleans/LA/70112/20/6.2", "Metairie/LA/70001/6/1.5", "Kenner/LA/70062/4/0.5", "Gretna/LA/70053/4/0.4",
		"Harvey/LA/70058/2/0.3",
		"Slidell/LA/70458/4/0.1", "Harahan/LA/70123/1/0.2",
	}},
	{32.2226, -110.9747, 0.4, []string{
		"Tucson/AZ/85701/50/8.7", "Oro Valley/AZ/85737/2/0.3", "Marana/AZ/85653/2/0.2", "Sahuarita/AZ/85629/1/0.1",
		"Vail/AZ/85641/1/0.1", "Green Valley/AZ/85614/1/0.1",
	}},
	{39.5296, -119.8138, 0.4, []string{
		"Reno/NV/89501/23/5.9", "Sparks/NV/89431/6/1.6", "Sun Valley/NV/89433/1/0.1", "Verdi/NV/89439/1/0.1",
		"Virginia City/NV/89440/1/0.1",
	}},
	{53.5461, -113.4938, 0.4, []string{
		"Edmonton/AB/T5A/45/4.9", "St. Albert/AB/T8N/1/0.3", "Sherwood Park/AB/T8A/4/0.4", "Spruce Grove/AB/T7X/1/0.1",
		"Leduc/AB/T9E/1/0.1",
	}},
	{34.4208, -119.6982, 0.3, []string{
		"Santa Barbara/CA/93101/11/3.8", "Goleta/CA/93116/2/0.7", "Carpinteria/CA/93013/1/0.3",
		"Isla Vista/CA/93117/1/0.2", "Montecito/CA/93108/1/0.2",
	}},
	{43.6150, -116.2023, 0.4, []string{
		"Boise/ID/83702/15/4.2", "Meridian/ID/83642/2/0.8", "Eagle/ID/83616/1/0.3", "Garden City/ID/83714/1/0.2",
		"Kuna/ID/83634/1/0.1",
	}},
}

// The parts of the names of small towns.
var (
	yelpTownPrefixes = []string{"", "", "", "", "", "North ", "East ", "West ", "Upper ", "Lower ", "New ", "Mount ",
		"Glen ", "Lake ", "Fort ", "Port "}
	yelpTownRoots = []string{
		"Ash", "Bell", "Birch", "Briar", "Brook", "Cedar", "Clay", "Cold", "Cran", "Eden", "Elk", "Fair", "Fern", "Gar",
		"Gran", "Green", "Hadd", "Harts",
		"Hazel", "Holl", "Jeffer", "Kings", "Lans", "Laurel", "Linden", "Maple", "Mill", "Nor", "Oak", "Palmy", "Pine",
		"Rich", "River", "Rock",
		"Rose", "Sand", "Spring", "Stone", "Sumner", "Thorn", "Walnut", "Wayne", "White", "Willow", "Wind", "Wood",
	}
	yelpTownSuffixes = []string{
		"ville", "ton", "field", "wood", "burg", "dale", "ford", "mont", "side", "view", " Hill", " Grove", " Park",
		" Heights", " Beach", " Township", " Springs", " Lake",
	}
	yelpStreets = []string{
		"Main", "Market", "Broad", "Walnut", "Chestnut", "Fairmount", "Germantown", "Lancaster", "Baltimore", "State",
		"Church", "Oak", "Maple", "Park",
		"Lincoln", "Washington", "Jefferson", "Madison", "Magazine", "Canal", "Bourbon", "Royal", "Toulouse",
		"Nolensville", "Gallatin", "Charlotte",
		"Broadway", "Demonbreun", "Kennedy", "Dale Mabry", "Hillsborough", "Fowler", "Armenia", "Gulf to Bay",
		"Central", "Meridian", "Keystone", "Michigan",
		"Washington Square", "Speedway", "Grant", "Oracle", "Ina", "Virginia", "Plumb", "Kietzke", "McCarran", "Haley",
		"De La Vina", "Hollister", "Anacapa",
		"Manchester", "Olive", "Delmar", "Lindbergh", "Clayton", "Fairview", "Overland", "Chinden", "Front", "Mill",
		"Ridge", "Valley Forge", "Old York",
		"Swamp", "Airport", "Industrial", "Commerce", "College", "University", "Cedar", "Pine", "Spruce", "Juniper",
		"Sunset", "Lake", "River", "Bridge",
	}
)

// settle makes the towns: those of the regions, and small ones around.
func (m *yelpMaker) settle(n int) []yelpTown {
	small := min(max(n/300, 12), 60) // so many in a region of middle size
	var towns []yelpTown

	for _, region := range yelpRegions {
		taken := map[string]bool{}
		var states []string

		for i, text := range region.towns {
			t := m.town(text)
			taken[t.name] = true
			states = append(states, t.state)
			t.spread(m, region, i)
			towns = append(towns, t)
		}

		small := max(4, int(float64(small)*region.around/2))
		for i := range small {
			name := m.pick(yelpTownPrefixes...) + m.pick(yelpTownRoots...) + m.pick(yelpTownSuffixes...)
			if taken[name] {
				continue
			}

			taken[name] = true
			state := m.pick(states...)
			t := m.town(fmt.Sprintf("%s/%s/%s/%d/%f", name, state, m.outside(state), 1+i%3,
				0.6*math.Exp(m.normal())*region.around/float64(small)))
			t.spread(m, region, 5+i%20)
			towns = append(towns, t)
		}
	}

	return towns
}

// yelpCountry are the beginnings of the postal codes of small towns in each state.
var yelpCountry = map[string][]string{
	"PA": {"189", "190", "194"}, "NJ": {"080", "083"}, "DE": {"197", "199"}, "FL": {"335", "338", "346"},
	"TN": {"370", "371"}, "IN": {"460", "461"},
	"MO": {"633", "630"}, "IL": {"620", "622"}, "LA": {"704", "700"}, "AZ": {"856"}, "NV": {"894"}, "AB": {"T7", "T9"},
	"CA": {"930", "934"}, "ID": {"836"},
}

// outside returns a postal code of the countryside.
func (m *yelpMaker) outside(state string) string {
	first := m.pick(yelpCountry[state]...)
	if len(first) == 2 {
		return first + string("ABCEGHJKLMNPRSTVX"[m.rng.IntN(17)])
	}

	return fmt.Sprintf("%s%02d", first, m.rng.IntN(97))
}

// town parses a town.
func (m *yelpMaker) town(text string) yelpTown {
	parts := strings.Split(text, "/")
	t := yelpTown{name: parts[0], state: parts[1]}

	var codes int
	if _, err := fmt.Sscan(parts[3], &codes); err != nil {
		panic(fmt.Sprintf("corpus: the town %s: %v", text, err))
	}

	if _, err := fmt.Sscan(parts[4], &t.weight); err != nil {
		panic(fmt.Sprintf("corpus: the town %s: %v", text, err))
	}

	for i := range codes {
		t.codes = append(t.codes, yelpCode(parts[2], i))
	}

	short := strings.NewReplacer("Saint ", "St. ", "Mount ", "Mt ", "Township", "Twp", "Heights", "Hts", "Grove",
		"Grv").Replace(t.name)
	if short != t.name {
		t.others = append(t.others, short, strings.ReplaceAll(short, ".", ""))
	}

	if first, last, ok := strings.Cut(t.name, " "); ok {
		t.others = append(t.others, first+" "+strings.ToLower(last))
	}

	t.others = append(t.others, strings.ToUpper(t.name))

	return t
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

	lat, long := region.lat+away*math.Sin(angle), region.long+1.25*away*math.Cos(angle)

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

	return t.name
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
