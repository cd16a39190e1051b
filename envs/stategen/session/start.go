package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// How much there is at the start of a program.
const (
	fewestSessions, mostSessions = 3, 6 // of the service
	fewestLocals, mostLocals     = 2, 3
	pairs                        = 3 // of source and type, at most
	furtherKeys                  = 2 // of data, beside its title
	mostCount                    = 24
)

const title = "title"

// keys are the keys of data other than title.
var keys = []string{"description", "members", "similarities", "significantDifferences"}

// pair is where sessions belong.
type pair struct{ source, kind string }

// session returns a session as a program has it at the start.
func (p pair) session(data envs.Args) envs.Args {
	return envs.Object("source", p.source, "type", p.kind, "data", data)
}

// drawer draws the values of one program. No title occurs twice.
type drawer struct {
	*Domain
	titles []string // drawn so far
}

// Init implements [stategen.Domain]. The first two sessions of the service and the first local one
// have the same source and type, so that there is something to list, to tell apart and to write.
func (d *Domain) Init(rng *rand.Rand) stategen.Schema {
	w := drawer{Domain: d}

	var at []pair
	for range pairs {
		at = append(at, pair{stategen.Pick(rng, d.sources), stategen.Pick(rng, d.types)})
	}

	server := make([]any, between(rng, fewestSessions, mostSessions))

	for i := range server {
		p := at[0]
		if i > 1 {
			p = stategen.Pick(rng, at)
		}

		data := w.data(rng)
		// They share a text, so that a query for it finds more than one session.
		if i == 1 {
			data = sharing(rng, data, server[0].(envs.Args))
		}

		server[i] = p.session(data)
	}

	s := &schema{
		Growing: stategen.NewGrowing(d.Name(), server),
		touched: map[string]string{}, changes: map[string]int{},
		used: map[string]bool{}, changed: map[string]bool{},
	}

	p := s.Program()

	var err error
	if s.State, err = d.Begin(&p, nil); err != nil {
		panic(fmt.Sprintf("session: the service refuses what was drawn: %v", err))
	}

	for i := range between(rng, fewestLocals, mostLocals) {
		p := at[0]
		if i > 0 {
			p = stategen.Pick(rng, at)
		}

		// Half of the local sessions share a text, so that a search for it finds another session.
		data := w.data(rng)
		if rng.IntN(2) == 0 {
			data = sharing(rng, data, stategen.Pick(rng, server).(envs.Args))
		}

		s.copies = append(s.copies, &held{
			draft: p.session(data), pair: p, local: true, touched: stategen.None,
		})
	}

	// Copied last, with all the titles that were drawn above.
	s.drawer = w
	return s
}

// data draws the data of a session: a title, and some other members in their usual order.
func (w *drawer) data(rng *rand.Rand) envs.Args {
	data := envs.Object(title, w.text(rng, title))
	w.titles = append(w.titles, data[0].Value.(string))

	chosen := rng.Perm(len(keys))[:furtherKeys]
	slices.Sort(chosen)

	for _, i := range chosen {
		data = data.With(keys[i], w.text(rng, keys[i]))
	}
	return data
}

// text draws a value of data; a title is a new one. Numbers are texts.
func (w *drawer) text(rng *rand.Rand, key string) string {
	switch key {
	case title:
		text := stategen.Pick(rng, w.Domain.titles)

		// After that many draws most titles must be taken.
		for n := 2; slices.Contains(w.titles, text); n++ {
			if text = stategen.Pick(rng, w.Domain.titles); n > len(w.Domain.titles) {
				text = fmt.Sprintf("%s, part %d", text, n)
			}
		}

		return text
	case "description":
		return stategen.Pick(rng, w.descriptions)
	}
	return strconv.Itoa(1 + rng.IntN(mostCount))
}

// sharing returns data with one member, if both have it, taken from a session, so that a search
// finds several.
func sharing(rng *rand.Rand, data, like envs.Args) envs.Args {
	other := like.Object("data")
	i := 1 + rng.IntN(len(data)-1)

	if text, ok := other.Get(data[i].Name); ok {
		data[i].Value = text
	}
	return data
}

// between returns a random number from least to most, inclusive.
func between(rng *rand.Rand, least, most int) int { return least + rng.IntN(most-least+1) }
