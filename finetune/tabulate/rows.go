package tabulate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Row is the keys and figures of a group, by name: texts and numbers. A figure without data is
// missing.
type Row map[string]any

// RowsOf returns structs as rows, by their names in JSON: a.b is the key b of the object a.
func RowsOf[T any](all []T) []Row {
	text, err := json.Marshal(all)
	if err != nil {
		panic(fmt.Sprintf("tabulate: rows of %T: %v", all, err))
	}

	var objects []map[string]any
	if err := json.Unmarshal(text, &objects); err != nil {
		panic(fmt.Sprintf("tabulate: rows of %T: %v", all, err))
	}

	rows := make([]Row, len(objects))
	for i, object := range objects {
		rows[i] = Row{}
		rows[i].flatten("", object)
	}

	return rows
}

func (r Row) flatten(prefix string, object map[string]any) {
	for key, value := range object {
		if inner, ok := value.(map[string]any); ok {
			r.flatten(prefix+key+".", inner)
			continue
		}

		r[prefix+key] = value
	}
}

// As returns rows as structs, the inverse of RowsOf.
func As[T any](rows []Row) []T {
	objects := make([]map[string]any, len(rows))

	for i, row := range rows {
		objects[i] = map[string]any{}

		for name, value := range row {
			object := objects[i]

			// A name with points is a path of objects, which RowsOf had flattened.
			for {
				outer, inner, ok := strings.Cut(name, ".")
				if !ok {
					break
				}

				if object[outer] == nil {
					object[outer] = map[string]any{}
				}

				object, name = object[outer].(map[string]any), inner
			}

			object[name] = value
		}
	}

	// RowsOf goes through JSON, so this does, too: names and types are then the same both ways.
	text, err := json.Marshal(objects)

	all := []T{}
	if err = cmp.Or(err, json.Unmarshal(text, &all)); err != nil {
		panic(fmt.Sprintf("tabulate: rows as %T: %v", all, err))
	}
	return all
}

// Text returns a text; "" if it is missing.
func (r Row) Text(name string) string {
	text, _ := r[name].(string)
	return text
}

// Number returns a figure; 0 if it is missing.
func (r Row) Number(name string) float64 {
	n, _ := r[name].(float64)
	return n
}

// Has reports whether a key or figure is present.
func (r Row) Has(name string) bool {
	_, ok := r[name]
	return ok
}

// Texts returns some texts.
func (r Row) Texts(names []string) []string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = r.Text(name)
	}
	return texts
}

// Distinct returns the values that rows have, in the order in which they occur.
func Distinct[T any, V comparable](rows []T, value func(T) V) []V {
	var values []V

	for _, row := range rows {
		if v := value(row); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}

	return values
}

// group is the rows of a source that have the same keys.
type group struct {
	row     Row
	members []int // rows of the source
}

// Rows returns a row for each group of a source. Sorted by keys, they are in the order in which
// each value came first, totals last.
func (t *Table) Rows(s *Source) []Row {
	groups := t.groups(s)
	rows := make([]Row, len(groups))

	for i, g := range groups {
		for _, c := range t.Columns {
			c.figure(t, s, g)
		}

		rows[i] = g.row
	}

	t.parts(rows)

	if t.Pairs != nil {
		t.compare(s, groups)
	}
	return rows
}

// groups returns the groups of a source, including totals.
func (t *Table) groups(s *Source) []*group {
	var groups []*group

	places := map[string]*group{}
	ranks := make([]map[string]int, len(t.By))

	// Totals sort after every value: a key has at most as many values as there are rows.
	for i := range ranks {
		ranks[i] = map[string]int{All: s.Len()}
	}

	add := func(keys []string, row int) {
		name := strings.Join(keys, "\x00")
		if places[name] == nil {
			places[name] = &group{row: Row{}}
			groups = append(groups, places[name])

			for i, key := range t.By {
				places[name].row[key] = keys[i]
			}
		}

		places[name].members = append(places[name].members, row)
	}

	for i := range s.Len() {
		if t.Where != "" && s.number(i, t.Where) == 0 {
			continue
		}

		keys := make([]string, len(t.By))
		for k, key := range t.By {
			keys[k] = s.text(i, key)
			if _, ok := ranks[k][keys[k]]; !ok {
				ranks[k][keys[k]] = len(ranks[k])
			}
		}

		add(keys, i)

		// A total is counted from rows, not added up from groups: a question in two groups is one.
		for _, total := range t.Totals {
			add(t.withAll(keys, total), i)
		}
	}

	// Only now is it known which keys have a single value, whose total would repeat its row.
	groups = slices.DeleteFunc(groups, func(g *group) bool {
		return !t.Both && t.isRepeated(g, ranks)
	})

	slices.SortStableFunc(groups, func(a, b *group) int {
		for _, key := range t.Order { // without keys they stay in order of appearance
			rank := ranks[slices.Index(t.By, key)]
			if c := cmp.Compare(rank[a.row.Text(key)], rank[b.row.Text(key)]); c != 0 {
				return c
			}
		}

		return 0
	})
	return groups
}

// withAll returns keys with some replaced by "all".
func (t *Table) withAll(keys, total []string) []string {
	keys = slices.Clone(keys)
	for _, key := range total {
		keys[slices.Index(t.By, key)] = All
	}
	return keys
}

