package questions

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolevo/toolqa/corpus/importer"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// publishedCoffee imports the published coffee file.
func publishedCoffee(t testing.TB) *corpus.Corpus {
	t.Helper()
	return imported(t, toolqa.Coffee, sharedData(t, "toolqa", "corpus", "coffee", "coffee_price.csv"),
		importer.Options{})
}

// day is a row of the coffee corpus.
type day struct {
	date                   string
	open, high, low, close float64
	volume                 int64
}

// syntheticCoffee is a corpus of n days of prices to the cent, from the published first day on.
func syntheticCoffee(t testing.TB, n int) *Corpus {
	t.Helper()
	return mustLoad(t, coffeeFile(t, coffeeDays(n)))
}

func coffeeDays(n int) []day {
	r := rand.New(rand.NewPCG(7, 7))
	cents := func(x float64) float64 { return math.Round(max(x, 20)*100) / 100 }
	days := make([]day, n)
	date := time.Date(2000, 1, 3, 0, 0, 0, 0, time.UTC)

	price := 120.0
	for i := range days {
		open := cents(price + r.NormFloat64())

		closing := cents(open + 2*r.NormFloat64())
		if r.IntN(20) == 0 {
			closing = open
		}

		days[i] = day{
			date: date.Format(time.DateOnly), open: open, close: closing,
			high: cents(max(open, closing) + r.ExpFloat64()), low: cents(min(open, closing) - r.ExpFloat64()),
			volume: r.Int64N(60000),
		}
		price = closing
		date = date.AddDate(0, 0, 1+r.IntN(3))
	}

	return days
}

// anyCoffee is the published corpus, or a synthetic one of its size where it is absent.
func anyCoffee(t *testing.T) *corpus.Corpus {
	t.Helper()
	var c *corpus.Corpus

	t.Run("published corpus", func(sub *testing.T) {
		sharedData(sub, "toolqa", "corpus", "coffee", "coffee_price.csv") // skips only the part

		c = publishedCoffee(t)
	})

	if c == nil {
		c = coffeeFile(t, coffeeDays(5741))
	}
	return c
}

// coffeeFile is a corpus of the days.
func coffeeFile(t testing.TB, days []day) *corpus.Corpus {
	t.Helper()
	var text strings.Builder
	text.WriteString("Date,Open,High,Low,Close,Volume,Currency\n")

	for _, d := range days {
		fmt.Fprintf(&text, "%s,%v,%v,%v,%v,%d,USD\n", d.date, d.open, d.high, d.low, d.close, d.volume)
	}

	path := filepath.Join(t.TempDir(), "coffee_price.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return imported(t, toolqa.Coffee, path, importer.Options{AllowShort: true})
}

// smallCoffee is a corpus for computing by hand.
func smallCoffee(t testing.TB) *Corpus {
	t.Helper()
	return mustLoad(t, coffeeFile(t, []day{
		{"2000-01-03", 122.25, 124.0, 116.1, 116.5, 6640},
		{"2000-01-04", 116.25, 120.5, 115.75, 116.25, 5492},
		{"2000-01-05", 115.0, 121.0, 115.0, 118.6, 6165},
		{"2000-01-06", 119.0, 121.4, 116.5, 116.85, 5094},
		{"2000-01-10", 123.5, 126.0, 116.0, 116.8, 6000},
	}))
}
