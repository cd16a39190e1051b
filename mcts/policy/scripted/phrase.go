package scripted

import "strings"

// wording chooses how a thought is put: which sentence comes before the plan's own, and which after
// it. The likeliest is the first of each.
type wording struct{ opener, closer int }

func (m *move) likeliest() wording { return wording{} }

// rephrased draws one of the wordings that fit the move, the likeliest among them.
func (m *move) rephrased(d *dice) wording {
	w := wording{opener: d.intN(len(habits().Openers[m.kind]))}
	if m.kind < describing {
		w.closer = d.intN(len(habits().Closers))
	}
	return w
}

// cost is how much the words reduce the log-probability.
func (w wording) cost() float64 { return float64(0.01 * float64(w.opener+w.closer)) }

func (w wording) append(b []byte, m *move) []byte {
	old, name := m.call.Name, m.name()
	if m.kind == describing && m.via != nil {
		name = m.via.name
	}

	b = expand(b, habits().Openers[m.kind][w.opener], old, name)
	b = append(b, m.thought...)
	return expand(b, habits().Closers[w.closer], old, name)
}

// expand appends a sentence with its names filled in.
func expand(b []byte, sentence, old, name string) []byte {
	for {
		before, after, ok := strings.Cut(sentence, "$")

		b = append(b, before...)
		if !ok {
			return b
		}

		switch {
		case strings.HasPrefix(after, "old"):
			b = append(b, old...)
		case strings.HasPrefix(after, "new"):
			b = append(b, name...)
		}

		sentence = after[3:]
	}
}
