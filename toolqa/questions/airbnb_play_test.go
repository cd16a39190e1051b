package questions

import (
	"strings"
	"testing"

	"toolevo/toolqa/corpus/importer"
	"toolevo/toolqa/corpus/synth"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// syntheticAirbnb builds a corpus of n rows.
func syntheticAirbnb(t testing.TB, n int) *corpus.Corpus {
	t.Helper()
	return synthetic(t, toolqa.Airbnb, synth.Options{Seed: 1, Rows: n})
}

// sampleAirbnb imports the sample of the published file.
func sampleAirbnb(t testing.TB) *corpus.Corpus {
	t.Helper()
	from := sharedData(t, "toolqa", "corpus", "airbnb_sample", "Airbnb_Open_Data.csv")

	c := imported(t, toolqa.Airbnb, from, importer.Options{AllowShort: true, SkipBad: 1})
	if info := c.Info(); info.Rows != 4_001 || info.Skipped != 1 { // two lines of the sample run into each other
		t.Errorf("%d rows, %d skipped", info.Rows, info.Skipped)
	}
	return c
}

func TestReaderSolvesTheAirbnbSample(t *testing.T) {
	c := sampleAirbnb(t)
	newWorld(t, c).wantShare("p_c", drawEach(t, mustLoad(t, c), 25), 0.95)
}

func TestReaderSolvesAirbnb(t *testing.T) {
	c := syntheticAirbnb(t, 3_000)
	playAll(t, c, drawEach(t, mustLoad(t, c), 6), ending.right, apiVersions...)
}

// Names that a condition or a query could misread do not.
func TestReaderSolvesOddAirbnbNames(t *testing.T) {
	c := syntheticAirbnb(t, 20_000)
	view := mustLoad(t, c)
	var qs []toolqa.Question
	seen := map[string]int{}

	for _, name := range []string{"airbnb-easy/host-name", "airbnb-hard/total-price", "airbnb-easy/price"} {
		tmpl, _ := lookup(name)
		for _, q := range drawSome(t, tmpl, view, 3_000) {
			m, _ := recognise(q.Text)
			odd := ""

			for kind, chars := range map[string]string{"comma": ", ", "greater": ">", "less": "<", "equal": "=",
				"quote": "'", "double": `"`, "blanks": "  ", "id": "(id:"} {
				if strings.Contains(m.slots.get("name"), chars) && seen[name+kind] < 3 {
					odd = name + kind
				}
			}

			if odd != "" {
				seen[odd]++

				qs = append(qs, q)
			}
		}
	}

	if len(seen) < 18 {
		t.Errorf("too few odd names: %v", seen)
	}

	playAll(t, c, qs, ending.right, "p_s_in")
}
