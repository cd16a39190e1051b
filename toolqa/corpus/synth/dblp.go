package synth

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/exact"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// The published sizes of the two graphs.
const (
	dblpFullPapers  = 553_320
	dblpFullAuthors = 355_368
)

// dblpPart returns the generator of n papers and the graphs over them.
func dblpPart(rng *rand.Rand, n int) layout.Part {
	return func(ctx context.Context, put func(table string, values ...any) error) error {
		return newDBLPSynth(rng, n).write(ctx, &layout.DBLPWriter{Put: put})
	}
}

// dblpSynth makes papers in ascending order of their citations, which is the order in which the
// published graphs were made. It holds the edges of both graphs and the names of the authors, not
// the papers.
type dblpSynth struct {
	*world
	orgs []any
	n    int // papers

	authors  []dblpPerson
	expected int // how many authors there will be
	burst    int // how many of them come together next

	team    layout.Grouped  // the authors of each paper so far
	net     *layout.Network // AuthorNet
	cites   layout.Grouped  // what each paper cites: papers, and from n on older ones
	citedBy []uint32        // of each paper
	older   int             // how many older papers are cited
	counts  []int32         // the citations of each paper
}

// dblpPerson is an author with an id.
type dblpPerson struct {
	name   string
	org    uint32
	topic  uint16
	papers uint16
}

func newDBLPSynth(rng *rand.Rand, n int) *dblpSynth {
	authors := max(1, int(math.Round(float64(n)*dblpFullAuthors/dblpFullPapers)))
	s := &dblpSynth{
		world: newWorld(toolqa.DBLP, rng, n), n: n, expected: authors, burst: 1, net: layout.NewNetwork(authors),
		citedBy: make([]uint32, n), counts: make([]int32, n), team: layout.Grouped{Starts: []uint32{0}},
	}
	s.orgs = s.get("organizations").(*list).items

	return s
}

// write draws both graphs and writes them.
func (s *dblpSynth) write(ctx context.Context, w *layout.DBLPWriter) error {
	// Citations come before all rows: a paper's row says how many papers cite it, also later ones.
	if err := s.cite(ctx); err != nil {
		return err
	}

	titles := make(map[string]uint32, s.n)
	var attributes []byte

	for i := range s.n {
		// In this order: the topic of a paper is that of its first author.
		people := s.people(i)
		p := s.paper(i)
		s.net.Add(uint32(i), s.team.List(i))

		attributes = layout.AppendAttributes(attributes[:0], p, s.makers(people))
		if err := w.Paper(s.key(1, i), p.Title, attributes, s.cites.List(i), s.citedBy[i]); err != nil {
			return err
		}

		titles[p.Title] = uint32(i) // of several papers, the tools know the last
	}

	for i := range s.older {
		if err := w.Older(s.key(1, s.n+i), nil); err != nil {
			return err
		}
	}

	if err := w.Found("titles", titles); err != nil {
		return err
	}
	return s.writeAuthors(w)
}

// writeAuthors writes AuthorNet and its names.
func (s *dblpSynth) writeAuthors(w *layout.DBLPWriter) error {
	// No edge is added any more, and the index is large.
	s.net.Index = nil
	neighbours := s.net.Neighbours()
	names := make(map[string]uint32, len(s.authors))

	var attributes []byte
	for i, a := range s.authors {
		attributes = layout.AppendOrg(attributes[:0], s.org(a.org))
		if err := w.Author(s.key(2, i), &a.name, attributes, neighbours.List(i)); err != nil {
			return err
		}

		names[a.name] = uint32(i) // of homonyms, the tools know the last
	}

	if err := w.Found("names", names); err != nil {
		return err
	}

	papers := s.net.Papers()
	var citations []int32

	for e, ends := range s.net.Ends {
		entries := papers.List(e)

		citations = citations[:0]
		for _, p := range entries {
			citations = append(citations, s.counts[p])
		}

		// One entry, and two for each further paper: as many as the weight says.
		if err := w.Edge(ends[0], ends[1], len(entries), entries, citations); err != nil {
			return err
		}
	}

	return nil
}

