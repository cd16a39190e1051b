package silent

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
)

// inside returns a value in which each value under one of some names, at any depth, is replaced. In
// place of a list, its items are.
func inside(v any, names []string, replace func(any) any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = inside(item, names, replace)
		}
		return list
	case envs.Args:
		return members(v, names, replace)
	}
	return v
}

// members is inside for an object.
func members(object envs.Args, names []string, replace func(any) any) envs.Args {
	changed := make(envs.Args, len(object))

	for i, m := range object {
		list, isList := m.Value.([]any)
		_, isObject := m.Value.(envs.Args)

		switch {
		case isObject || !slices.Contains(names, m.Name):
			m.Value = inside(m.Value, names, replace)
		case isList:
			items := make([]any, len(list))
			for k, item := range list {
				items[k] = replace(item)
			}

			m.Value = items
		default:
			m.Value = replace(m.Value)
		}

		changed[i] = m
	}
	return changed
}

// conditions replaces the values under some names in a text of conditions, such as
// "Date>=2020-01-02, Open<5".
func conditions(text string, names []string, replace func(any) any) string {
	pieces := strings.Split(text, ", ")
	for i, piece := range pieces {
		at := condition.FindStringSubmatchIndex(piece)
		if at == nil || !slices.Contains(names, piece[at[2]:at[3]]) {
			continue
		}

		if value, ok := replace(piece[at[4]:at[5]]).(string); ok {
			pieces[i] = piece[:at[4]] + value + piece[at[5]:]
		}
	}
	return strings.Join(pieces, ", ")
}

// condition matches a column, a relation and a value.
var condition = regexp.MustCompile(`^\s*([^<>=]+?)\s*(?:>=|<=|>|<|=)\s*(.*?)\s*$`)

// Where is what a recoding affects.
type Where struct {
	Fields     []string `yaml:"fields,flow"`          // names of members, and of parameters
	Conditions string   `yaml:"conditions,omitempty"` // a parameter with conditions on them, or ""
	SQL        string   `yaml:"sql,omitempty"`        // a parameter that queries them, or ""
}

// recoded returns the effect of a change of the values under some names. former is the inverse in
// SQL: what a column was, with $ for the column.
func (w Where) recoded(now, was func(any) any, note func() string, former string) effect {
	asked := func() query { return newQuery(w.Fields, note(), former) }
	e := ofValues(
		func(v any) any { return inside(v, w.Fields, now) },
		func(v any) any { return inside(v, w.Fields, was) },
	)
	e.lift = func(call envs.Args) envs.Args {
		return w.arguments(call, now, func(sql string) string { return asked().lift(sql) })
	}
	e.lower = func(call envs.Args) envs.Args {
		return w.arguments(call, was, func(sql string) string { return asked().lower(sql) })
	}

	return e
}

// arguments recodes the arguments of a call.
func (w Where) arguments(call envs.Args, replace func(any) any, query func(string) string) envs.Args {
	changed := members(call, w.Fields, replace)

	for i, arg := range changed {
		text, isText := arg.Value.(string)

		switch {
		case !isText || arg.Name == "":
		case arg.Name == w.Conditions:
			changed[i].Value = conditions(text, w.Fields, replace)
		case arg.Name == w.SQL:
			changed[i].Value = query(text)
		}
	}

	return changed
}

func (w Where) check() error {
	if len(w.Fields) == 0 {
		return errors.New("a silent change names no field")
	}
	return nil
}

// What a note has between names and the parameter with conditions on them, or that queries tables.
const (
	alsoIn   = ", also in "
	tablesOf = ", also in the tables of "
)

// list writes the names as notes do.
func (w Where) list() string {
	list := strings.Join(w.Fields, ", ")
	if w.Conditions != "" {
		list += alsoIn + w.Conditions
	}

	if w.SQL != "" {
		list += tablesOf + w.SQL
	}
	return list
}

// match reads the names of a note, and returns the groups of its pattern.
func (w *Where) match(pattern *regexp.Regexp, note string) []string {
	groups := pattern.FindStringSubmatch(note)
	if groups == nil {
		return nil
	}

	list, sql, _ := strings.Cut(groups[1], tablesOf)
	list, conditions, _ := strings.Cut(list, alsoIn)
	w.Fields, w.Conditions, w.SQL = strings.Split(list, ", "), conditions, sql
	return groups
}

// Scaled makes numbers, and texts that are numbers, 10^Zeros times as large.
type Scaled struct {
	Where `yaml:",inline"`
	Zeros int `yaml:"zeros"`
}

func (s *Scaled) effect() effect {
	return s.recoded(
		func(v any) any { return scaled(v, s.Zeros) },
		func(v any) any { return scaled(v, -s.Zeros) },
		s.note, "$ / 1"+strings.Repeat("0", s.Zeros),
	)
}

func (s *Scaled) note() string {
	return fmt.Sprintf("%s: numbers are 1%s times what they were.", s.list(), strings.Repeat("0", s.Zeros))
}

