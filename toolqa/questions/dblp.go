package questions

import "slices"

// A title or a name means what the tools find under it: of several papers of a title the most cited
// one, of homonyms the one who appears last. The published answers are those of another node where
// the question was drawn from one; such a question cannot be answered. Nor can one about a paper
// before 2021, which the tools do not know by its title.

var neighbours = newQuery(`SELECT e.first + e.second - a.id FROM authors AS a, json_each(a.edges) AS j
	JOIN edges AS e ON e.id = j.value WHERE a.id = :author`, "author")

// distance returns the number of steps from one author to another, by a search from both ends; nil
// if there is no way.
func (c *Corpus) distance(from, to int64) (any, error) {
	seen, other := map[int64]bool{from: true}, map[int64]bool{to: true}
	front, far := []int64{from}, []int64{to}

	for length := 1; len(front) > 0 && len(far) > 0; length++ {
		// Growing the smaller front looks at fewer authors.
		if len(front) > len(far) {
			seen, other, front, far = other, seen, far, front
		}

		var next []int64
		met := false

		for _, author := range front {
			err := neighbours.each(c, map[string]any{"author": author}, func(_ []string, row []any) {
				n := row[0].(int64)
				met = met || other[n]

				if !seen[n] {
					seen[n] = true
					next = append(next, n)
				}
			})
			// No way is shorter: an earlier round would have met on it.
			if err != nil || met {
				return length, err
			}
		}

		front = next
	}
	return nil, nil
}

// soloists finds the authors of a paper that no edge of AuthorNet has, since nobody else with an id
// wrote it.
var soloists = newQuery(`SELECT id FROM authors WHERE key IN (SELECT MAX(maker) FROM (SELECT p.id,
	CAST(json_extract(j.value, '$.id') AS TEXT) AS maker FROM papers AS p, json_each(p.attributes, '$.authors') AS j)
	WHERE maker <> '' GROUP BY id HAVING COUNT(DISTINCT maker) = 1) ORDER BY id`)

// alone reports whether an author is one of them. What an author wrote is what the tools show of
// it, the papers on the edges, and an answer is right in any reading only if there are no others.
func (c *Corpus) alone(author int64) (bool, error) {
	authors, err := c.list(soloists)
	_, found := slices.BinarySearch(authors, author)
	return found, err
}