// key returns a published id: 24 hexadecimal digits, different for every number of a kind.
func (s *dblpSynth) key(kind uint64, number int) string {
	x := s.salt + kind<<40 + uint64(number)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9 // an invertible mix
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return fmt.Sprintf("%08x%016x", 0x53f00000+kind<<16|uint64(number)&0xffff, x^x>>31)
}

// cite makes PaperNet: most papers cite some tens of others, mostly older ones, and popular papers
// are cited more.
func (s *dblpSynth) cite(ctx context.Context) error {
	// The older papers that might be cited. They are numbered when one first is: the others are not
	// in the graph.
	pool := max(8, s.n+s.n/10)
	numbers := make([]uint32, pool) // by their place in the pool, from 1; 0 for those not cited yet

	s.cites.Starts = make([]uint32, 1, s.n+1)
	for i := range s.n {
		if err := ctx.Err(); err != nil {
			return err
		}

		start := len(s.cites.All)
		for range s.references() {
			// Papers are in ascending order of their citations, so the square favours popular ones.
			cited := uint32(s.n - 1 - int(float64(s.n)*math.Pow(s.rng.Float64(), 2)))
			if s.rng.Float64() < 0.8 {
				// exact.Pow, so that every machine makes the same corpus.
				k := int(float64(pool) * exact.Pow(s.rng.Float64(), 2.2))
				if numbers[k] == 0 {
					s.older++
					numbers[k] = uint32(s.older)
				}

				cited = uint32(s.n) + numbers[k] - 1
			}

			if int(cited) == i || slices.Contains(s.cites.All[start:], cited) {
				continue
			}

			s.cites.All = append(s.cites.All, cited)
			if int(cited) < s.n {
				s.citedBy[cited]++
			}
		}

		s.cites.Starts = append(s.cites.Starts, uint32(len(s.cites.All)))
	}
	return nil
}

// references draws how many papers a paper cites. For three papers in ten none are known.
func (s *dblpSynth) references() int {
	if s.rng.Float64() < 0.3 {
		return 0
	}
	return min(300, int(exact.Exp(2.6+float64(0.65*s.rng.NormFloat64()))))
}

// slot is one author of a paper; number -1 is one without an id.
type slot struct {
	number int
	name   string
	org    string
}

// people draws the authors of paper i: a team that wrote a paper before, or new people, or both.
func (s *dblpSynth) people(i int) []slot {
	size := 1 + min(24, int(s.rng.ExpFloat64()*2.9))

	var team []uint32
	if i > 0 && s.rng.Float64() < 0.8 {
		for _, a := range s.team.List(s.rng.IntN(i)) {
			if len(team) < size && s.rng.Float64() < 0.8 && s.accepts(a) {
				team = append(team, a)
			}
		}
	}

	// New people appear at a steady rate, some at once: a new group, or students of one.
	known := uint32(len(s.authors))

	due := s.expected*(i+1)/s.n - len(s.authors)
	if due >= s.burst || i == s.n-1 || len(s.authors) == 0 {
		for range min(max(1, due), s.expected-len(s.authors)) {
			team = append(team, s.newcomer(team))
		}

		s.burst = 1 + s.rng.IntN(5)
	}

	// Guests join while there is room. A paper that has no author yet tries harder to find one.
	for tries := 0; len(team) < size &&
		(tries < size && s.rng.Float64() < 0.4 || len(team) == 0 && tries < 20); tries++ {
		a := uint32(s.rng.IntN(len(s.authors)))
		// Half of the guests are well known: drawn from the authors of all papers so far, where
		// those who wrote more occur more often.
		if s.rng.IntN(2) == 0 && len(s.team.All) > 0 {
			a = s.team.All[s.rng.IntN(len(s.team.All))]
		}

		if s.accepts(a) && !slices.Contains(team, a) {
			team = append(team, a)
		}
	}

	s.rng.Shuffle(len(team), func(a, b int) { team[a], team[b] = team[b], team[a] })

	// Authors are numbered in the order in which papers list them, which the shuffle has changed.
	newcomer := known
	for k, a := range team {
		if a >= known {
			team[k] = newcomer
			newcomer++
		}
	}

	s.team.All = append(s.team.All, team...)
	s.team.Starts = append(s.team.Starts, uint32(len(s.team.All)))

	slots := make([]slot, 0, len(team)+1)
	for _, a := range team {
		slots = append(slots, s.slotOf(a))
	}

	// Some papers have an author without an id, whom AuthorNet does not know.
	if s.rng.Float64() < 0.12 {
		slots = slices.Insert(slots, s.rng.IntN(len(slots)+1), slot{-1, s.draw("person"), s.org(s.orgNumber())})
	}
	return slots
}

