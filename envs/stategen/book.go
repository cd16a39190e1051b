package stategen

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// Book counts how often each data-bound pair of transitions occurred, over all programs of a
// generator (ν of Algorithm 1). It is kept as JSON, so that a later generator continues where this
// one stopped. The zero Book is empty.
type Book struct {
	programs int // grown so far: the number of the next one
	counts   map[Pair]int
}

// Count returns how often a pair occurred.
func (b *Book) Count(p Pair) int { return b.counts[p] }

// Programs returns how many programs were grown.
func (b *Book) Programs() int { return b.programs }

// Pairs returns the pairs that occurred, sorted.
func (b *Book) Pairs() []Pair {
	return slices.SortedFunc(maps.Keys(b.counts), func(x, y Pair) int {
		return cmp.Or(cmp.Compare(x.Producer, y.Producer), cmp.Compare(x.Consumer, y.Consumer))
	})
}

// add counts the pairs of a transition n times more, or less.
func (b *Book) add(pairs []Pair, n int) {
	if b.counts == nil {
		b.counts = map[Pair]int{}
	}

	for _, p := range pairs {
		if b.counts[p] += n; b.counts[p] == 0 {
			delete(b.counts, p)
		}
	}
}

// entry is a pair of a book as JSON.
type entry struct {
	Producer string `json:"producer"`
	Consumer string `json:"consumer"`
	Count    int    `json:"count"`
}

// page is a book as JSON.
type page struct {
	Programs int     `json:"programs"`
	Pairs    []entry `json:"pairs"`
}

// MarshalJSON implements [json.Marshaler]. Equal books give equal texts.
func (b *Book) MarshalJSON() ([]byte, error) {
	p := page{b.programs, []entry{}}
	for _, pair := range b.Pairs() {
		p.Pairs = append(p.Pairs, entry{pair.Producer, pair.Consumer, b.counts[pair]})
	}
	return json.Marshal(p)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (b *Book) UnmarshalJSON(text []byte) error {
	var p page
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}

	*b = Book{programs: p.Programs, counts: make(map[Pair]int, len(p.Pairs))}
	for _, e := range p.Pairs {
		b.counts[Pair{e.Producer, e.Consumer}] = e.Count
	}
	return nil
}
