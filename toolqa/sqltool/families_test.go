package sqltool

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"toolevo/envs"
	"toolevo/toolqa/corpus"
)

//go:embed testdata/attacks.yaml
var attacks []byte

// family is many statements that try the same.
type family struct {
	Tries string
	Ends  string
	SQL   string `yaml:"sql"`
	Slots map[string][]string
}

// deepest is how often a text stands that is to stand deep inside of itself.
const deepest = 900

var deep = regexp.MustCompile(`\{deep ([^}]*)\}`)

// statements are the family's text with every combination of what its slots may have.
func (f family) statements() []string {
	all := []string{f.SQL}

	for _, name := range slices.Sorted(maps.Keys(f.Slots)) {
		var filled []string

		for _, sql := range all {
			for _, value := range f.Slots[name] {
				filled = append(filled, strings.ReplaceAll(sql, "{"+name+"}", value))
			}
		}

		all = filled
	}

	for i, sql := range all {
		all[i] = deep.ReplaceAllStringFunc(sql, func(text string) string {
			return strings.Repeat(deep.FindStringSubmatch(text)[1], deepest)
		})
	}

	return all
}

// attackedByFamilies runs the statements of all families: each ends as it must, and harms nobody.
func attackedByFamilies(t *testing.T, corpora []*corpus.Corpus) {
	var families []family
	if err := yaml.UnmarshalWithOptions(attacks, &families, yaml.DisallowUnknownField()); err != nil {
		t.Fatal(err)
	}

	// What is refused has all the time it wants, and needs none.
	refusing := interpreter(t, Options{Timeout: time.Hour, Conns: 1}, corpora...)
	stopping := interpreter(t, Options{Timeout: 40 * time.Millisecond, Conns: 1, MaxSpill: 16 << 20, MaxRows: 1000},
		corpora...)
	count, ends := 0, map[string]int{}

	for _, f := range families {
		in := stopping
		if f.Ends == "refused" {
			in = refusing
		}

		for _, sql := range f.statements() {
			got := query(t, in, sql)

			end := ending(got)
			if end != f.Ends && f.Ends != "either" {
				t.Errorf("%s: %.300s: %s: %v %.200q", f.Tries, sql, end, got.Outcome, got.Observation)
			}

			unharmed(t, in, sql)

			count++
			ends[end]++
		}
	}

	t.Logf("%d statements: %v", count, ends)

	if count < 300 {
		t.Errorf("%d statements, want 300 at least", count)
	}
}

// ending says how a statement ended.
func ending(r envs.Result) string {
	switch {
	case r.Outcome == envs.OK:
		return "result"
	case r.Observation == wrongSQL:
		return "refused"
	case strings.HasPrefix(r.Observation, "The SQL command "), strings.Contains(r.Observation, "[The output was cut"):
		return "stopped"
	}

	return "unknown"
}
