package synth

import (
	"strconv"
	"strings"
)

// airbnbNameLength is the length in characters at which the site cuts most names.
const airbnbNameLength = 50

// name makes the name of a listing: mostly some praise, the kind of room and the place, with all that hosts
// do to be seen. It may hold what separates the parts of a condition or of a question: ", ", " in ", "(id:
// 7)", ">".
func (m *airbnbMaker) name(room string, hood airbnbHood, host string) string {
	if m.chance(0.01) {
		return m.pick(airbnbWords().Series...)
	}

	name := m.phrase(room, hood, host)
	switch p := m.rng.Float64(); {
	case p < 0.08:
		name = strings.ToUpper(name)
	case p < 0.12:
		name = strings.Replace(name, " ", "  ", 1)
	case p < 0.15:
		mark := m.pick(airbnbWords().Marks...)
		name = mark + name + mark
	case p < 0.155:
		name += " " + m.pick(airbnbWords().Odd...)
	case p < 0.157:
		name = strings.Replace(name, " ", "\n", 1)
	case p < 0.158:
		name += " "
	}

	if runes := []rune(name); len(runes) > airbnbNameLength && m.chance(0.97) {
		name = strings.TrimRight(string(runes[:airbnbNameLength]), " ,-\n")
	}

	return name
}

// phrase makes a name before its ornaments.
func (m *airbnbMaker) phrase(room string, hood airbnbHood, host string) string {
	words := airbnbWords()
	thing, adjective := m.pick(words.Things[room]...), m.pick(words.Adjectives...)

	place := hood.Name
	if m.chance(0.4) {
		place = m.pick(words.Places...)
	}

	switch m.rng.IntN(12) {
	case 0, 1, 2:
		return adjective + " " + thing + " in " + place
	case 3:
		return adjective + ", " + m.fake.AdjectiveDescriptive() + " " + thing
	case 4:
		return thing + " - " + m.pick(words.Perks...)
	case 5:
		return adjective + " " + thing + " " + m.pick(words.Perks...)
	case 6:
		return host + "'s " + thing + ", " + place
	case 7:
		return strconv.Itoa(1+m.rng.IntN(1200)) + " " + m.fake.StreetName() + " " + thing
	case 8:
		return adjective + " " + place + " " + thing + ", " + m.pick(words.Perks...)
	case 9:
		return thing + " in " + adjective + " " + place + " " + m.fake.Noun()
	case 10:
		return place + ": " + strings.ToLower(adjective) + " & " + m.fake.AdjectiveDescriptive() + " " + thing
	default:
		return "The " + m.fake.SafeColor() + " " + thing + " | " + m.pick(words.Perks...)
	}
}

// rules makes the house rules: sentences with commas, or what a spreadsheet made of them.
func (m *airbnbMaker) rules() string {
	const longest = 1001

	if m.chance(0.045) {
		return "#NAME?"
	}
	var b strings.Builder

	for range 1 + min(9, int(3*m.rng.ExpFloat64())) {
		sentence := m.pick(airbnbWords().Rules...)
		if m.chance(0.15) {
			sentence = m.fake.HipsterSentence()
		}

		if b.Len()+len(sentence) >= longest {
			break
		}

		if b.Len() > 0 {
			b.WriteByte(' ')
		}

		b.WriteString(sentence)
	}

	return b.String()
}