// isRepeated reports whether a row is to go because another one says the same: if a key has a
// single value with a name, only one of the value and the total over it stays.
func (t *Table) isRepeated(g *group, ranks []map[string]int) bool {
	for i, key := range t.By {
		isTotal := func(total []string) bool { return slices.Contains(total, key) }
		if _, unnamed := ranks[i][""]; len(ranks[i]) != 2 || unnamed ||
			!slices.ContainsFunc(t.Totals, isTotal) {
			continue
		}

		if (g.row.Text(key) == All) != t.Single {
			return true
		}
	}
	return false
}

// figure adds the figure of a column to a group.
func (c *Column) figure(t *Table, s *Source, g *group) {
	switch {
	case c.Sum != "" || c.Part != "":
		// A column has one of the two. Parts are divided by their whole later, once every sum is
		// known.
		sum := 0.0
		for _, i := range g.members {
			sum += s.number(i, c.Sum+c.Part)
		}

		g.row[c.Name] = sum
	case c.Cells:
		g.row[c.Name] = float64(len(sampleOf(c.strata(t, s, g.members, c.Of)).strata))
	case c.Count != "":
		g.row[c.Name] = float64(len(c.distinct(s, g.members)))
	case c.Mean != "":
		// A mean of nothing stays missing. Positive is for counts that a server may not have made:
		// their 0 is missing, too.
		if m := sampleOf(c.strata(t, s, g.members, c.Mean)); len(m.strata) > 0 &&
			(m.share() > 0 || !c.Positive) {
			g.row[c.Name] = m.share()
		}
	case c.Rate != "":
		r := RateOf(c.strata(t, s, g.members, c.Rate)...)

		// If nothing was measured, the interval excludes nothing; a share of 0 would be wrong.
		if g.row[c.Low], g.row[c.High] = r.Low, r.High; r.Strata > 0 {
			g.row[c.Name] = r.Share
		}
	case c.Deviation != "":
		if deviation, ok := c.deviation(t, s, g.members); ok {
			g.row[c.Name] = deviation
		}
	case c.First != "":
		for _, i := range g.members {
			if text := s.text(i, c.First); text != "" {
				g.row[c.Name] = text
				break
			}
		}
	}
}

// distinct returns the values of what is counted.
func (c *Column) distinct(s *Source, members []int) map[string]bool {
	values := map[string]bool{}

	for _, i := range members {
		if s.number(i, c.Of) > 0 {
			values[s.text(i, c.Count)] = true
		}
	}

	return values
}

// strata returns the trials of a mean, by stratum and cluster.
func (c *Column) strata(t *Table, s *Source, members []int, of string) [][]Cluster {
	// Both levels keep order of appearance, because sums of fractions depend on the order.
	var strata [][]Cluster

	places := map[string]int{}
	clusters := map[[2]string]int{}

	for _, i := range members {
		trials := s.number(i, c.Of)

		// A row without trials, such as a lost episode, counts nowhere.
		if trials == 0 {
			continue
		}

		stratum := ""
		for _, key := range t.Strata {
			stratum += s.text(i, key) + "\x00"
		}

		at, ok := places[stratum]
		if !ok {
			at = len(strata)
			places[stratum] = at
			strata = append(strata, nil)
		}

		// The same template in two strata is two clusters: each stratum has a spread of its own.
		cluster := [2]string{stratum}
		if t.Cluster != "" {
			cluster[1] = s.text(i, t.Cluster)
		}

		k, ok := clusters[cluster]
		if !ok {
			k = len(strata[at])
			clusters[cluster] = k
			strata[at] = append(strata[at], Cluster{})
		}

		strata[at][k].Successes += s.number(i, of)
		strata[at][k].Trials += trials
	}
	return strata
}

// deviation returns the standard deviation of the means in the groups by Over. One group has none.
func (c *Column) deviation(t *Table, s *Source, members []int) (float64, bool) {
	groups := map[string][]int{}

	// Sums of fractions depend on their order, and a map has none.
	var order []string

	for _, i := range members {
		key := s.text(i, c.Over)
		if groups[key] == nil {
			order = append(order, key)
		}

		groups[key] = append(groups[key], i)
	}

	var means []float64

	for _, key := range order {
		if m := sampleOf(c.strata(t, s, groups[key], c.Deviation)); len(m.strata) > 0 {
			means = append(means, m.share())
		}
	}

	// Of a population one mean is all there is, and its deviation 0; of a sample it tells nothing.
	switch {
	case len(means) == 0:
		return 0, false
	case c.Population:
		return stat.PopStdDev(means, nil), true
	case len(means) == 1:
		return 0, false
	}

	return stat.StdDev(means, nil), true
}

// parts divides sums by those of all rows with the same keys up to Over.
func (t *Table) parts(rows []Row) {
	for _, c := range t.Columns {
		if c.Part == "" {
			continue
		}

		keys := t.By[:slices.Index(t.By, c.Over)+1]
		sums := map[string]float64{}

		for _, row := range rows {
			sums[strings.Join(row.Texts(keys), "\x00")] += row.Number(c.Name)
		}

		for _, row := range rows {
			if sum := sums[strings.Join(row.Texts(keys), "\x00")]; sum > 0 {
				row[c.Name] = row.Number(c.Name) / sum
			}
		}
	}
}
