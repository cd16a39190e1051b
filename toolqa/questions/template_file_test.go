package questions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/synth"
)

// contributed is the template in CONTRIBUTING.md, as an entry of the hard questions about coffee.
func contributed(t *testing.T) string {
	t.Helper()

	text, err := os.ReadFile(filepath.Join("..", "..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}

	_, after, ok := strings.Cut(string(text), "```yaml\n  - name: ")
	entry, _, closed := strings.Cut(after, "```")

	if !ok || !closed {
		t.Fatal("CONTRIBUTING.md shows no template")
	}

	if n := strings.Count(entry, "\n"); n > 10 {
		t.Errorf("the template in CONTRIBUTING.md has %d lines, want at most 10", n)
	}
	return "  - name: " + entry
}

// coffeeFileWith is the file of coffee's templates with an entry behind the last one.
func coffeeFileWith(t *testing.T, entry string) []byte {
	t.Helper()

	text, err := os.ReadFile(filepath.Join("templates", "coffee.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return append(append(text, '\n'), entry...)
}

// TestAddedTemplate adds the template of CONTRIBUTING.md: it generates questions for every split,
// and its plan finds the answers with the tools.
func TestAddedTemplate(t *testing.T) {
	file, err := ParseTemplates("coffee.yaml", coffeeFileWith(t, contributed(t)))
	if err != nil {
		t.Fatal(err)
	}

	opened := synthetic(t, toolqa.Coffee, synth.Options{Seed: 1})
	c := mustLoad(t, opened)

	qs, err := file.templates.with(shipped()).generate(rand.New(rand.NewPCG(1, 1)), c, toolqa.Hard,
		Options{Counts: Counts{Train: 28, Dev: 14, Test: 14}})
	if err != nil {
		t.Fatal(err)
	}

	splits := map[toolqa.Split]int{}
	answers := map[string]bool{}

	for _, q := range qs {
		if q.Template == "coffee-hard/quiet-days" {
			splits[q.Split]++
			answers[q.Answer] = true
		}
	}

	if splits[toolqa.Train] != 2 || splits[toolqa.Dev] != 1 || splits[toolqa.Test] != 1 || len(answers) < 2 {
		t.Errorf("%v questions of the added template, answers %v", splits, answers)
	}

	examples, err := file.Examples(rand.New(rand.NewPCG(1, 1)), c)
	if err != nil || len(examples) != len(templatesOf(toolqa.Coffee))+1 {
		t.Errorf("%d examples, %v", len(examples), err)
	}
}

// What is wrong with a file is named with its line.
func TestParseTemplatesNamesTheLine(t *testing.T) {
	entry := contributed(t)
	first := strings.Count(string(coffeeFileWith(t, "")), "\n") + 1 // the line of the entry

	for _, tt := range []struct {
		name, from, to string
		line           int // of the entry
		want           string
	}{
		{"unknown key", "    gold:", "    golden:", 2, "golden"},
		{"unknown kind", "{start:date}", "{start:day}", 1, "{start:day}"},
		{"no rule", "gold: SELECT COUNT(*) {period} AND Volume < 10000", `gold: ""`, 2, "want a query"},
		{"unknown tool", "SQLInterpreter:", "SQLite:", 4, "SQLite is neither a tool"},
		{"unknown value", `"{days}"`, `"{nights}"`, 7, `nothing called "nights" is known`},
		{"nothing given", "        gives: days\n", "", 4, "what the result gives"},
		{"unknown reader", "gives: days", "read: dayz", 4, `no reader "dayz"`},
		{"senseless reader", "gives: days", "read: as roman days numeral", 4, `does not know "roman days numeral"`},
		{"no end", "        Finish: \"{days}\"", "        LoadDB: coffee", 7, "not Finish"},
	} {
		text := coffeeFileWith(t, strings.Replace(entry, tt.from, tt.to, 1))

		line := fmt.Sprintf(":%d:", first+tt.line)

		_, err := ParseTemplates("my.yaml", text)
		if err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(strings.Replace(err.Error(), ": [", ":", 1), line) {
			t.Errorf("%s: error %v, want %q on line %d", tt.name, err, tt.want, first+tt.line)
		}
	}

	if _, err := ParseTemplates("my.yaml", []byte("dataset: tea\n")); err == nil ||
		!strings.Contains(err.Error(), "my.yaml:1: ") {
		t.Errorf("a file about tea: %v", err)
	}
}

// A query that cannot be run, and a question that another template fits, are found with a corpus.
func TestExamplesFindMistakes(t *testing.T) {
	c := mustLoad(t, synthetic(t, toolqa.Coffee, synth.Options{Seed: 1}))
	entry := contributed(t)

	for want, text := range map[string]string{
		"no such column: Volumes": strings.Replace(entry, "Volume < 10000\n", "Volumes < 10000\n", 1),
		"no such column: Day": strings.Replace(entry, "    gold:",
			"    draw: SELECT Day AS start FROM coffee_data\n    gold:", 1),
		"nothing draws the slot end": strings.Replace(entry, "    gold:",
			"    draw: SELECT Date AS start FROM coffee_data\n    gold:", 1),
		"no other template fits": strings.Replace(entry, "On how many days from {start:date} to {end:date} was the "+
			"volume of coffee below 10000?", "What was the lowest coffee price from {start:date} to {end:date}?", 1),
	} {
		file, err := ParseTemplates("my.yaml", coffeeFileWith(t, text))
		if err != nil {
			t.Fatal(err)
		}

		_, err = file.Examples(rand.New(rand.NewPCG(1, 1)), c)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "my.yaml:") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Two templates with one query need not have one answer: what joins its rows, and whether one row
// alone may answer, belong to it.
func TestAnswersOfOneQuery(t *testing.T) {
	c := mustLoad(t, synthetic(t, toolqa.Coffee, synth.Options{Seed: 1}))
	const query = "SELECT Date FROM coffee_data ORDER BY Date LIMIT 2"

	for _, tt := range []struct {
		unique bool
		join   string
		parts  int // of the answer, 0 where there is none
	}{{false, " and ", 2}, {false, "", 1}, {true, " and ", 0}, {false, " and ", 2}} {
		text, err := new(Template).rule(query, tt.unique, tt.join)(c, nil)
		if tt.parts == 0 {
			if !errors.Is(err, errNoAnswer) {
				t.Errorf("%+v: %q, %v, want no answer", tt, text, err)
			}
			continue
		}

		if got := strings.Split(text, " and "); err != nil || len(got) != tt.parts {
			t.Errorf("%+v: %q, %v", tt, text, err)
		}
	}
}