func (s *dblpSynth) topic() int { return s.rng.IntN(len(s.get("fields").(*list).items)) }

// orgNumber draws an organization; three of ten are none, which is 0.
func (s *dblpSynth) orgNumber() uint32 {
	if s.rng.Float64() < 0.3 {
		return 0
	}
	return 1 + uint32(float64(len(s.orgs))*math.Pow(s.rng.Float64(), 2))
}

func (s *dblpSynth) org(number uint32) string {
	if number == 0 {
		return ""
	}
	return textOf(s.orgs[number-1].(*record).values["organization"])
}

// accepts reports whether an author has time for one more paper. It limits the most active to some
// hundred papers.
func (s *dblpSynth) accepts(a uint32) bool {
	return s.rng.Float64() < exact.Exp(-float64(s.authors[a].papers)/40)
}

// newcomer adds an author, who is of the organization and the topic of the first of the team.
func (s *dblpSynth) newcomer(team []uint32) uint32 {
	p := dblpPerson{name: s.draw("person"), org: s.orgNumber(), topic: uint16(s.topic())}
	if len(team) > 0 {
		first := s.authors[team[0]]

		p.topic = first.topic
		if s.rng.Float64() < 0.7 {
			p.org = first.org
		}
	}

	s.authors = append(s.authors, p)
	return uint32(len(s.authors) - 1)
}

// slotOf returns how a paper names an author. The first one is what the graph knows; later ones may
// differ.
func (s *dblpSynth) slotOf(a uint32) slot {
	p := &s.authors[a]
	p.papers++

	named := slot{int(a), p.name, s.org(p.org)}
	if p.papers == 1 {
		return named
	}

	switch x := s.rng.Float64(); {
	case x < 0.1:
		named.org = ""
	case x < 0.15:
		named.org = s.org(s.orgNumber())
	case x < 0.17:
		if given, family, ok := strings.Cut(p.name, " "); ok {
			named.name = string([]rune(given)[:1]) + ". " + family
		}
	}

	return named
}

func (s *dblpSynth) makers(slots []slot) []layout.DBLPMaker {
	makers := make([]layout.DBLPMaker, len(slots))
	for i, p := range slots {
		makers[i] = layout.DBLPMaker{Name: p.name, Org: p.org}
		if p.number >= 0 {
			makers[i].ID = s.key(2, p.number)
		}
	}

	return makers
}

// paper draws what paper i says about itself.
func (s *dblpSynth) paper(i int) layout.Paper {
	topic := s.topic()
	if team := s.team.List(i); len(team) > 0 && s.rng.Float64() < 0.8 {
		topic = int(s.authors[team[0]].topic)
	}

	s.set("topic", float64(topic))
	s.evaluate(s.row)

	p := layout.Paper{
		Title:     textOf(s.get("title")),
		Year:      2021 + min(2, int(s.rng.ExpFloat64()*0.8)),
		Venue:     textOf(s.get("venue")),
		NCitation: s.citations(i),
		DocType:   textOf(s.get("doc_type")),
		PageStart: textOf(s.field(s.get("pages"), "first")),
		PageEnd:   textOf(s.field(s.get("pages"), "last")),
	}
	for _, k := range s.get("keywords").(*list).items {
		p.Keywords = append(p.Keywords, textOf(k))
	}

	s.counts[i] = int32(p.NCitation)
	return p
}

// citations returns the citations of paper i of n in ascending order: two of five papers have none,
// and the rest are spread by a power law.
func (s *dblpSynth) citations(i int) int {
	const none, exponent = 0.38, -0.72

	u := (float64(i) + 0.5) / float64(s.n)
	if u < none {
		return 0
	}
	return int(1.6 * exact.Pow((1-u)/(1-none), exponent))
}
