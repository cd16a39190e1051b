package score

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// publishedAnswers returns the distinct gold answers of the published questions, or skips the test
// where there are none.
func publishedAnswers(t *testing.T) []string {
	t.Helper()

	files, err := filepath.Glob(filepath.Join(os.Getenv("TOOLEVO_SHARED_DATA"), "toolqa", "questions", "*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}

	if len(files) == 0 {
		t.Skip("the published data is not here (set TOOLEVO_SHARED_DATA)")
	}

	var all []string

	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}

		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)

		for lines.Scan() {
			var q struct{ Answer any }

			// Python writes NaN, which JSON does not have.
			d := json.NewDecoder(strings.NewReader(strings.ReplaceAll(lines.Text(), ": NaN", `: "nan"`)))
			d.UseNumber()

			if err := d.Decode(&q); err != nil {
				t.Fatal(err)
			}

			all = append(all, fmt.Sprint(q.Answer))
		}

		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}

	slices.Sort(all)
	return slices.Compact(all)
}

// plain is what two published answers that say the same have in common.
var plain = regexp.MustCompile(`(?i)[$% ,]|\.0+\b|minutes`)

// Of all pairs of published answers only those match that differ in case, in zeros or in a unit
// that one leaves out.
func TestStrictOnPublishedPairs(t *testing.T) {
	all := publishedAnswers(t)
	right := 0

	for _, gold := range all {
		for _, predicted := range all {
			if gold == predicted || !Strict(gold, predicted) {
				continue
			}

			right++

			if !strings.EqualFold(plain.ReplaceAllString(gold, ""), plain.ReplaceAllString(predicted, "")) {
				t.Errorf("Strict(%q, %q) is true", gold, predicted)
			}
		}
	}

	t.Logf("%d pairs, %d match", len(all)*(len(all)-1), right)
}

// No wrong number is taken for a published one, however it is written.
func TestStrictOnPublishedNumbers(t *testing.T) {
	asked := 0

	for _, gold := range publishedAnswers(t) {
		q, ok := parseQuantity(unwrap(gold))
		if !ok {
			continue
		}

		for _, wrong := range wrongNumbers(q) {
			for _, form := range []string{"%s", "$%s", "US$%s", "%s%%", "%s USD", "**%s**", "“%s”", "%s.", "(%s)"} {
				if answer := fmt.Sprintf(form, wrong); Strict(gold, answer) {
					t.Errorf("Strict(%q, %q) is true", gold, answer)
				}

				asked++
			}
		}

		if q.unit != percent && Strict(gold, strconv.FormatFloat(q.value, 'f', -1, 64)+"%") {
			t.Errorf("Strict(%q, …%%) is true", gold)
		}
	}

	t.Logf("%d wrong answers", asked)
}

// wrongNumbers returns numbers that a careless matcher takes for q.
func wrongNumbers(q quantity) []string {
	text := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	right := text(q.value)
	all := []string{
		text(-q.value), text(q.value + 1), text(q.value - 1), text(q.value * 10), text(q.value / 10),
		text(q.value * 100), text(q.value / 100), text(q.value + 0.01), strings.Replace(right, ".", "", 1),
		right + "1", strings.Replace(right, ".", ",", 1), "<" + right, ">" + right, right + "²", right + "½",
		strings.Replace(right, ".", ":", 1), right + ", " + right, right + " and 1", "１" + right,
	}

	return slices.DeleteFunc(all, func(s string) bool {
		return s == right || strings.TrimPrefix(s, "-") == "0" && q.value == 0
	})
}
