package questions

import (
	"strconv"
	"sync"

	"toolevo/toolqa/corpus"
)

// network is the two graphs of the dblp corpus as questions are drawn from them. It is immutable and safe for
// concurrent use.
//
// A title or a name means what the tools find under it: of several papers of a title the most cited one, of
// homonyms the one who appears last. The published answers are those of another node where the question was
// drawn from one; such a question cannot be answered. Nor can one about a paper before 2021, which the tools
// do not know by its title.
//
// What an author wrote is what the tools show of it: the papers with somebody who is in AuthorNet. Questions
// are drawn about people who wrote no other, so that the answer is right in any reading.
type network struct {
	*corpus.DBLP
	alone func() []bool // the authors with a paper that no edge has, made when first needed
}

// newNetwork returns the view of both graphs.
func newNetwork(d *corpus.DBLP) *network {
	return &network{d, sync.OnceValue(func() []bool { return soloAuthors(d) })}
}

// soloAuthors returns for each author whether they have a paper with no other author who has an ID.
func soloAuthors(d *corpus.DBLP) []bool {
	alone := make([]bool, d.Authors())
	for i := range d.Papers() {
		only, joint := -1, false

		for _, a := range d.Paper(i).Authors {
			if a < 0 {
				continue
			}

			joint = joint || only >= 0 && a != only
			only = a
		}

		if only >= 0 && !joint {
			alone[only] = true
		}
	}

	return alone
}

// author returns whom the tools find under a name. Nobody can say how many collaborators or papers an author has who is
// joined to themselves by a paper that lists them twice.
func (n *network) author(name string) (int, error) {
	i, ok := n.AuthorNamed(name)
	if !ok || n.Degree(i) != n.Neighbours(i) {
		return 0, errNoAnswer
	}

	return i, nil
}

// distance is the rule of how many steps it is from one author to another: a search through the whole network.
func distance(c *Corpus, s slotValues) (string, error) {
	from, err := c.network.author(s.get("first"))
	if err != nil {
		return "", err
	}

	to, err := c.network.author(s.get("second"))
	if err != nil || from == to {
		return "", errNoAnswer
	}

	seen := map[int]bool{from: true}
	for front, length := []int{from}, 1; len(front) > 0; length++ {
		var next []int

		for _, a := range front {
			for b := range c.network.NeighboursOf(a) {
				if b == to {
					return strconv.Itoa(length), nil
				}

				if !seen[b] {
					seen[b] = true
					next = append(next, b)
				}
			}
		}

		front = next
	}

	return "", errNoAnswer
}