var scaledNote = regexp.MustCompile(`^(.+): numbers are 1(0+) times what they were\.$`)

func (s *Scaled) read(note string) bool {
	groups := s.match(scaledNote, note)
	if groups != nil {
		s.Zeros = len(groups[2])
	}
	return groups != nil
}

func (s *Scaled) check() error {
	if s.Zeros < 1 {
		return errors.New("scaled wants zeros")
	}
	return s.Where.check()
}

// Swapped makes texts trade places.
type Swapped struct {
	Where  `yaml:",inline"`
	Values map[string]string `yaml:"values,flow"` // each pair once
}

func (s *Swapped) effect() effect { return s.recoded(s.swap, s.swap, s.note, "$") }

func (s *Swapped) swap(v any) any {
	for one, other := range s.Values {
		switch v {
		case one:
			return other
		case other:
			return one
		}
	}

	return v
}

func (s *Swapped) note() string {
	var pairs []string
	for _, one := range slices.Sorted(maps.Keys(s.Values)) {
		pairs = append(pairs, fmt.Sprintf("%q and %q", one, s.Values[one]))
	}
	return fmt.Sprintf("%s: %s have traded places.", s.list(), strings.Join(pairs, ", "))
}

var (
	swappedNote = regexp.MustCompile(`^(.+?): (".+") have traded places\.$`)
	swappedPair = regexp.MustCompile(`"([^"]+)" and "([^"]+)"`)
)

func (s *Swapped) read(note string) bool {
	groups := s.match(swappedNote, note)
	if groups == nil {
		return false
	}

	s.Values = map[string]string{}
	for _, pair := range swappedPair.FindAllStringSubmatch(groups[2], -1) {
		s.Values[pair[1]] = pair[2]
	}
	return len(s.Values) > 0
}

func (s *Swapped) check() error {
	both := slices.Concat(slices.Collect(maps.Keys(s.Values)), slices.Collect(maps.Values(s.Values)))
	slices.Sort(both)

	if s.SQL != "" {
		return errors.New("swapped has no tables: say nothing of sql")
	}

	if len(both) == 0 || len(slices.Compact(both)) != 2*len(s.Values) {
		return errors.New("swapped wants pairs of values, each value once")
	}
	return s.Where.check()
}

// Quoted makes numbers texts, and texts that are numbers numbers.
type Quoted struct {
	Where `yaml:",inline"`
}

func (q *Quoted) effect() effect {
	change := func(v any) any { return inside(v, q.Fields, quoted) }
	return ofValues(change, change)
}

func (q *Quoted) note() string {
	return q.list() + `: a number is written as a text, "12", and a text that is a number as a number.`
}

var quotedNote = regexp.MustCompile(`^(.+): a number is written as a text, "12", and a text that is a number as a number\.$`)

func (q *Quoted) read(note string) bool { return q.match(quotedNote, note) != nil }

// Dated puts the day before month and year.
type Dated struct {
	Where `yaml:",inline"`
}

func (d *Dated) effect() effect { return d.recoded(dated, dated, d.note, isoDate) }

// isoDate is a date with the year first, in SQL.
const isoDate = "CONCAT(SUBSTR($, 7, 4), '-', SUBSTR($, 4, 2), '-', SUBSTR($, 1, 2), SUBSTR($, 11))"

func (d *Dated) note() string {
	return d.list() + ": dates begin with the day, 17/05/2023 for 2023-05-17."
}

var datedNote = regexp.MustCompile(`^(.+): dates begin with the day, 17/05/2023 for 2023-05-17\.$`)

func (d *Dated) read(note string) bool { return d.match(datedNote, note) != nil }

// Zoned shifts times to another time zone: times of day, with or without a date. Those without one
// wrap around at midnight.
type Zoned struct {
	Where `yaml:",inline"`
	Hours int `yaml:"hours"` // by which clocks are ahead there
}

func (z *Zoned) effect() effect {
	// DATE_SUB wants a date, any one: only the time after it is kept.
	former := fmt.Sprintf("SUBSTR(DATE_SUB(CONCAT('2000-01-02 ', $), INTERVAL %d HOUR), 12)", z.Hours)
	return z.recoded(
		func(v any) any { return zoned(v, z.Hours) },
		func(v any) any { return zoned(v, -z.Hours) },
		z.note, former,
	)
}

func (z *Zoned) note() string {
	return fmt.Sprintf("%s: times are those of a zone that is %d hours ahead.", z.list(), z.Hours)
}

var zonedNote = regexp.MustCompile(`^(.+): times are those of a zone that is (\d+) hours ahead\.$`)

func (z *Zoned) read(note string) bool {
	groups := z.match(zonedNote, note)
	if groups != nil {
		z.Hours, _ = strconv.Atoi(groups[2]) // too many digits are no zone
	}
	return groups != nil
}

func (z *Zoned) check() error {
	if z.Hours < 1 || z.Hours >= hoursOfDay {
		return errors.New("zoned wants hours, 1 to 23")
	}
	return z.Where.check()
}
