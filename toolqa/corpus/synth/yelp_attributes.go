package synth

import (
	"fmt"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// attribute is a member of an object with a text.
func attribute(name, text string) envs.Arg { return envs.Arg{Name: name, Value: text} }

// attributes makes the object of a business's attributes as Python prints it. All its values are texts that say what a
// Python program printed: 'True', "u'free'", "{'garage': False, 'street': True}".
func (m *yelpMaker) attributes(line *yelpLine) string {
	all := m.Attributes[line.Kind]

	var object envs.Args
	for _, name := range m.some(1+m.rng.IntN(len(all)), all) {
		if _, ok := object.Get(name); !ok {
			object = append(object, attribute(name, m.attribute(name, line)))
		}
	}

	return pytext.Repr(object)
}

// attribute makes the value of an attribute.
func (m *yelpMaker) attribute(name string, line *yelpLine) string {
	if m.chance(0.02) {
		return "None"
	}

	if words, ok := m.Quoted[name]; ok {
		return m.pick("u", "") + "'" + m.pick(words...) + "'"
	}

	if names, ok := m.Flags[name]; ok {
		return m.flags(names...)
	}

	values, ok := m.Values[name]
	if !ok || name == "ByAppointmentOnly" && line.Kind == yelpCare {
		values = m.Values["any other"]
	}

	return m.pick(values...)
}

// flags is the text of a Python dict of Booleans.
func (m *yelpMaker) flags(names ...string) string {
	flags := make(envs.Args, len(names))
	for i, name := range names {
		flags[i] = envs.Arg{Name: name, Value: m.chance(0.25)}
	}

	return pytext.Repr(flags)
}

// yelpDays are the days of the week in the order of the published file.
var yelpDays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// hours makes the object of a business's hours as Python prints it: {'Monday': '9:0-17:30'}. Days on which it is closed
// are left out, and of some it is not known: 0:0-0:0.
func (m *yelpMaker) hours(line *yelpLine) string {
	opens, closes, weekend := 8+m.rng.IntN(3), 17+m.rng.IntN(3), 0.5

	switch line.Kind {
	case yelpDining:
		opens, closes, weekend = []int{6, 7, 8, 10, 11, 11, 16}[m.rng.IntN(7)],
			[]int{14, 20, 21, 22, 23, 0, 2}[m.rng.IntN(7)], 0.92
	case yelpShop:
		opens, closes, weekend = 9+m.rng.IntN(2), 18+m.rng.IntN(4), 0.85
	case yelpVenue:
		opens, closes, weekend = 5+m.rng.IntN(6), 17+m.rng.IntN(7), 0.8
	}

	minutes := [2]int{m.half(0.15), m.half(0.2)}

	closed := -1
	if m.chance(0.2) {
		closed = m.rng.IntN(3)
	}

	unknown := m.chance(0.12)
	var object envs.Args

	for day, name := range yelpDays {
		from, to := opens, closes

		if day > 4 && !m.chance(weekend) || day == closed {
			continue
		}

		if day > 3 && line.Kind == yelpDining && m.chance(0.4) {
			to = (to + 1) % 24
		}

		if day > 4 && line.Kind != yelpDining {
			to = max(opens+2, closes-m.rng.IntN(4))
		}

		text := fmt.Sprintf("%d:%d-%d:%d", from, minutes[0], to, minutes[1])
		if day == 0 && unknown {
			text = "0:0-0:0"
		}

		object = append(object, attribute(name, text))
	}

	return pytext.Repr(object)
}

// half is 30 with a probability, and else 0.
func (m *yelpMaker) half(p float64) int {
	if m.chance(p) {
		return 30
	}

	return 0
}
